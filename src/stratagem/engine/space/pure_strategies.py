"""Pure maximin bounds: what one role can force alone, and be held to, where moves are simultaneous.

A pure strategy names a move in every state before the others' moves are known, so it counts what the worst reply
leaves. Values are found as in retrograde.py, threshold by threshold; between what a role can force and what the
others can hold it to lie the values that take mixed strategies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.stop_flag import watched
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from stratagem.engine.space.explore import Space


@njit(nogil=True)
def _forces(offsets, children, choice, winning, stop):  # type: ignore[no-untyped-def]
    """The states from which the side that makes *choice* forces an end in *winning*: one choice for all replies."""
    count = len(winning)
    inside = winning.copy()
    changed = True
    while changed:
        changed = False
        for state in range(count):
            first, last = offsets[state], offsets[state + 1]
            if stop[0] != 0:
                return inside
            if inside[state] or first == last:
                continue
            for edge in range(first, last):
                every = True
                for other in range(first, last):
                    if choice[other] == choice[edge] and not inside[children[other]]:
                        every = False
                        break
                if every:
                    inside[state] = True
                    changed = True
                    break
    return inside


def pure_bounds(
    space: Space, role: int, *, deadline: float = np.inf, stop: Callable[[], bool] | None = None
) -> tuple[int, int]:
    """The most that *role* can force from the start by pure strategies, and the least the others can hold it to.

    Where it is stopped the bounds are wider than they could be: a state that is found to be forced is forced.
    """
    goals = space.goals[:, role]
    ends = space.terminal & (goals >= 0)
    values = [int(value) for value in np.unique(goals[ends])]
    if not values:
        return 0, 100
    own = np.ascontiguousarray(space.moves[:, role])
    rest = np.zeros(len(own), np.int64)
    for other in range(space.moves.shape[1]):
        if other != role:
            rest = rest * (int(space.moves[:, other].max(initial=0)) + 1) + space.moves[:, other]
    low, high = values[0], values[-1]
    flag = np.zeros(1, np.int64)
    with watched(flag, deadline, stop):
        for value in values:
            if _forces(space.offsets, space.children, own, ends & (goals >= value), flag)[0]:
                low = value
        for value in reversed(values):
            if _forces(space.offsets, space.children, rest, ends & (goals <= value), flag)[0]:
                high = value
    return low, high
