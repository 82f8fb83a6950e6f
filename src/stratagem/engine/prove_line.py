"""The line of best play behind a proof: the winner's quickest way, the loser's longest resistance.

Each child is asked again with the table that made the proof, so most answers are there already.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine import prove_kernel as kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.prove import Bounds, Prover
    from stratagem.native.expand import Children

LONGEST = 200


def line_of(
    prover: Prover, state: NDArray[np.uint64], bounds: Bounds, deadline: float
) -> list[tuple[int, int]]:
    """Pairs (role, move number) from *state*, whose value is proved, to the end; shorter where time runs out."""
    line: list[tuple[int, int]] = []
    values = sorted({value for value, _ in prover.expander.circuit.goals[0]})
    value = bounds.low
    at_least = 2 * value > values[0] + values[-1] or (2 * value == values[0] + values[-1])
    depth = (bounds.low_depth if at_least else bounds.high_depth) or max(bounds.low_depth, bounds.high_depth)
    while depth > 0 and len(line) < LONGEST and time.monotonic() < deadline:
        children = prover.expander.expand(state[None])
        if not len(children):
            break
        mover = mover_of(children.moves)
        attacking = mover == (0 if at_least else 1)
        best: tuple[int, int] | None = None
        for place in range(len(children)):
            distance = _distance(prover, children, place, value, at_least, depth - 1, deadline)
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
    prover: Prover, children: Children, place: int, value: int, at_least: bool, depth: int, deadline: float
) -> int | None:
    """Within how many moves *value* is forced from a child, or None where it is not within *depth*."""
    if children.terminal[place]:
        goal = int(children.goals[place, 0])
        return 0 if (goal >= value if at_least else goal <= value) else None
    state = children.states[place]
    for limit in range(1, depth + 1):
        answer, _ = prover.force(state, 0, value, at_least=at_least, depth=limit, deadline=deadline)
        if answer == kernel.STOPPED or answer == kernel.NEVER:
            return None
        if answer >= 0:
            return answer
    return None


def _acting(prover: Prover, joint: NDArray[np.int32]) -> int:
    """Whose move it is said to be where nobody has a choice: the first role that does not say noop."""
    moves = prover.expander.circuit.moves
    return next((role for role, move in enumerate(joint) if str(moves[role][int(move)]) != "noop"), 0)


def mover_of(moves: NDArray[np.int32]) -> int:
    """The role whose move differs among the children; -1 where there is only one child."""
    for role in range(moves.shape[1]):
        if np.any(moves[:, role] != moves[0, role]):
            return role
    return -1
