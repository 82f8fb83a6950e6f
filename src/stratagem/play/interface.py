"""The interface of all players: ours, and those that users write.

A player is told of a match (`Player.start`), asked for moves (`Player.play`), may search in the opponents' time
(`Player.ponder`) and is told when the match is over (`Player.stop`). It knows nothing of sockets and processes: the same
object plays in `stratagem.play.match`, in the terminal, on the network and in the browser.

>>> class Last(Player):
...     name = "last"
...
...     def choose(self, match, clock):
...         return match.legals()[-1]
"""

from __future__ import annotations

from stratagem.gdl.terms import Term
from stratagem.gdl_game import GdlGame
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.match_state import Match


class Player:
    """A player has a *name* and implements `choose`, or `play` if it searches; all other methods are optional.

    Every loop of a player must check ``clock.over()`` and end when it is true. Otherwise, in a timed match, the best move
    offered so far is played instead.
    """

    name: str = "player"
    remember: bool = False
    """Whether what is learned about rules may be kept on disk, and what was kept be used."""

    def choose(self, match: Match, clock: Deadline) -> Term | str:
        """A move for ``match.role``, one of ``match.legals()``: what a player without a search implements."""
        raise NotImplementedError(f"{type(self).__name__} has neither `choose` nor `play`")

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        """The same with the search behind the move; *offer* takes better and better choices until then."""
        return Choice(match.rules.move(self.choose(match, clock)), Thought(self.name))

    def preview(self, rules: GdlGame, clock: Deadline) -> None:
        """Prepares for *rules* that may be played soon."""
        return

    def start(self, match: Match, clock: Deadline) -> None:
        """Prepares for *match*, which begins when this returns; the start clock is *clock*."""
        return

    def ponder(self, match: Match, clock: Deadline) -> None:
        """Searches in the opponents' time, until *clock* is over."""
        return

    def stop(self, match: Match) -> None:
        """Ends *match*: releases its memory."""
        return
