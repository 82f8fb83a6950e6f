"""Exercises: right answers pass, wrong ones never do."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagem.errors import UsageError
from stratagem.exercises.grading import Exercise, grade, words
from stratagem.exercises.kinds import KINDS, exercise, visits
from stratagem.machines.trees.graph import maze
from stratagem.machines.trees.tree import Tree
from stratagem.search.adversarial.alpha_beta import alpha_beta
from stratagem.search.adversarial.minimax import minimax
from stratagem.search.single.breadth_first import breadth_first
from stratagem.search.single.depth_first import depth_first
from stratagem.search.single.iterative_deepening import iterative_deepening_blind


def right(asked: Exercise) -> dict[str, str]:
    return {question.key: " ".join(question.expected) for question in asked.questions}


def mutated(asked: Exercise, random: Random) -> dict[str, str]:
    """The right answers with one change that makes them wrong."""
    answers = right(asked)
    question = random.choice(asked.questions)
    given = list(question.expected)
    change = random.choice(["replace", "drop", "add", "swap", "forget"])
    if change == "forget" and given:
        del answers[question.key]
        return answers
    if change == "drop" and given:
        given.pop(random.randrange(len(given)))
    elif change == "swap" and question.form != "numbers" and len(set(given)) > 1:
        first, second = random.sample(range(len(given)), 2)
        while given[first] == given[second]:
            first, second = random.sample(range(len(given)), 2)
        given[first], given[second] = given[second], given[first]
    elif change == "replace" and given:
        place = random.randrange(len(given))
        given[place] = random.choice(
            [
                word
                for word in ("0", "1", "7", "99", "live", "b", "zz")
                if word not in map(str.lower, question.expected)
            ]
        )
    else:
        given.insert(random.randrange(len(given) + 1), "77")
    answers[question.key] = " ".join(given)
    return answers


@pytest.mark.parametrize("kind", KINDS)
def test_right_answers_pass(kind: str) -> None:
    for seed in range(60):
        asked = exercise(kind, seed)
        assert grade(asked, right(asked)).passed


@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_mutated_answers_fail(kind: str) -> None:
    random = Random(2024)
    several = [exercise(kind, seed) for seed in range(25)]
    for number in range(1000):
        asked = several[number % 25]
        answers = mutated(asked, random)
        marks = grade(asked, answers)
        assert not marks.passed, (number, answers)
        assert marks.first_wrong is not None
        assert marks.first_wrong.note


def test_no_answer_at_all_fails() -> None:
    asked = exercise("alpha-beta", 1)
    assert not grade(asked, {}).passed
    empty = grade(asked, dict.fromkeys(right(asked), ""))
    assert not empty.passed
    assert {mark.note for mark in empty.marks} == {"no answer"}, "a reason would give the answer away"


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_exercise(kind: str) -> None:
    assert exercise(kind, 5) == exercise(kind, 5)
    assert exercise(kind, 5) != exercise(kind, 6)


def test_a_wrong_value_is_told_which_rule_it_breaks() -> None:
    asked = exercise("minimax", 3)
    answers = right(asked) | {"D": "17"}
    wrong = grade(asked, answers).first_wrong
    assert wrong is not None
    assert wrong.key == "D"
    assert wrong.note == "17 should be 26: D is a MAX node and takes the greatest of 17, 26"


def test_a_wrong_cut_is_told_which_bound_it_forgets() -> None:
    asked = exercise("alpha-beta", 3)
    wrong = grade(asked, right(asked) | {"cut": "5 10"}).first_wrong
    assert wrong is not None
    assert "13 is missing" in wrong.note
    assert "I is cut at 24: it is past beta = 21, which C has already" in wrong.note


@pytest.mark.parametrize(
    ("key", "answer", "note"),
    [
        ("cut", "10 13", "5 is missing: F is cut at 20: it is past beta = 15, which B has already"),
        (
            "cut",
            "5 6 10 13",
            "6 does not belong there: when it is reached, alpha is below beta in every node above it",
        ),
        (
            "looked",
            "1",
            "at place 1, 1 should be 0: every leaf that is not cut is evaluated, from left to right",
        ),
        (
            "looked",
            "0 1 2 3 4 5",
            "at place 6, 5 should be 6: F is cut at 20: it is past beta = 15, which B has already",
        ),
    ],
)
def test_each_wrong_leaf_has_the_reason_of_that_leaf_alone(key: str, answer: str, note: str) -> None:
    asked = exercise("alpha-beta", 3)
    wrong = grade(asked, right(asked) | {key: answer}).first_wrong
    assert wrong is not None
    assert wrong.note == note


def test_a_wrong_pop_is_shown_what_open_holds() -> None:
    asked = exercise("sss", 3)
    wrong = grade(asked, right(asked) | {"pop2": "C LIVE inf"}).first_wrong
    assert wrong is not None
    assert "OPEN holds (B, LIVE, inf), (C, LIVE, inf)" in wrong.note


def test_an_answer_may_be_written_in_many_ways() -> None:
    asked = exercise("alpha-beta", 3)
    assert grade(asked, right(asked) | {"cut": "[13, 5, 10]", "value": " 21.0 "}).passed
    with pytest.raises(UsageError, match="no question is called valeu"):
        grade(asked, {"valeu": "21"})
    with pytest.raises(UsageError, match="choose one of minimax, alpha-beta, sss, blind"):
        exercise("minmax", 1)


@given(st.text(max_size=40))
def test_any_text_is_taken_for_an_answer_and_none_by_accident_for_the_right_one(text: str) -> None:
    asked = exercise("minimax", 3)
    answers = right(asked)
    if words(text) != words(answers["A"]):
        try:
            same = float(words(text)[0]) == float(answers["A"]) and len(words(text)) == 1
        except (ValueError, IndexError):
            same = False
        assert grade(asked, answers | {"A": text}).passed == same


@pytest.mark.parametrize("seed", range(10))
def test_the_answers_are_the_algorithms_own(seed: int) -> None:
    asked = exercise("alpha-beta", seed)
    found = alpha_beta(Tree.of(asked.tree))
    assert right(asked)["looked"].split() == [str(leaf) for leaf in found.leaf_order or ()]
    asked = exercise("minimax", seed)
    assert float(right(asked)["A"]) == minimax(Tree.of(asked.tree)).value


def test_visits_agree_with_the_searches_own_counts() -> None:
    ways = {"a": "bcd", "b": "ef", "c": "gh", "d": "ij", **dict.fromkeys("efghij", "")}
    for goal in "ehj":
        puzzle = maze(ways, "a", goal)
        assert len(visits(ways, "a", goal, "breadth-first")) == breadth_first(puzzle).counters.nodes
        assert len(visits(ways, "a", goal, "depth-first")) == depth_first(puzzle).counters.nodes
        assert len(visits(ways, "a", goal, "deepening")) == iterative_deepening_blind(puzzle).counters.nodes
    assert visits(ways, "a", "j", "depth-first") == tuple("abefcghdij")
    assert visits(ways, "a", "j", "breadth-first") == tuple("abcdefghij")
    assert visits(ways, "a", "j", "deepening") == tuple("a" + "abcd" + "abefcghdij")
