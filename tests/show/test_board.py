"""Boards in the terminal: nothing is hidden, nothing is mistaken for something else, and nothing fails."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from stratagem import sheets as games
from stratagem.gdl.terms import Compound, Symbol, functor
from stratagem.gdl_game import GdlGame, State
from stratagem.loading import load
from stratagem.show.board.infer import model_of
from stratagem.show.board.model import Square
from stratagem.show.board.terminal.board import draw, draw_rich

RULES = (
    "(role r) (legal r noop) (goal r 0) (<= terminal (true over)) "
    "(<= (base (cell ?x ?y ?m)) (i ?x) (i ?y) (m ?m)) (i 1) (i 2) (i 3) (m a) (m b) "
    "(<= (base (flag ?m)) (m ?m)) (<= (next (cell ?x ?y ?m)) (true (cell ?x ?y ?m))) "
    "(<= (next (flag ?m)) (true (flag ?m)))"
)


def wandered(game: GdlGame, plies: int, seed: int = 1) -> State:
    """A state some random moves into the game."""
    chance, state = random.Random(seed), game.initial()
    for _ in range(plies):
        if state.terminal:
            break
        state = state.next([chance.choice(state.legals(role)) for role in game.roles])
    return state


@pytest.mark.parametrize("name", games.names())
def test_every_fact_is_on_top_of_a_cell_or_in_the_list(name: str) -> None:
    game = load(name, machine="reasoner")
    model = model_of(game)
    for plies in (0, 3, 9):
        facts = wandered(game, plies).facts()
        picture = model.picture(facts)
        layers = {
            layer.key: (number, layer) for number, board in enumerate(model.boards) for layer in board.layers
        }
        for fact in facts - {*picture.rest}:
            number, layer = layers[functor(fact)]
            board = model.boards[number]
            cell, content = layer.read(fact)
            if board.kind == "stacks":
                assert any(content in pile for pile in picture.contents[number].values())
            else:
                assert content in board.blank or picture.contents[number][cell][0] == content


@pytest.mark.parametrize("name", games.names())
def test_no_two_contents_have_one_mark(name: str) -> None:
    for board in model_of(load(name, machine="reasoner")).boards:
        marks = [mark for content, mark in board.marks.items() if content not in board.blank]
        if board.kind != "lamps":
            assert len({mark.text for mark in marks}) == len(marks)
            assert len({mark.plain for mark in marks}) == len(marks)


@pytest.mark.parametrize("name", games.names())
def test_ascii_is_ascii_and_lines_fit(name: str) -> None:
    state = wandered(load(name, machine="reasoner"), 5)
    plain = draw(state, ascii=True, width=80)
    assert plain.isascii()
    assert max(map(len, plain.splitlines())) <= 80
    assert max(map(len, draw(state, width=80).splitlines())) <= 80
    assert len(draw(state).splitlines()) >= len(draw(state, width=400).splitlines())


@given(
    some.sets(
        some.builds(
            lambda *parts: Compound(parts),
            some.just("cell"),
            *(some.sampled_from([*map(Symbol, "123479ab"), Compound(("f", Symbol("1")))]) for _ in range(3)),
        )
    ),
    some.sets(
        some.sampled_from(
            [*map(Symbol, "pqr"), Compound(("flag", Symbol("a"))), Compound(("cell", Symbol("1")))]
        )
    ),
)
@settings(max_examples=60)
def test_any_facts_at_all_are_drawn_and_each_of_them_is_named(
    cells: set[Compound], others: set[Symbol]
) -> None:
    game = load(RULES, machine="reasoner")
    state = game.state_of({*cells, *others})
    text = draw(state)
    picture = model_of(game).picture(state.facts())
    kept = sum(len(contents) for board in picture.contents for contents in board.values())
    hidden = sum(max(0, len(contents) - 1) for board in picture.contents for contents in board.values())
    assert kept + len(picture.rest) - hidden == len(state.facts())
    for fact in picture.rest:
        assert functor(fact)[0] in text


def test_a_state_prints_as_its_board() -> None:
    state = load("tictactoe", machine="reasoner").initial().play("(mark 2 2)")
    assert str(state) == draw(state)
    assert "│ x │" in str(state)


def test_colours_say_whose_a_piece_is_and_the_last_move_stands_out() -> None:
    state = load("connectfour", machine="reasoner").initial().play("(drop 1)")
    plain = draw_rich(state)
    assert plain.plain == draw(state)
    assert any("red" in str(span.style) for span in plain.spans)
    lit = draw_rich(state, lit=[Square(0, (Symbol("1"), Symbol("1")))])
    assert any("reverse" in str(span.style) for span in lit.spans)


def test_nothing_at_all_is_said_in_words() -> None:
    game = load("(role r) (legal r noop) (goal r 0) (<= terminal (true over))", machine="reasoner")
    assert draw(game.initial()) == "nothing is true"


def test_rules_that_are_too_large_to_survey_are_listed() -> None:
    text = (
        "(role r) (legal r noop) (goal r 0) (<= terminal (true over)) (init (cell 1 1)) "
        "(d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9) "
        "(<= (base (huge ?a ?b ?c ?d ?e ?f ?g)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g))"
    )
    assert "cell: 1 1" in draw(load(text, machine="reasoner").initial())
