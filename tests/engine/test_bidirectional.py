"""Bidirectional search finds paths as short as breadth-first does, and they can be played."""

from __future__ import annotations

import pytest

from stratagem.engine.puzzle.bidirectional import bidirectional
from stratagem.engine.solve import solve
from stratagem.ground.solving.mutex_groups import mutex_groups
from stratagem.ground.solving.predecessors import ground_sheet
from stratagem.limit import Limit
from stratagem.loading import load

PUZZLES: list[tuple[str, dict[str, int]]] = [
    ("eightpuzzle", {}),
    ("missionaries", {}),
    ("hanoi", {}),
    ("hanoi", {"discs": 3}),
    ("buttonsandlights", {}),
    ("waterjugs", {}),
    ("wolfgoatcabbage", {}),
    ("pancakes", {}),
    ("maze", {}),
]


@pytest.mark.parametrize(("name", "sizes"), PUZZLES)
def test_the_path_is_as_short_as_breadth_first_s_and_leads_to_the_goal(
    name: str, sizes: dict[str, int]
) -> None:
    game = load(name, settings=sizes)
    found = solve(game, method="bidirectional")
    shortest = solve(game, method="breadth-first")
    assert found.proved
    assert found.value == shortest.value
    assert found.distance == shortest.distance == len(found.line)
    state = game.initial()
    for joint in found.line:
        state = state.next(joint)
    assert state.terminal
    assert state.goal(game.roles[0]) == 100


def test_where_there_is_no_path_that_is_proved_and_the_next_best_is_found() -> None:
    found = solve(load("hanoi", discs=3, limit=6), method="bidirectional")
    assert found.proved
    assert found.estimates["robot"] == 0


def test_a_search_that_is_stopped_says_how_far_the_goal_is_at_least() -> None:
    game = load("eightpuzzle")
    rounds: list[int] = []
    mutex_groups(ground_sheet(game.sheet), stop=lambda: bool(rounds.append(1)))
    asked = iter([False] * (len(rounds) + 12) + [True] * 1000)
    way = bidirectional(game, limit=Limit(stop=lambda: next(asked)))
    assert way.value is None
    assert not way.proved
    assert 1 < way.bound <= 30


def test_a_limit_ends_the_proof_of_what_excludes_each_other_too() -> None:
    game = load("eightpuzzle")
    asked: list[int] = []

    def over() -> bool:
        asked.append(1)
        return len(asked) > 2  # the proof takes more rounds

    way = bidirectional(game, limit=Limit(stop=over))
    assert way.value is None and not way.proved
    assert way.states == 0 and len(asked) <= 5
