"""Pictures of trees: the lecture's, kept and looked at; well-formed; harmless; and PNG from them."""

from __future__ import annotations

import sys
from xml.etree import ElementTree

import pytest
from tests.support.data import ROOT
from tests.support.hostile import LABEL, HostileGame

from stratagem.errors import MissingExtra
from stratagem.explanation import explain
from stratagem.machines.trees.graph import maze
from stratagem.machines.trees.models import lecture_tree
from stratagem.machines.trees.tree import Tree
from stratagem.search import ADVERSARIAL
from stratagem.show.tree.svg import NAMESPACE, move_label, svg_of

GOLDEN = ROOT / "tests" / "golden" / "trees"
FOLDED_THREE = 'font-size="9" fill="#6b7280" text-anchor="middle">3</text>'


def drawn(name: str) -> str:
    return explain(lecture_tree(), name, label="the lecture's tree").svg()


@pytest.mark.parametrize("name", ["alpha-beta", "sss-star"])
def test_the_lecture_tree_looks_as_it_did(name):
    """``python -m tests.show.test_tree_svg`` writes the pictures anew; look at them before you keep them."""
    assert drawn(name) == (GOLDEN / f"lecture-{name}.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", list(ADVERSARIAL))
def test_pictures_are_well_formed_and_load_nothing(name):
    picture = drawn(name)

    assert ElementTree.fromstring(picture).tag == f"{{{NAMESPACE}}}svg"
    assert picture.count("http") == 1
    assert "href" not in picture
    assert "url(" not in picture


def test_the_picture_shows_two_cuts_and_thirteen_leaves():
    picture = explain(lecture_tree(), "alpha-beta").svg(legend=False)

    assert picture.count('stroke="#d55e00" stroke-width="2"/>') == 2  # the strokes through an edge
    assert picture.count('fill="#fdf0cf"') == 13
    assert picture.count('stroke="#009e73" stroke-width="5"') == 4  # best play


def test_a_picture_can_be_taken_of_any_step():
    found = explain(lecture_tree(), "alpha-beta")

    assert found.svg(at=6, legend=False).count('fill="#fdf0cf"') == 1
    assert found.svg(at=1, legend=False).count('fill="#fdf0cf"') == 0


def test_states_and_second_ways_are_drawn_for_puzzles():
    puzzle = maze({"a": "bc", "b": "d", "c": "de"}, start="a", goal="e")
    picture = explain(puzzle, "breadth-first").svg(legend=False)

    assert picture.count("<rect") == 1 + 5  # the paper and five states
    assert picture.count("<path") == 1  # from c to d, which is known


def test_nodes_that_are_not_drawn_are_counted_where_they_are_folded():
    found = explain(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), "minimax").walkthrough
    whole = [node.parent is None or node.parent == 0 for node in found.nodes]
    first = min(number for number, node in enumerate(found.nodes) if node.parent not in (None, 0))

    picture = svg_of(
        found, legend=False, drawn={number for number, near in enumerate(whole) if near} | {first}
    )

    assert picture.count("l-11 12h22z") == 2  # the fans of the two moves that are folded
    assert picture.count(FOLDED_THREE) == 2  # and their numbers
    assert picture.count("and 2 more") == 1  # beside the move with one of its three leaves drawn
    assert "l-11 12h22z" not in svg_of(found, legend=False)
    assert svg_of(found) == svg_of(found, drawn=range(len(found.nodes)))


def test_chance_nodes_are_diamonds():
    coin = {"chances": [0.5, 0.5], "children": [10, 0]}
    assert explain(Tree.of([coin, [4, 7]]), "expectiminimax").svg(legend=False).count("<polygon") == 1


def test_hostile_moves_stay_text_in_pictures():
    picture = explain(HostileGame(), "minimax", label=LABEL).svg()

    assert "<script" not in picture
    assert "<img" not in picture
    ElementTree.fromstring(picture)


def test_moves_are_written_short():
    assert move_label("(mark 1 1)") == "mark 1 1"
    assert move_label("(move knight b 1 c 3)") == "move knight b…"


def test_png_comes_from_the_same_picture():
    pytest.importorskip("resvg_py", reason="resvg-py is not installed; pip install 'stratagem[png]'")
    picture = explain(lecture_tree(), "alpha-beta").png()

    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20], "big") > 1000  # its width


def test_without_the_converter_png_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingExtra, match=r"needs the package resvg-py.*stratagem\[png\]"):
        explain(lecture_tree(), "alpha-beta").png()


if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for each in ("alpha-beta", "sss-star"):
        (GOLDEN / f"lecture-{each}.svg").write_text(drawn(each), encoding="utf-8")
