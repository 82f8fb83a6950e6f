"""Symmetries of boards: found from the rules, proved, and true of every state."""

from __future__ import annotations

from random import Random

import pytest

from stratagem.gdl_game import GdlGame, State
from stratagem.loading import load
from stratagem.machines.symmetry import Symmetries, symmetries_of
from stratagem.search.theory.state_collapse import collapse


def found(game: GdlGame) -> Symmetries:
    symmetries = symmetries_of(game)
    assert symmetries is not None
    return symmetries


def test_tic_tac_toe_has_765_classes() -> None:
    game = load("tictactoe")
    counted = collapse(game, canonical=found(game).canonical)
    assert counted.classes == 765


@pytest.mark.parametrize(
    ("name", "sizes", "count"),
    [
        ("tictactoe", {}, 7),
        ("connectfour", {"columns": 5, "rows": 4}, 1),
        ("hexapawn", {}, 1),
        ("lightsout", {}, 7),
        ("breakthrough", {"columns": 4, "rows": 5}, 1),
    ],
)
def test_boards_have_the_symmetries_that_everybody_sees(name: str, sizes: dict[str, int], count: int) -> None:
    assert len(found(load(name, settings=sizes)).names) == count


def test_a_board_without_symmetry_has_none() -> None:
    assert symmetries_of(load("eightpuzzle")) is None
    assert symmetries_of(load("nim")) is None


@pytest.mark.parametrize(
    ("name", "sizes"), [("tictactoe", {}), ("connectfour", {"columns": 4, "rows": 4}), ("hexapawn", {})]
)
def test_symmetric_states_have_the_same_future(name: str, sizes: dict[str, int]) -> None:
    game = load(name, settings=sizes)
    symmetries = found(game)
    random = Random(1)
    for _ in range(20):
        state = game.initial()
        while not state.terminal:
            for exchange in symmetries.exchanges:
                mirrored = game.state_of(exchange[fact] for fact in state.facts())
                assert symmetries.canonical(mirrored) == symmetries.canonical(state)
                assert mirrored.terminal == state.terminal
                assert {symmetries.canonical(child) for child in children(mirrored)} == {
                    symmetries.canonical(child) for child in children(state)
                }
            state = random.choice(children(state))


def children(state: State) -> list[State]:
    (mover,) = [role for role in state.game.roles if state.legals(role) != ("noop",)]
    return [state.play(move) for move in state.legals(mover)]
