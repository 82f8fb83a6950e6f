"""Lane kernels: machine code that plays one match in every lane and keeps the result of each (`emit.lanes`)."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np

from stratagem.native.emit.fixed_points import FixedPoints
from stratagem.native.emit.lanes import emit_fused_lanes
from stratagem.native.emit.walked.walked_lanes import LanePlan, emit_walked_lanes
from stratagem.native.jit.llvm import LoadedCode, host_shape
from stratagem.native.jit.object_cache import circuit_fingerprint, compiled
from stratagem.native.logic.turn_cycle import NONE, Tokens
from stratagem.native.phases.frame_layout import layout_of
from stratagem.native.phases.phase_tables import WALKED, WIDE
from stratagem.native.playouts.block import aligned_rows
from stratagem.native.playouts.kernels import AT_ONCE_GATES, KernelSet
from stratagem.native.playouts.lane_block import lane_block_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.circuit.circuit import Circuit
    from stratagem.native.phases.phase_tables import PhaseTable


class LaneKernel:
    """Plays one match in each of 64 * *words* lanes. *recorded*: the block also tells which moves were made."""

    def __init__(
        self,
        circuit: Circuit,
        *,
        tokens: Tokens = NONE,
        phases: PhaseTable | None = None,
        recorded: bool = False,
        words: int | None = None,
    ) -> None:
        """Fused, for rows of *words* words and states in step with *tokens*; or walked, if *phases* are given.

        Phases of the whole circuit are in step with nothing.
        """
        self.circuit, self.recorded = circuit, recorded
        self.tokens = tokens if phases is None or phases.moves else NONE
        """What the states of a call are in step with."""
        if phases is None:
            # Of the same width on every machine: how many leaves share a call depends on the lanes.
            shape = host_shape(words or WIDE)
            what = f"lanes {recorded} {self.tokens} of {circuit_fingerprint(circuit)} for {shape}"
            code = compiled(what, 2, lambda: emit_fused_lanes(circuit, self.tokens, recorded, shape))
            self._rows = FixedPoints(circuit, layout_of(circuit).scratch, shape).top
            self.tables: NDArray[np.int64] = np.zeros(1, np.int64)
        else:
            shape = phases.shape
            counts = [len(moves) for moves in circuit.moves], [len(goals) for goals in circuit.goals]
            groups = max(1, WALKED // phases.words)
            plan = LanePlan(recorded, phases.columns, phases.rows, groups, phases.deferred, phases.moves)
            what = f"walked lanes {len(circuit.bases)} {counts} {plan} for {shape}"
            code = compiled(what, 2, lambda: emit_walked_lanes(circuit, plan, shape))
            self._rows = -(-(phases.rows + lane_block_rows(circuit, recorded)) // groups)
            self.tables = phases.addresses  # shared: faster code may be put in at any time
        self.words = shape.words if phases is None else plan.wide * shape.words
        self.root_rows = max(1, len(circuit.bases))
        self._phases = phases
        self._loaded = LoadedCode(code, ["play_lanes"])
        self.address = self._loaded["play_lanes"]
        """The function ``play_lanes(room, root, block, limit, tables)``, for callers in machine code."""

    @property
    def lanes(self) -> int:
        return 64 * self.words

    @property
    def fused(self) -> bool:
        """Whether all is one function."""
        return self._phases is None

    def wait(self) -> None:
        """Return when its best code is there."""
        if self._phases is not None:
            self._phases.wait()

    def room(self) -> NDArray[np.uint64]:
        """Memory to work in; one per thread."""
        return aligned_rows(max(1, self._rows), self.words)

    def root(self) -> NDArray[np.uint64]:
        """Memory for the states in which the matches begin: one row per base."""
        return aligned_rows(self.root_rows, self.words)

    def block(self) -> NDArray[np.uint64]:
        """An empty block (`lane_block`)."""
        return aligned_rows(lane_block_rows(self.circuit, self.recorded), self.words)

    def play(
        self,
        room: NDArray[np.uint64],
        root: NDArray[np.uint64],
        block: NDArray[np.uint64],
        limit: int,
    ) -> None:
        """Play until every match is over, or *limit* plies."""
        pointer = ctypes.c_void_p
        function = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, ctypes.c_int64, pointer)(self.address)
        function(room.ctypes.data, root.ctypes.data, block.ctypes.data, limit, self.tables.ctypes.data)


def lane_kernel(kernels: KernelSet, *, recorded: bool = False) -> LaneKernel:
    """The lane kernel of a circuit, which *kernels* keeps alive: fused where that is made soon, else walked."""
    made = kernels.lane_kernels.get(recorded)
    if made is None:
        circuit, tokens, phases = kernels.circuit, kernels.tokens, None
        # Gates of loops count once here: a walked lane kernel would never be replaced by a fused one (decision 39).
        if not kernels.fused or circuit.gate_count > AT_ONCE_GATES:
            phases = kernels.phases.stepped(tokens) if kernels.in_steps else kernels.phases.walk
        made = LaneKernel(circuit, tokens=tokens, phases=phases, recorded=recorded)
        kernels.lane_kernels[recorded] = made
    return made
