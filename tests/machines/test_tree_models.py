"""Generated trees: the models, the orders, and the formulas that go with them."""

from __future__ import annotations

from math import prod

import pytest

from stratagem.errors import LimitExceeded, UsageError
from stratagem.machines.trees.models import (
    backed_up,
    lecture_tree,
    ordered,
    reorder,
    splitmix64,
    thirty_six_leaves,
    uniform,
)
from stratagem.search.adversarial.alpha_beta import alpha_beta

GRID = [(branching, depth) for branching in range(1, 6) for depth in range(7) if branching**depth <= 1100]


def test_splitmix64_gives_the_published_numbers():
    stream = splitmix64(1234567)

    assert [next(stream) for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@pytest.mark.parametrize(("branching", "depth"), GRID)
def test_in_best_order_alpha_beta_looks_at_the_minimal_tree(branching, depth):
    minimal = branching ** ((depth + 1) // 2) + branching ** (depth // 2) - 1

    assert alpha_beta(ordered((branching,) * depth, order="best")).counters.leaves == minimal


@pytest.mark.parametrize(("branching", "depth"), GRID)
def test_in_worst_order_alpha_beta_looks_at_every_leaf(branching, depth):
    assert alpha_beta(ordered((branching,) * depth, order="worst")).counters.leaves == branching**depth


@pytest.mark.parametrize("degrees", [(3, 2, 2, 3), (3, 3, 2, 2), (3, 6, 2), (3, 4, 3), (2, 5, 1, 3)])
def test_the_minimal_tree_of_any_shape_is_two_products_less_one(degrees):
    minimal = prod(degrees[0::2]) + prod(degrees[1::2]) - 1

    assert alpha_beta(ordered(degrees, order="best")).counters.leaves == minimal


def test_of_36_leaves_11_settle_the_value():
    tree = thirty_six_leaves()

    assert len(tree.leaves) == 36
    assert alpha_beta(tree).counters.leaves == 11


def test_three_shapes_of_36_leaves_with_three_moves_at_the_root_have_a_minimal_tree_of_11():
    shapes = {
        degrees: prod(degrees[0::2]) + prod(degrees[1::2]) - 1
        for degrees in _factorisations(36)
        if degrees[0] == 3 and all(degree > 1 for degree in degrees)
    }

    assert sorted(degrees for degrees, minimal in shapes.items() if minimal == 11) == [
        (3, 2, 2, 3),
        (3, 3, 2, 2),
        (3, 6, 2),
    ]


def _factorisations(number):
    yield (number,)
    for first in range(2, number):
        if number % first == 0:
            yield from ((first, *rest) for rest in _factorisations(number // first))


def test_the_best_child_moves_to_the_front_and_the_value_stays():
    tree = uniform(3, 4, seed=5)
    better = reorder(tree)

    assert sorted(better.leaves) == sorted(tree.leaves)
    assert backed_up(better)[0] == backed_up(tree)[0]
    assert alpha_beta(better).counters.leaves == 17 < alpha_beta(tree).counters.leaves


def test_the_same_seed_gives_the_same_tree_and_another_seed_another():
    assert uniform(3, 3, seed=4) == uniform(3, 3, seed=4) != uniform(3, 3, seed=5)
    assert ordered((3, 3), order="random", seed=4) == uniform(3, 2, seed=4)


def test_the_lecture_tree_has_the_right_half_that_the_lecture_gives():
    assert lecture_tree().leaves[8:11] == (13, 12, 5)
    assert lecture_tree().leaves[12:15] == (13, 14, 7)


@pytest.mark.parametrize("model", ["", "iid", "iid0", "inc5", "ord", "distinct5", "normal"])
def test_an_unknown_model_is_refused(model):
    with pytest.raises(UsageError, match="there is no tree model"):
        uniform(2, 2, model=model)


def test_trees_that_do_not_fit_are_refused():
    with pytest.raises(LimitExceeded, match="would have 1,073,741,824 leaves"):
        uniform(2, 30)
    with pytest.raises(UsageError, match="at least one child, not 0"):
        uniform(0, 2)
    with pytest.raises(UsageError, match="best, worst or random, not 'good'"):
        ordered((2, 2), order="good")
