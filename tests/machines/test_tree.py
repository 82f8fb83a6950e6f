"""Explicit trees: what may be written, what is refused, and that they are games."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from tests.support.random_games import ANY, trees

from stratagem.errors import UsageError
from stratagem.game import Game
from stratagem.machines.trees.tree import Tree


def test_a_tree_is_a_game_in_which_one_decides_and_the_other_waits():
    tree = Tree.of([[3, 12, 8], [2, 4, 6]])

    assert isinstance(tree, Game)
    assert tree.roles == ("max", "min")
    root = tree.initial()
    assert tree.legals(root, "max") == (0, 1)
    assert tree.legals(root, "min") == ("noop",)
    second = tree.next(root, (1, "noop"))
    assert second == tree.next(root, {"max": 1, "min": "noop"})
    assert tree.legals(second, "min") == (0, 1, 2)
    leaf = tree.next(second, ("noop", 2))
    assert tree.terminal(leaf)
    assert (tree.goal(leaf, "max"), tree.goal(leaf, "min")) == (6, -6)
    assert tree.leaf_number(leaf) == 5
    assert tree.goal(root, "max") is None


def test_leaves_are_numbered_from_the_left_whatever_their_depth():
    tree = Tree.of([1, [2, [3, 4]], 5])

    assert tree.leaves == (1, 2, 3, 4, 5)
    assert [tree.leaf_number(node) for node in tree.leaf_nodes] == [0, 1, 2, 3, 4]
    assert tree.leaf_number(tree.initial()) == -1


def test_players_take_turns_unless_a_node_says_who_decides():
    tree = Tree.of([{"player": "max", "children": [[1, 2], 3]}, 4], root="max")

    assert tree.players[:3] == ("max", "max", "min")
    assert Tree.of([1, 2], root="min").player(0) == "min"


def test_below_a_chance_node_it_is_the_turn_of_the_opponent_of_whoever_moved_before():
    coin = {"chances": [0.25, 0.75], "children": [[1, 2], [3, 4]]}
    tree = Tree.of([coin, 5])

    assert tree.roles == ("max", "min", "random")
    assert [tree.player(node) for node in (0, 1, 2)] == ["max", "chance", "min"]
    assert tree.chances(1) == (0.25, 0.75)
    assert tree.legals(1, "random") == (0, 1)
    assert Tree.of({"player": "chance", "children": [1, 2]}).chances(0) == (0.5, 0.5)


def test_an_estimate_is_the_goal_of_an_inner_node():
    tree = Tree.of([{"children": [1, 2], "estimate": 6}, 3])

    assert (tree.goal(1, "max"), tree.goal(1, "min")) == (6, -6)
    assert not tree.terminal(1)


@given(trees(ANY, players=True))
def test_a_tree_written_down_and_read_again_is_the_same_tree(tree):
    again = Tree.of(tree.spec())

    assert (again.children, again.values) == (tree.children, tree.values)
    assert Tree.parse(tree.to_json()) == again
    inner = [node for node, below in enumerate(tree.children) if below]
    assert [again.players[node] for node in inner] == [tree.players[node] for node in inner]


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ([], "tree: a list of at least one child was expected, found []"),
        ([1, [2, []]], "tree[1][1]: a list of at least one child was expected, found []"),
        (
            [[1, "x"]],
            "tree[0][1]: a number, a list of children or an object with children was expected, found 'x'",
        ),
        ([True], "tree[0]: a number, a list of children or an object with children was expected, found True"),
        (
            [1, None],
            "tree[1]: a number, a list of children or an object with children was expected, found None",
        ),
        (nan, "tree: nan cannot be compared exactly: numbers go up to 2^53, or are infinite"),
        ([2**60], "tree[0]: 1152921504606846976 cannot be compared exactly"),
        ({"kids": [1]}, "tree: the key 'kids' is not one of children, player, chances, estimate"),
        ({"player": "max"}, "tree: a list of at least one child was expected, found None"),
        ({"player": "moon", "children": [1]}, "tree: the player must be max, min or chance, not 'moon'"),
        ({"chances": [1], "children": [1, 2]}, "tree: 2 chances were expected, one per child, found [1]"),
        ({"chances": [0.5, 0.6], "children": [1, 2]}, "must add up to 1, these add up to 1.1"),
        ({"chances": [1.5, -0.5], "children": [1, 2]}, "tree: chances must not be negative"),
        ({"chances": [1], "player": "max", "children": [1]}, "chance decides here and not 'max'"),
    ],
)
def test_what_is_not_a_tree_is_refused_with_its_place(spec, text):
    with pytest.raises(UsageError) as refusal:
        Tree.of(spec)

    assert text in refusal.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, [2,", "mine.json: a tree in JSON was expected: Expecting value: line 1 column 8"),
        ("", "mine.json: a tree in JSON was expected"),
        ("[" * 100_000, "mine.json: the brackets are nested too deeply for a JSON reader"),
        ("9" * 5000, "mine.json: a tree in JSON was expected"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text(text)

    with pytest.raises(UsageError) as refusal:
        Tree.load("mine.json")

    assert refusal.value.message.startswith(message)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot be read as a tree"):
        Tree.load(tmp_path / "none.json")


def test_a_file_is_read(tmp_path):
    file = tmp_path / "tree.json"
    file.write_text('{"player": "min", "children": [[1, 2], 3]}')

    assert Tree.load(file) == Tree.of([[1, 2], 3], root="min")


def test_the_root_is_max_or_min():
    with pytest.raises(UsageError, match="the root must be max or min"):
        Tree.of([1], root="left")


def test_a_tree_may_be_very_deep():
    spec = 7
    for _ in range(20_000):
        spec = [spec]
    tree = Tree.of(spec)

    assert len(tree) == 20_001
    assert tree.leaves == (7,)
    assert Tree.of(tree.spec()) == tree


def test_leaves_may_be_infinite():
    assert Tree.of([inf, -inf]).leaves == (inf, -inf)
