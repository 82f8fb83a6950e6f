"""Random matches on compiled joins, with the report of the native ones."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.errors import UsageError
from stratagem.gdl.terms import Symbol, Term, integer
from stratagem.machines.joins.kernels.memory import MISSING, MatchEnding, RandomPlay, Status
from stratagem.machines.joins.kernels.playouts import play_matches
from stratagem.machines.random_matches import Ends, MatchOutcome, report_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.machines.joins.machine import JoinsMachine
    from stratagem.machines.joins.terms import InternedTerms
    from stratagem.native.playouts.report import PlayoutReport

BLOCK: Final = 256
"""Matches whose ends are noted before Python looks at them."""
SLICE: Final = 10_000_000
"""Steps after which Python looks at the clock: about a tenth of a second."""
ENDINGS: Final[dict[MatchEnding, Ends]] = {
    MatchEnding.END: "end",
    MatchEnding.STUCK: "stuck",
    MatchEnding.LIMIT: "limit",
}


def play_joins(
    machine: JoinsMachine,
    data: bytes,
    *,
    matches: int | None,
    seconds: float | None,
    seed: int,
    limit: int,
    by_move: bool = False,
) -> PlayoutReport:
    """Matches from the state *data*: so many, or as many as begin within *seconds*, at least one.

    Match number i has random numbers of its own, so that a seed means the same matches however many are played.
    """
    if matches is not None and matches < 0:
        raise UsageError(f"{matches} matches cannot be played", hint="give 0 or more")
    begin = time.monotonic()
    joints = (
        list(product(*(machine.legals(data, role) for role in range(len(machine.roles))))) if by_move else []
    )
    late = None if seconds is None else begin + seconds
    played = _played(machine, data, joints, matches, late, seed, limit)
    return report_of(machine.roles, played, by_move=by_move).timed(time.monotonic() - begin, 1)


def _played(
    machine: JoinsMachine,
    data: bytes,
    joints: list[tuple[Term, ...]],
    matches: int | None,
    late: float | None,
    seed: int,
    limit: int,
) -> Iterator[MatchOutcome]:
    number = 0
    block = 1 if late is not None else BLOCK
    while matches is None or number < matches:
        if late is not None and number and time.monotonic() >= late:
            return
        with machine.turn:
            play = _new_play(machine, data, joints, number, seed, limit)
            most = block if matches is None else min(block, matches - number)
            _run(machine, play, most, late if number else None)
        for place in range(play.match):
            goals = play.goals.numpy[place].tolist()
            yield MatchOutcome(
                joints[(number + place) % len(joints)] if joints else (),
                int(play.length[place]),
                ENDINGS[MatchEnding(play.ending[place])],
                tuple(None if goal == MISSING else goal for goal in goals),
            )
        number += play.match
        block = min(BLOCK, 2 * block)


def _run(machine: JoinsMachine, play: RandomPlay, most: int, late: float | None) -> None:
    """Plays a block; one that is late ends with the match that was begun last."""
    evaluator = machine.evaluator
    machine.forget()
    while (status := evaluator.code[play_matches](evaluator.work, play, most, SLICE)) != Status.DONE:
        if status == Status.PAUSE:
            if late is not None and time.monotonic() >= late:
                most = play.match + 1
        elif status == Status.ROOM:
            room = 2 * evaluator.work.where
            facts = np.zeros(max(room, play.fact_room), np.int32)
            facts[: play.fact_room] = play.root.numpy
            play.put(
                root=facts, state=np.zeros_like(facts), moves=np.zeros(max(room, play.move_room), np.int32)
            )
        else:
            evaluator.provide(status)


def _new_play(
    machine: JoinsMachine, data: bytes, joints: list[tuple[Term, ...]], begun: int, seed: int, limit: int
) -> RandomPlay:
    evaluator, roles = machine.evaluator, len(machine.roles)
    facts = np.frombuffer(data, np.int32)
    root = np.zeros(len(facts) + 64, np.int32)
    root[: len(facts)] = facts
    first = [[evaluator.terms.number(move) for move in joint] for joint in joints]
    evaluator.prepare()
    return RandomPlay(
        root=root,
        root_facts=len(facts),
        first=np.array(first or [[0] * roles], np.int32),
        dealt=len(first),
        begun=begun,
        seed=seed & (1 << 64) - 1,
        limit=limit,
        number=spelled_numbers(evaluator.terms),
        state=np.zeros_like(root),
        moves=np.zeros(256, np.int32),
        joint=np.zeros(roles, np.int32),
        generator=np.zeros(1, np.uint64),
        ending=np.zeros(BLOCK, np.int32),
        length=np.zeros(BLOCK, np.int32),
        goals=np.zeros((BLOCK, roles), np.int64),
    )


def spelled_numbers(terms: InternedTerms) -> NDArray[np.int64]:
    """For each symbol and function the number that it spells, MISSING for words."""
    values = (None if arity else integer(Symbol(name)) for name, arity in terms.functors)
    return np.array([MISSING if value is None else value for value in values], np.int64)
