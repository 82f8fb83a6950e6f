"""Laws that every search for MAX against MIN obeys, on random trees and random games."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.random_games import (
    ANY,
    GraphGame,
    graph_games,
    minimax_value,
    trees,
    trees_of_different_leaves,
)

from stratagem.limit import Limit
from stratagem.search import ADVERSARIAL, ALGORITHMS
from stratagem.search.adversarial.minimax import minimax
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.theory.strategies import guaranteed_value
from stratagem.trace.events import Begin, Enter, Finish, Leaf

EVERY = [name for name in ADVERSARIAL if name != "best-move"]  # which refuses to move where the game is over
LAW = settings(max_examples=60)
GAMES = some.one_of(
    trees(),
    trees(players=True),
    trees(ANY),
    trees(ANY, players=True),
    trees_of_different_leaves(),
    graph_games(),
)


@LAW
@given(some.one_of(trees(ANY), trees(players=True)))
def test_minimax_is_what_its_definition_says(tree):
    assert minimax(tree).value == minimax_value(tree)


@LAW
@given(GAMES)
def test_every_algorithm_finds_the_value_of_minimax(game):
    for name in EVERY:
        found = ALGORITHMS[name](game)

        assert found.complete, name
        assert found.value == found.interval.low == found.interval.high == minimax(game).value


@LAW
@given(GAMES)
def test_the_best_move_keeps_the_value(game):
    for name in EVERY:
        found = ALGORITHMS[name](game)

        view = AdversarialRun("test", game)
        assert (found.best_move is None) == view.root.is_leaf
        for move in found.best_moves:
            child = view.child(view.root, view.root.moves.index(move))
            assert minimax(game, start=child.state).value == found.value


@LAW
@given(GAMES)
def test_best_play_ends_in_a_leaf_of_that_value(game):
    for name in EVERY:
        found = ALGORITHMS[name](game)

        view = AdversarialRun("test", game)
        node = view.root
        for move in found.principal_variation:
            node = view.child(node, node.moves.index(move))
            assert minimax(game, start=node.state).value == found.value, name
        if abs(found.value) < float("inf"):
            assert node.is_leaf
            assert view.evaluate(node).value == found.value


@LAW
@given(GAMES)
def test_the_strategy_found_achieves_the_value_against_every_reply(game):
    for name in EVERY:
        found = ALGORITHMS[name](game)

        assert found.strategy.value == found.value
        assert guaranteed_value(game, found.strategy) == found.value


@LAW
@given(trees(players=True, leaves=30), some.integers(0, 3))
def test_k_ply_search_is_minimax_of_what_the_evaluation_says_at_the_horizon(tree, depth):
    for name in EVERY:

        def evaluate(state):
            return state * 7 % 5

        found = ALGORITHMS[name](tree, limit=Limit(depth=depth), evaluate=evaluate)

        assert found.value == minimax(tree, limit=Limit(depth=depth), evaluate=evaluate).value
        assert found.counters.depth <= depth
        assert (
            guaranteed_value(tree, found.strategy, limit=Limit(depth=depth), evaluate=evaluate) == found.value
        )


@LAW
@given(GAMES)
def test_whoever_is_max_the_game_is_the_same(game):
    for name in EVERY:
        first, second = game.roles
        as_first = ALGORITHMS[name](game, maximiser=first)
        as_second = ALGORITHMS[name](game, maximiser=second)

        total = 100 if isinstance(game, GraphGame) else 0
        assert as_second.value == total - as_first.value


@LAW
@given(GAMES)
def test_a_trace_changes_nothing_and_tells_every_visit_and_every_evaluation(game):
    for name in EVERY:
        heard = []
        traced = ALGORITHMS[name](game, trace=heard.append)
        silent = ALGORITHMS[name](game)

        assert traced.counters == silent.counters
        assert traced.leaf_order == silent.leaf_order
        assert isinstance(heard[0], Begin)
        assert isinstance(heard[-1], Finish)
        assert sum(isinstance(event, Enter) for event in heard) == traced.counters.nodes
        leaves = [event for event in heard if isinstance(event, Leaf)]
        assert len(leaves) == traced.counters.evaluations
        assert len({event.node for event in leaves}) == traced.counters.leaves


@LAW
@given(trees(leaves=20), some.integers(0, 12))
def test_a_search_that_runs_out_of_nodes_says_so_and_proves_what_it_claims(tree, nodes):
    for name in EVERY:
        found = ALGORITHMS[name](tree, limit=Limit(nodes=nodes))

        value = minimax_value(tree)
        assert found.counters.nodes <= max(1, nodes)
        assert found.interval.low <= value <= found.interval.high
        assert found.complete or found.counters.nodes >= nodes
        if found.complete:
            assert found.value == value
        if len(tree) > 1:
            assert found.best_move in range(len(tree.children[0]))
