"""Boards as SVG and HTML: well-formed, clickable, and safe with whatever rules are called."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from tests.show.test_board import wandered

from stratagem import sheets as games
from stratagem.gdl.terms import Symbol
from stratagem.loading import load
from stratagem.show.board.infer import model_of
from stratagem.show.board.model import Square
from stratagem.show.board.svg.board import draw_html, draw_svg
from stratagem.show.board.svg.marks import PALETTE

SPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script>"


@pytest.mark.parametrize("name", games.names())
def test_every_bundled_game_gives_well_formed_svg_with_a_box(name: str) -> None:
    state = wandered(load(name, machine="reasoner"), 4)
    root = ElementTree.fromstring(draw_svg(state))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    assert root.tag == f"{SPACE}svg"
    assert 0 < width < 2000
    assert 0 < height < 2000
    assert draw_html(state).startswith("<div")


@pytest.mark.parametrize(
    "name", ["tictactoe", "hex", "kalah", "nim", "hanoi", "dotsandboxes", "buttonsandlights"]
)
def test_every_cell_says_which_it_is(name: str) -> None:
    game = load(name, machine="reasoner")
    root = ElementTree.fromstring(draw_svg(game.initial(), clickable=True))
    keys = [node.attrib["data-cell"] for node in root.iter() if "data-cell" in node.attrib]
    board = model_of(game).boards[0]
    assert sorted(keys) == sorted(",".join(map(str, cell)) for cell in board.spots)
    assert "data-cell" not in re.sub("<style>.*</style>", "", draw_svg(game.initial()))


def test_lit_cells_and_targets_are_marked() -> None:
    state = load("tictactoe", machine="reasoner").initial()
    square = Square(0, (Symbol("1"), Symbol("1")))
    body = draw_svg(state, lit=[square], targets=[square])
    assert body.count('class="lit"') == 1
    assert body.count('class="target"') == 1


@pytest.mark.parametrize(
    "name", ["tictactoe", "hex", "kalah", "nim", "hanoi", "dotsandboxes", "buttonsandlights"]
)
def test_a_target_has_a_dot_on_every_kind_of_board_and_a_lit_cell_is_another_picture(name: str) -> None:
    game = load(name, machine="reasoner")
    state, square = game.initial(), Square(0, next(iter(model_of(game).boards[0].spots)))
    assert draw_svg(state, targets=[square]).count('class="target"') == 1
    assert draw_svg(state, lit=[square]) != draw_svg(state)


def test_the_highlight_of_a_hexagon_has_its_shape() -> None:
    game = load("hex", machine="reasoner")
    square = Square(0, next(iter(model_of(game).boards[0].spots)))
    body = draw_svg(game.initial(), lit=[square])
    assert re.search('<polygon[^>]*class="lit"', body)
    assert not re.search('<rect[^>]*class="lit"', body)


def test_a_theme_can_be_forced() -> None:
    state = load("tictactoe", machine="reasoner").initial()
    assert 'class="sb dark"' in draw_svg(state, theme="dark")
    assert 'class="sb"' in draw_svg(state)


def test_every_counter_has_a_letter_beside_its_colour() -> None:
    state = load("connectfour", machine="reasoner").initial().play("(drop 1)").play("(drop 2)")
    letters = [node.text for node in ElementTree.fromstring(draw_svg(state)).iter(f"{SPACE}text")]
    assert {"R", "Y"} <= {*letters}


def test_letters_can_be_read_on_their_colours() -> None:
    for fill, text in PALETTE.values():
        assert contrast(fill, text) >= 3


def contrast(one: str, two: str) -> float:
    """The ratio of luminances by the rules for accessible pages (WCAG 2)."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    "rules",
    [
        f"(init (cell 1 1 {HOSTILE})) (init (cell 1 2 b)) (init (cell 2 1 b)) (init (cell 2 2 b)) "
        "(<= (next (cell ?x ?y ?m)) (true (cell ?x ?y ?m)))",
        f'(init ({HOSTILE} 1)) (init ("onload= 2))',
        f"(init (heap {HOSTILE} 3)) (init (heap b 2)) (<= (next (heap ?x ?n)) (true (heap ?x ?n)))",
        f"(init (on {HOSTILE} a)) (init (on y a)) (<= (next (on ?x ?n)) (true (on ?x ?n)))",
        f"(init (on {HOSTILE})) (init (on y)) (<= (next (on ?x)) (true (on ?x)))",
    ],
)
def test_names_that_are_markup_stay_names(rules: str) -> None:
    text = f"(role r) (legal r noop) (goal r 0) (<= terminal (true over)) {rules}"
    state = load(text, machine="reasoner").initial()
    for page in (draw_svg(state, clickable=True), draw_html(state)):
        assert "<script" not in page
        ElementTree.fromstring(page)
