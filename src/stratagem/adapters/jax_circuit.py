"""A circuit in JAX: the gates of a phase as a pure function. Everything is static, so it is traced once; `vmap` adds the matches.

A small phase is written out, an operation for every gate, which XLA fuses: several times as fast. A
large one is evaluated level by level, as gathers over one vector of truth values: a level is all gates whose
operands are known, so it is as many operations as the phase is deep, and compiles soon. A loop is a level that is
run until nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from stratagem.circuit.circuit import AND
from stratagem.errors import MissingExtra
from stratagem.native.phases.gate_program import straight_and_loops

try:
    from jax import lax
    from jax import numpy as jnp
except ImportError as missing:
    raise MissingExtra("jax", needs="jax") from missing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.phases.phases import Phase


@dataclass(frozen=True, slots=True, eq=False)
class GateLevel:
    """Gates that are evaluated together: ``((a ^ A) & (b ^ B)) ^ C`` with the places of a and b in the vector of values."""

    first: int
    """The place of the first of them."""
    loop: bool
    places: NDArray[np.int32]
    """[2, gates]"""
    complements: NDArray[np.bool_]
    """A, B and C [3, gates]."""


WRITTEN_OUT: Final = 2000
"""Gates up to which a phase is written out."""


class PhaseFunction:
    """A phase as a pure function from its input rows to its output rows."""

    def __init__(self, phase: Phase, *, written_out: int = WRITTEN_OUT) -> None:
        self.inputs = np.array(phase.inputs, np.int32)
        """The frame rows that it reads."""
        self.rows = np.array([row for row, _ in phase.outputs], np.int32)
        """The frame rows that it computes."""
        small = not phase.loops and phase.gate_count <= written_out
        self._evaluate = partial(_written_out, phase) if small else LevelledGates(phase)

    def __call__(self, given: Any) -> Any:
        """The output rows for the truth values of the input rows."""
        return self._evaluate(given)


def _written_out(phase: Phase, given: Any) -> Any:
    """An operation for every gate."""
    values: list[Any] = [jnp.bool_(False), *(given[number] for number in range(len(phase.inputs)))]

    def truth(literal: int) -> Any:
        return ~values[literal >> 1] if literal & 1 else values[literal >> 1]

    for operation, left, right in zip(phase.operations, phase.left, phase.right, strict=True):
        one, other = truth(left), truth(right)
        values.append(one & other if operation == AND else one | other)
    return jnp.stack([truth(literal) for _, literal in phase.outputs])


class LevelledGates:
    """A phase, level by level."""

    def __init__(self, phase: Phase) -> None:
        order, sizes, loops = _levels(phase)
        place = np.arange(phase.first_gate + phase.gate_count)
        place[phase.first_gate + order] = phase.first_gate + np.arange(len(order))
        self._size = len(place)
        self._levels = []
        sides = np.array([phase.left, phase.right], np.int64).reshape(2, -1)
        operations = np.array(phase.operations, np.int64)
        at = 0
        for size, loop in zip(sizes, loops, strict=True):
            own = order[at : at + size]
            other = operations[own] != AND
            complements = np.stack([sides[0, own] & 1, sides[1, own] & 1, np.zeros(size, np.int64)]).astype(
                bool
            )
            self._levels.append(
                GateLevel(
                    phase.first_gate + at,
                    loop,
                    place[sides[:, own] >> 1].astype(np.int32),
                    complements ^ other,
                )
            )
            at += size
        literals = np.array([literal for _, literal in phase.outputs], np.int64)
        self._outputs = place[literals >> 1].astype(np.int32)
        self._flipped = (literals & 1).astype(bool)

    def __call__(self, given: Any) -> Any:
        """The outputs for the truth values of the inputs."""
        values = jnp.zeros(self._size, jnp.bool_)
        values = lax.dynamic_update_slice(values, given, (1,))
        for level in self._levels:
            values = _iterated(level, values) if level.loop else _evaluated(level, values)
        return values[self._outputs] ^ self._flipped


def _evaluated(level: GateLevel, values: Any) -> Any:
    one, other, flipped = level.complements
    result = ((values[level.places[0]] ^ one) & (values[level.places[1]] ^ other)) ^ flipped
    return lax.dynamic_update_slice(values, result, (level.first,))


def _iterated(level: GateLevel, values: Any) -> Any:
    """The least fixed point: the gates begin false, and rise until nothing changes."""

    def again(pair: Any) -> Any:
        return pair[1], _evaluated(level, pair[1])

    def changed(pair: Any) -> Any:
        return (pair[0] != pair[1]).any()

    return lax.while_loop(changed, again, (values, _evaluated(level, values)))[1]


def _levels(phase: Phase) -> tuple[NDArray[np.int64], list[int], list[bool]]:
    """The gates in the order of their levels, how many each level has, and which of them are loops."""
    depth = [0] * (phase.first_gate + phase.gate_count)
    found: dict[tuple[int, int], list[int]] = {}
    loop_number = 0
    for first, end, loop in straight_and_loops(phase.gate_count, phase.loops):
        if loop:
            loop_number += 1
            nodes = range(phase.first_gate + first, phase.first_gate + end)
            read = {lit >> 1 for gate in range(first, end) for lit in (phase.left[gate], phase.right[gate])}
            level = 1 + max((depth[node] for node in read if node not in nodes), default=0)
            for gate in range(first, end):
                depth[phase.first_gate + gate] = level
            found[level, loop_number] = list(range(first, end))
            continue
        for gate in range(first, end):
            level = 1 + max(depth[phase.left[gate] >> 1], depth[phase.right[gate] >> 1])
            depth[phase.first_gate + gate] = level
            found.setdefault((level, 0), []).append(gate)
    keys = sorted(found)
    order = [gate for key in keys for gate in found[key]]
    return np.array(order, np.int64), [len(found[key]) for key in keys], [key[1] > 0 for key in keys]
