"""The searches for one player on puzzles whose shortest solutions are known."""

from __future__ import annotations

import json

import pytest
from tests.support.data import oracles
from tests.support.puzzles import (
    TicTacToe,
    buttons_and_lights,
    hanoi,
    jugs,
    manhattan,
    missionaries,
    sliding,
)

from stratagem.errors import UnsuitableGame, UsageError
from stratagem.limit import Limit
from stratagem.machines.trees.graph import maze
from stratagem.machines.trees.tree import Tree
from stratagem.search import ALGORITHMS, SINGLE
from stratagem.search.framework.puzzle import Puzzle
from stratagem.search.single.a_star import a_star
from stratagem.search.single.backward import backward
from stratagem.search.single.bidirectional import bidirectional
from stratagem.search.single.breadth_first import breadth_first
from stratagem.search.single.depth_first import depth_first
from stratagem.search.single.greedy_best_first import greedy_best_first
from stratagem.search.single.ida_star import ida_star
from stratagem.search.single.iterative_deepening import iterative_deepening_blind
from stratagem.search.single.uniform_cost import uniform_cost

FORWARD = [breadth_first, iterative_deepening_blind, uniform_cost, a_star, ida_star]
WITH_MEMORY = [breadth_first, uniform_cost, a_star]
SHORTEST = [*FORWARD, backward, bidirectional]
EVERY = [*SHORTEST, depth_first, greedy_best_first]


@pytest.fixture(scope="module")
def known():
    return json.loads((oracles() / "oracles.json").read_text())


def leads_to_a_goal(game, moves):
    """Whether *moves* are legal one after the other and end in a state worth 100."""
    state = game.initial()
    for move in moves:
        if game.terminal(state) or move not in game.legals(state, game.roles[0]):
            return False
        state = game.next(state, {game.roles[0]: move})
    return game.terminal(state) and game.goal(state, game.roles[0]) == 100


# -- known puzzles -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", FORWARD)
def test_buttons_and_lights_takes_six_presses(search, known):
    found = search(buttons_and_lights())
    assert len(found.solution) == found.cost == known["buttons_and_lights_gdl"]["optimal_length"] == 6
    assert leads_to_a_goal(buttons_and_lights(), found.solution)
    assert (found.value, found.interval.low, found.interval.high, found.best_moves) == (
        100,
        100,
        100,
        found.solution[:1],
    )


def test_one_press_too_few_and_buttons_and_lights_has_no_solution():
    found = breadth_first(buttons_and_lights(last_step=6))
    assert (found.solution, found.cost, found.value, found.complete) == (None, None, 0, True)
    assert (found.interval.low, found.interval.high) == (0, 0)


@pytest.mark.parametrize("search", [ida_star, *WITH_MEMORY, backward, bidirectional])
@pytest.mark.parametrize(
    ("board", "start"),
    [("2x2", (0, 3, 2, 1)), ("3x2", (4, 5, 0, 1, 2, 3))],
)
def test_the_hardest_small_sliding_puzzles_take_as_long_as_known(search, board, start, known):
    width, height = map(int, board.split("x"))
    expected = known[f"sliding_{board}_blank_in_corner"]["eccentricity"]
    options = {"heuristic": manhattan(width, (*range(1, width * height), 0))} if search is ida_star else {}
    game = sliding(width, height, start)
    found = search(game, **options)
    assert found.cost == len(found.solution) == expected
    assert leads_to_a_goal(game, found.solution)


def test_the_eight_puzzle_of_the_general_game_players_takes_thirty_moves(known):
    start, goal = (8, 7, 6, 5, 4, 3, 2, 1, 0), (1, 2, 3, 4, 5, 6, 7, 8, 0)
    game = sliding(3, 3, start)
    expected = known["eight_puzzle_gdl"]["optimal"]
    ways = {
        "a-star": a_star(game, heuristic=manhattan(3, goal)),
        "bidirectional": bidirectional(game),
    }
    assert {found.cost for found in ways.values()} == {expected}
    assert all(leads_to_a_goal(game, found.solution) for found in ways.values())
    # the numbers are the signature of the work: less would be as right, but would have to be explained
    assert ways["a-star"].counters.expanded < 25_000
    assert ways["bidirectional"].counters.expanded < 15_000


