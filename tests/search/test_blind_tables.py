"""The lecture's tables on blind search: as printed, as they should be, and as measured."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.data import oracles

from stratagem.errors import LimitExceeded, UsageError
from stratagem.search.theory import formulas
from stratagem.search.theory.measurements import UniformTree, measure, measure_deepening

SHAPES = [(b, d, k) for b in (1, 2, 3, 4) for d in range(1, 6) for k in range(1, d + 1)]


@pytest.mark.parametrize(("b", "d", "k"), SHAPES)
def test_every_measured_number_is_what_the_formula_says(b, d, k):
    rows = measure(b, d, k)
    assert len(rows) == 10
    assert [row.measured for row in rows] == [row.expected for row in rows]


@settings(max_examples=15)
@given(b=some.integers(1, 6), d=some.integers(1, 5), data=some.data())
def test_the_formulas_hold_for_any_shape(b, d, data):
    k = data.draw(some.integers(1, d))
    assert all(row.measured == row.expected for row in measure(b, d, k))


def printed(b, d, k):
    return {
        (row.algorithm, row.quantity, row.case): (row.printed, row.measured)
        for row in measure(b, d, k)
        if row.printed is not None
    }


def test_the_printed_worst_time_of_depth_first_search_is_wrong_above_the_last_level():
    wrong = {
        (d, k)
        for d in range(1, 7)
        for k in range(1, d + 1)
        if formulas.depth_first_worst_printed(2, d, k) != formulas.depth_first_worst(2, d, k)
    }
    assert wrong == {(d, k) for d in range(1, 7) for k in range(1, d)}
    claim, truth = printed(2, 4, 2)["depth-first", "time", "worst"]
    assert (claim, truth) == (2**4 - 2**2, 9)


def test_the_printed_table_for_two_children_is_the_general_one_with_b_2():
    for d in range(1, 8):
        for k in range(1, d + 1):
            assert formulas.depth_first_worst_printed(2, d, k) == 2**d - 2 ** (d - k)
            assert formulas.breadth_first_best(2, d, k) == 2 ** (k - 1)
            assert formulas.breadth_first_worst(2, d, k) == 2**k - 1
            assert formulas.depth_first_space(2, d) == d
            assert formulas.breadth_first_space(2, k) == 2 ** (k - 1)


def test_the_printed_space_of_breadth_first_search_holds_where_nodes_are_tested_when_made():
    table = printed(3, 5, 3)
    assert table["breadth-first", "space", "worst"] == (9, 9)
    assert table["breadth-first, tested late", "space", "worst"] == (9, 3**3 - 3 + 1)


def test_iterative_deepening_costs_1_4_11_26_57():
    rows = measure_deepening(2, 5)
    assert [row.iterative_deepening for row in rows] == [1, 4, 11, 26, 57]
    assert [row.depth_first for row in rows] == [1, 3, 7, 15, 31]
    assert [formulas.iterative_deepening_binary(d) for d in range(1, 6)] == [1, 4, 11, 26, 57]


@pytest.mark.parametrize("b", [2, 3, 5])
def test_deepening_costs_b_over_b_minus_1_times_as_much_only_in_the_limit(b):
    rows = measure_deepening(b, 6)
    assert all(row.ratio == row.ratio_expected < row.ratio_printed == Fraction(b, b - 1) for row in rows)
    assert all(row.expected == row.iterative_deepening for row in rows)
    assert all(earlier.ratio < later.ratio for earlier, later in pairwise(rows))
    assert formulas.deepening_ratio_printed(b) - formulas.deepening_ratio(b, 60) < Fraction(1, 10**15)


def test_a_corridor_has_no_ratio():
    assert [row.ratio_printed for row in measure_deepening(1, 3)] == [None] * 3
    assert [row.iterative_deepening for row in measure_deepening(1, 4)] == [1, 3, 6, 10]
    with pytest.raises(UsageError, match="branching factor of 2 or more"):
        formulas.deepening_ratio_printed(1)


@pytest.mark.parametrize(("b", "d", "k"), [(2, 3, 4), (2, 3, 0), (0, 3, 1)])
def test_a_solution_outside_the_tree_is_refused(b, d, k):
    with pytest.raises(UsageError, match="the root is level 1"):
        measure(b, d, k)


def test_a_measurement_that_would_take_for_ever_is_refused_with_its_size():
    with pytest.raises(LimitExceeded, match="1,234,567,900 visits"):
        measure(10, 10, 10)
    with pytest.raises(LimitExceeded, match="visits"):
        measure_deepening(10, 10)


def test_the_tree_is_not_built():
    giant = UniformTree(1000, 1000)
    state = giant.initial()
    for _ in range(999):
        state = giant.next(state, (999,))
    assert state == (1000, 1000**999 - 1)
    assert giant.terminal(state)


# -- two players -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def known():
    return json.loads((oracles() / "oracles.json").read_text())


def test_minimal_trees_are_as_known(known):
    for shape, leaves in known["minimal_tree"]["examples"].items():
        if shape.count(",") == 1 and not shape.startswith("("):
            assert formulas.minimal_tree(*map(int, shape.split(","))) == leaves
        else:
            degrees = shape[shape.index("(") + 1 : shape.index(")")].split(",")
            assert formulas.minimal_tree_of([int(degree) for degree in degrees]) == leaves


@pytest.mark.parametrize("b", [2, 3])
def test_numbers_of_strategies_are_as_known(b, known):
    counts = known["strategies"][f"b{b}"]
    assert [formulas.max_strategies(b, k) for k in range(len(counts))] == counts


def count_strategies(b, k, chooser, turn="max"):
    """One child where *chooser* decides, all children elsewhere: counted by walking the tree."""
    if k == 0:
        return 1
    below = count_strategies(b, k - 1, chooser, "min" if turn == "max" else "max")
    return b * below if turn == chooser else below**b


@given(some.integers(1, 4), some.integers(0, 5))
def test_the_closed_forms_count_what_walking_counts(b, k):
    assert formulas.max_strategies(b, k) == count_strategies(b, k, "max")
    assert formulas.min_strategies(b, k) == count_strategies(b, k, "min")


def test_the_lectures_tree_has_8_strategies_in_4_clusters():
    assert formulas.max_strategies(2, 4) == 8
    assert formulas.initial_clusters(2, 4) == 4
    assert formulas.leaves_of_a_strategy(2, 4) == 4


def test_a_tree_without_moves_is_refused():
    with pytest.raises(UsageError, match="at least one move"):
        formulas.minimal_tree_of([3, 0])
    with pytest.raises(UsageError, match="no tree has"):
        formulas.max_strategies(0, 2)
