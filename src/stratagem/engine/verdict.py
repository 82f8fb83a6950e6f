"""What the judge has to say: one verdict for each question about the rules, and all of them together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

ENDS: Final = "does every match end?"
MOVES: Final = "can every role always move?"
GOALS: Final = "has every end exactly one goal for each role?"
RANGE: Final = "is every goal a number from 0 to 100?"
UNKNOWN: Final = "unknown"
"""How nothing is known."""
LEAST, MOST = 0, 100


@dataclass(frozen=True, slots=True)
class Verdict:
    """One question about the rules: the answer, how it is known, and a match that shows a failure."""

    question: str
    answer: str
    good: bool | None
    """None where there is no good or bad, or nothing is known."""
    known: str
    match: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {
            "question": self.question,
            "answer": self.answer,
            "good": self.good,
            "known": self.known,
            "match": list(self.match),
        }


@dataclass(frozen=True, slots=True)
class Judgement:
    """All verdicts about a game."""

    game: str
    exhausted: bool
    """Whether every state was looked at."""
    verdicts: tuple[Verdict, ...]
    figures: dict[str, Any] = field(default_factory=dict)
    interrupted: bool = False
    """Whether somebody asked to stop: then the verdicts say what was known by then."""

    @property
    def sound(self) -> bool:
        """Whether nothing wrong is known of the rules."""
        return not any(verdict.good is False for verdict in self.verdicts)

    @property
    def answered(self) -> bool:
        """Whether the questions were answered, be it by samples."""
        return not self.interrupted and (self.exhausted or self.figures["matches"] > 0)

    def as_json(self) -> dict[str, object]:
        return {
            "game": self.game,
            "exhausted": self.exhausted,
            "interrupted": self.interrupted,
            "sound": self.sound,
            "figures": self.figures,
            "verdicts": [verdict.as_json() for verdict in self.verdicts],
        }


def win(role: str) -> str:
    """The question whether a role can win."""
    return f"can {role} win at all?"


def out_of_range(goals: Iterable[tuple[str, Iterable[int]]]) -> str:
    """The goals of the roles that are not from 0 to 100, in words; nothing if there are none.

    >>> out_of_range([("white", [0, 120]), ("black", [0, 100])])
    'white 120'
    """
    wrong = {
        role: [value for value in sorted(set(values)) if not LEAST <= value <= MOST] for role, values in goals
    }
    return ", ".join(f"{role} {' or '.join(map(str, values))}" for role, values in wrong.items() if values)
