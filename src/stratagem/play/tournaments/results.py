"""The results of a tournament: what each match counts, points, and the cross table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from stratagem.play.tournaments.fixtures import Fixture
from stratagem.play.tournaments.ratings import PairResult


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match that was played: *goals* in the order of the fixture's seats."""

    fixture: Fixture
    goals: tuple[int, ...]
    turns: int
    errors: int
    """How many moves were late or illegal."""
    match: str
    """The id of the match."""


def pair_results(results: Iterable[MatchResult]) -> list[PairResult]:
    """All results, pair by pair: within matches and, for puzzles, between players of the same puzzle in the same round."""
    found: list[PairResult] = []
    alone: dict[tuple[int, str], list[tuple[str, int]]] = {}
    for result in results:
        scored = list(zip(result.fixture.seats, result.goals, strict=True))
        found += _compared(scored)
        if len(scored) == 1:
            alone.setdefault((result.fixture.round, result.fixture.game), []).append(scored[0])
    for several in alone.values():
        found += _compared(several)
    return found


def points_of(results: Iterable[MatchResult]) -> Mapping[str, float]:
    """The points of every player in matches against others: one for a win, half for a draw."""
    points: dict[str, float] = {}
    for result in results:
        for one in _compared(list(zip(result.fixture.seats, result.goals, strict=True))):
            points[one.player] = points.get(one.player, 0.0) + one.score
            points[one.opponent] = points.get(one.opponent, 0.0) + 1 - one.score
    return points


def cross_table(players: Sequence[str], results: Iterable[PairResult]) -> list[list[str]]:
    """Points of each player (row) against each other (column), and out of how many."""
    points: dict[tuple[str, str], float] = {}
    games: dict[tuple[str, str], int] = {}
    for one in results:
        pairs = ((one.player, one.opponent, one.score), (one.opponent, one.player, 1 - one.score))
        for player, opponent, score in pairs:
            points[player, opponent] = points.get((player, opponent), 0.0) + score
            games[player, opponent] = games.get((player, opponent), 0) + 1
    return [
        [
            "" if row == column else f"{points.get((row, column), 0):g}/{games.get((row, column), 0)}"
            for column in players
        ]
        for row in players
    ]


def _compared(scored: Sequence[tuple[str, int]]) -> list[PairResult]:
    """Every pair of different players among *scored*, by who got more."""
    return [
        PairResult(one, other, 0.5 if mine == theirs else float(mine > theirs))
        for (one, mine), (other, theirs) in combinations(scored, 2)
        if one != other
    ]
