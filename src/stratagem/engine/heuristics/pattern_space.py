"""The table of one pattern of a finite-domain game: the distance of every arrangement of its variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.heuristics.additive_kernels import UNREACHED, PatternSpace, look_up_states, sweep
from stratagem.engine.space.explore import SpaceTooLarge
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.heuristics.finite_domain import FiniteDomain
    from stratagem.limit import Started

KERNELS: Final = KernelFamily("additive pattern databases", (sweep, look_up_states))


def fill_table(
    domain: FiniteDomain, pattern: Sequence[int], moves: NDArray[np.uint8], started: Started
) -> int:
    """The distance of every arrangement of *pattern*, into *moves*; the number of abstract states."""
    order = np.argsort(domain.after, kind="stable")
    shift = (domain.places - 1).bit_length()
    words = ((len(moves) << shift) + 63) >> 6
    moves[:] = UNREACHED
    origin = np.ascontiguousarray(domain.origins()[order][:, list(pattern)], np.int8)
    elsewhere = (origin != np.arange(domain.places)).any(axis=1)
    space = PatternSpace(
        first=np.searchsorted(domain.after[order], np.arange(domain.places + 1)).astype(np.int32),
        before=domain.before[order].astype(np.int32),
        origin=origin,
        moved=elsewhere @ (np.uint64(1) << np.arange(domain.places, dtype=np.uint64)),
        moves=moves,
        closed=np.zeros(words, np.uint64),
        open=np.zeros((2, words), np.uint64),
        shift=shift,
    )
    for places, context in zip(domain.goal_places[:, list(pattern)], domain.goal_contexts, strict=True):
        bit = (_number(places, domain.places) << shift) + int(context)
        space.open.numpy[0, bit >> 6] |= np.uint64(1 << (bit & 63))
    level = seen = 0
    run = compiled_family(KERNELS)[sweep]
    while found := run(space, level):
        seen, level = seen + found, level + 1
        if started.reached() is not None:
            raise SpaceTooLarge(seen)
    return seen


def _number(places: NDArray[np.int64], count: int) -> int:
    """The number of an arrangement, as in `number_of`."""
    number = 0
    for slot, place in enumerate(places.tolist()):
        number = number * (count - slot) + place - int((places[:slot] < place).sum())
    return number
