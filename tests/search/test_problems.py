"""The view of a game: what it refuses and in which words, what it counts, and how a search ends early."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from tests.support.random_games import GraphGame
from tests.support.tic_tac_toe import TicTacToe

from stratagem.errors import LimitExceeded, UnsuitableGame, UsageError
from stratagem.limit import Limit
from stratagem.machines.trees.models import uniform
from stratagem.machines.trees.tree import Tree
from stratagem.result import Interval, Result
from stratagem.search import ADVERSARIAL, ALGORITHMS, SINGLE
from stratagem.search.adversarial.alpha_beta import alpha_beta
from stratagem.search.adversarial.minimax import minimax

RECURSIVE = [
    name
    for name in ADVERSARIAL
    if name not in ("sss-star", "dual-star", "proof-number", "iterative-deepening")
]


@dataclass(frozen=True)
class OneShot:
    """One step, in which every role has as many moves as *moves* says; goals as given."""

    roles: tuple[str, ...]
    moves: tuple[int, ...]
    goals: tuple[tuple[int | None, ...], ...] = ((0, 100), (100, 0), (50, 50))

    def initial(self):
        return None, 0

    def legals(self, state, role):
        return tuple(range(self.moves[self.roles.index(role)]))

    def next(self, state, joint):
        return tuple(joint), 1

    def terminal(self, state):
        return state[1] == 1

    def goal(self, state, role):
        return self.goals[sum(state[0]) % len(self.goals)][self.roles.index(role)]


def refusal_of(game, **options):
    with pytest.raises(UnsuitableGame) as refusal:
        minimax(game, **options)
    return str(refusal.value)


def test_three_players_are_refused_by_name():
    assert refusal_of(OneShot(("red", "green", "blue"), (2, 1, 1))) == (
        "one or two roles needed; this game has 3: red, green, blue; mcts takes any number of roles"
    )


def test_simultaneous_choices_are_refused_with_both_names():
    assert refusal_of(OneShot(("left", "right"), (2, 3))) == (
        "at most one player may have a choice at a time; in one state of this game left (2 moves) and right (3 moves)"
        " have; mcts takes simultaneous moves"
    )


def test_goals_that_do_not_always_add_up_to_the_same_are_refused():
    game = OneShot(("left", "right"), (3, 1), ((0, 100), (100, 0), (50, 60)))

    assert refusal_of(game) == (
        "a zero-sum game is needed: the goals of left and right add up to 100 in one terminal state of this "
        "game and to 110 in"
        " another; mcts takes any goals"
    )


def test_an_end_without_a_goal_is_refused():
    game = OneShot(("left", "right"), (1, 1), ((None, 0),))

    assert refusal_of(game).startswith("the rules give left no goal in a terminal state")


def test_a_player_without_a_move_is_refused():
    assert refusal_of(OneShot(("left", "right"), (2, 0))).startswith(
        "right has no legal move in a state that is not terminal"
    )


def test_chance_is_refused_where_it_is_not_understood():
    tree = Tree.of({"chances": [0.5, 0.5], "children": [1, 2]})

    for name in ADVERSARIAL:
        if name != "expectiminimax":
            with pytest.raises(UnsuitableGame, match="a game without chance is needed") as refusal:
                ALGORITHMS[name](tree)
            assert refusal.value.hint == "expectiminimax takes chance"


def test_a_game_of_one_is_a_tree_of_max_nodes():
    game = OneShot(("solo",), (3,), ((10,), (70,), (30,)))

    for name in ADVERSARIAL:
        assert (ALGORITHMS[name](game).value, ALGORITHMS[name](game).best_move) == (70, 1), name


def test_who_is_max_may_be_chosen_among_the_roles():
    assert minimax(TicTacToe(), maximiser="o", start="xx.oo....x").value == 0
    with pytest.raises(UsageError, match="there is no role 'z' to be MAX; the roles are x, o"):
        minimax(TicTacToe(), maximiser="z")


def test_a_depth_below_zero_is_refused():
    with pytest.raises(UsageError, match="the depth must be at least 0; got -1"):
        minimax(Tree.of([1]), limit=Limit(depth=-1))


@pytest.mark.parametrize("name", RECURSIVE)
def test_a_tree_deeper_than_pythons_stack_is_refused_and_not_a_crash(name):
    spec = 1
    for _ in range(5000):
        spec = [spec, 0]

    with pytest.raises(LimitExceeded, match="goes deeper than Python's stack") as refusal:
        ALGORITHMS[name](Tree.of(spec))
    assert refusal.value.hint.startswith("give a depth limit")
    limited = ALGORITHMS[name](Tree.of(spec), limit=Limit(depth=3), evaluate=lambda state: -5)
    assert (limited.value, limited.counters.depth) == (0, 3)


def test_a_game_without_end_is_refused_by_recursive_searches_and_stopped_by_a_limit_in_the_others():
    class Forever:
        roles = ("a", "b")

        def initial(self):
            return 0

        def legals(self, state, role):
            return (0, 1) if state % 2 == (role == "b") else ("noop",)

        def next(self, state, joint):
            return 1 - state

        def terminal(self, state):
            return False

        def goal(self, state, role):
            return None

    with pytest.raises(LimitExceeded):
        alpha_beta(Forever())
    for name in ("sss-star", "dual-star", "proof-number"):
        found = ALGORITHMS[name](Forever(), limit=Limit(nodes=200))
        assert not found.complete
        assert found.best_move == 0


def test_a_limit_of_seconds_is_kept_by_the_clock_it_is_given():
    time = [0.0]

    def clock():
        time[0] += 0.01
        return time[0]

    found = minimax(TicTacToe(), limit=Limit(seconds=5, clock=clock))

    assert not found.complete
    assert 490 <= found.counters.nodes <= 510


def test_the_first_node_is_always_granted_and_a_move_is_always_given():
    for name in ADVERSARIAL:
        found = ALGORITHMS[name](TicTacToe(), limit=Limit(nodes=0))
        assert not found.complete
        assert found.counters.nodes == 1
        assert found.best_move in range(9)


def test_an_interrupted_search_gives_the_best_of_what_it_has_seen():
    tree = Tree.of([[1, 2], [5, 6], [9, 9]])
    found = minimax(tree, limit=Limit(nodes=7))

    assert (found.value, found.best_move, found.principal_variation) == (5, 1, (1, 0))
    assert (found.interval.low, found.interval.high, found.complete) == (5, float("inf"), False)


@pytest.mark.parametrize("depth", [1.5, "2", True])
def test_a_depth_is_a_whole_number(depth):
    with pytest.raises(UsageError, match="the depth must be a whole number; got"):
        minimax(Tree.of([1, 2]), limit=Limit(depth=depth))


def test_a_limit_is_made_of_numbers():
    with pytest.raises(UsageError, match="the number of seconds must be a number; got '5'"):
        Limit(seconds="5")
    with pytest.raises(UsageError, match="the number of nodes must be a whole number; got True"):
        Limit(nodes=True)


def test_a_limit_cannot_be_negative():
    with pytest.raises(UsageError, match="the number of nodes must be at least 0; got -1"):
        Limit(nodes=-1)
    with pytest.raises(UsageError, match="the number of seconds must be at least 0; got nan"):
        Limit(seconds=float("nan"))


def test_minimax_visits_the_549946_nodes_of_tic_tac_toe_and_evaluates_its_255168_matches():
    found = minimax(TicTacToe())

    assert (found.value, found.best_moves) == (50, tuple(range(9)))
    assert (found.counters.nodes, found.counters.leaves) == (549_946, 255_168)


def test_every_search_of_tic_tac_toe_visits_what_it_always_visited():
    # signatures: a search that visits another number of nodes is another search
    signatures = {
        "alpha-beta": (18_297, 7_330),
        "alpha-beta-second": (18_297, 7_330),
        "alpha-beta-shallow": (29_257, 12_352),
        "fail-soft": (18_297, 7_330),
        "sss-star": (17_874, 7_153),
        "dual-star": (16_935, 6_792),
        "scout": (18_026, 6_810),
        "negascout": (17_080, 6_805),
        "mtd-plus-inf": (18_190, 7_153),
        "mtd-minus-inf": (17_041, 6_792),
        "iterative-deepening": (13_551, 5_494),
        "proof-number": (13_952, 1_554),
    }
    for name, signature in signatures.items():
        found = ALGORITHMS[name](TicTacToe())
        assert (found.value, found.counters.nodes, found.counters.leaves) == (50, *signature), name


def test_states_met_again_are_worked_out_once():
    class Counting(TicTacToe):
        asked = 0

        def next(self, state, joint):
            Counting.asked += 1
            return super().next(state, joint)

    found = minimax(Counting(), start="x.o......x")

    assert Counting.asked * 3 < found.counters.nodes


def test_all_algorithms_have_names_and_unknown_ones_are_refused():
    assert set(ALGORITHMS) == {*ADVERSARIAL, *SINGLE}
    assert len(ALGORITHMS) == len(ADVERSARIAL) + len(SINGLE)
    assert all(callable(ALGORITHMS.find(name)) for name in ALGORITHMS)
    with pytest.raises(UsageError, match="there is no algorithm 'beta-alpha'; choose one of minimax, "):
        ALGORITHMS.find("beta-alpha")


def test_the_result_names_its_algorithm():
    for name in ADVERSARIAL:
        assert ALGORITHMS[name](uniform(2, 2)).method == name


def test_a_result_can_be_written_as_json():
    found = alpha_beta(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    plain = found.as_json()

    assert plain["value"] == 3
    assert plain["best_move"] == 0
    assert plain["principal_variation"] == [0, 0]
    assert plain["leaf_order"] == [0, 1, 2, 3, 6, 7, 8]
    assert plain["counters"]["leaves"] == 7
    assert plain["counters"]["cutoffs"] == 1
    assert Result("none", {"max": Interval()}).as_json()["values"] == {"max": [None, None]}
    assert alpha_beta(GraphGame(((1,), ()), ("left", "right"), (0, 25))).as_json()["best_move"] == "edge 0"
    assert alpha_beta(GraphGame(((1,), ()), ("left", "right"), (0, 25))).as_json()["leaf_order"] is None
