"""The messages between a timed player and its worker processes: plain data that can be pickled.

    timed player -> worker   Prepare, BeginMatch, TakeTurn, Follow, Idle, FinishMatch    (Command)
    worker -> timed player   RulesLoaded, Ready, Offered, Trouble, Finished              (Notification)

Commands carry what was reported of the match as a `ReportUpdate`: the new reports only, or all of them for a worker that
replaces another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from stratagem.play.choice import Thought


@dataclass(frozen=True, slots=True)
class Report:
    """What a game manager says has happened since its last report; texts in any spelling.

    Usually *moves* has one move for each role; None: nothing yet. Where only part is told (GDL-II) *moves* is None,
    *own* is the move that was made for us and *percepts* is what we see of the rest.
    """

    moves: tuple[str, ...] | None = None
    own: str | None = None
    percepts: tuple[str, ...] | None = None
    answered: str | None = None
    """What we had answered in the position before."""


@dataclass(frozen=True, slots=True)
class Prepare:
    """Rules that may be played soon."""

    rules: str
    deadline: float


@dataclass(frozen=True, slots=True)
class BeginMatch:
    """A match begins; times are of the monotonic clock, which all processes of a machine share."""

    match: str
    role: str
    rules: str
    startclock: float
    playclock: float
    deadline: float


@dataclass(frozen=True, slots=True)
class ReportUpdate:
    """The reports so far: the first *kept* that the worker has, followed by *reports*."""

    kept: int
    reports: tuple[Report, ...]

    def after(self, heard: tuple[Report, ...]) -> tuple[Report, ...]:
        return heard[: self.kept] + self.reports


@dataclass(frozen=True, slots=True)
class TakeTurn:
    """A move is due at *deadline* in the position after *update*. Answers repeat the *number*."""

    number: int
    update: ReportUpdate
    deadline: float


@dataclass(frozen=True, slots=True)
class Follow:
    """The same without a search: follow the match, and offer a legal move."""

    number: int
    update: ReportUpdate


@dataclass(frozen=True, slots=True)
class Idle:
    """Stop searching until the next command."""


@dataclass(frozen=True, slots=True)
class FinishMatch:
    """The match is over: report the goals of all roles."""

    update: ReportUpdate


Command: TypeAlias = Prepare | BeginMatch | TakeTurn | Follow | Idle | FinishMatch


@dataclass(frozen=True, slots=True)
class Past:
    """How a position was reached: after *turn* joint moves, of which *recent* are the last, lost ones included."""

    turn: int = 0
    recent: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class RulesLoaded:
    """The worker has a machine for the rules, after so many seconds, and begins to use the start clock."""

    roles: tuple[str, ...]
    machine: str
    seconds: float


def not_ready(loaded: RulesLoaded | None) -> str:
    """What a worker that is not ready in time is still doing."""
    if loaded is None:
        return "the rules are still being compiled"
    return f"the rules were there after {loaded.seconds:.1f} s, and the search is still getting ready"


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker knows the rules and has used what it wanted of the start clock."""

    roles: tuple[str, ...]
    machine: str
    seconds: float
    note: str = ""
    move: str = ""
    """A legal move of our role in the first position; empty where that is not known."""
    only: bool = False
    """Whether it is the only one."""


@dataclass(frozen=True, slots=True)
class Offered:
    """The best move so far for turn *number*, in the spelling of the rules; *done*: there will be no better one."""

    number: int
    move: str
    thought: Thought
    done: bool
    only: bool = False
    """Whether it is the only legal move."""
    certain: bool = True
    """Whether the position is known; not so after reports that were lost."""
    past: Past = Past()


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something went wrong in the worker, in one sentence; it goes on if it can."""

    text: str
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """The goals of all roles where the reports end; None: that is not an end. And how it came to that."""

    goals: tuple[int | None, ...] | None
    past: Past = Past()


Notification: TypeAlias = RulesLoaded | Ready | Offered | Trouble | Finished
