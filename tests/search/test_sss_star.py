"""SSS* and DUAL*: the lecture's example, the loose points of the sheets, and what theory promises."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support import printed_sheets
from tests.support.random_games import minimax_value, specs, trees, trees_of_different_leaves

from stratagem.machines.trees.models import lecture_tree, ordered, uniform
from stratagem.machines.trees.tree import Tree
from stratagem.search.adversarial.alpha_beta import alpha_beta
from stratagem.search.adversarial.dual_star import dual_star
from stratagem.search.adversarial.mtd import mtd_minus_inf, mtd_plus_inf
from stratagem.search.adversarial.sss_star import sss_star
from stratagem.search.theory.strategies import initial_clusters
from stratagem.trace.events import Pop, Purge, Push, Solve

LAW = settings(max_examples=80)


def heard_from(search, tree):
    heard = []
    search(tree, trace=heard.append)
    return heard


def test_the_lecture_tree_step_by_step():
    heard = heard_from(sss_star, lecture_tree())
    records = [
        (event.node, event.player, event.status, event.priority) for event in heard if isinstance(event, Pop)
    ]

    # the forward phase: all of MAX, the first of MIN, down to four leaves that bound the four clusters
    leaves = [(0, 0, 0, 0), (0, 0, 1, 0), (1, 0, 0, 0), (1, 0, 1, 0)]
    assert [node for node, _, status, h in records if h == float("inf") and len(node) == 4] == leaves
    # then the best cluster is refined first: 15, whose sibling is 11, then 13, whose sibling is 12
    solved = [(node, h) for node, _, status, h in records if status == "SOLVED"]
    assert solved[:2] == [((0, 0, 1, 0), 15), ((1, 0, 0, 0), 13)]
    assert records[-1] == ((), "max", "SOLVED", 12)
    found = sss_star(lecture_tree())
    assert (found.value, found.counters.leaves, found.counters.peak_open) == (12, 8, 4)
    assert found.best_move == 1


def test_a_solved_node_is_worth_the_least_of_its_bound_and_its_value():
    heard = heard_from(sss_star, lecture_tree())
    solved = {event.node: event.value for event in heard if isinstance(event, Solve)}

    # the lecture's last step: the sibling is worth 13, but nothing above 12 can matter there
    assert minimax_value(lecture_tree(), node_at(lecture_tree(), (1, 1))) == 13
    assert solved[(1, 1)] == 12
    assert solved[()] == 12


def node_at(tree, path):
    node = 0
    for index in path:
        node = tree.children[node][index]
    return node


@LAW
@given(trees(players=True, leaves=25))
def test_whatever_is_solved_has_that_value(tree):
    for search, least in ((sss_star, min), (dual_star, max)):
        bounds = {(): float("inf") if least is min else -float("inf")}
        for event in heard_from(search, tree):
            if isinstance(event, Push) and event.status == "LIVE":
                bounds[event.node] = event.priority
            if isinstance(event, Solve):
                assert event.value == least(
                    bounds[event.node], minimax_value(tree, node_at(tree, event.node))
                )


@LAW
@given(specs(leaves=20))
def test_line_23_inside_the_min_case_is_our_sss_star_leaf_for_leaf(spec):
    value, evaluated = printed_sheets.sss_star(spec)
    tree = Tree.of(spec)
    found = sss_star(tree)

    assert found.value == value
    assert found.leaf_order == tuple(tree.leaf_number(node_at(tree, path)) for path in evaluated)


@pytest.mark.parametrize("purge", ["solved case", "loop"])
def test_line_23_anywhere_else_empties_open_before_the_root_is_solved(purge):
    assert printed_sheets.sss_star(lecture_tree().spec(), purge="min case")[0] == 12
    assert printed_sheets.sss_star(lecture_tree().spec(), purge=purge)[0] is None


@LAW
@given(trees_of_different_leaves(), some.sampled_from(["max", "min"]))
def test_sss_star_and_dual_star_never_evaluate_a_leaf_that_alpha_beta_does_not(tree, root):
    tree = Tree.of(tree.spec(), root=root)
    looked_at = set(alpha_beta(tree).leaf_order)

    assert set(sss_star(tree).leaf_order) <= looked_at
    assert set(dual_star(tree).leaf_order) <= looked_at


@LAW
@given(trees(players=True, leaves=25))
def test_sss_star_is_mtd_from_above_and_dual_star_mtd_from_below_leaf_for_leaf(tree):
    assert sss_star(tree).leaf_order == mtd_plus_inf(tree).leaf_order
    assert dual_star(tree).leaf_order == mtd_minus_inf(tree).leaf_order


@pytest.mark.parametrize("tie", ["right", "old", "new"])
def test_only_the_left_most_tie_rule_stays_inside_alpha_beta(tie):
    def strays(rule):
        """How many seeds make SSS* with this *rule* evaluate a leaf that alpha-beta does not look at."""
        count = 0
        for seed in range(40):
            tree = uniform(2, 5, model="iid3", seed=seed)
            value, evaluated = printed_sheets.sss_star(tree.spec(), tie=rule)
            numbers = {tree.leaf_number(node_at(tree, path)) for path in evaluated}
            assert value == minimax_value(tree)
            count += not numbers <= set(alpha_beta(tree).leaf_order)
        return count

    assert strays("left") == 0
    assert strays(tie) > 0


@pytest.mark.parametrize(("branching", "depth"), [(2, 4), (2, 5), (3, 3), (3, 4), (4, 3), (5, 2)])
def test_open_holds_at_most_one_record_for_each_initial_cluster(branching, depth):
    tree = uniform(branching, depth, seed=3)

    assert sss_star(tree).counters.peak_open == branching ** ((depth + 1) // 2) == len(initial_clusters(tree))
    assert dual_star(tree).counters.peak_open == branching ** (depth // 2)


@LAW
@given(trees(players=True, leaves=20), some.sampled_from([sss_star, dual_star]))
def test_open_can_be_rebuilt_from_the_trace(tree, search):
    held = {}
    for event in heard_from(search, tree):
        if isinstance(event, Push):
            held[event.node] = (event.status, event.priority)
            assert event.size == len(held)
        if isinstance(event, Pop):
            best = max if search is sss_star else min
            assert event.priority == best(h for _, h in held.values())
            assert event.node == min(node for node, (_, h) in held.items() if h == event.priority)
            assert held.pop(event.node) == (event.status, event.priority)
            assert event.size == len(held)
        if isinstance(event, Purge):
            below = [node for node in held if node[: len(event.node)] == event.node and node != event.node]
            assert event.removed == tuple(sorted(below))
            for node in below:
                del held[node]


def test_sss_star_profits_where_the_best_moves_come_late():
    best, worst = ordered((3,) * 4, order="best"), ordered((3,) * 4, order="worst")

    assert sss_star(best).counters.leaves == alpha_beta(best).counters.leaves == 17
    assert sss_star(worst).counters.leaves < alpha_beta(worst).counters.leaves == 81


def test_the_strategy_of_sss_star_is_maxs_and_that_of_dual_star_mins():
    tree = lecture_tree()

    assert sss_star(tree).strategy.player == "max"
    assert {leaf.value for leaf in sss_star(tree).strategy.leaves()} == {12, 13, 14}
    assert dual_star(tree).strategy.player == "min"
    assert max(leaf.value for leaf in dual_star(tree).strategy.leaves()) == 12


def test_a_chain_deeper_than_pythons_stack_is_no_trouble():
    spec = 7
    for _ in range(1500):
        spec = [spec]

    assert sss_star(Tree.of(spec)).value == dual_star(Tree.of(spec)).value == 7
