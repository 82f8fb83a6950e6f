"""The record of a match, and the JSON in which the field publishes it.

A record keeps the rules and the joint moves; the states follow from them and are computed when they are wanted,
on any machine, so that a record can never contradict itself. *errors* has one entry for the start and one for every
joint move, with one word for each role: empty, or what went wrong (``TO`` too late, ``CE`` no connection, ``IL`` and
the illegal move), as the reference implementation writes it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from stratagem.gdl.terms import Compound, Term, order
from stratagem.gdl_game import GdlGame
from stratagem.play.choice import Thought
from stratagem.play.match_state import Match

TOKEN: Final = re.compile(r"[()]|[^()\s;]+|;[^\n]*")

REPLY: Final = "reply"
"""The source of a remark that says no more than what a player answered, and when."""


UNKNOWN: Final = "?"
"""The name of players that the protocol does not tell us about."""


@dataclass(frozen=True, slots=True)
class MatchStep:
    """One state of a match: the joint move that led to it, in the spelling of the rules, and when."""

    moves: tuple[str, ...] | None
    time: int
    """Milliseconds since 1970, as the field counts."""
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remark:
    """The search behind one of our moves."""

    turn: int
    """How many joint moves had been made when it was due."""
    role: str
    move: str
    source: str
    slack: float
    """Seconds left on the clock when the move was decided."""
    thought: Thought


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """Everything that is kept of a match."""

    id: str
    game: str
    rules: str
    roles: tuple[str, ...]
    players: tuple[str, ...]
    startclock: float
    playclock: float
    started: int
    keeper: str = "host"
    """What kept it: ``host`` a manager, ``player`` one of the players, ``terminal`` or ``workbench`` a person's match, ``local`` a call
    of `stratagem.play.match`."""
    role: str | None = None
    """The role of the player who kept it."""
    status: str = "running"
    """``running``, ``completed`` or ``aborted``."""
    goals: tuple[int | None, ...] | None = None
    steps: tuple[MatchStep, ...] = ()
    remarks: tuple[Remark, ...] = ()
    scrambled: bool = False
    previewclock: float | None = None
    tournament: str = ""
    token: str = ""
    number: int = 0
    """The place in our own list of matches."""
    addresses: tuple[str, ...] = ()
    """How the host reached each player: host and port, or the name of a player of ours; empty where unknown."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The players, each with its address where that says more than its name."""
        known = self.addresses if len(self.addresses) == len(self.players) else self.players
        return tuple(map(labelled, self.players, known))

    @property
    def moves(self) -> tuple[tuple[str, ...], ...]:
        return tuple(step.moves for step in self.steps if step.moves is not None)

    @property
    def errors(self) -> int:
        """How many moves were late, illegal or not answered."""
        return sum(bool(error) for step in self.steps for error in step.errors)

    def load(self) -> GdlGame:
        """The game that was played."""
        from stratagem.loading import load

        return load(self.rules)

    def positions(self, game: GdlGame | None = None) -> Iterator[Match]:
        """The match after every joint move, from the start to where the record ends."""
        rules = self.load() if game is None else game
        match = Match.of(rules, self.role, id=self.id, startclock=self.startclock, playclock=self.playclock)
        yield match
        for joint in self.moves:
            match = match.after(joint)
            yield match

    def as_json(self, game: GdlGame | None = None) -> dict[str, Any]:
        """The record in the field's format; *searches* is ours, and others pass it over."""
        rules = self.load() if game is None else game
        states = [facts_text(position, rules) for position in self.positions(rules)]
        return {
            "matchId": self.id,
            "randomToken": self.token,
            "gameName": self.game,
            "startTime": self.started,
            "startClock": plain(self.startclock),
            "playClock": plain(self.playclock),
            "previewClock": None if self.previewclock is None else plain(self.previewclock),
            "tournamentNameFromHost": self.tournament,
            "scrambled": self.scrambled,
            "gameRoleNames": list(self.roles),
            "playerNamesFromHost": list(self.players),
            "states": states,
            "moves": [[spaced(move) for move in joint] for joint in self.moves],
            "stateTimes": [step.time for step in self.steps],
            "errors": [list(step.errors or ("",) * len(self.roles)) for step in self.steps],
            "isCompleted": self.status == "completed",
            "isAborted": self.status in ("aborted", "resigned"),
            **({} if self.goals is None else {"goalValues": list(self.goals)}),
            "searches": [
                {
                    "turn": remark.turn,
                    "role": remark.role,
                    "move": remark.move,
                    "source": remark.source,
                    "slack": round(remark.slack, 4),
                    **remark.thought.as_json(),
                }
                for remark in self.remarks
                if remark.source != REPLY
            ],
        }


def milliseconds() -> int:
    """Now, as the field's records count time."""
    return int(time.time() * 1000)


def facts_text(position: Match, game: GdlGame) -> str:
    """A state as the field writes it: ``( ( cell 1 1 b ) ( control xplayer ) )``."""
    facts = sorted(position.state.facts(), key=order)
    return f"( {' '.join(spaced_term(fact, game) for fact in facts)} )" if facts else "( )"


def spaced_term(term: Term, game: GdlGame) -> str:
    """*term* in the spelling of the rules, with the reference's blanks."""
    return spaced(game.spell(term)) if isinstance(term, Compound) else game.spell(term)


def spaced(text: str) -> str:
    """KIF with single blanks around everything and without comments: the reference's way to write.

    >>> spaced("(mark 1 (f 2)) ; a comment"), spaced("noop")
    ('( mark 1 ( f 2 ) )', 'noop')
    """
    return " ".join(token for token in TOKEN.findall(text) if not token.startswith(";"))


def labelled(name: str, address: str) -> str:
    """A player's name, with its address where that says more.

    >>> labelled("Skirmisher", "localhost:9147"), labelled("uct", "uct")
    ('Skirmisher (localhost:9147)', 'uct')
    """
    return name if address in ("", name) else f"{name} ({address})"


def plain(number: float) -> float:
    """A number as people write it: 5, not 5.0."""
    return int(number) if number == int(number) else number
