"""Random matches move by move in plain Python, on any machine: for rules that cannot be compiled.

The report is that of the native matches, and so is their law: every legal joint move is equally likely.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any, Literal, TypeAlias

from stratagem.errors import UsageError
from stratagem.game import Game
from stratagem.native.playouts.report import Goals, MoveReport, PlayoutReport, mean_goals

Ends: TypeAlias = Literal["end", "stuck", "limit"]


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """What a report needs of one match: its first joint move, its length, how it ended, and the goals at its end."""

    first: tuple[Any, ...]
    length: int
    ending: Ends
    goals: Goals = ()


@dataclass(frozen=True, slots=True)
class RandomMatch:
    """One match: its joint moves, how it ended, and the goals where that was the end of the game."""

    line: tuple[tuple[Any, ...], ...]
    ending: Ends
    goals: Goals = ()

    @property
    def outcome(self) -> MatchOutcome:
        return MatchOutcome(self.line[0] if self.line else (), len(self.line), self.ending, self.goals)


def play_one(
    game: Game[Any],
    state: Any,
    random: Random,
    *,
    limit: int,
    stop: Callable[[], bool] | None = None,
    first: tuple[Any, ...] | None = None,
) -> RandomMatch | None:
    """A match from *state*, with *first* as its first joint move where given; None where *stop* came before its end."""
    line: list[tuple[Any, ...]] = []
    while not game.terminal(state):
        if len(line) >= limit:
            return RandomMatch(tuple(line), "limit")
        if stop is not None and stop():
            return None
        legals = [game.legals(state, role) for role in game.roles]
        if not all(legals):
            return RandomMatch(tuple(line), "stuck")
        joint = tuple(random.choice(own) for own in legals) if line or first is None else first
        line.append(joint)
        state = game.next(state, joint)
    goals = [game.goal(state, role) for role in game.roles]
    return RandomMatch(tuple(line), "end", tuple(None if goal is None else int(goal) for goal in goals))


def random_matches(
    game: Game[Any],
    state: Any,
    *,
    matches: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    limit: int,
    by_move: bool = False,
) -> PlayoutReport:
    """Matches from *state*: so many, or as many as begin within *seconds*, at least one."""
    if matches is not None and matches < 0:
        raise UsageError(f"{matches} matches cannot be played", hint="give 0 or more")
    begin = time.monotonic()

    def played() -> Iterator[MatchOutcome]:
        random, number = Random(seed), 0
        joints = list(product(*(game.legals(state, role) for role in game.roles))) if by_move else []
        while matches is None or number < matches:
            if seconds is not None and number and time.monotonic() - begin >= seconds:
                return
            first = joints[number % len(joints)] if joints else None
            match = play_one(game, state, random, limit=limit, first=first)
            if match is not None:
                yield match.outcome
            number += 1

    return report_of(tuple(game.roles), played(), by_move=by_move).timed(time.monotonic() - begin, 1)


def report_of(
    roles: tuple[str, ...], played: Iterable[MatchOutcome], *, by_move: bool = False
) -> PlayoutReport:
    """The report on the matches that were *played*."""
    outcomes: Counter[Goals] = Counter()
    lengths: Counter[int] = Counter()
    endings: Counter[str] = Counter()
    by_joint: dict[tuple[Any, ...], list[MatchOutcome]] = {}
    plies = 0
    for match in played:
        plies += match.length
        endings[match.ending] += 1
        if match.ending == "end":
            outcomes[match.goals] += 1
            lengths[match.length] += 1
        if by_move and match.length:
            by_joint.setdefault(match.first, []).append(match)
    return PlayoutReport(
        roles,
        endings.total(),
        dict(outcomes.most_common()),
        mean_goals(outcomes, len(roles)),
        plies,
        max(lengths, default=0),
        endings["limit"],
        endings["stuck"],
        dict(sorted(lengths.items())),
        tuple(_move_report(joint, own, len(roles)) for joint, own in by_joint.items()),
    )


def _move_report(joint: tuple[Any, ...], played: list[MatchOutcome], roles: int) -> MoveReport:
    outcomes = Counter(match.goals for match in played if match.ending == "end")
    return MoveReport(joint, len(played), dict(outcomes.most_common()), mean_goals(outcomes, roles))