@pytest.mark.slow
def test_half_the_states_of_the_eight_puzzle_cannot_reach_its_goal(known):
    found = breadth_first(sliding(3, 3, (1, 2, 3, 4, 5, 6, 8, 7, 0)))
    assert found.solution is None
    assert found.complete
    assert found.counters.nodes == known["sliding_3x3_blank_in_corner"]["states"]


@pytest.mark.parametrize("search", [*WITH_MEMORY, backward, bidirectional])
@pytest.mark.parametrize("size", [(1, 3), (3, 3), (6, 3), (4, 4), (5, 4)])
def test_the_towers_of_hanoi_take_as_many_moves_as_known(search, size, known):
    discs, pegs = size
    found = search(hanoi(discs, pegs))
    assert found.cost == known["hanoi"][f"{discs}_discs_{pegs}_pegs"]["optimal"]
    assert leads_to_a_goal(hanoi(discs, pegs), found.solution)


@pytest.mark.parametrize("search", [*WITH_MEMORY, backward, bidirectional])
def test_missionaries_and_cannibals_cross_in_as_many_trips_as_known(search, known):
    crossings = {name: entry for name, entry in known["missionaries_cannibals"].items() if name != "source"}
    for name, entry in crossings.items():
        people, cannibals, boat = name.split("_")
        found = search(missionaries(int(people), int(cannibals), int(boat.removeprefix("boat"))))
        assert found.cost == entry["optimal"], name
        assert found.complete
        assert (found.solution is None) == (entry["optimal"] is None)


def test_all_states_are_seen_before_a_crossing_is_called_impossible(known):
    found = breadth_first(missionaries(4, 4, 2))
    assert found.counters.nodes == known["missionaries_cannibals"]["4_4_boat2"]["reachable_states"]


@pytest.mark.parametrize("search", FORWARD)
def test_four_litres_are_measured_in_six_pourings(search, known):
    assert search(jugs(3, 5, 4)).cost == known["water_jugs"]["3_5_goal4"]["optimal"]


# -- what each promises ------------------------------------------------------------------------------------

LECTURE = {"a": "bcd", "b": "ef", "c": "gh", "d": "ij"}


@pytest.mark.parametrize(
    ("search", "order"),
    [(breadth_first, "abcdefghij"), (depth_first, "abefcghdij")],
)
def test_the_lectures_tree_is_visited_in_the_lectures_order(search, order):
    # the goal is put further and further to the back: the number of visits tells its place in the order
    visits = {goal: search(maze(LECTURE, "a", goal)).counters.nodes for goal in order}
    assert sorted(visits, key=visits.__getitem__) == list(order)
    assert sorted(visits.values()) == list(range(1, 11))


def test_deepening_visits_the_lectures_tree_in_three_rounds():
    # d = 1: a / d = 2: a b c d / d = 3: a b e f c g h d i j
    found = iterative_deepening_blind(maze(LECTURE, "a", "j"))
    assert (found.counters.nodes, found.counters.passes) == (1 + 4 + 10, 3)


def test_depth_first_walks_the_garden_path_where_breadth_first_does_not():
    ways = {0: [1, "exit"], **{place: [place + 1] for place in range(1, 50)}, 50: ["exit"]}
    assert depth_first(maze(ways, 0, "exit")).cost == 51
    assert breadth_first(maze(ways, 0, "exit")).cost == 1


def test_uniform_cost_takes_the_cheap_way_and_breadth_first_the_short_one():
    ways = {"a": {"goal": 9, "b": 2}, "b": {"c": 2}, "c": {"goal": 2}}
    cheap, short = uniform_cost(maze(ways, "a", "goal")), breadth_first(maze(ways, "a", "goal"))
    assert (cheap.solution, cheap.cost) == ((1, 0, 0), 6)
    assert (short.solution, short.cost) == ((0,), 9)


def test_a_star_expands_less_than_uniform_cost_and_greedy_less_still():
    game = sliding(3, 3, (8, 1, 3, 4, 0, 2, 7, 6, 5))
    heuristic = manhattan(3, (1, 2, 3, 4, 5, 6, 7, 8, 0))
    blind, informed = uniform_cost(game), a_star(game, heuristic=heuristic)
    greedy = greedy_best_first(game, heuristic=heuristic)
    assert blind.cost == informed.cost <= greedy.cost
    assert informed.counters.expanded * 5 < blind.counters.expanded
    assert greedy.counters.expanded < informed.counters.expanded
    assert leads_to_a_goal(game, greedy.solution)


