"""The player that makes any legal move: the yardstick that every other must beat."""

from __future__ import annotations

from random import Random as Generator

from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match


class Random(Player):
    """Every legal move with the same chance."""

    name = "random"

    def __init__(self, *, seed: int | None = None) -> None:
        self.random = Generator(seed)

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        return Choice(self.random.choice(match.legals()), Thought(self.name, "a random move"), final=True)
