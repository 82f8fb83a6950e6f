"""Random matches without LLVM: the reference behind the interface of the kernels.

Thousands of times slower than machine code and the same match for match, so that nothing that stands on playouts has
to know the difference.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.slow_path import role_groups
from stratagem.native.logic.turn_cycle import NONE, Tokens, find_tokens
from stratagem.native.playouts import block as blocks
from stratagem.native.playouts.block import aligned_rows
from stratagem.native.playouts.reference import play

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.playouts.kernels import Kernel

FUSED_GATES = 12_500
"""Circuits up to this size without loops are played in step with their tokens, by fused kernels; LLVM takes some
seconds for that many gates in one function."""


class Family(Protocol):
    """The kernels of one circuit."""

    @property
    def tokens(self) -> Tokens:
        """What matches keep step with."""

    def kernel(self, root: Sequence[bool] | NDArray[np.bool_], *, written: bool = False) -> Kernel:
        """The kernel for matches from *root*; *written*: every match is to appear in the log."""

    def swift(self, root: Sequence[bool] | NDArray[np.bool_], *, written: bool = False) -> Kernel:
        """The same, or a faster one if it is ready."""


def llvm_available() -> bool:
    """Whether machine code can be made here; STRATAGEM_NO_LLVM forbids it."""
    return not os.environ.get("STRATAGEM_NO_LLVM") and importlib.util.find_spec("llvmlite") is not None


def kernels_for(circuit: Circuit) -> Family:
    """Compiled kernels where LLVM is to be had, else plain ones."""
    if llvm_available():
        from stratagem.native.playouts.kernels import Kernels

        return Kernels(circuit)
    return PlainKernels(circuit)


def tokens_for_playouts(circuit: Circuit) -> Tokens:
    """The tokens that matches keep step with: results depend on them, so they are the same for every kernel."""
    return find_tokens(circuit) if not circuit.loops and circuit.gate_count <= FUSED_GATES else NONE


class PlainKernels:
    """One kernel for every step of the tokens' cycle."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self.tokens = tokens_for_playouts(circuit)

    def kernel(self, root: Sequence[bool] | NDArray[np.bool_], *, written: bool = False) -> Kernel:
        on_course = self.tokens.phase(np.asarray(root, np.bool_).tolist()) is not None
        return PlainKernel(self.circuit, self.tokens.period if on_course else 1)

    def swift(self, root: Sequence[bool] | NDArray[np.bool_], *, written: bool = False) -> Kernel:
        return self.kernel(root, written=written)


class PlainKernel:
    """Plays one word at a time and writes every match down."""

    words = 1
    outcomes: tuple[tuple[int, ...], ...] = ()

    def __init__(self, circuit: Circuit, period: int) -> None:
        self.circuit, self.period = circuit, period
        self._numbers = [{value: at for at, (value, _) in enumerate(goals)} for goals in circuit.goals]

    def room(self) -> NDArray[np.uint64]:
        return aligned_rows(1, 1)

    def root(self, states: NDArray[np.bool_]) -> NDArray[np.uint64]:
        return np.ascontiguousarray(states[0], np.uint64).reshape(-1, 1)

    def play(
        self,
        room: NDArray[np.uint64],
        root: NDArray[np.uint64],
        block: NDArray[np.uint64],
        log: NDArray[np.uint64],
    ) -> None:
        quota = int(block[blocks.REMAINING, 0]) + int(block[blocks.ACTIVE, 0]).bit_count()
        limit = sum(1 << place for place in range(blocks.DIGITS) if block[blocks.LIMIT + place, 0])
        seeds = (block[blocks.SEED_LOW].tolist(), block[blocks.SEED_HIGH].tolist())
        state = [bool(bit) for bit in root[:, 0]]
        tally = play(self.circuit, state, seeds, [quota], period=self.period, limit=limit)
        block[blocks.PLIES], block[blocks.STUCK], block[blocks.OVER] = tally.plies, tally.stuck, tally.over
        for place in range(blocks.DIGITS):
            block[blocks.LONGEST + place] = tally.longest >> place & 1
        at = 1
        for (vector, length), count in tally.endings.items():
            entry = [0, length, *self._keys(vector)]
            for _ in range(count):
                log[at : at + len(entry)] = entry
                at += len(entry)
        log[0] = at - 1

    def _keys(self, vector: tuple[int | None, ...]) -> list[int]:
        """Goals as the numbers that compiled kernels write down."""
        classes = [len(own) for own in self._numbers]
        keys = []
        for run in role_groups(classes):
            key = 0
            for role in run:
                value = vector[role]
                digit = classes[role] if value is None else self._numbers[role][value]
                key = key * (classes[role] + 1) + digit
            keys.append(key)
        return keys
