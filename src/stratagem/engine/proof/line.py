"""The line of best play behind a proof.

With the distance known, the winner's quickest line and the loser's longest resistance: each child is asked again with the
table that made the proof, so most answers are there already. Without it, both sides follow their proofs: the role that has the
choice takes a child that keeps what is proved for that side.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from stratagem.engine.proof import kernel
from stratagem.engine.proof.prover import DEEPEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.proof.bounds import BoundQuestion, ProvedBounds
    from stratagem.engine.proof.prover import Prover
    from stratagem.native.compiled import Children

LONGEST = 200
Stop: TypeAlias = Callable[[], bool] | None


def line_of(
    prover: Prover, state: NDArray[np.uint64], bounds: ProvedBounds, deadline: float, stop: Stop = None
) -> list[tuple[int, int]]:
    """Pairs (role, move number) from *state*, whose value is proved, to the end; shorter where time runs out."""
    if bounds.distance is None:
        return _by_strategies(prover, state, bounds, deadline, stop)
    return _by_distance(prover, state, bounds, bounds.distance, deadline, stop)


def _by_distance(
    prover: Prover, state: NDArray[np.uint64], bounds: ProvedBounds, depth: int, deadline: float, stop: Stop
) -> list[tuple[int, int]]:
    line: list[tuple[int, int]] = []
    values = prover.values(0)
    value = bounds.low
    at_least = 2 * value >= values[0] + values[-1]
    while depth > 0 and len(line) < LONGEST and time.monotonic() < deadline:
        children = prover.compiled.expand(state[None])
        if not len(children):
            break
        mover = mover_of(children.moves)
        attacking = mover == (0 if at_least else 1)
        best: tuple[int, int] | None = None
        for place in range(len(children)):
            distance = _distance(prover, children, place, value, at_least, depth - 1, deadline, stop)
            if distance is None:
                continue
            if best is None or (distance < best[0] if attacking else distance > best[0]):
                best = (distance, place)
        if best is None:
            break
        acting = mover if mover >= 0 else _acting(prover, children.moves[best[1]])
        line.append((acting, int(children.moves[best[1], acting])))
        if children.terminal[best[1]]:
            break
        state, depth = children.states[best[1]], best[0]
    return line


def _distance(
    prover: Prover,
    children: Children,
    place: int,
    value: int,
    at_least: bool,
    depth: int,
    deadline: float,
    stop: Stop,
) -> int | None:
    """Within how many moves *value* is forced from a child, or None where it is not within *depth*."""
    if children.terminal[place]:
        goal = int(children.goals[place, 0])
        return 0 if (goal >= value if at_least else goal <= value) else None
    state = children.states[place]
    for limit in range(1, depth + 1):
        answer, _ = prover.force(
            state, 0, value, at_least=at_least, depth=limit, deadline=deadline, stop=stop
        )
        if answer == kernel.STOPPED or answer == kernel.NEVER:
            return None
        if answer >= 0:
            return answer
    return None


def _by_strategies(
    prover: Prover, state: NDArray[np.uint64], bounds: ProvedBounds, deadline: float, stop: Stop
) -> list[tuple[int, int]]:
    line: list[tuple[int, int]] = []
    while len(line) < LONGEST and time.monotonic() < deadline:
        children = prover.compiled.expand(state[None])
        if not len(children):
            break
        mover = mover_of(children.moves)
        question = bounds.high_by if mover == 1 else bounds.low_by
        if question is None or mover < 0:
            chosen: int | None = 0
        else:
            chosen = next(
                (
                    place
                    for place in range(len(children))
                    if _keeps(prover, children, place, question, deadline, stop)
                ),
                None,
            )
        if chosen is None:
            break
        acting = mover if mover >= 0 else _acting(prover, children.moves[chosen])
        line.append((acting, int(children.moves[chosen, acting])))
        if children.terminal[chosen]:
            break
        state = children.states[chosen]
    return line


def _keeps(
    prover: Prover, children: Children, place: int, question: BoundQuestion, deadline: float, stop: Stop
) -> bool:
    """Whether the answer to *question* is the same after this child."""
    if children.terminal[place]:
        goal = int(children.goals[place, 0])
        holds = goal >= question.bound if question.at_least else goal <= question.bound
        return goal >= 0 and holds == question.proved
    answer, _ = prover.force(
        children.states[place],
        0,
        question.bound,
        at_least=question.at_least,
        depth=DEEPEST,
        nodes=200_000,
        deadline=deadline,
        stop=stop,
    )
    return answer >= 0 if question.proved else answer == kernel.NEVER


def _acting(prover: Prover, joint: NDArray[np.int32]) -> int:
    """The role named as the mover where none has a choice: the first that does not say noop."""
    moves = prover.compiled.circuit.moves
    return next((role for role, move in enumerate(joint) if str(moves[role][int(move)]) != "noop"), 0)


def mover_of(moves: NDArray[np.int32]) -> int:
    """The role whose move differs among the children; -1 where there is only one child, or none."""
    for role in range(moves.shape[1] if len(moves) else 0):
        if np.any(moves[:, role] != moves[0, role]):
            return role
    return -1
