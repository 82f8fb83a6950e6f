"""GDL puzzles solved from the goal."""

from __future__ import annotations

import pytest

from stratagem.ground.solving.planner import Planner
from stratagem.ground.solving.predecessors import goal_states, ground_sheet
from stratagem.loading import load
from stratagem.machines.backward_game import BackwardGame
from stratagem.search.framework.puzzle import HasPredecessors, Puzzle
from stratagem.search.single.backward import backward
from stratagem.search.single.bidirectional import bidirectional
from stratagem.search.single.breadth_first import breadth_first

PUZZLES = ["buttonsandlights", "hanoi", "missionaries", "slidingpuzzle", "waterjugs", "wolfgoatcabbage"]


@pytest.mark.parametrize("name", PUZZLES)
def test_searches_from_the_goal_find_as_short_a_solution_as_the_search_from_the_start(name):
    game = load(name)
    shortest = breadth_first(game)
    assert shortest.solution is not None
    reverse = BackwardGame(game)
    assert isinstance(reverse, HasPredecessors)
    for search in (backward, bidirectional):
        found = search(reverse)
        state = game.initial()
        for move in found.solution:
            state = state.play(move)
        assert state.terminal
        assert state.goal(game.roles[0]) == 100
        assert len(found.solution) == len(shortest.solution)


def test_meeting_in_the_middle_saves_work_on_rules_too():
    game = BackwardGame(load("slidingpuzzle"))
    assert bidirectional(game).counters.nodes < breadth_first(game).counters.nodes


def test_a_lower_aim_has_more_ends():
    game = load("buttonsandlights", limit=3)
    assert backward(BackwardGame(game)).solution is None
    modest = BackwardGame(game, role="robot", threshold=0)
    assert len(backward(Puzzle(modest, threshold=0)).solution) == 3


@pytest.mark.parametrize("best", ["100", "+100", "0100", "many", "1000000000", "-100"])
def test_every_way_of_playing_reads_a_goal_as_the_same_number(best):
    rules = f"""(role robot) (init off) (legal robot press)
        (<= (next on) (does robot press)) (<= terminal (true on))
        (<= (goal robot {best}) (true on)) (<= (goal robot 0) (true off))"""
    ends = [
        load(rules, machine=machine).initial().play("press") for machine in ("reasoner", "circuit", "native")
    ]
    values = {end.goal("robot") for end in ends}
    assert len(values) == 1
    won = values == {100}
    assert won == (best in ("100", "+100", "0100"))
    program = ground_sheet(ends[0].game.sheet)
    assert goal_states(program, "robot") == ([ends[0].facts()] if won else [])
    assert (Planner(program, ends[0].game.initial().facts()).plan(longest=3).moves is not None) == won
