"""Nodes of the tree against states: counted, not estimated."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.support.data import oracles
from tests.support.puzzles import TicTacToe, buttons_and_lights, hanoi, least_of_the_eight, sliding

from stratagem.errors import UsageError
from stratagem.limit import Limit
from stratagem.machines.trees.graph import maze
from stratagem.search.theory.state_collapse import PRINTED, collapse


@pytest.fixture(scope="module")
def known():
    return json.loads((oracles() / "oracles.json").read_text())


@pytest.fixture(scope="module")
def tic_tac_toe():
    return collapse(TicTacToe(), canonical=least_of_the_eight)


def test_tic_tac_toe_has_549946_nodes_and_5478_states(tic_tac_toe, known):
    expected = known["tic_tac_toe"]
    assert (tic_tac_toe.tree_nodes, tic_tac_toe.states) == (549_946, 5_478)
    assert [level.tree_nodes for level in tic_tac_toe.levels] == expected["tree_nodes_by_ply"]
    assert [level.states for level in tic_tac_toe.levels] == expected["states_by_ply"]
    assert tic_tac_toe.matches == expected["complete_games"] == 255_168
    assert {str(level.depth): level.matches for level in tic_tac_toe.levels if level.matches} == (
        expected["games_by_length"]
    )
    assert tic_tac_toe.complete
    assert not tic_tac_toe.endless


def test_tic_tac_toe_has_765_boards_up_to_symmetry(tic_tac_toe, known):
    assert tic_tac_toe.classes == known["tic_tac_toe"]["states_up_to_symmetry"] == 765


def test_the_printed_ratio_divides_a_tree_without_wins_by_states_with_wins(tic_tac_toe, known):
    assert (PRINTED.tree_nodes, PRINTED.states, PRINTED.ratio) == (900_000, 5_000, 180)
    assert PRINTED.tree_nodes / PRINTED.states == PRINTED.ratio
    assert round(tic_tac_toe.ratio) == 100
    on_and_on = collapse(TicTacToe(wins=False))
    assert on_and_on.tree_nodes == known["tic_tac_toe"]["ignoring_wins"]["tree_nodes"] == 986_410
    assert on_and_on.states == known["tic_tac_toe"]["ignoring_wins"]["states"]
    assert round(on_and_on.tree_nodes / tic_tac_toe.states) == PRINTED.ratio


def test_buttons_and_lights_has_1093_nodes_and_32_states(known):
    counted = collapse(buttons_and_lights())
    expected = known["buttons_and_lights_gdl"]
    assert (counted.tree_nodes, counted.states) == (expected["tree_nodes"], expected["states_with_step"])
    assert counted.classes is None


def test_the_sliding_puzzle_has_as_many_states_at_each_distance_as_known(known):
    expected = known["sliding_3x2_blank_in_corner"]
    unreachable = (2, 1, 3, 4, 5, 0)
    counted = collapse(sliding(3, 2, (1, 2, 3, 4, 5, 0), goal=unreachable))
    assert [level.new_states for level in counted.levels if level.new_states] == expected["by_depth"]
    assert counted.states == expected["states"]
    assert counted.endless
    assert not counted.complete


def test_an_endless_tree_is_counted_to_the_depth_asked_for():
    counted = collapse(maze({"a": "bb", "b": "a", "x": "a"}, "a", "x"), limit=Limit(depth=6))
    assert [level.tree_nodes for level in counted.levels] == [1, 2, 2, 4, 4, 8, 8]
    assert [level.states for level in counted.levels] == [1] * 7
    assert (counted.states, counted.endless, counted.complete) == (2, True, False)


def test_a_state_that_comes_again_later_is_no_circle():
    counted = collapse(maze({"a": "bc", "b": "c", "c": "d", "d": "e"}, "a", "e"))
    assert [level.tree_nodes for level in counted.levels] == [1, 2, 2, 2, 1]
    assert [level.new_states for level in counted.levels] == [1, 2, 1, 1, 0]
    assert (counted.complete, counted.endless, counted.matches) == (True, False, 2)


def test_trees_beyond_counting_one_by_one_are_counted_exactly():
    ladder = maze({n: [n + 1] * 10 for n in range(50)}, 0, 50)
    counted = collapse(ladder)
    assert counted.tree_nodes == (10**51 - 1) // 9
    assert counted.states == 51


def test_a_limit_leaves_out_what_it_does_not_allow_to_finish():
    counted = collapse(hanoi(6), limit=Limit(nodes=20))
    assert not counted.complete
    assert 3 < len(counted.levels) < 10
    full = collapse(hanoi(6), limit=Limit(depth=len(counted.levels) - 1))
    assert counted.levels == full.levels


def test_a_depth_limit_that_meets_the_end_is_complete():
    assert collapse(buttons_and_lights(), limit=Limit(depth=6)).complete
    assert not collapse(buttons_and_lights(), limit=Limit(depth=5)).complete


def test_a_negative_depth_is_refused():
    with pytest.raises(UsageError, match="the depth must be at least 0; got -1"):
        collapse(hanoi(2), limit=Limit(depth=-1))


def paths(ways, place, goal, depth):
    """All ways of walking on from *place*, level by level, one by one."""
    levels = [[place]]
    for _ in range(depth):
        levels.append([onward for here in levels[-1] if here != goal for onward in ways[here]])
    return levels


@given(some.lists(some.lists(some.integers(0, 4), max_size=3), min_size=5, max_size=5), some.integers(0, 6))
def test_counting_ways_agrees_with_walking_them(targets, depth):
    ways = dict(enumerate(targets))
    walked = [level for level in paths(ways, 0, 4, depth) if level]
    counted = collapse(maze(ways, 0, 4), limit=Limit(depth=depth))
    reached = counted.levels[: len(walked)]
    assert [level.tree_nodes for level in reached] == [len(level) for level in walked]
    assert [level.states for level in reached] == [len(set(level)) for level in walked]
    assert len(counted.levels) == len(walked)
    assert counted.states == len({place for level in walked for place in level})
