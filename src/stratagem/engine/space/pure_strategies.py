"""Pure maximin bounds: what one role can force alone, and be held to, where moves are simultaneous.

A pure strategy names a move in every state before the others' moves are known, so it counts what the worst reply
leaves. Values are found as in retrograde.py, threshold by threshold; between what a role can force and what the
others can hold it to lie the values that take mixed strategies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.stop_flag import watched
from stratagem.kernels import Array, Record, dims, inlined, kernel, load_relaxed, size
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.space.explore import Space


class PureChoices(Record):
    """A space with one side's choice on every edge, and the states from which that side forces what it wants."""

    states: int = size()
    bounds: int = size()
    edges: int = size()
    offsets: Array[int] = dims("bounds")
    children: Array[int] = dims("edges")
    choice: Array[int] = dims("edges")
    forced: Array[bool] = dims("states")
    stop: Array[int] = dims(1)


@inlined
def forces(space: PureChoices, state: int, choice: int) -> bool:
    """Whether a choice leads to states that are forced, whatever the others do."""
    for edge in range(space.offsets[state], space.offsets[state + 1]):
        if space.choice[edge] == choice and not space.forced[space.children[edge]]:
            return False
    return True


@inlined
def has_forcing_choice(space: PureChoices, state: int) -> bool:
    for edge in range(space.offsets[state], space.offsets[state + 1]):
        if forces(space, state, space.choice[edge]):
            return True
    return False


@kernel
def force(space: PureChoices) -> None:
    """Adds the states with a choice that forces, until there are no more or a stop is asked for."""
    changed = True
    while changed:
        changed = False
        for state in range(space.states):
            if load_relaxed(space.stop, 0) != 0:
                return
            if not space.forced[state] and has_forcing_choice(space, state):
                space.forced[state] = True
                changed = True


KERNELS: Final = KernelFamily("pure strategies", (force,))


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
    own = space.moves[:, role].astype(np.int64)
    rest = np.zeros(len(own), np.int64)
    for other in range(space.moves.shape[1]):
        if other != role:
            rest = rest * (int(space.moves[:, other].max(initial=0)) + 1) + space.moves[:, other]
    low, high = values[0], values[-1]
    flag = np.zeros(1, np.int64)

    def forced(choice: NDArray[np.int64], wanted: NDArray[np.bool_]) -> bool:
        choices = PureChoices(
            offsets=space.offsets, children=space.children, choice=choice, forced=ends & wanted, stop=flag
        )
        compiled_family(KERNELS)[force](choices)
        return choices.forced[0]

    with watched(flag, deadline, stop):
        for value in values:
            if forced(own, goals >= value):
                low = value
        for value in reversed(values):
            if forced(rest, goals <= value):
                high = value
    return low, high
