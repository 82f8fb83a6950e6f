"""What a notebook shows of trees, results and explanations."""

from __future__ import annotations

import html
from types import SimpleNamespace

import pytest
from tests.support.hostile import LABEL, HostileGame

from stratagem.errors import UsageError
from stratagem.explanation import explain
from stratagem.machines.trees.models import lecture_tree, uniform
from stratagem.machines.trees.tree import Tree
from stratagem.notebook import display, load_ipython_extension
from stratagem.result import Result
from stratagem.search import ALGORITHMS


def test_a_tree_is_drawn_with_all_its_leaves():
    picture = display(lecture_tree())

    assert picture.svg in picture._repr_html_()
    assert picture.svg.count("<rect") == 1 + 5 + 16  # the paper, MAX nodes, leaves
    assert picture.svg.count("<ellipse") == 10


def test_a_result_is_a_table_and_its_strategy():
    picture = display(ALGORITHMS["sss-star"](lecture_tree()))

    assert "<td>12</td>" in picture.html
    assert "<td>SSS*</td>" in picture.html
    assert picture.svg.count("<rect") == 1 + 3 + 4


def test_a_tree_too_large_to_draw_says_how_large_it_is():
    assert "8,191 nodes" in display(uniform(2, 12)).html


def test_an_explanation_shows_itself_in_a_frame_of_its_own():
    found = explain(lecture_tree(), "sss-star")
    shown = found._repr_html_()

    assert shown == display(found).html
    assert 'sandbox="allow-scripts"' in shown
    inner = shown.partition('srcdoc="')[2].rpartition('"')[0]
    assert "<" not in inner
    assert html.unescape(inner) == found.html()


def test_hostile_moves_stay_text_in_notebooks():
    shown = display(ALGORITHMS["minimax"](HostileGame())).html
    framed = explain(HostileGame(), "minimax", label=LABEL)._repr_html_()

    assert "<script" not in shown + framed
    assert "<img" not in shown + framed


def test_other_things_have_no_picture():
    with pytest.raises(UsageError, match="no picture is known for int"):
        display(3)


def test_the_extension_teaches_a_notebook_to_show_trees_and_results():
    known = {}
    formatter = SimpleNamespace(for_type=known.__setitem__)
    load_ipython_extension(
        SimpleNamespace(display_formatter=SimpleNamespace(formatters={"text/html": formatter}))
    )

    assert set(known) == {Tree, Result}
    assert "<svg" in known[Tree](lecture_tree())