def test_a_star_opens_a_state_again_where_an_inconsistent_heuristic_misled_it():
    ways = {"a": {"b": 1, "c": 3}, "b": {"c": 1}, "c": {"goal": 3}}
    estimate = {"a": 0, "b": 4, "c": 0, "goal": 0}  # admissible, but b promises 4 and c, one step on, nothing
    found = a_star(maze(ways, "a", "goal"), heuristic=estimate.__getitem__)
    assert (found.solution, found.cost) == ((0, 0, 0), 5)
    assert found.counters.expanded == 4  # c twice


def test_a_heuristic_of_infinity_closes_a_way():
    infinite = {"a": 0.0, "b": float("inf"), "c": 0.0, "goal": 0.0}
    game = maze({"a": "bc", "b": ["goal"], "c": ["b", "goal"]}, "a", "goal")
    for search in (a_star, ida_star, greedy_best_first):
        assert search(game, heuristic=infinite.__getitem__).solution == (1, 1)
        assert search(game, heuristic=lambda state: float("inf") if state != "a" else 0).solution is None


def test_bidirectional_looks_at_fewer_states_than_breadth_first():
    game = hanoi(6)
    assert bidirectional(game).counters.nodes * 2 < breadth_first(game).counters.nodes * 3
    game = sliding(3, 3, (8, 1, 3, 4, 0, 2, 7, 6, 5))
    assert bidirectional(game).counters.nodes * 10 < breadth_first(game).counters.nodes


# -- circles, limits ---------------------------------------------------------------------------

CIRCLE = {"a": "b", "b": "c", "c": "a", "x": "a"}


@pytest.mark.parametrize("search", EVERY)
def test_a_walk_in_circles_ends(search):
    found = search(maze(CIRCLE, "a", "x"))
    assert (found.solution, found.value, found.complete) == (None, None, True)
    assert found.best_move == 0  # even so there is a move to make


@pytest.mark.parametrize("search", EVERY)
def test_a_start_that_is_a_goal_is_solved_by_no_move(search):
    found = search(maze({"a": "b", "b": "a"}, "a", "a"))
    assert (found.solution, found.cost, found.best_move, found.value) == ((), 0, None, 100)


@pytest.mark.parametrize("search", EVERY)
def test_a_search_may_begin_anywhere(search):
    assert search(maze(LECTURE, "a", "j"), "d").solution == (1,)


@pytest.mark.parametrize("search", EVERY)
def test_a_depth_limit_is_kept_and_said(search):
    game = maze({0: [1], 1: [2], 2: [3], 3: []}, 0, 3)
    short = search(game, limit=Limit(depth=2))
    assert (short.solution, short.complete) == (None, False)
    assert search(game, limit=Limit(depth=3)).solution == (0, 0, 0)


def test_a_cheap_long_way_does_not_hide_a_short_one_from_a_depth_limit():
    ways = {"a": {"b": 1, "c": 5}, "b": {"c": 1}, "c": {"goal": 1}}
    for search in (uniform_cost, a_star, ida_star):
        assert search(maze(ways, "a", "goal"), limit=Limit(depth=2)).cost == 6
        assert search(maze(ways, "a", "goal")).cost == 3


def test_collapsed_depth_first_with_a_limit_still_finds_what_a_long_way_came_to_first():
    # by way of b and c the limit cuts d off; from a it is near
    ways = {"a": "bd", "b": "c", "c": "d", "d": "e", "e": "f"}
    assert depth_first(maze(ways, "a", "f"), limit=Limit(depth=3), collapse=True).solution == (1, 0, 0)


@pytest.mark.parametrize("search", EVERY)
@pytest.mark.parametrize("nodes", [0, 1, 7, 100])
def test_a_limit_is_never_exceeded(search, nodes):
    found = search(sliding(3, 3, (8, 7, 6, 5, 4, 3, 2, 1, 0)), limit=Limit(nodes=nodes))
    assert found.counters.nodes == max(nodes, 1)
    assert (found.complete, found.solution) == (False, None)
    assert found.best_move in ("left", "up")
    assert found.interval.high == 100


def test_a_clock_that_has_run_out_stops_the_search():
    time = iter(range(10**6))
    found = breadth_first(hanoi(8), limit=Limit(seconds=50, clock=lambda: float(next(time))))
    assert not found.complete
    assert 40 <= found.counters.nodes <= 60


