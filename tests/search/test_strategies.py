"""Strategies as objects: counted, listed, clustered, checked against every reply, and played."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some
from tests.support.random_games import graph_games, minimax_value, trees
from tests.support.tic_tac_toe import TicTacToe

from stratagem.errors import LimitExceeded, UsageError
from stratagem.limit import Limit
from stratagem.machines.trees.models import lecture_tree, uniform
from stratagem.machines.trees.tree import Tree
from stratagem.search.adversarial.minimax import minimax
from stratagem.search.framework.game_tree import SolutionTree
from stratagem.search.theory.formulas import max_strategies, min_strategies
from stratagem.search.theory.strategies import (
    Strategy,
    best_strategy,
    construct_strategy,
    count_strategies,
    enumerate_strategies,
    guaranteed_value,
    initial_clusters,
)

LAW = settings(max_examples=80)
PLAYERS = some.sampled_from(["max", "min"])


def test_the_lecture_tree_has_eight_strategies_in_four_clusters():
    tree = lecture_tree()
    strategies = list(enumerate_strategies(tree))
    clusters = initial_clusters(tree)

    assert count_strategies(tree) == len(strategies) == max_strategies(2, 4) == 8
    assert [(cluster.bound, cluster.size) for cluster in clusters] == [(10, 2), (15, 2), (13, 2), (5, 2)]
    assert max(strategy.value for strategy in strategies) == 12
    # the lecture's two strategies around the leaf 15: no more than 15 they can be worth
    with_15 = [strategy for strategy in strategies if 15 in [leaf.value for leaf in strategy.leaves()]]
    assert len(with_15) == 2
    assert all(strategy.value <= 15 for strategy in with_15)


@pytest.mark.parametrize(
    ("branching", "plies"), [(1, 3), (2, 0), (2, 1), (2, 3), (2, 4), (2, 5), (3, 3), (3, 4), (4, 2)]
)
@pytest.mark.parametrize(("player", "formula"), [("max", max_strategies), ("min", min_strategies)])
def test_the_closed_form_counts_what_recursion_counts(branching, plies, player, formula):
    tree = uniform(branching, plies)

    assert formula(branching, plies) == count_strategies(tree, player=player)


def test_the_closed_form_is_the_printed_power():
    for branching in (2, 3, 5):
        for plies in range(6):
            exponent = (branching ** ((plies + 1) // 2) - 1) // (branching - 1)
            assert max_strategies(branching, plies) == branching**exponent


@LAW
@given(trees(players=True), PLAYERS)
def test_the_initial_leaves_share_the_strategies_out_among_themselves(tree, player):
    assume(count_strategies(tree, player=player) <= 300)
    strategies = list(enumerate_strategies(tree, player=player))
    clusters = initial_clusters(tree, player=player)
    leaves = [cluster.leaf.path for cluster in clusters]

    assert sum(cluster.size for cluster in clusters) == len(strategies)
    for strategy in strategies:
        inside = {leaf.node.path for leaf in strategy.leaves()}
        (only,) = [cluster for cluster in clusters if cluster.leaf.path in inside]
        if player == "max":
            assert strategy.value <= only.bound
        else:
            assert strategy.value >= only.bound
    assert leaves == sorted(leaves)


@LAW
@given(trees(players=True), PLAYERS)
def test_the_best_of_all_strategies_is_the_best_strategy_and_worth_the_minimax_value(tree, player):
    assume(count_strategies(tree, player=player) <= 300)
    values = [strategy.value for strategy in enumerate_strategies(tree, player=player)]

    assert (max(values) if player == "max" else min(values)) == minimax_value(tree)
    assert best_strategy(tree, player=player).value == minimax_value(tree)


@LAW
@given(some.one_of(trees(players=True), graph_games()), PLAYERS)
def test_every_strategy_secures_just_what_it_says_against_every_reply(game, player):
    best = best_strategy(game, player=player)
    first = construct_strategy(game, player=player)
    last = construct_strategy(game, player=player, choose=lambda node: len(node.moves) - 1)

    for strategy in (best, first, last):
        assert guaranteed_value(game, strategy) == strategy.value
    assert guaranteed_value(game, best) == minimax(game).value


def test_a_strategy_without_an_answer_is_found_out():
    tree = Tree.of([[[1, 2], [3, 4]], 0])
    whole = best_strategy(tree)
    missing = SolutionTree(whole.root.node, whole.value, whole.root.best, ())
    first = whole.root.kept[0]
    halved = SolutionTree(
        whole.root.node, whole.value, None, (SolutionTree(first.node, 4, None, first.kept[1:]),)
    )

    assert guaranteed_value(tree, whole) == 2
    assert guaranteed_value(tree, Strategy("max", missing)) == -inf
    assert guaranteed_value(tree, Strategy("max", halved)) == -inf


def test_a_strategy_can_be_taken_away_as_a_table_and_as_a_tree():
    tree = Tree.of([[[1, 2], [3, 4]], 0])
    strategy = best_strategy(tree)

    assert [(choice.line, choice.move) for choice in strategy.table()] == [((), 0), ((0, 0), 1), ((0, 1), 1)]
    assert Tree.of(strategy.spec()).leaves == (2, 4)
    assert minimax_value(Tree.of(strategy.spec())) == strategy.value


@LAW
@given(graph_games(), PLAYERS)
def test_the_policy_of_a_best_strategy_keeps_the_value_whatever_the_other_does(game, player):
    policy = best_strategy(game, player=player).policy()
    role = game.roles[0] if player == "max" else game.roles[1]

    def worst(state):
        if game.terminal(state):
            return game.goal(state, "left")
        mover = game.movers[state]
        moves = (policy(state),) if mover == role else game.legals(state, mover)
        ends = [worst(game.next(state, {mover: move})) for move in moves]
        return max(ends) if mover == "left" else min(ends)

    assert worst(game.initial()) == minimax(game).value


def test_the_policy_plays_tic_tac_toe_and_never_loses():
    game = TicTacToe()
    policy = best_strategy(game).policy()
    ends = set()

    def play(state):
        if game.terminal(state):
            ends.add(game.goal(state, "x"))
        elif state[9] == "x":
            play(game.next(state, (policy(state), "noop")))
        else:
            for move in game.legals(state, "o"):
                play(game.next(state, ("noop", move)))

    play(game.initial())
    assert ends == {50, 100}
    with pytest.raises(UsageError, match="never reaches this state"):
        policy("xxxxxxxxxx")


def test_too_many_strategies_are_counted_but_not_listed():
    tree = uniform(3, 6)

    assert count_strategies(tree) == 3**13
    with pytest.raises(LimitExceeded, match="there are 1,594,323 strategies, more than 100,000"):
        enumerate_strategies(tree)
    assert max_strategies(10, 10) == 10**11111


def test_a_strategy_is_maxs_or_mins_and_needs_the_whole_tree():
    with pytest.raises(UsageError, match="a strategy is for max or min, not for 'black'"):
        best_strategy(lecture_tree(), player="black")
    with pytest.raises(LimitExceeded, match="the limit was reached after 10 nodes"):
        best_strategy(lecture_tree(), limit=Limit(nodes=10))


def test_strategies_of_a_very_deep_tree_do_not_recurse():
    spec = [1, 2]
    for _ in range(20_000):
        spec = [spec]

    tree = Tree.of(spec)
    assert count_strategies(tree, player="max") * count_strategies(tree, player="min") == 2
    assert best_strategy(tree).value == (2 if tree.players[20_000] == "max" else 1)
