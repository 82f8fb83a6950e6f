"""Playout kernels: machine code that plays random matches, fused or walked, behind one interface.

A circuit gets a *fused* kernel of its own: everything in one function, with the tokens of its turns
and, from the initial state, the state itself put in as constants. A larger one, or one with loops that depend on moves, is
*walked*: its phases are called through tables, at first interpreted. Both play the same matches.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.fixed_points import FixedPoints
from stratagem.native.emit.playout import PlayoutPlan, emit_playout
from stratagem.native.emit.walked.walk import WalkPlan, emit_walk
from stratagem.native.jit import compile_queue
from stratagem.native.jit.llvm import LoadedCode, host_shape
from stratagem.native.jit.object_cache import circuit_fingerprint, compiled
from stratagem.native.jit.vector_width import vector_words
from stratagem.native.logic.loops import cut_loops
from stratagem.native.logic.turn_cycle import NONE, Tokens, find_tokens
from stratagem.native.phases.frame_layout import layout_of
from stratagem.native.phases.phase_tables import PhaseTable, PhaseTables
from stratagem.native.phases.prepared import at_step
from stratagem.native.playouts.block import aligned_rows
from stratagem.native.playouts.reference import play

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.playouts.lane_kernels import LaneKernel

FUSED_GATES = 12_500
"""Circuits up to this size are played by fused kernels; LLVM takes some seconds for that many gates in one function. The
gates of loops count twice: they are written forwards and backwards."""
STEPPED_GATES = 250_000
"""Circuits up to this size are played in step with their tokens. For larger ones it would take seconds to
work out the gates of every step."""
AT_ONCE_GATES = 4000
"""Up to this size a fused kernel is made when it is first asked for; a larger one in the background."""
OUTCOMES_EXPECTED = 16
"""Goal vectors that are counted in the fast path of a kernel; others are written down match by match."""


class PlayoutKernel(Protocol):
    """Plays one block: words of 64 matches, side by side."""

    @property
    def words(self) -> int:
        """Words per row."""

    @property
    def period(self) -> int:
        """New matches begin only at plies that are multiples of this."""

    @property
    def outcomes(self) -> tuple[tuple[int, ...], ...]:
        """The goal vectors that are counted in the block; see `PlayoutPlan`."""

    @property
    def address(self) -> int:
        """The function ``playout(room, root, block, log, tables)``, for callers in machine code."""

    @property
    def tables(self) -> NDArray[np.int64]:
        """What *tables* has to be: the addresses of view, next and final; anything for a fused kernel."""

    def room(self) -> NDArray[np.uint64]:
        """Memory to work in; one per thread."""

    def root(self, states: NDArray[np.bool_]) -> NDArray[np.uint64]:
        """The roots of a block: *states[w]* is the state from which the matches of word w begin.

        None of them may be terminal.
        """

    def play(
        self,
        room: NDArray[np.uint64],
        root: NDArray[np.uint64],
        block: NDArray[np.uint64],
        log: NDArray[np.uint64],
    ) -> None:
        """Play until every word has used its quota."""


class FusedKernel:
    """One function for everything."""

    tables: NDArray[np.int64] = np.zeros(1, np.int64)

    def __init__(self, circuit: Circuit, plan: PlayoutPlan, words: int) -> None:
        self.circuit, self.words, self.outcomes = circuit, words, plan.outcomes
        self.period = plan.tokens.period
        shape = host_shape(words)
        what = f"playout {plan} of {circuit_fingerprint(circuit)} for {shape}"
        self._loaded = LoadedCode(compiled(what, 2, lambda: emit_playout(circuit, plan, shape)), ["playout"])
        self.address = self._loaded["playout"]
        self._play = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(self.address)
        self._rows = FixedPoints(circuit, layout_of(circuit).scratch, shape).top
        self.root_rows = max(1, len(circuit.bases))

    def room(self) -> NDArray[np.uint64]:
        return aligned_rows(self._rows, self.words)

    def root(self, states: NDArray[np.bool_]) -> NDArray[np.uint64]:
        rows = aligned_rows(self.root_rows, self.words)
        _spread(states, rows)
        return rows

    def play(
        self,
        room: NDArray[np.uint64],
        root: NDArray[np.uint64],
        block: NDArray[np.uint64],
        log: NDArray[np.uint64],
    ) -> None:
        self._play(room.ctypes.data, root.ctypes.data, block.ctypes.data, log.ctypes.data)


class WalkKernel:
    """Phases called through a phase table."""

    def __init__(
        self, phases: PhaseTable, period: int = 1, outcomes: tuple[tuple[int, ...], ...] = (), step: int = 0
    ) -> None:
        """The expected *outcomes* are counted, other matches are written down one by one.

        *step*, where *phases* are those of the steps of a cycle: the one at which matches begin.
        """
        self.phases, self.words, self.period = phases, phases.words, period
        self.outcomes = outcomes
        circuit, shape = phases.circuit, phases.shape
        counts = [len(moves) for moves in circuit.moves]
        values = [len(goals) for goals in circuit.goals]
        self._view = at_step("view", step) if phases.moves else "view"
        self._plan = plan = WalkPlan(
            period, outcomes, phases.columns, phases.rows, phases.deferred, phases.moves, step
        )
        what = f"walk {len(circuit.bases)} {counts} {values} {plan} for {shape}"
        self._loaded = LoadedCode(compiled(what, 2, lambda: emit_walk(circuit, plan, shape)), ["playout"])
        self.address = self._loaded["playout"]
        self._play = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(self.address)
        self.tables = phases.addresses

    def room(self) -> NDArray[np.uint64]:
        return aligned_rows(self._plan.room_rows, self.phases.shape.words)

    def root(self, states: NDArray[np.bool_]) -> NDArray[np.uint64]:
        frame, words, rows = self.phases.frame(), self.phases.shape.words, self.phases.rows
        for column in range(self.phases.columns):
            _spread(states[column * words : (column + 1) * words], frame[column * rows :])
        self.phases.run(self._view, frame)
        return frame

    def play(
        self,
        room: NDArray[np.uint64],
        root: NDArray[np.uint64],
        block: NDArray[np.uint64],
        log: NDArray[np.uint64],
    ) -> None:
        self._play(
            room.ctypes.data, root.ctypes.data, block.ctypes.data, log.ctypes.data, self.tables.ctypes.data
        )


def _spread(states: NDArray[np.bool_], rows: NDArray[np.uint64]) -> None:
    """States, one per word, into all lanes of their words."""
    rows[: states.shape[1]] = np.where(states.T, np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0))


@dataclass(frozen=True, slots=True)
class Variant:
    """Which fused kernel: for what kind of root, and whether every match is to be written down."""

    step: int | None
    initial: bool
    written: bool


class KernelSet:
    """The kernels of one circuit, made when they are asked for."""

    def __init__(self, phases: PhaseTables) -> None:
        self.phases, self.circuit = phases, phases.circuit
        circuit = phases.circuit
        gates = circuit.gate_count + sum(end - first for first, end in circuit.loops)
        self.fused = gates <= FUSED_GATES and not any(loop.reads_moves for loop in cut_loops(circuit))
        if self.fused and gates > AT_ONCE_GATES:
            # Only walked kernels put goals off; a published reversi would be a third slower fused.
            self.fused = not phases.deferred
        self.at_once = self.fused and gates <= AT_ONCE_GATES
        """Whether fused kernels are made when they are first asked for."""
        self.tokens: Tokens = find_tokens(circuit) if circuit.gate_count <= STEPPED_GATES else NONE
        """What matches keep step with. Results depend on it, so it is the same for all kernels of a circuit."""
        self.in_steps = bool(self.tokens.courses) and not circuit.loops
        """Whether walked kernels have phases for every step; those of a circuit with loops are the same for all."""
        self._walks: dict[tuple[int, int | None, bool], WalkKernel] = {}
        self._made: dict[Variant, FusedKernel] = {}
        self._ordered: set[Variant] = set()
        self._outcomes: tuple[tuple[int, ...], ...] | None = None
        self.lane_kernels: dict[bool, LaneKernel] = {}
        """The lane kernels made so far, without and with the moves recorded; see `lane_kernels.lane_kernel`."""
        self._lock = threading.RLock()

    def kernel(self, root: Sequence[bool] | NDArray[np.bool_], *, written: bool = False) -> PlayoutKernel:
        """The kernel for matches from *root* and other states at the same step of the tokens' cycle.

        *written*: every match is to appear in the log, with its length.
        """
        variant = self.variant(root, written)
        if self.at_once:
            return self._fuse(variant)
        return self._walk(variant)

    def fastest(self, root: Sequence[bool] | NDArray[np.bool_], *, written: bool = False) -> PlayoutKernel:
        """The fastest kernel there is at the moment; where a faster one takes long to make, have it made."""
        variant = self.variant(root, written)
        if not self.fused or self.at_once or variant in self._made:
            return self._made.get(variant) or self.kernel(root, written=written)
        if variant not in self._ordered:
            self._ordered.add(variant)
            owner = weakref.ref(self)

            def make() -> None:
                kernels = owner()
                if kernels is not None:
                    kernels._fuse(variant)

            compile_queue.later(make)
        return self._walk(variant)

    def variant(self, root: Sequence[bool] | NDArray[np.bool_], written: bool) -> Variant:
        """Which kernel plays matches from *root*."""
        start = np.asarray(root, np.bool_)
        initial = bool(np.array_equal(start, self.circuit.initial))
        return Variant(self.tokens.phase(start.tolist()), initial, written)

    def _fuse(self, variant: Variant) -> FusedKernel:
        with self._lock:
            kernel = self._made.get(variant)
            if kernel is None:
                plan = self.plan(variant, () if variant.written else self.expected())
                kernel = self._made[variant] = FusedKernel(self.circuit, plan, vector_words())
            return kernel

    def plan(self, variant: Variant, outcomes: tuple[tuple[int, ...], ...]) -> PlayoutPlan:
        """What a fused kernel for *variant* is specialised to."""
        tokens = NONE if variant.step is None else self.tokens
        return PlayoutPlan(tokens, variant.step or 0, variant.initial, outcomes)

    def _walk(self, variant: Variant) -> WalkKernel:
        period = 1 if variant.step is None else self.tokens.period
        # A fused kernel will soon take the place of a walk of its circuit: code for each step is not worth while.
        stepped = not self.fused and variant.step is not None and self.in_steps
        step = (variant.step or 0) if stepped else None
        with self._lock:
            made = self._walks.get((period, step, variant.written))
            if made is None:
                outcomes = () if variant.written else self.possible()
                phases = self.phases.stepped(self.tokens) if stepped else self.phases.walk
                made = WalkKernel(phases, period, outcomes, step or 0)
                self._walks[period, step, variant.written] = made
            return made

    def possible(self) -> tuple[tuple[int, ...], ...]:
        """All vectors of goal values, if they are few: to sample matches of a large circuit would take long."""
        values = [range(len(goals)) for goals in self.circuit.goals]
        few = math.prod(map(len, values)) <= OUTCOMES_EXPECTED
        return tuple(itertools.product(*values)) if few else ()

    def expected(self) -> tuple[tuple[int, ...], ...]:
        """The most frequent goal vectors of a few matches: only the speed depends on them."""
        if self._outcomes is None:
            seeds = ([0x9E3779B97F4A7C15], [0xBF58476D1CE4E5B9])
            sample = play(self.circuit, self.circuit.initial.tolist(), seeds, [64], period=1, limit=200)
            numbers = [
                {value: number for number, (value, _) in enumerate(goals)} for goals in self.circuit.goals
            ]
            self._outcomes = tuple(
                tuple(
                    len(own) if value is None else own[value]
                    for own, value in zip(numbers, vector, strict=True)
                )
                for vector, _ in sample.outcomes.most_common(OUTCOMES_EXPECTED)
            )
        return self._outcomes
