"""Every taught algorithm is called the same way and returns the same kind of result."""

from __future__ import annotations

import inspect

import pytest
from tests.support.puzzles import TicTacToe

import stratagem as st
from stratagem.search import ADVERSARIAL, ALGORITHMS, SINGLE
from stratagem.taught_search import compare

GRAPH = {"a": {"b": 2, "c": 1}, "b": {"goal": 1}, "c": {"goal": 5}}


def problem_of(name):
    return st.trees.lecture_tree() if name in ADVERSARIAL else st.trees.maze(GRAPH, "a", "goal")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_algorithm_takes_a_problem_a_start_and_keywords(name):
    parameters = list(inspect.signature(ALGORITHMS[name]).parameters.values())
    assert [parameter.name for parameter in parameters[:2]] == ["problem", "start"]
    assert {parameter.kind.name for parameter in parameters[2:]} <= {"KEYWORD_ONLY", "VAR_KEYWORD"}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_algorithm_is_a_function_of_the_package(name):
    assert getattr(st.search, ALGORITHMS[name].__name__) is ALGORITHMS[name]
    assert ALGORITHMS[name].__name__ in st.search.__all__


@pytest.mark.parametrize("name", ALGORITHMS)
def test_progress_is_the_number_of_nodes_and_the_trace_begins_and_finishes(name):
    counts: list[int] = []
    events: list[st.trace.Event] = []
    result = ALGORITHMS[name](
        problem_of(name), limit=st.Limit(nodes=10_000), progress=counts.append, trace=events.append
    )

    assert result.method == name
    assert counts == list(range(1, len(counts) + 1))
    assert result.counters.nodes >= len(counts)
    assert isinstance(events[0], st.trace.Begin)
    assert isinstance(events[-1], st.trace.Finish)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_keyword_that_is_not_known_is_refused(name):
    with pytest.raises(TypeError):
        ALGORITHMS[name](problem_of(name), depht=3)


def test_values_and_moves_are_given_for_both_roles():
    found = st.search.alpha_beta(TicTacToe())

    assert found.values == {"x": st.Interval(50, 50), "o": st.Interval(50, 50)}
    assert (found.proved, found.distance, len(found.line)) == (True, 9, 9)
    assert list(found.best) == ["x"]
    assert all(len(joint) == 2 for joint in found.line)


def test_what_rests_on_an_evaluation_is_not_proved():
    found = st.search.minimax(TicTacToe(), limit=st.Limit(depth=2), evaluate=lambda state: 70)

    assert (found.value, found.complete, found.proved, found.distance) == (70, True, False, None)
    assert found.interval == st.Interval(0, 100)


def test_the_minimiser_may_be_the_first_role():
    found = st.search.alpha_beta(st.Tree.of([[3, 12], [2, 4]]), maximiser="min")

    assert list(found.values) == ["min", "max"]
    assert found.values["min"] == st.Interval(-found.values["max"].low, -found.values["max"].high)


def test_a_comparison_goes_on_after_a_refusal():
    compared = list(
        compare(["minimax", "breadth-first", "negamax"], st.load("tictactoe"), limit=st.Limit(depth=2))
    )

    assert [each.method for each in compared] == ["minimax", "breadth-first", "negamax"]
    assert [each.result is None for each in compared] == [False, True, False]
    assert "one role with a choice" in str(compared[1].refused)


@pytest.mark.parametrize("name", SINGLE)
def test_the_start_may_be_any_state(name):
    assert ALGORITHMS[name](problem_of(name), "b").solution == (0,)
