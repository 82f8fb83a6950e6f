"""Deepening, MTD, proof numbers, chance and quiescence: what each promises beyond the value."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.random_games import FEW, graph_games, minimax_value, trees
from tests.support.tic_tac_toe import TicTacToe, open_lines

from stratagem.limit import Limit
from stratagem.machines.trees.models import lecture_tree, ordered, uniform
from stratagem.machines.trees.tree import Tree
from stratagem.search.adversarial.alpha_beta import alpha_beta
from stratagem.search.adversarial.expectiminimax import expectiminimax
from stratagem.search.adversarial.iterative_deepening import iterative_deepening
from stratagem.search.adversarial.minimax import minimax
from stratagem.search.adversarial.mtd import by_state, mtd_plus_inf, mtdf
from stratagem.search.adversarial.negascout import negascout
from stratagem.search.adversarial.proof_number import proof_number
from stratagem.search.adversarial.quiescence import quiet
from stratagem.search.adversarial.scout import scout
from stratagem.search.theory.strategies import best_strategy, guaranteed_value
from stratagem.trace.events import Again, Cut, Leaf, LowerBeta, Pass, Proof, RaiseAlpha, Test

LAW = settings(max_examples=60)


def heard_from(search, game, **options):
    heard = []
    search(game, trace=heard.append, **options)
    return heard


# -- SCOUT and NegaScout -----------------------------------------------------------------------------------


@LAW
@given(trees(players=True, leaves=25))
def test_every_answer_of_scout_to_a_test_is_true(tree):
    for event in heard_from(scout, tree):
        if isinstance(event, Test):
            value = minimax_value(tree, node_at(tree, event.node))
            assert event.holds == (value > event.bound if event.strict else value >= event.bound)


def node_at(tree, path):
    node = 0
    for index in path:
        node = tree.children[node][index]
    return node


def test_in_best_order_nothing_is_searched_again_and_in_worst_order_much_is():
    for search in (scout, negascout):
        best = heard_from(search, ordered((3,) * 4, order="best"))
        worst = heard_from(search, ordered((3,) * 4, order="worst"))
        assert not any(isinstance(event, Again) for event in best)
        assert any(isinstance(event, Again) for event in worst)
        assert search(ordered((3,) * 4, order="best")).counters.leaves == 17


# -- MTD ---------------------------------------------------------------------------------------------------


@LAW
@given(trees(leaves=25), FEW)
def test_every_pass_asks_where_the_last_answer_was_and_the_bounds_close_in(tree, guess):
    value = minimax_value(tree)
    questions = [event for event in heard_from(mtdf, tree, guess=guess) if isinstance(event, Pass)]

    assert questions[0].bound == guess
    answers = [value > event.bound if event.strict else value >= event.bound for event in questions]
    assert True in answers  # something proves that it is no less,
    assert (
        False in answers or value == inf or questions[-1].bound == value
    )  # and something that it is no more


def test_mtd_asks_the_lecture_tree_four_times_from_above():
    questions = [event.bound for event in heard_from(mtd_plus_inf, lecture_tree()) if isinstance(event, Pass)]

    assert questions == [inf, 15, 13, 12]


def test_the_true_value_as_first_guess_takes_two_passes():
    for seed in range(5):
        tree = uniform(3, 4, seed=seed)
        assert mtdf(tree, guess=minimax_value(tree)).counters.passes == 2


@LAW
@given(graph_games())
def test_a_table_by_states_finds_the_same_value_with_no_more_leaves(game):
    by_paths, by_states = mtdf(game), mtdf(game, key=by_state)

    assert by_states.value == by_paths.value
    assert by_states.counters.leaves <= by_paths.counters.leaves


def test_a_table_by_states_settles_tic_tac_toe_with_a_fifth_of_the_work():
    by_paths, by_states = mtdf(TicTacToe()), mtdf(TicTacToe(), key=by_state)

    assert by_states.value == 50
    assert by_states.counters.nodes * 5 < by_paths.counters.nodes


# -- iterative deepening -----------------------------------------------------------------------------------


def test_deepening_stops_by_itself_where_the_game_ends_and_says_how_deep_it_went():
    found = iterative_deepening(TicTacToe())

    assert (found.value, found.complete, found.counters.passes) == (50, True, 9)


def test_reordering_from_the_last_round_saves_work_and_keeps_the_value():
    plain = iterative_deepening(TicTacToe(), reorder=False, evaluate=open_lines)
    ordered = iterative_deepening(TicTacToe(), evaluate=open_lines)

    assert plain.value == ordered.value == 50
    assert ordered.counters.nodes < 0.75 * plain.counters.nodes


def test_with_reordering_all_nine_rounds_together_cost_less_than_one_round_without():
    assert iterative_deepening(TicTacToe()).counters.nodes < alpha_beta(TicTacToe()).counters.nodes


def test_deepening_that_is_stopped_answers_with_its_last_finished_round():
    full = {
        depth: minimax(TicTacToe(), limit=Limit(depth=depth), evaluate=open_lines) for depth in (1, 2, 3, 4)
    }
    found = iterative_deepening(TicTacToe(), evaluate=open_lines, limit=Limit(nodes=400))

    assert not found.complete
    assert found.value == full[found.counters.passes - 1].value
    assert found.best_move in full[found.counters.passes - 1].best_moves
    assert (found.interval.low, found.interval.high) == (0, 100)


@LAW
@given(trees(leaves=25), some.integers(1, 4))
def test_deepening_to_a_depth_is_a_search_of_that_depth(tree, depth):
    def evaluate(state):
        return state % 3

    deepened = iterative_deepening(tree, limit=Limit(depth=depth), evaluate=evaluate)

    assert deepened.complete
    assert deepened.value == minimax(tree, limit=Limit(depth=depth), evaluate=evaluate).value


# -- proof numbers -----------------------------------------------------------------------------------------


@LAW
@given(trees(players=True, leaves=25), FEW)
def test_a_question_with_a_target_is_answered_truly(tree, target):
    found = proof_number(tree, target=target)
    value = minimax_value(tree)

    assert found.interval.low <= value <= found.interval.high
    assert (found.interval.low >= target) == (value >= target)
    assert (found.interval.high < target) == (value < target)
    assert found.counters.passes <= 1
    assert (found.strategy is None) == (value < target)


def test_proof_numbers_count_the_leaves_still_to_settle():
    heard = heard_from(proof_number, Tree.of([[[1, 1], [1, 1]], [0, 1]]), target=1)
    at_the_root = [
        (event.proof, event.disproof) for event in heard if isinstance(event, Proof) and event.node == ()
    ]

    assert at_the_root[0] == (1, 2)  # either child may prove it, both are needed to disprove it
    assert at_the_root[-1] == (0, inf)


def test_a_forced_win_is_proved_with_few_nodes_where_minimax_needs_them_all():
    # x has two in a row twice: whatever o does, the other one wins
    start = "x.x.o.x.ox"
    assert minimax(TicTacToe(), start=start).value == 100
    proved = proof_number(TicTacToe(), target=100, start=start)

    assert proved.interval.low == 100
    assert proved.counters.nodes < minimax(TicTacToe(), start=start).counters.nodes


def test_a_proof_that_runs_out_of_nodes_keeps_the_bounds_it_has():
    found = proof_number(TicTacToe(), limit=Limit(nodes=3000))

    assert not found.complete
    assert found.interval.low <= 50 <= found.interval.high


# -- chance ------------------------------------------------------------------------------------------------


def test_the_order_of_values_is_enough_for_minimax_but_not_where_chance_plays():
    def dice(first, second):
        return {"chances": [0.9, 0.1], "children": [first, second]}

    small = Tree.of([dice(2, 3), dice(1, 4)])
    large = Tree.of([dice(20, 30), dice(1, 400)])  # the same order of leaves

    assert expectiminimax(small).best_move == 0
    assert expectiminimax(large).best_move == 1
    assert expectiminimax(large).value == pytest.approx(40.9)


def test_chance_of_a_game_is_the_role_random_with_equal_chances():
    class Coin:
        roles = ("player", "random")

        def initial(self):
            return ""

        def legals(self, state, role):
            deciding = "player" if state == "" else "random"
            return ("heads", "tails") if role == deciding else ("noop",)

        def next(self, state, joint):
            return state + joint[0][0] if state == "" else state + joint[1][0]

        def terminal(self, state):
            return len(state) == 2

        def goal(self, state, role):
            return {"hh": 100, "ht": 0, "th": 30, "tt": 60}[state]

    found = expectiminimax(Coin())

    assert (found.value, found.best_move) == (50, "heads")
    assert found.principal_variation == ("heads",)


@LAW
@given(trees(players=True))
def test_without_chance_it_is_minimax(tree):
    assert expectiminimax(tree).counters == minimax(tree).counters
    assert expectiminimax(tree).value == minimax(tree).value


@LAW
@given(some.lists(some.tuples(some.integers(1, 9), some.integers(-9, 9)), min_size=1, max_size=5))
def test_a_chance_node_is_worth_its_mean(pairs):
    total = sum(weight for weight, _ in pairs)
    tree = Tree.of(
        {"chances": [weight / total for weight, _ in pairs], "children": [value for _, value in pairs]}
    )
    found = expectiminimax(tree)

    assert found.value == pytest.approx(sum(weight * value for weight, value in pairs) / total)
    assert found.best_move is None
    assert found.best_moves == ()


CHANCES = some.sampled_from([(1.0,), (0.5, 0.5), (0.25, 0.75), (0.5, 0.25, 0.25)])


def dice(children):
    """Chance nodes over *children*, with chances that floating-point numbers add up exactly."""
    return CHANCES.flatmap(
        lambda chances: some.lists(children, min_size=len(chances), max_size=len(chances)).map(
            lambda below: {"chances": list(chances), "children": below}
        )
    )


CHANCE_TREES = some.recursive(
    some.integers(-8, 8),
    lambda below: some.one_of(some.lists(below, min_size=1, max_size=3), dice(below)),
    max_leaves=14,
).map(Tree.of)


@LAW
@given(CHANCE_TREES)
def test_the_strategy_of_expectiminimax_achieves_its_value_on_average_against_every_reply(tree):
    found = expectiminimax(tree)

    def expected(node):
        below = [expected(child) for child in tree.children[node]]
        if not below:
            return tree.values[node]
        if tree.players[node] == "chance":
            return sum(chance * value for chance, value in zip(tree.chances(node), below, strict=True))
        return max(below) if tree.players[node] == "max" else min(below)

    assert found.value == expected(0)
    assert guaranteed_value(tree, found.strategy) == found.value
    for player in ("max", "min"):
        strategy = best_strategy(tree, player=player)
        assert strategy.value == guaranteed_value(tree, strategy) == found.value


# -- quiescence --------------------------------------------------------------------------------------------

EXCHANGE = Tree.of(
    [
        # takes a piece worth 9, which is taken back for 10: the horizon at one ply sees only the gain
        {
            "estimate": 9,
            "children": [{"estimate": -1, "children": [-1, -1]}, {"estimate": 9, "children": [9, 9]}],
        },
        {
            "estimate": 2,
            "children": [{"estimate": 2, "children": [2, 2]}, {"estimate": 3, "children": [3, 3]}],
        },
    ]
)


def test_a_search_that_stops_in_the_middle_of_an_exchange_is_fooled_and_a_quiet_one_is_not():
    def estimate(state):
        return EXCHANGE.goal(state, "max")

    def noisy(state, move):
        """MIN's capture, in the state after MAX's."""
        return state == 1 and move == 0

    fooled = alpha_beta(EXCHANGE, limit=Limit(depth=1))
    wise = alpha_beta(EXCHANGE, limit=Limit(depth=1), evaluate=quiet(EXCHANGE, estimate, noisy))

    assert (fooled.value, fooled.best_move) == (9, 0)
    assert (wise.value, wise.best_move) == (2, 1)
    assert minimax(EXCHANGE).best_move == 1


@LAW
@given(trees(players=True, leaves=20), some.integers(0, 4))
def test_where_nothing_is_noisy_the_evaluation_stands_and_where_all_is_the_player_may_still_stand_pat(
    tree, plies
):
    def estimate(state):
        return state % 4

    def stand_pat(node, plies):
        if not tree.children[node]:
            return tree.values[node]
        if plies == 0:
            return estimate(node)
        choose = max if tree.players[node] == "max" else min
        return choose([estimate(node), *(stand_pat(child, plies - 1) for child in tree.children[node])])

    calm = quiet(tree, estimate, lambda state, move: False)
    wild = quiet(tree, estimate, lambda state, move: True, extension=plies)
    for node in range(len(tree)):
        if tree.children[node]:
            assert calm(node) == estimate(node)
        assert wild(node) == stand_pat(node, plies)


@LAW
@given(trees(players=True, leaves=25))
def test_every_cut_of_negascout_names_a_leaf_that_was_looked_at_and_has_the_value_of_the_bound(tree):
    leaves = {}
    for event in heard_from(negascout, tree):
        if isinstance(event, Leaf):
            leaves[event.node] = event.value
        if isinstance(event, RaiseAlpha | LowerBeta):
            assert leaves[event.leaf] == event.after
        if isinstance(event, Cut) and event.leaf is not None:
            assert leaves[event.leaf] == event.bound
