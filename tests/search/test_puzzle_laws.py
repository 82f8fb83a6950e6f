"""Laws of the searches for one player, on random graphs."""

from __future__ import annotations

from collections import Counter as TypeCounter
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from stratagem.limit import Limit
from stratagem.machines.trees.graph import maze
from stratagem.search.incremental import IncrementalMatch, bestmove, incexpand1, maxscore
from stratagem.search.single.a_star import a_star
from stratagem.search.single.backward import backward
from stratagem.search.single.bidirectional import bidirectional
from stratagem.search.single.breadth_first import breadth_first
from stratagem.search.single.depth_first import depth_first
from stratagem.search.single.greedy_best_first import greedy_best_first
from stratagem.search.single.ida_star import ida_star
from stratagem.search.single.iterative_deepening import iterative_deepening_blind
from stratagem.search.single.uniform_cost import uniform_cost
from stratagem.trace.events import Begin, Duplicate, Event, Expand, Finish, Goal, Pass, Pop, Push
from stratagem.trace.stream import from_line, to_line

FEWEST = [breadth_first, iterative_deepening_blind, backward, bidirectional]
CHEAPEST = [uniform_cost, a_star, ida_star]
ANY = [depth_first, greedy_best_first]
EVERY = [*FEWEST, *CHEAPEST, *ANY]


ONE = some.just(1)


@some.composite
def graphs(draw, *, costs=ONE):
    """{place: {neighbour: cost}} with up to seven places; 0 is the start, the last is the goal."""
    size = draw(some.integers(2, 7))
    places = some.integers(0, size - 1)
    ways = {place: draw(some.dictionaries(places, costs, max_size=4)) for place in range(size)}
    return ways, size - 1


def distances_to(ways, goal):
    """The least cost from every place to the goal, by relaxing all edges until nothing changes."""
    distance = {place: 0 if place == goal else inf for place in ways}
    for _ in ways:
        for place, onward in ways.items():
            if place != goal:
                for target, cost in onward.items():
                    distance[place] = min(distance[place], cost + distance[target])
    return distance


def walk(ways, solution):
    """Where the moves lead from 0, and what they cost; an IndexError where one is not there."""
    place, cost = 0, 0
    for move in solution:
        place, price = list(ways[place].items())[move]
        cost += price
    return place, cost


def check(ways, goal, found, cost):
    """*found* must be a way to *goal* at *cost*; None where there is no way at all."""
    if found.solution is None:
        assert cost == inf
    else:
        assert walk(ways, found.solution) == (goal, found.cost)
        assert found.cost == cost
    assert found.complete


@settings(max_examples=400)
@given(graphs())
def test_all_searches_for_the_fewest_moves_agree(graph):
    ways, goal = graph
    fewest = distances_to(ways, goal)[0]
    for search in [*FEWEST, *CHEAPEST]:
        check(ways, goal, search(maze(ways, 0, goal)), fewest)


@settings(max_examples=400)
@given(graphs(costs=some.integers(0, 5)))
def test_all_searches_for_the_least_cost_agree(graph):
    ways, goal = graph
    cheapest = distances_to(ways, goal)[0]
    for search in CHEAPEST:
        check(ways, goal, search(maze(ways, 0, goal)), cheapest)


@given(graphs(costs=some.integers(0, 5)), some.data())
def test_any_heuristic_that_never_says_too_much_keeps_the_cost(graph, data):
    ways, goal = graph
    distance = distances_to(ways, goal)
    estimate = {
        place: 10 if far == inf else data.draw(some.integers(0, far)) for place, far in distance.items()
    }
    for search in (a_star, ida_star):
        check(ways, goal, search(maze(ways, 0, goal), heuristic=estimate.__getitem__), distance[0])


@given(graphs(costs=some.integers(0, 5)), some.sampled_from(ANY))
def test_the_others_find_a_way_exactly_where_there_is_one(graph, search):
    ways, goal = graph
    found = search(maze(ways, 0, goal))
    assert (found.solution is None) == (distances_to(ways, goal)[0] == inf)
    if found.solution is not None:
        assert walk(ways, found.solution) == (goal, found.cost)


@given(graphs())
def test_collapsing_states_changes_the_work_of_depth_first_search_and_not_its_success(graph):
    ways, goal = graph
    plain, collapsed = depth_first(maze(ways, 0, goal)), depth_first(maze(ways, 0, goal), collapse=True)
    assert (plain.solution is None) == (collapsed.solution is None)
    assert collapsed.counters.nodes <= plain.counters.nodes
    assert collapsed.counters.nodes <= len(ways)


