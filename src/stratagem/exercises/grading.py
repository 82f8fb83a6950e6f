"""Exercises and their grading: a tree, questions about it, and where an answer is wrong and why.

An answer passes only if every question is answered and every answer is right: there is no partial credit that
hides a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from stratagem.errors import UsageError, require_type


@dataclass(frozen=True, slots=True)
class ExerciseQuestion:
    """One question. *form* is ``number``, ``numbers`` (in any order), ``sequence`` (the order counts) or ``record``."""

    key: str
    prompt: str
    form: str
    expected: tuple[str, ...]
    why: str
    """The reason for the right answer, shown with a wrong one."""
    about: tuple[tuple[str, str], ...] = ()
    """Words that have a reason of their own, which is shown where an answer is wrong in such a word."""
    otherwise: str = ""
    """The reason that is shown for all other words; *why* where there is none."""

    def reason(self, word: str) -> str:
        """Why an answer is wrong in *word*, which is there and should not be, or is missing."""
        own = (reason for known, reason in self.about if same(known, word))
        return next(own, self.otherwise or self.why)


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise: the same seed always gives the same one."""

    kind: str
    seed: int
    text: str
    """What is asked, with the tree drawn."""
    tree: object
    """The tree as nested lists, for pages that draw it themselves."""
    questions: tuple[ExerciseQuestion, ...]

    def as_json(self, *, answers: bool = False) -> dict[str, object]:
        """The exercise as plain data; the right *answers* only if asked for."""
        return {
            "kind": self.kind,
            "seed": self.seed,
            "text": self.text,
            "tree": self.tree,
            "questions": [
                {"key": question.key, "prompt": question.prompt, "form": question.form}
                | ({"expected": list(question.expected), "why": question.why} if answers else {})
                for question in self.questions
            ],
        }


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """How one question was answered. *note* says where a wrong answer is wrong, and why."""

    key: str
    right: bool
    given: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Grade:
    """All marks in the order of the questions."""

    marks: tuple[GradedAnswer, ...]

    @property
    def passed(self) -> bool:
        return bool(self.marks) and all(mark.right for mark in self.marks)

    @property
    def right(self) -> int:
        return sum(mark.right for mark in self.marks)

    @property
    def first_wrong(self) -> GradedAnswer | None:
        return next((mark for mark in self.marks if not mark.right), None)


WORD = re.compile(r"[^\s,;]+")


def words(answer: str) -> tuple[str, ...]:
    """The words of an answer: separated by blanks, commas or semicolons; brackets and letter case do not count.

    >>> words("[3, 5] ; A")
    ('3', '5', 'a')
    """
    return tuple(
        word.lower() for word in WORD.findall(re.sub(r"[\[\](){}]", " ", answer)) if word.lower() not in NONE
    )


NONE = frozenset({"none", "-", "nothing"})


def same(left: str, right: str) -> bool:
    """Whether two words say the same: numbers by value, other words by letter."""
    try:
        return float(left.replace("∞", "inf")) == float(right.replace("∞", "inf"))
    except ValueError:
        return left == right


def mark(question: ExerciseQuestion, answer: str | None) -> GradedAnswer:
    """Whether *answer* is right, and where it departs from the right one."""
    if answer is None or (not answer.strip() and question.expected):
        return GradedAnswer(question.key, False, "", "no answer")  # the reason would give the answer away
    given = words(answer)
    expected = tuple(word.lower() for word in question.expected)
    if question.form == "numbers":
        return _mark_set(question, answer, given, expected)
    for place, (mine, right) in enumerate(zip(given, expected, strict=False), start=1):
        if not same(mine, right):
            where = "" if len(expected) == 1 else f"at place {place}, "
            return GradedAnswer(
                question.key, False, answer, f"{where}{mine} should be {right}: {question.reason(mine)}"
            )
    if len(given) < len(expected):
        return GradedAnswer(
            question.key,
            False,
            answer,
            f"the next is {expected[len(given)]}: {question.reason(expected[len(given)])}",
        )
    if len(given) > len(expected):
        return GradedAnswer(
            question.key,
            False,
            answer,
            f"{given[len(expected)]} is superfluous: {question.reason(given[len(expected)])}",
        )
    return GradedAnswer(question.key, True, answer)


def _mark_set(
    question: ExerciseQuestion, answer: str, given: tuple[str, ...], expected: tuple[str, ...]
) -> GradedAnswer:
    wrong = [word for word in given if not any(same(word, right) for right in expected)]
    missing = [right for right in expected if not any(same(word, right) for word in given)]
    if wrong:
        return GradedAnswer(
            question.key, False, answer, f"{wrong[0]} does not belong there: {question.reason(wrong[0])}"
        )
    if missing:
        return GradedAnswer(
            question.key, False, answer, f"{missing[0]} is missing: {question.reason(missing[0])}"
        )
    if len(given) != len(expected):
        return GradedAnswer(question.key, False, answer, f"an entry is given twice: {question.why}")
    return GradedAnswer(question.key, True, answer)


def grade(exercise: Exercise, answers: Mapping[str, str]) -> Grade:
    """The marks for *answers*, by the keys of the questions; a key that no question has is refused."""
    require_type(exercise, Exercise, "an exercise")
    require_type(answers, Mapping, "a mapping from questions to answers")
    keys = [question.key for question in exercise.questions]
    for key in answers:
        if key not in keys:
            raise UsageError(f"no question is called {key}", hint=f"the questions: {', '.join(keys)}")
    return Grade(tuple(mark(question, answers.get(question.key)) for question in exercise.questions))
