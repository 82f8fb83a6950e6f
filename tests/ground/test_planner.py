"""Plans found by clingo: as short as breadth-first search finds them, and proofs that there are none."""

from __future__ import annotations

import pytest

from stratagem.errors import UnsuitableGame
from stratagem.gdl_game import GdlGame
from stratagem.ground.solving.planner import Planner
from stratagem.ground.solving.predecessors import ground_sheet
from stratagem.loading import load

SHORTEST = [
    ("buttonsandlights", {}, 6),
    ("missionaries", {}, 11),
    ("wolfgoatcabbage", {}, 7),
    ("hanoi", {"discs": 3}, 7),
    ("pancakes", {}, 6),
    ("waterjugs", {}, 6),
]


def planner(game: GdlGame) -> Planner:
    return Planner(ground_sheet(game.sheet), game.initial().facts())


@pytest.mark.parametrize(("name", "sizes", "moves"), SHORTEST, ids=[name for name, _, _ in SHORTEST])
def test_plans_are_shortest_and_win(name: str, sizes: dict[str, int], moves: int) -> None:
    game = load(name, settings=sizes)
    plan = planner(game).plan()
    assert plan.moves is not None
    assert len(plan.moves) == moves == plan.bound
    state = game.initial()
    for move in plan.moves:
        assert move in game.legals(state, game.roles[0])
        state = game.next(state, (move,))
    assert game.terminal(state)
    assert game.goal(state, game.roles[0]) == 100


ROUND = """
(role robot) (init (at 1)) (init open)
(step 1 2) (step 2 3) (step 3 1)
(base (at 1)) (base (at 2)) (base (at 3)) (base (at 4)) (base open) (input robot walk)
(legal robot walk)
(<= (next (at ?b)) (true (at ?a)) (step ?a ?b))
(<= (next open) (true open))
(<= terminal (true (at 4)))
(<= (goal robot 100) (true (at 4)))
(<= (goal robot 0) (not (true (at 4))))
"""


def test_a_puzzle_that_runs_in_circles_is_proved_unsolvable() -> None:
    plan = planner(load(ROUND)).plan()
    assert plan.moves is None
    assert plan.exhausted


def test_a_puzzle_whose_matches_all_end_badly_is_proved_unsolvable() -> None:
    plan = planner(load("hanoi", settings={"discs": 3, "limit": 6})).plan()
    assert plan.moves is None
    assert plan.exhausted


def test_a_plan_that_is_longer_than_allowed_is_not_called_impossible() -> None:
    plan = planner(load("hanoi", settings={"discs": 3})).plan(longest=6)
    assert plan.moves is None
    assert not plan.exhausted
    assert plan.bound == 7


def test_planning_stops_when_asked() -> None:
    plan = planner(load("eightpuzzle")).plan(stop=lambda: True)
    assert plan.moves is None
    assert not plan.exhausted


def test_plans_are_for_one_player() -> None:
    with pytest.raises(UnsuitableGame, match="one player"):
        planner(load("tictactoe"))
