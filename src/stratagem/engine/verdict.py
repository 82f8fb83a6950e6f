"""The verdict on the rules of a game: one ruling for each question about them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from stratagem.gdl.terms import Term

ENDS: Final = "does every match end?"
MOVES: Final = "can every role always move?"
GOALS: Final = "does every terminal state have exactly one goal per role?"
RANGE: Final = "is every goal a number from 0 to 100?"
UNKNOWN: Final = "unknown"
"""How nothing is known."""
LEAST, MOST = 0, 100


@dataclass(frozen=True, slots=True)
class Ruling:
    """One question about the rules: the answer, how it is known, and a match that shows a failure."""

    question: str
    answer: str
    good: bool | None
    """None where there is no good or bad, or nothing is known."""
    known: str
    match: tuple[tuple[Term, ...], ...] = ()
    """The joint moves of a match from the start."""

    def __str__(self) -> str:
        sign = {True: "✓", False: "✗", None: "·"}[self.good]
        known = "" if self.known == UNKNOWN else f" ({self.known})"
        shown = self.match and self.good is not True
        match = f"\n    shown by: {' '.join(self.match_text)}" if shown else ""
        return f"{sign} {self.question} {self.answer}{known}{match}"

    @property
    def match_text(self) -> tuple[str, ...]:
        """The same as text: the only move, or all moves of a joint move in brackets."""
        return tuple(
            str(joint[0]) if len(joint) == 1 else f"[{' '.join(map(str, joint))}]" for joint in self.match
        )

    def as_json(self) -> dict[str, object]:
        return {
            "question": self.question,
            "answer": self.answer,
            "good": self.good,
            "known": self.known,
            "match": list(self.match_text),
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `judge` says about the rules of a game. Printing it shows a line for each ruling."""

    game: str
    exhausted: bool
    """Whether every state was looked at."""
    rulings: tuple[Ruling, ...]
    figures: dict[str, Any] = field(default_factory=dict)
    interrupted: bool = False
    """Whether a stop was asked for: then the rulings say what was known by then."""

    def __str__(self) -> str:
        return "\n".join([self.heading, *map(str, self.rulings)])

    @property
    def heading(self) -> str:
        """How the rules were judged, in words."""
        figures = self.figures
        if self.exhausted:
            count = figures["states"]
            looked = "its only state was examined" if count == 1 else f"all {count:,} states were examined"
        elif "uncompiled" in figures:
            looked = f"judged by random matches on {figures['machine']}, because {figures['uncompiled']}"
        else:
            looked = f"more than {figures['states_at_least']:,} states; judged by random matches"
        return f"{self.game}: {looked}{'; interrupted' if self.interrupted else ''}"

    @property
    def sound(self) -> bool:
        """Whether nothing wrong is known of the rules."""
        return not any(ruling.good is False for ruling in self.rulings)

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
            "verdicts": [ruling.as_json() for ruling in self.rulings],
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
