"""The matches of one pairing: both sides equally often, from the same random openings, until a test is decided."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Mapping
from math import inf
from types import TracebackType
from typing import Final

import stratagem as st
from benchmarks.laboratory.results import Notebook, Pairing, Played, mean
from benchmarks.laboratory.seats import Contestant, Releases, SeatedPlayer, SeatProcess
from stratagem.errors import UsageError
from stratagem.executor.interface import Actor, Executor, WorkerLost
from stratagem.gdl_game import GdlGame
from stratagem.play.match_state import RANDOM_ROLE
from stratagem.play.tournaments.statistics import SequentialTest

TRIES: Final = 4
"""How often a match is begun at most, where the process that plays it is lost every time."""


def game_of(words: str) -> GdlGame:
    """A game by name or file, with sizes after colons: ``hex:size=11``."""
    name, *sizes = words.split(":")
    settings = {}
    for size in sizes:
        key, _, value = size.partition("=")
        if not value.isdigit():
            raise UsageError(f"{size!r} is no size", hint="write hex:size=11")
        settings[key] = int(value)
    return st.load(name, **settings)


def seating(number: int, roles: int) -> tuple[int, ...]:
    """Who has which role in match *number*: 0 for the player, 1 for the opponent.

    In even matches the player has one role, a different one in each, and the opponent all others; in odd ones they
    change places. With equal players each thus wins half of the points, however many roles there are.

    >>> [seating(number, 2) for number in range(4)]
    [(0, 1), (1, 0), (1, 0), (0, 1)]
    >>> seating(0, 3), seating(1, 3), seating(2, 3)
    ((0, 1, 1), (1, 0, 0), (1, 0, 1))
    """
    alone, changed = (number // 2) % roles, number % 2
    return tuple((0 if role == alone else 1) ^ changed for role in range(roles))


def score_of(goals: tuple[int, ...], seats: tuple[int, ...]) -> float:
    """1, 0.5 or 0: whether the player's roles got more than the opponent's on average.

    >>> score_of((100, 0, 50), (0, 1, 1)), score_of((0, 100), (0, 1)), score_of((50, 50), (1, 0))
    (1.0, 0.0, 0.5)
    """
    own = mean([goal for goal, seat in zip(goals, seats, strict=True) if seat == 0])
    others = mean([goal for goal, seat in zip(goals, seats, strict=True) if seat == 1])
    return 0.5 if own == others else float(own > others)


class PairMatches:
    """Plays the matches of one pairing; its processes end with it."""

    def __init__(self, pairing: Pairing, contestants: Mapping[str, Contestant]) -> None:
        self.pairing = pairing
        self.rules = game_of(pairing.game)
        self.roles = sum(role != RANDOM_ROLE for role in self.rules.roles)
        if self.roles < 2:
            raise UsageError(f"{pairing.game} is a puzzle", hint="matches need two roles or more")
        self._sides = (contestants[pairing.player], contestants[pairing.opponent])
        self._processes: dict[tuple[int, int], SeatProcess] = {}

    def __enter__(self) -> PairMatches:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, reason: BaseException | None, place: TracebackType | None
    ) -> None:
        for process in self._processes.values():
            process.close()

    def play(self, number: int) -> Played:
        """Match *number*; two in a row have the same opening."""
        seats = seating(number, self.roles)
        places: Counter[int] = Counter()
        players = []
        for role, side in enumerate(seats):
            process = self._process(side, places[side])
            places[side] += 1
            players.append(SeatedPlayer(process, seed=100 * number + role))
        record = st.play.match(
            self.rules,
            players,
            self.pairing.seconds,
            startclock=self.pairing.startclock,
            opening=self.pairing.opening,
            seed=number // 2,
            grace=inf,
        )
        goals = [
            goal or 0
            for role, goal in zip(record.roles, record.goals or (0,) * len(record.roles), strict=True)
            if role != RANDOM_ROLE
        ]
        used = [
            mean(
                [
                    second
                    for one, side in zip(players, seats, strict=True)
                    if side == own
                    for second in one.seconds
                ]
            )
            for own in (0, 1)
        ]
        score = score_of(tuple(goals), seats)
        return Played(
            self.pairing,
            number,
            score,
            len(record.moves),
            (round(used[0], 4), round(used[1], 4)),
            record.errors,
        )

    def _process(self, side: int, place: int) -> SeatProcess:
        if (side, place) not in self._processes:
            self._processes[side, place] = SeatProcess(self._sides[side])
        return self._processes[side, place]


class PairWorker:
    """Plays the matches of one pairing on whatever machine an executor has chosen: an actor, with players that are made there."""

    def __init__(self, pairing: Pairing) -> None:
        self._releases = Releases()
        contestants = {name: self._releases.contestant(name) for name in (pairing.player, pairing.opponent)}
        for name, version in zip((pairing.player, pairing.opponent), pairing.versions, strict=True):
            if contestants[name].version != version:
                raise UsageError(
                    f"{platform.node()} has another version of {name}",
                    hint="every machine needs the same working tree",
                )
        self._matches = PairMatches(pairing, contestants)

    def play(self, number: int) -> Played:
        return self._matches.play(number)


class MatchesElsewhere:
    """The matches of one pairing on an executor. A match whose process is lost is played again by a new one."""

    def __init__(self, executor: Executor, pairing: Pairing) -> None:
        self._executor, self._pairing = executor, pairing
        self._actor: Actor | None = None

    def __enter__(self) -> MatchesElsewhere:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, reason: BaseException | None, place: TracebackType | None
    ) -> None:
        if self._actor is not None:
            self._actor.kill()

    def play(self, number: int) -> Played:
        for tries in range(TRIES):
            if self._actor is None:
                self._actor = self._executor.actor(PairWorker, self._pairing)
            try:
                played: Played = self._actor.call("play", number).result()
                return played
            except WorkerLost:
                self._actor = None
                if tries == TRIES - 1:
                    raise
        raise AssertionError


def run(
    pairing: Pairing,
    opened: Callable[[Pairing], PairMatches | MatchesElsewhere],
    notebook: Notebook,
    test: SequentialTest,
    most: int,
    told: Callable[[Pairing], None],
) -> None:
    """Plays on until *test* is decided or there are *most* matches; *told* hears of every match."""

    def done() -> bool:
        played = notebook.of(pairing)
        return len(played) >= most or test.verdict(one.score for one in played) != "open"

    if done():
        return
    with opened(pairing) as matches:
        while not done():
            notebook.add(matches.play(len(notebook.of(pairing))))
            told(pairing)
