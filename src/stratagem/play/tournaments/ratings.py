"""Elo ratings with confidence intervals, from the results of a tournament.

The model is Bradley and Terry's (1952), fitted to all results at once: unlike the running Elo of chess clubs it does
not depend on the order of the matches. The library choix works out what is believed of all strengths together after
the results (expectation propagation; Minka, 2001), from the belief before them that strengths differ by some hundred
points. That belief is what keeps a player who has won everything from being infinitely strong, or certainly so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import log
from typing import Final

from stratagem.errors import MissingExtra
from stratagem.play.tournaments.statistics import NORMAL

AVERAGE: Final = 1500.0
SCALE: Final = 400 / log(10)
PRIOR: Final = 600.0
"""The spread of strengths that is believed before any match, in Elo points."""


@dataclass(frozen=True, slots=True)
class PairResult:
    """The outcome between two players in one match: *score* is 1, 0.5 or 0 for *player*."""

    player: str
    opponent: str
    score: float


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's strength: Elo with its 95 % interval, games, and the share of points won."""

    player: str
    elo: float
    low: float
    high: float
    games: int
    score: float


def need_choix() -> None:
    """Refuses where the library is not installed: to be called before anything is played that is to be rated."""
    if find_spec("choix") is None:
        raise MissingExtra("ggp", needs="choix")


def ratings(players: Sequence[str], results: Sequence[PairResult]) -> list[Rating]:
    """The ratings of *players*, the strongest first; their mean is 1500.

    A draw is half a win for each. The library knows only wins, so each comparison counts as two of them, split in
    a draw; the spread is made up for that.
    """
    need_choix()
    import choix
    import numpy

    place = {player: number for number, player in enumerate(players)}
    wins: list[tuple[int, int]] = []
    for one in results:
        pair = place[one.player], place[one.opponent]
        doubled = round(2 * one.score)
        wins += [pair] * doubled + [pair[::-1]] * (2 - doubled)
    precision = (SCALE / PRIOR) ** 2
    if wins:
        mean, covariance = choix.ep_pairwise(len(players), wins, alpha=2 * precision, max_iter=1000)
    else:
        mean, covariance = numpy.zeros(len(players)), numpy.eye(len(players)) / (2 * precision)
    centred = numpy.eye(len(players)) - 1 / len(players)
    strengths = AVERAGE + SCALE * (centred @ mean)
    spreads = NORMAL * SCALE * numpy.sqrt(2 * numpy.diag(centred @ covariance @ centred))
    points = dict.fromkeys(players, 0.0)
    games = dict.fromkeys(players, 0)
    for one in results:
        points[one.player] += one.score
        points[one.opponent] += 1 - one.score
        games[one.player] += 1
        games[one.opponent] += 1
    rated = [
        Rating(
            player,
            float(strengths[number]),
            float(strengths[number] - spreads[number]),
            float(strengths[number] + spreads[number]),
            games[player],
            points[player] / games[player] if games[player] else 0.0,
        )
        for player, number in place.items()
    ]
    return sorted(rated, key=lambda rating: -rating.elo)
