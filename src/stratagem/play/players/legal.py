"""The player that makes the first legal move: the least that can be asked of a player."""

from __future__ import annotations

from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match


class Legal(Player):
    """Always the first legal move, in the game's order."""

    name = "legal"

    def __init__(self, *, seed: int | None = None) -> None:
        """Nothing here is left to chance: *seed* is taken because every player takes one."""

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        return Choice(match.legals()[0], Thought(self.name, "the first legal move"), final=True)
