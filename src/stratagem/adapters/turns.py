"""Turns: whether the roles of a game choose in turn or at the same time, seen in random matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.simulation.batch import Batch
from stratagem.simulation.encoding import CHANCE

if TYPE_CHECKING:
    from stratagem.gdl_game import GdlGame

MATCHES: Final = 512
STEPS: Final = 1000


@dataclass(frozen=True, slots=True)
class MatchSample:
    """What random matches show of a game."""

    simultaneous: bool
    """Whether two players had a choice at the same time."""
    sums: frozenset[float]
    """The sums of the players' rewards at the ends of matches, for rewards from -1 to 1."""
    longest: int
    """Steps of the longest match."""


def observe(game: GdlGame, *, seed: int = 0) -> MatchSample:
    """Play random matches and note what they show."""
    batch = Batch(game, MATCHES, threads=1)
    players = [number for number, role in enumerate(batch.roles) if role != CHANCE]
    simultaneous, steps = False, 0
    sums: set[float] = set()
    while steps < STEPS and not batch.terminated.all():
        choosing = sum(batch.choosing(batch.roles[number]).astype(np.int8) for number in players)
        simultaneous = simultaneous or bool(np.max(choosing, initial=0) > 1)
        over = batch.terminated
        batch.step_random(seed + steps)
        steps += 1
        ended = batch.terminated & ~over
        sums.update(batch.rewards[ended][:, players].sum(axis=1).round(6).tolist())
    return MatchSample(simultaneous, frozenset(sums), steps)
