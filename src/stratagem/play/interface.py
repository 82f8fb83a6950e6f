"""The one interface behind which all players play.

A player is told of a match (`start`), asked for moves (`play`), may use the opponents' time (`ponder`) and is told
when it is over (`stop`); `preview` shows it rules before anyone knows who plays. It never meets a socket or a process:
`stratagem.play.process.worker` runs it, follows the match for it and keeps a legal move ready beside it. Every loop of a
player asks ``clock.over()`` and ends when that is so; one that does not is overruled.
"""

from __future__ import annotations

from typing import Protocol

from stratagem.gdl_game import GdlGame
from stratagem.play.choice import Choice, Offer
from stratagem.play.clock import Deadline
from stratagem.play.match_state import Match


class Player(Protocol):
    """What every player has; what it does not need is nothing here already."""

    name: str

    def preview(self, rules: GdlGame, clock: Deadline) -> None:
        """Looks at *rules* that may be played soon."""
        return

    def start(self, match: Match, clock: Deadline) -> None:
        """Prepares for *match*, which begins when the clock is over or this returns."""
        return

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        """Chooses a move for ``match.role`` in the position of *match*, offering better ones as they are found."""
        raise NotImplementedError

    def ponder(self, match: Match, clock: Deadline) -> None:
        """Thinks about *match* while the others do, until interrupted."""
        return

    def stop(self, match: Match) -> None:
        """Takes leave of a match that is over."""
        return
