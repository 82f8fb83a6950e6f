"""Local matches and tournaments: players take turns in this process, without sockets, KIF or worker processes.

>>> from stratagem.loading import load
>>> record = match(load("tictactoe"), ["uct", "random"], clock=0.02, seed=1)
>>> record.status, record.players, len(record.moves) >= 5
('completed', ('uct', 'random'), True)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from random import Random
from typing import Final, get_args

from stratagem.errors import StratagemError, UsageError, require_type, require_whole
from stratagem.executor.interface import Executor, require_executor
from stratagem.gdl.terms import Term
from stratagem.gdl.text.printer import to_kif
from stratagem.gdl_game import GdlGame, require_rules
from stratagem.limit import not_negative
from stratagem.loading import load
from stratagem.play.choice import Choice
from stratagem.play.clock import Deadline, Now
from stratagem.play.interface import Player
from stratagem.play.match_state import RANDOM_ROLE, Match, by_role
from stratagem.play.players import player_named
from stratagem.play.records.record import MatchRecord, MatchStep, Remark, milliseconds
from stratagem.play.tournaments.fixtures import Fixture, System, round_robin, swiss
from stratagem.play.tournaments.ratings import Rating, ratings
from stratagem.play.tournaments.results import MatchResult, cross_table, pair_results, points_of

GRACE: Final = 1.0
"""Seconds beyond its clock before a move counts as late."""
MOST_TURNS: Final = 1000
LATE: Final = "TO"
ILLEGAL: Final = "IL"
Entrant = str | Callable[[], Player]
"""The name of a player of ours, or a class or function that makes a player."""


def player(name: str, *, seed: int | None = None) -> Player:
    """A new built-in player by its *name*, one of `player_names()`; *seed* makes its random choices repeatable.

    >>> player("legal").name
    'legal'
    """
    return player_named(name, seed=seed)


def match(
    game: GdlGame | str,
    players: Sequence[str | Player],
    clock: float = 1.0,
    *,
    startclock: float | None = None,
    seed: int | None = None,
    opening: int = 0,
    grace: float = GRACE,
    most_turns: int = MOST_TURNS,
    now: Now = time.monotonic,
    watch: Callable[[Match], None] = lambda match: None,
) -> MatchRecord:
    """Plays a match of *game* between *players*, one for each role in order, by name or as objects; returns its record.

    Each move has *clock* seconds by *now*, and preparing has *startclock*, by default the same. If a move is illegal,
    or comes more than *grace* seconds late, the last legal one offered in time is played, else a random one, and the
    record says so (``IL``, ``TO``). A role called ``random`` needs no player. The first *opening* joint moves are random.
    *watch* is called with every position. After *most_turns* joint moves the match is aborted.
    """
    require_type(clock, int | float, "a number of seconds")
    not_negative("clock", clock)
    not_negative("start clock", startclock)
    require_type(grace, int | float, "a number of seconds")
    not_negative("number of seconds of grace", grace)
    require_whole("number of random moves at the opening", opening, least=0)
    require_whole("number of turns", most_turns, least=0)
    if seed is not None:
        seed = require_whole("seed", seed)
    if isinstance(players, str):
        raise UsageError(
            f"{players!r} is one player", hint='give a list with one for each role, as in ["uct", "random"]'
        )
    require_type(players, Sequence, "a list of players, one for each role")
    rules = load(game) if isinstance(game, str) else game
    start = clock if startclock is None else startclock
    require_rules(rules, by="a match")
    made = [player(one, seed=seed) if isinstance(one, str) else one for one in players]
    for one in made:
        if not isinstance(one, Player):
            raise UsageError(
                f"{one!r} is not a player", hint="give the name of one, or an object of a subclass of Player"
            )
    return _Local(rules, made, start, clock, Random(seed), grace, now).run(opening, most_turns, watch)


class _Local:
    """One match that is being played."""

    def __init__(
        self,
        rules: GdlGame,
        players: Sequence[Player],
        startclock: float,
        clock: float,
        random: Random,
        grace: float,
        now: Now,
    ) -> None:
        self.match = Match.of(rules, startclock=startclock, playclock=clock)
        self.players = by_role(rules.roles, players)
        self.random = random
        self.grace = grace
        self.now = now
        self.steps = [MatchStep(None, milliseconds())]
        self.remarks: list[Remark] = []

    def run(self, opening: int, most_turns: int, watch: Callable[[Match], None]) -> MatchRecord:
        started = self.steps[0].time
        try:
            for role, one in self._seated():
                one.start(self.match.as_role(role), Deadline.after(self.match.startclock, now=self.now))
            watch(self.match)
            self._open(opening)
            while not self.match.over and self.match.turn < most_turns:
                self._turn()
                watch(self.match)
        finally:
            for role, one in self._seated():
                one.stop(self.match.as_role(role))
        ended = self.match
        return MatchRecord(
            id=ended.id,
            game=ended.rules.identity.name,
            rules=to_kif(ended.rules.sheet),
            roles=ended.roles,
            players=tuple(RANDOM_ROLE if one is None else one.name for one in self.players),
            startclock=ended.startclock,
            playclock=ended.playclock,
            started=started,
            keeper="local",
            status="completed" if ended.over else "aborted",
            goals=ended.goals() if ended.over else None,
            steps=tuple(self.steps),
            remarks=tuple(self.remarks),
        )

    def _seated(self) -> list[tuple[str, Player]]:
        pairs = zip(self.match.roles, self.players, strict=True)
        return [(role, one) for role, one in pairs if one is not None]

    def _open(self, turns: int) -> None:
        """Random joint moves, none of which ends the match."""
        for _ in range(turns):
            further = self.match.after([self._any(role) for role in self.match.roles])
            if further.over:
                break
            self._go_to(further)

    def _turn(self) -> None:
        moves, errors = [], []
        for role, one in zip(self.match.roles, self.players, strict=True):
            legal = self.match.legals(role)
            if not legal:
                raise StratagemError(
                    f"{role} has no legal move, so the match cannot go on", hint="check the rules"
                )
            if one is None or len(legal) == 1:  # a role without a choice is not asked
                move, error = self._any(role), ""
            else:
                move, error = self._ask(role, one, legal)
            moves.append(move)
            errors.append(error)
        self._go_to(self.match.after(moves), tuple(errors) if any(errors) else ())

    def _ask(self, role: str, one: Player, legal: Sequence[Term]) -> tuple[Term, str]:
        """The move of *role*, and what was wrong with its answer."""
        clock = Deadline.after(self.match.playclock, now=self.now)
        offered: list[Term] = []

        def offer(choice: Choice) -> None:
            if self.now() <= clock.at + self.grace and choice.move in legal:
                offered[:] = [choice.move]

        choice = one.play(self.match.as_role(role), clock, offer)
        slack, spell = clock.at - self.now(), self.match.rules.spell
        error = ""
        if choice.move not in legal:
            error = f"{ILLEGAL} {choice.move}"
        elif slack < -self.grace:
            error = LATE
        move = choice.move if not error else offered[0] if offered else self.random.choice(legal)
        self.remarks.append(
            Remark(self.match.turn, role, spell(choice.move), "player", slack, choice.thought)
        )
        return move, error

    def _any(self, role: str) -> Term:
        return self.random.choice(self.match.legals(role))

    def _go_to(self, after: Match, errors: tuple[str, ...] = ()) -> None:
        self.match = after
        moves = tuple(map(after.rules.spell, after.node.moves))
        self.steps.append(MatchStep(moves, milliseconds(), errors))


@dataclass(frozen=True, slots=True)
class Standings:
    """The results of a tournament; printing it shows the ranking."""

    players: tuple[str, ...]
    results: tuple[MatchResult, ...]

    @property
    def points(self) -> dict[str, float]:
        """What every player has won, the best first: one point for each opponent it beat, half for each draw."""
        points = dict.fromkeys(self.players, 0.0)
        for one in pair_results(self.results):
            points[one.player] += one.score
            points[one.opponent] += 1 - one.score
        return dict(sorted(points.items(), key=lambda pair: -pair[1]))

    @property
    def ratings(self) -> list[Rating]:
        """Elo with 95 % intervals, the strongest first; needs the extra ``ggp``."""
        return ratings(self.players, pair_results(self.results))

    def __str__(self) -> str:
        names = list(self.points)
        cross = cross_table(names, pair_results(self.results))
        return "\n".join(
            f"{place}. {name:16} {self.points[name]:5g}   {'  '.join(one for one in row if one)}"
            for place, (name, row) in enumerate(zip(names, cross, strict=True), start=1)
        )


def tournament(
    games: Sequence[GdlGame | str],
    players: Sequence[Entrant] | Mapping[str, Entrant],
    *,
    rounds: int = 1,
    system: System = "round-robin",
    clock: float = 1.0,
    startclock: float | None = None,
    seed: int = 1,
    on: Executor | None = None,
    cores: float = 1,
    watch: Callable[[MatchResult], None] = lambda result: None,
) -> Standings:
    """Plays *games* between all *players*, each in every role (or by the Swiss *system*); returns the standings.

    Players are names or classes of your own, as a list or by the name in the standings. Every match gets new players.
    *watch* is called with every result. With an executor, *on*, matches are played there, each on so many *cores* of its own.

    >>> result = tournament(["tictactoe"], ["legal", "random"], clock=0.1)
    >>> len(result.results), sorted(result.points)
    (2, ['legal', 'random'])
    """
    require_type(games, Sequence, "a list of games")
    require_type(players, Sequence | Mapping, "a list of players")
    require_whole("number of rounds", rounds, least=1)
    seed = require_whole("seed", seed)
    require_executor(on)
    named = dict(players) if isinstance(players, Mapping) else {_name(one): one for one in players}
    if len(named) < max(2, len(players)):
        raise UsageError("a tournament needs two players or more, with different names")
    if not games:
        raise UsageError("a tournament needs a game")
    if system not in get_args(System):
        raise UsageError(
            f"there is no system {system!r}", hint=f"choose one of {', '.join(get_args(System))}"
        )
    loaded = [load(game) if isinstance(game, str) else game for game in games]
    results: list[MatchResult] = []
    for round in range(1, rounds + 1):
        for rules in loaded:
            fixtures = _fixtures(round, rules, tuple(named), system, results)
            tasks = [
                (rules, fixture, [named[name] for name in fixture.seats], clock, startclock, seed + number)
                for number, fixture in enumerate(fixtures, start=len(results))
            ]
            found: dict[int, MatchResult] = {}
            played = enumerate(starmap(_played, tasks)) if on is None else on.map(_played, tasks, cores=cores)
            for number, result in played:
                found[number] = result
                watch(result)
            results += [found[number] for number in range(len(tasks))]
    return Standings(tuple(named), tuple(results))


def _played(
    rules: GdlGame,
    fixture: Fixture,
    entrants: Sequence[Entrant],
    clock: float,
    startclock: float | None,
    seed: int,
) -> MatchResult:
    """The result of one fixture, between new players."""
    made = [_made(entrant, seed + seat) for seat, entrant in enumerate(entrants)]
    return _result(fixture, match(rules, made, clock, startclock=startclock, seed=seed))


def _fixtures(
    round: int, rules: GdlGame, names: tuple[str, ...], system: System, results: Sequence[MatchResult]
) -> list[Fixture]:
    roles = sum(role != RANDOM_ROLE for role in rules.roles)
    title = rules.identity.name
    if system == "round-robin" or roles != 2:
        return round_robin(round, title, roles, names)
    earlier = [result for result in results if result.fixture.round < round]
    return swiss(round, title, names, points_of(earlier), [result.fixture for result in earlier])


def _name(entrant: Entrant) -> str:
    return entrant if isinstance(entrant, str) else str(getattr(entrant, "name", entrant.__name__))


def _made(entrant: Entrant, seed: int) -> Player:
    return player(entrant, seed=seed) if isinstance(entrant, str) else entrant()


def _result(fixture: Fixture, record: MatchRecord) -> MatchResult:
    goals = record.goals or (0,) * len(record.roles)
    played = [goal or 0 for role, goal in zip(record.roles, goals, strict=True) if role != RANDOM_ROLE]
    return MatchResult(fixture, tuple(played), len(record.moves), record.errors, record.id)
