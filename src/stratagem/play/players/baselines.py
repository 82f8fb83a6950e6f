"""Two baselines that every other player must beat: the first legal move, and a random one."""

from __future__ import annotations

from random import Random

from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match


class LegalPlayer(Player):
    """Always the first legal move, in the game's order."""

    name = "legal"

    def __init__(self, *, seed: int | None = None) -> None:
        """Nothing here is left to chance: *seed* is taken because every player takes one."""

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        return Choice(match.legals()[0], Thought(self.name, "the first legal move"), final=True)


class RandomPlayer(Player):
    """Every legal move with the same chance."""

    name = "random"

    def __init__(self, *, seed: int | None = None) -> None:
        self.random = Random(seed)

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        return Choice(self.random.choice(match.legals()), Thought(self.name, "a random move"), final=True)