def test_the_best_end_is_reported_where_none_is_good_enough():
    tree = Tree.of({"player": "max", "children": [30, {"player": "max", "children": [80, 50]}, 80]})
    for search in (breadth_first, depth_first, iterative_deepening_blind, uniform_cost, greedy_best_first):
        found = search(tree)
        assert (found.solution, found.value, found.interval.low, found.interval.high) == (None, 80, 80, 80)
        assert found.principal_variation in ((2,), (1, 0))
        assert search(Puzzle(tree, threshold=80)).solution in ((2,), (1, 0))
    assert breadth_first(tree).principal_variation == (2,)


@pytest.mark.parametrize("search", [*FORWARD, depth_first, greedy_best_first])
def test_at_the_horizon_a_guess_leads_the_way_and_proves_nothing(search):
    game = hanoi(3)
    found = search(game, limit=Limit(depth=3), evaluate=lambda state: 30 * state.count(2))
    assert found.value == 60  # two discs are home after three moves at best
    assert (found.solution, found.complete, found.interval.low, found.interval.high) == (
        None,
        False,
        float("-inf"),
        100,
    )
    state = game.initial()
    for move in found.principal_variation:
        state = game.next(state, (move,))
    assert state.count(2) == 2
    assert found.best_move == found.principal_variation[0]
    assert found.best_moves == ()
    known_end = Tree.of({"player": "max", "children": [70, {"player": "max", "children": [0, 100]}]})
    cautious = search(known_end, limit=Limit(depth=1), evaluate=lambda state: 50)
    assert (cautious.value, cautious.best_move, cautious.interval.low) == (70, 0, 70)
    hopeful = search(known_end, limit=Limit(depth=1), evaluate=lambda state: 80)
    assert (hopeful.value, hopeful.best_move, hopeful.interval.low) == (80, 1, 70)


def test_collapsing_states_saves_depth_first_search_from_exponential_work():
    ladder = {n: [n + 1, n + 1] for n in range(14)} | {14: []}
    game = maze(ladder | {"goal": []}, 0, "goal")
    assert depth_first(game).counters.nodes == 2**15 - 1
    assert depth_first(game, collapse=True).counters.nodes == 15


# -- refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", FORWARD)
def test_a_game_in_which_another_has_a_choice_is_refused(search):
    with pytest.raises(
        UnsuitableGame, match="one role with a choice, and here o has 8 moves beside x"
    ) as refusal:
        search(TicTacToe())
    assert "minimax" in refusal.value.hint


@pytest.mark.parametrize("search", [backward, bidirectional])
def test_a_search_from_the_goal_says_what_it_needs(search):
    with pytest.raises(UnsuitableGame, match="knows its predecessors") as refusal:
        search(buttons_and_lights())
    assert "breadth-first" in refusal.value.hint


def test_a_role_that_is_not_there_is_refused():
    with pytest.raises(UsageError, match="no role 'z'; the roles are x, o"):
        Puzzle(TicTacToe(), role="z")


def test_a_move_that_earns_something_is_refused():
    with pytest.raises(UnsuitableGame, match="costs -1"):
        uniform_cost(maze({"a": {"b": -1}}, "a", "b"))


def test_a_negative_depth_is_refused():
    with pytest.raises(UsageError, match="the depth must be at least 0; got -1"):
        breadth_first(maze(LECTURE, "a", "j"), limit=Limit(depth=-1))


class Liar:
    """A maze whose predecessors are not true."""

    def __init__(self, lies):
        self.game = maze({"a": "bxy", "b": "c", "c": "d"}, "a", "d")
        self.lies = lies

    def __getattr__(self, name):
        return getattr(self.game, name)

    def cost(self, state, move):
        return 1

    def predecessors(self, state):
        return self.lies.get(state, ())


@pytest.mark.parametrize("search", [backward, bidirectional])
@pytest.mark.parametrize("lie", [{"d": [(7, "b")]}, {"d": [(0, "b")]}])
def test_a_solution_that_does_not_hold_forward_is_never_returned(search, lie):
    with pytest.raises(UnsuitableGame, match="predecessors name"):
        search(Puzzle(Liar({"b": [(0, "a")], **lie})))


def test_a_vertex_that_is_not_in_the_maze_is_refused():
    with pytest.raises(UsageError, match="goal 'z' is not a vertex"):
        maze(LECTURE, "a", "z")


# -- the table ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SINGLE)
def test_every_name_of_the_table_leads_to_a_search_of_that_name(name):
    found = ALGORITHMS[name](maze(LECTURE, "a", "j"))
    assert (found.method, found.solution) == (name, (2, 1))
