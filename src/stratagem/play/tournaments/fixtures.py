"""Fixtures of a tournament: round robin and Swiss pairings, with the roles balanced.

Both are functions of what has been played so far and nothing else, so that a tournament that was killed is continued by
asking again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import Literal, TypeAlias

System: TypeAlias = Literal["round-robin", "swiss"]


@dataclass(frozen=True, slots=True, order=True)
class Fixture:
    """One match to be played: *seats* are the players in the order of the game's roles."""

    round: int
    game: str
    seats: tuple[str, ...]

    @property
    def id(self) -> str:
        """A name for the match that is the same every time the tournament is planned."""
        return re.sub(r"[^\w.-]+", "_", f"r{self.round}.{self.game}.{'-'.join(self.seats)}")


def round_robin(round: int, game: str, roles: int, players: Sequence[str]) -> list[Fixture]:
    """All players against each other in *game*, each once in every role.

    >>> [fixture.seats for fixture in round_robin(1, "tictactoe", 2, ["a", "b", "c"])]
    [('a', 'b'), ('b', 'a'), ('a', 'c'), ('c', 'a'), ('b', 'c'), ('c', 'b')]
    >>> [fixture.seats for fixture in round_robin(1, "eightpuzzle", 1, ["a", "b"])]
    [('a',), ('b',)]
    """
    enough = len(players) >= roles
    groups = combinations(players, roles) if enough else combinations_with_replacement(players, roles)
    tables = [group for group in groups if roles == 1 or len(set(group)) > 1]
    rotated = (group[turn:] + group[:turn] for group in tables for turn in range(roles))
    return [Fixture(round, game, seats) for seats in dict.fromkeys(rotated)]


def swiss(
    round: int,
    game: str,
    players: Sequence[str],
    points: Mapping[str, float],
    played: Sequence[Fixture],
) -> list[Fixture]:
    """Neighbours in the ranking who have met least, for a game of two roles; with an odd number one has a bye.

    >>> [fixture.seats for fixture in swiss(1, "tictactoe", ["a", "b", "c", "d"], {}, [])]
    [('a', 'b'), ('c', 'd')]
    """
    ranking = sorted(players, key=lambda player: -points.get(player, 0.0))
    earlier = [fixture for fixture in played if fixture.round < round and len(fixture.seats) == 2]
    met = Counter(frozenset(fixture.seats) for fixture in earlier)
    if len(ranking) % 2:
        busy = Counter(player for fixture in earlier for player in fixture.seats)
        most = max(busy.get(player, 0) for player in ranking)
        resting = next(player for player in reversed(ranking) if busy.get(player, 0) == most)
        ranking.remove(resting)
    pairs: list[tuple[str, str]] = []
    while ranking:
        first, *others = ranking
        second = min(others, key=lambda other: (met[frozenset((first, other))], others.index(other)))
        pairs.append((first, second))
        ranking = [player for player in others if player != second]
    return [Fixture(round, game, _balanced(pair, game, earlier)) for pair in pairs]


def _balanced(pair: tuple[str, str], game: str, earlier: Sequence[Fixture]) -> tuple[str, str]:
    """The pair with the first role for the player that had it less often."""
    begun = Counter(fixture.seats[0] for fixture in earlier if fixture.game == game)
    return pair if begun[pair[0]] <= begun[pair[1]] else (pair[1], pair[0])