@given(graphs(), some.integers(0, 6), some.booleans())
def test_a_limit_finds_a_way_exactly_where_one_is_short_enough(graph, limit, collapse):
    ways, goal = graph
    fewest = distances_to(ways, goal)[0]
    searches = [
        search(maze(ways, 0, goal), limit=Limit(depth=limit))
        for search in [*FEWEST, *CHEAPEST, greedy_best_first]
    ]
    for found in [*searches, depth_first(maze(ways, 0, goal), limit=Limit(depth=limit), collapse=collapse)]:
        assert (found.solution is None) == (fewest > limit)
        assert found.solution is None or len(found.solution) <= limit
        assert found.complete or found.solution is None


@given(graphs(), some.sampled_from(EVERY), some.integers(0, 12))
def test_a_limit_is_kept_and_never_makes_a_search_wrong(graph, search, nodes):
    ways, goal = graph
    free, bound = search(maze(ways, 0, goal)), search(maze(ways, 0, goal), limit=Limit(nodes=nodes))
    assert bound.counters.nodes <= max(nodes, 1)
    if bound.complete:
        assert (bound.solution, bound.cost) == (free.solution, free.cost)
    else:
        assert bound.solution is None
        assert free.counters.nodes > bound.counters.nodes


@pytest.mark.parametrize("search", EVERY)
@settings(max_examples=40)
@given(graph=graphs())
def test_the_trace_tells_what_the_counters_count(search, graph):
    ways, goal = graph
    heard: list[Event] = []
    found = search(maze(ways, 0, goal), trace=heard.append)
    assert found == search(maze(ways, 0, goal))  # listening changes nothing
    assert heard[0] == Begin(found.method, ("walker",))
    assert heard[-1] == Finish(found.value, None if found.best_move is None else str(found.best_move), True)
    number = TypeCounter(type(event) for event in heard)
    counters = found.counters
    assert (number[Expand], number[Duplicate], number[Pop], number[Pass]) == (
        counters.expanded,
        counters.duplicates,
        counters.pops,
        counters.passes,
    )
    assert number[Goal] == (found.solution is not None)
    assert [from_line(to_line(event)) for event in heard] == heard


@pytest.mark.parametrize("search", [breadth_first, greedy_best_first, *CHEAPEST[:2]])
@settings(max_examples=40)
@given(graph=graphs(costs=some.integers(0, 5)))
def test_the_solution_can_be_read_from_the_trace_alone(search, graph):
    ways, goal = graph
    heard: list[Event] = []
    found = search(maze(ways, 0, goal), trace=heard.append)
    arrivals: dict[int, tuple[int | None, str | None]] = {}
    for event in heard:
        if isinstance(event, Push):
            arrivals[event.node] = event.parent, event.move
        elif isinstance(event, Goal):
            assert event.cost == found.cost
            moves, node = [], event.node
            while arrivals[node][0] is not None:
                node, move = arrivals[node]
                moves.insert(0, int(move))
            assert tuple(moves) == found.solution


# -- the lecture's structures ------------------------------------------------------------------------------


@given(graphs())
def test_a_graph_expanded_to_its_end_knows_whether_the_goal_can_be_reached_from_each_node(graph):
    ways, goal = graph
    distance = distances_to(ways, goal)
    match = IncrementalMatch(maze(ways, 0, goal))
    incexpand1(match, count=100)
    for place, node in match.hasher.items():
        bounds = maxscore(node)
        expected = 100 if distance[place] < inf else 0
        assert (bounds.low, bounds.high) == (expected, expected)
        if expected:
            assert bounds.distance == distance[place]


@given(graphs(), some.integers(0, 8))
def test_more_expansion_only_narrows_the_bounds(graph, count):
    ways, goal = graph
    match = IncrementalMatch(maze(ways, 0, goal))
    incexpand1(match, count)
    before = {node: maxscore(node) for node in match.hasher.values()}
    incexpand1(match, 1)
    for node, bounds in before.items():
        assert bounds.low <= maxscore(node).low <= maxscore(node).high <= bounds.high


@given(graphs())
def test_playing_the_best_move_again_and_again_comes_to_the_goal(graph):
    ways, goal = graph
    match = IncrementalMatch(maze(ways, 0, goal))
    incexpand1(match, count=100)
    node, steps = match.root, 0
    if maxscore(node).low == 100:
        while node.score is None:
            node = dict(node.alist)[bestmove(node)]
            steps += 1
        assert node.score == 100
        assert steps == distances_to(ways, goal)[0]
