"""k-ply search: it stops at ends of the game and at the horizon, and never makes up what a node of a tree is worth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.support.random_games import trees

from stratagem.errors import UsageError
from stratagem.explanation import explain
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.machines.trees.models import lecture_tree
from stratagem.machines.trees.tree import Tree
from stratagem.search import ADVERSARIAL, ALGORITHMS
from stratagem.search.adversarial.minimax import minimax
from stratagem.search.framework.evaluations import at_horizon, evaluation

NAMES = list(ADVERSARIAL)
CUT = [7, [1, 9]]


def estimated(tree: Tree) -> Tree:
    """*tree* with what every inner node is really worth as its estimate."""
    values = tuple(minimax(tree, start=node).value for node in range(len(tree)))
    return Tree(tree.children, tree.players, values, tree.odds)


@pytest.mark.parametrize("name", NAMES)
def test_a_horizon_on_a_tree_without_estimates_is_refused(name):
    with pytest.raises(UsageError, match="depth limit of 1 cuts off node 1, an inner node") as refusal:
        ALGORITHMS[name](Tree.of(CUT), limit=Limit(depth=1))
    assert '{"estimate": 5, "children": [...]}' in refusal.value.hint


@pytest.mark.parametrize("name", NAMES)
def test_the_root_itself_may_be_cut_off(name):
    with pytest.raises(UsageError, match=r"depth limit of 0 cuts off the root|the horizon is at 0 plies"):
        ALGORITHMS[name](Tree.of(CUT), limit=Limit(depth=0))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("estimate", "value", "move"), [(3, 7, 0), (8, 8, 1)])
def test_a_leaf_is_exact_and_a_node_at_the_horizon_is_worth_its_estimate(name, estimate, value, move):
    found = ALGORITHMS[name](Tree.of([7, {"estimate": estimate, "children": [1, 9]}]), limit=Limit(depth=1))
    assert (found.value, found.best_move, found.complete) == (value, move, True)


@pytest.mark.parametrize("name", NAMES)
def test_a_horizon_that_nothing_lies_behind_needs_no_estimates(name):
    for depth in (4, 5, 60):
        found = ALGORITHMS[name](lecture_tree(), limit=Limit(depth=depth))
        assert (found.value, found.best_move) == (12, 1)


@pytest.mark.parametrize("name", NAMES)
def test_the_lecture_s_tree_is_worth_12_at_every_horizon_if_its_estimates_are_right(name):
    for depth in (1, 2, 3, 4):
        assert ALGORITHMS[name](estimated(lecture_tree()), limit=Limit(depth=depth)).value == 12


@given(trees(leaves=12), some.integers(1, 4))
def test_with_right_estimates_every_horizon_gives_the_value_of_the_tree(tree, depth):
    assert minimax(estimated(tree), limit=Limit(depth=depth)).value == minimax(tree).value


def test_a_number_stands_for_nodes_without_an_estimate_only():
    tree = Tree.of([[1, 9], {"estimate": 3, "children": [1, 9]}])
    assert minimax(tree, limit=Limit(depth=1), evaluate=evaluation("2", tree, "max")).value == 3
    assert minimax(tree, limit=Limit(depth=1), evaluate=evaluation("4.5", tree, "max")).value == 4.5
    assert minimax(tree, limit=Limit(depth=1), evaluate=evaluation("-4", tree, "max")).best_move == 1


@pytest.mark.parametrize("name", ["even", "mobility"])
def test_evaluations_of_games_are_refused_for_trees(name):
    with pytest.raises(UsageError, match=f"the evaluation {name} is for games"):
        evaluation(name, lecture_tree(), "max")


def test_games_count_as_even_at_the_horizon_unless_something_is_said():
    assert explain(load("tictactoe"), limit=Limit(depth=1)).result.value == 50
    assert explain(load("tictactoe"), limit=Limit(depth=1), evaluation="30").result.value == 30


def test_an_explanation_with_a_horizon_is_refused_like_the_search():
    with pytest.raises(UsageError, match=r"cuts off node 0\.0, an inner node"):
        explain(lecture_tree(), limit=Limit(depth=2))
    assert explain(Tree.of([7, {"estimate": 3, "children": [1, 9]}]), limit=Limit(depth=1)).result.value == 7


@pytest.mark.parametrize(
    ("limit", "note"),
    [
        (Limit(nodes=7), "it stopped after 7 nodes"),
        (Limit(seconds=0), "it stopped after 0 seconds"),
        (Limit(stop=iter([False] * 6 + [True]).__next__), "it was interrupted"),
    ],
)
def test_an_explanation_says_what_stopped_the_search(limit, note):
    assert explain(lecture_tree(), limit=limit).walkthrough.notes == (f"The search is not complete: {note}.",)


def test_deepening_never_answers_with_what_stands_in_for_an_estimate():
    stopped = ALGORITHMS["iterative-deepening"](lecture_tree(), limit=Limit(nodes=12))
    assert not stopped.complete
    assert stopped.value is None
    shallow = Tree.of([7, [[1, 2], [9, 3]], 5])
    assert ALGORITHMS["iterative-deepening"](shallow).value == 7


@pytest.mark.parametrize(
    ("algorithm", "depth", "name", "sentence"),
    [
        ("alpha-beta", None, "mobility", "a search without a depth limit has none"),
        ("alpha-beta", None, "foo", "no evaluation is called foo"),
        ("alpha-beta", 2, "foo", "no evaluation is called foo"),
        ("bidirectional", 2, "even", "bidirectional uses no evaluation"),
    ],
)
def test_an_evaluation_that_nothing_would_use_is_refused(algorithm, depth, name, sentence):
    with pytest.raises(UsageError, match=sentence):
        at_horizon(algorithm, load("tictactoe"), "xplayer", depth=depth, name=name)


def test_deepening_takes_an_evaluation_without_a_depth():
    game = load("tictactoe")
    assert at_horizon("iterative-deepening", game, "xplayer", depth=None, name="mobility") is not None
    assert at_horizon("iterative-deepening", game, "xplayer", depth=None) is None
    assert at_horizon("breadth-first", game, "xplayer", depth=3) is None
