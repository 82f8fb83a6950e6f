"""What the table and its workers say to each other: plain data that can be sent to another process.

    table -> worker   Prepare, Begin, Turn, Follow, Rest, Finish
    worker -> table   Ready, Offered, Trouble, Finished

What has been reported of the match, its `Story`, comes with the orders, piece by piece; one who has just been hired in
the place of another that hung is told all of it at once and takes up the match where it is.
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
class Begin:
    """A match begins; times are of the monotonic clock, which all processes of a machine share."""

    match: str
    role: str
    rules: str
    startclock: float
    playclock: float
    deadline: float


@dataclass(frozen=True, slots=True)
class Story:
    """What was reported: the first *kept* reports that the worker has heard, and then *reports*."""

    kept: int
    reports: tuple[Report, ...]

    def after(self, heard: tuple[Report, ...]) -> tuple[Report, ...]:
        return heard[: self.kept] + self.reports


@dataclass(frozen=True, slots=True)
class Turn:
    """A move is due at *deadline*, after all that the *story* says. *number* tells answers apart."""

    number: int
    story: Story
    deadline: float


@dataclass(frozen=True, slots=True)
class Follow:
    """The same, but somebody else thinks: be where the match is, and say what is legal there."""

    number: int
    story: Story


@dataclass(frozen=True, slots=True)
class Rest:
    """No more thinking until the next order."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The match is over: what did everybody get?"""

    story: Story


Order: TypeAlias = Prepare | Begin | Turn | Follow | Rest | Finish


@dataclass(frozen=True, slots=True)
class Past:
    """How a position was reached: after *turn* joint moves, of which *recent* are the last, lost ones included."""

    turn: int = 0
    recent: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """The worker has a machine for the rules, after so many seconds, and begins to use the start clock."""

    roles: tuple[str, ...]
    machine: str
    seconds: float


def not_ready(loaded: Loaded | None) -> str:
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
    """The goals of all roles where the reports end; None: that is no end. And how it came to that."""

    goals: tuple[int | None, ...] | None
    past: Past = Past()


Word: TypeAlias = Loaded | Ready | Offered | Trouble | Finished
