"""Searches in a terminal: plain in a pipe, key by key at a keyboard, readable without special signs."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from stratagem.explanation import explain
from stratagem.machines.trees.graph import maze
from stratagem.machines.trees.models import lecture_tree, uniform
from stratagem.search import ADVERSARIAL
from stratagem.show.walkthrough.model import Cursor
from stratagem.show.walkthrough.render.terminal import important_steps, print_walkthrough, step_through
from stratagem.show.walkthrough.render.text_tree import lines_of


def printed(walkthrough, **options) -> str:
    file = io.StringIO()
    print_walkthrough(walkthrough, Console(file=file, width=100, **options))
    return file.getvalue()


def test_a_pipe_gets_no_colours_and_no_control_codes():
    text = printed(explain(lecture_tree(), "alpha-beta").walkthrough)

    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)
    assert "Alpha-beta · step 51 of 66" in text
    assert "Cut in node 1.0.1" in text
    assert text.rstrip().splitlines()[-1].endswith("3")
    assert "Done: the value is 12" in text


def test_a_terminal_gets_colours():
    assert "\x1b[" in printed(
        explain(lecture_tree(), "alpha-beta").walkthrough, force_terminal=True, color_system="standard"
    )


def test_open_stands_beside_the_tree():
    text = printed(explain(lecture_tree(), "sss-star").walkthrough)

    assert re.search(r"□ +OPEN \(3\)", text)
    assert re.search(r"1\.0 +SOLVED +12 +2 +2", text)


def test_the_window_stands_beside_the_tree():
    assert re.search(r"1\.1 +13 +12", printed(explain(lecture_tree(), "alpha-beta").walkthrough))


def test_the_fringe_stands_beside_the_states():
    puzzle = maze({"a": "bc", "b": "d", "c": "de"}, start="a", goal="e")
    text = printed(explain(puzzle, "breadth-first").walkthrough)

    assert "fringe (" in text
    assert re.search(r"1: 4 goal \*", text)


def test_steps_worth_stopping_at_are_the_cuts_or_else_the_moves_of_the_root():
    cuts = explain(lecture_tree(), "alpha-beta").walkthrough
    assert [cuts.steps[number].kind for number in important_steps(cuts)] == ["cut", "cut", "finish"]

    whole = explain(lecture_tree(), "minimax").walkthrough
    assert [whole.text(number) for number in important_steps(whole)][:2] == [
        "Node 0 is worth 9, which MIN gets through node 0.1.",
        "Node 1 is worth 12, which MIN gets through node 1.0.",
    ]


def test_what_is_left_out_is_said():
    text = printed(explain(uniform(3, 4), "alpha-beta").walkthrough)
    assert re.search(r"… \d+ more such steps", text)


@pytest.mark.parametrize("name", list(ADVERSARIAL))
def test_every_search_can_be_printed(name):
    assert "Done: the value is 12" in printed(explain(lecture_tree(), name).walkthrough)


def test_a_terminal_that_knows_only_ascii_gets_only_ascii():
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii")
    print_walkthrough(explain(lecture_tree(), "alpha-beta").walkthrough, Console(file=file, width=100))
    file.flush()
    text = raw.getvalue().decode("ascii")

    assert "alpha" in text
    assert ">=13" in text
    assert "|-0: MIN 9" in text


def keys(*pressed: str):
    waiting = iter(pressed)
    return lambda: next(waiting)


def seen(walkthrough, *pressed: str) -> list[str]:
    file = io.StringIO()
    step_through(walkthrough, Console(file=file, width=100), keys(*pressed))
    return re.findall(r"step (\d+) of", file.getvalue())


def test_keys_go_forward_back_to_the_next_cut_and_out():
    walkthrough = explain(lecture_tree(), "alpha-beta").walkthrough

    assert seen(walkthrough, "n", "n", "p", "c", "c", "c", "q") == ["1", "2", "3", "2", "51", "61", "66"]
    assert seen(walkthrough, "p", "e", "n", "g", "x", "q") == ["1", "1", "66", "66", "1", "1"]
    assert seen(walkthrough, "\x1b[C", "\x1b[D", "\x03") == ["1", "2", "1"]


def test_a_large_tree_is_written_in_few_lines():
    walkthrough = explain(uniform(2, 11), "alpha-beta").walkthrough
    cursor = Cursor(walkthrough)
    for number in range(0, len(walkthrough.steps), 97):
        frame = cursor.seek(number).frame()
        lines = lines_of(walkthrough, frame)
        assert len(lines) < 60
        assert sum(line.focus for line in lines) == 1


def test_many_brothers_are_written_as_one():
    walkthrough = explain(uniform(60, 2), "alpha-beta").walkthrough
    lines = lines_of(walkthrough, Cursor(walkthrough).seek(2000).frame())

    assert len(lines) < 40
    assert any("moves more" in line.text for line in lines)
