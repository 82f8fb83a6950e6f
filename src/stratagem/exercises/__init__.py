"""Exercises that are graded step by step: the taught algorithm itself computes the answers.

The names listed here are public; the modules below are internal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.lazy import lazy_names

if TYPE_CHECKING:
    from stratagem.exercises.grading import Exercise as Exercise
    from stratagem.exercises.grading import grade as grade
    from stratagem.exercises.kinds import KINDS as KINDS
    from stratagem.exercises.kinds import exercise as exercise

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Exercise": "stratagem.exercises.grading",
        "KINDS": "stratagem.exercises.kinds",
        "exercise": "stratagem.exercises.kinds",
        "grade": "stratagem.exercises.grading",
    },
)
