"""Alpha-beta in its forms: worked examples, what may be cut and why, and where a sheet is loose."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some
from tests.support import printed_sheets
from tests.support.random_games import FEW, minimax_value, specs, trees
from tests.support.tic_tac_toe import TicTacToe

from stratagem.errors import UsageError
from stratagem.limit import Limit
from stratagem.machines.trees.models import lecture_tree, ordered, uniform
from stratagem.machines.trees.tree import Tree
from stratagem.search.adversarial.alpha_beta import alpha_beta
from stratagem.search.adversarial.fail_soft import fail_soft
from stratagem.search.adversarial.minimax import best_move, minimax
from stratagem.search.adversarial.printed_variants import (
    alpha_beta_second,
    alpha_beta_shallow,
    alpha_beta_strict,
)
from stratagem.trace.events import Cut, Enter, Leaf, Leave, LowerBeta, RaiseAlpha

BOOK = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]
LAW = settings(max_examples=80)


def heard_from(search, tree):
    heard = []
    search(tree, trace=heard.append)
    return heard


def test_two_leaves_of_the_book_tree_are_never_looked_at_because_of_the_first():
    heard = heard_from(alpha_beta, Tree.of(BOOK))

    assert [event.number for event in heard if isinstance(event, Leaf)] == [0, 1, 2, 3, 6, 7, 8]
    assert [event for event in heard if isinstance(event, Cut)] == [
        Cut(node=(1,), side="alpha", value=2, bound=3, low=3, high=inf, skipped=2, ancestor=(), leaf=(0, 0))
    ]
    assert [event for event in heard if isinstance(event, RaiseAlpha)] == [
        RaiseAlpha((), (0,), -inf, 3, (0, 0))
    ]
    lowered = [(event.node, event.after) for event in heard if isinstance(event, LowerBeta)]
    assert lowered == [((0,), 3), ((1,), 2), ((2,), 14), ((2,), 5), ((2,), 2)]


def test_a_deep_cut_names_the_ancestor_three_plies_up():
    tree = Tree.of([[5], [[[4, 9], [9, 9]], 9]])
    cuts = [event for event in heard_from(alpha_beta, tree) if isinstance(event, Cut)]

    assert cuts[0] == Cut(
        node=(1, 0, 0), side="alpha", value=4, bound=5, low=5, high=inf, skipped=1, ancestor=(), leaf=(0, 0)
    )
    assert alpha_beta_shallow(tree).counters.leaves == 1 + alpha_beta(tree).counters.leaves


def test_thirteen_leaves_of_the_lecture_tree_are_looked_at_and_both_cuts_are_explained():
    found = alpha_beta(lecture_tree())
    cuts = [event for event in heard_from(alpha_beta, lecture_tree()) if isinstance(event, Cut)]

    assert (found.value, found.counters.leaves, found.counters.cutoffs) == (12, 13, 2)
    by_alpha, by_beta = cuts
    # the root has 10 or less so far when MIN finds 5, and MIN holds 12 when MAX finds 13
    assert (by_alpha.side, by_alpha.value, by_alpha.node) == ("alpha", 5, (1, 0, 1))
    assert (by_beta.side, by_beta.value, by_beta.bound, by_beta.node) == ("beta", 13, 12, (1, 1))


@LAW
@given(trees(players=True, leaves=25))
def test_the_two_printed_forms_and_fail_soft_visit_the_same_leaves(tree):
    first = alpha_beta(tree)

    assert alpha_beta_second(tree).leaf_order == first.leaf_order
    assert fail_soft(tree).leaf_order == first.leaf_order
    assert alpha_beta_second(tree).counters == fail_soft(tree).counters == first.counters


@LAW
@given(specs(leaves=20), some.randoms(use_true_random=False))
def test_what_alpha_beta_does_not_look_at_may_be_anything(spec, random):
    found = alpha_beta(Tree.of(spec))
    numbers = iter(range(1000))

    def scrambled(node):
        if isinstance(node, list):
            return [scrambled(child) for child in node]
        return node if next(numbers) in found.leaf_order else random.randint(-99, 99)

    assert minimax_value(Tree.of(scrambled(spec))) == found.value


@LAW
@given(
    trees(players=True, leaves=25),
    some.sampled_from([alpha_beta, alpha_beta_second, fail_soft, alpha_beta_strict]),
)
def test_every_cut_names_an_ancestor_of_the_other_player_that_has_its_bound_from_a_leaf_looked_at(
    tree, search
):
    heard = heard_from(search, tree)
    entered = {event.node: event for event in heard if isinstance(event, Enter)}
    leaves = {}
    for event in heard:
        if isinstance(event, Leaf):
            leaves[event.node] = event.value
        if isinstance(event, Cut):
            ancestor = entered[event.ancestor]
            assert event.node[: len(event.ancestor)] == event.ancestor != event.node
            assert {ancestor.player, entered[event.node].player} == {"max", "min"}
            if (
                search is not alpha_beta_strict
            ):  # its windows may be closed, and then bounds go up as if they were values
                assert leaves[event.leaf] == event.bound
                assert event.low < event.high
            assert event.bound == (event.high if event.side == "beta" else event.low)
            assert event.value >= event.bound if event.side == "beta" else event.value <= event.bound
            assert event.skipped == entered[event.node].children - looked_at(heard, event.node)


def looked_at(heard, node):
    return sum(isinstance(event, Enter) and event.node[:-1] == node and event.node != () for event in heard)


@LAW
@given(trees(leaves=25))
def test_a_node_is_left_with_its_value_or_with_a_true_bound_on_it(tree):
    for event in heard_from(fail_soft, tree):
        if isinstance(event, Leave):
            value = minimax_value(tree, at(tree, event.node))
            assert {"exact": value == event.value, "low": value >= event.value, "high": value <= event.value}[
                event.kind
            ]


def at(tree, path):
    node = 0
    for index in path:
        node = tree.children[node][index]
    return node


def test_the_form_that_cuts_only_when_alpha_exceeds_beta_is_right_but_cuts_nothing_where_leaves_are_equal():
    tree = Tree.of([[[[30, 30]] * 2] * 3] * 3)

    assert alpha_beta(tree).value == alpha_beta_strict(tree).value == 30
    assert alpha_beta(tree).counters.leaves == 11
    assert alpha_beta_strict(tree).counters.leaves == 36


def test_the_form_that_cuts_only_when_alpha_exceeds_beta_does_more_than_twice_the_work_on_random_trees():
    trees = [uniform(4, 6, model="iid10", seed=seed) for seed in range(5)]
    usual = sum(alpha_beta(tree).counters.leaves for tree in trees)
    strict = sum(alpha_beta_strict(tree).counters.leaves for tree in trees)

    assert [alpha_beta_strict(tree).value for tree in trees] == [alpha_beta(tree).value for tree in trees]
    assert strict > 2 * usual


@LAW
@given(trees(leaves=25))
def test_the_strict_form_looks_at_whatever_alpha_beta_looks_at(tree):
    strict, usual = alpha_beta_strict(tree), alpha_beta(tree)

    assert strict.value == usual.value
    assert set(strict.leaf_order) >= set(usual.leaf_order)
    assert set(alpha_beta_shallow(tree).leaf_order) >= set(usual.leaf_order)


def test_best_move_keeps_the_first_move_where_every_child_is_lost():
    lost = [-printed_sheets.LARGE, -printed_sheets.LARGE]

    assert printed_sheets.best_move(lost) is None
    assert best_move(Tree.of(lost)).best_move == 0
    assert best_move(Tree.of([-inf, -inf])).best_move == 0
    assert best_move(Tree.of([[inf], [inf]], root="min")).best_move == 0


def test_best_move_has_nothing_to_say_where_the_game_is_over():
    with pytest.raises(UsageError, match="there is no move to choose"):
        best_move(Tree.of(7))


@LAW
@given(trees())
def test_best_move_is_the_first_of_the_moves_that_minimax_finds_best(tree):
    assume(len(tree) > 1)
    found, whole = best_move(tree), minimax(tree)

    assert (found.value, found.best_move, found.best_moves) == (
        whole.value,
        whole.best_moves[0],
        whole.best_moves,
    )


def test_k_ply_search_stops_at_the_end_of_the_game_or_at_the_horizon():
    tree = Tree.of([{"children": [[1, 2], 3], "estimate": 9}, 4])

    assert minimax(tree, limit=Limit(depth=1)).value == 9
    assert minimax(tree, limit=Limit(depth=2), evaluate=lambda state: -5).value == 4
    assert minimax(tree, limit=Limit(depth=0), evaluate=lambda state: 7).value == 7


def test_a_horizon_without_an_evaluation_is_refused():
    with pytest.raises(UsageError, match="needs an evaluation") as refusal:
        alpha_beta(TicTacToe(), limit=Limit(depth=1))
    assert "evaluate=" in refusal.value.hint


def test_a_window_needs_room():
    with pytest.raises(UsageError, match="alpha < beta, not 3 and 3"):
        fail_soft(Tree.of(BOOK), alpha=3, beta=3)


@LAW
@given(trees(leaves=20), FEW, FEW)
def test_outside_its_window_fail_soft_gives_a_true_bound(tree, alpha, beta):
    assume(alpha < beta)
    found = fail_soft(tree, alpha=alpha, beta=beta)
    value = minimax_value(tree)

    assert found.interval.low <= value <= found.interval.high
    if alpha < value < beta:
        assert found.interval.low == found.value == found.interval.high
    if found.value <= alpha:
        assert found.interval.high == found.value
        assert found.strategy is None


def test_the_order_of_moves_changes_the_work_and_not_the_value():
    leaves = {
        order: alpha_beta(ordered((3,) * 6, order=order)).counters.leaves for order in ("best", "worst")
    }

    assert leaves == {"best": 53, "worst": 729}
