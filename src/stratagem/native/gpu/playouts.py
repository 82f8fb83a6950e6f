"""Random matches on GPUs: which kernel a game gets, and its code from disk or freshly made.

A small circuit without loops keeps its states in registers. A larger one has them in memory near the processors and is
cut into functions. One with loops, or so large that assembling it would take long, is interpreted. What is near and how
many threads form a block was chosen by measurement (decision 29). Results are the CPU's, match for match.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.native.emit.playout import PlayoutPlan
from stratagem.native.gpu.cuda import Device, Module
from stratagem.native.gpu.fused import FusedThread, frame_layout, fused_thread
from stratagem.native.gpu.held import HeldThread, all_outcomes, worth_holding
from stratagem.native.gpu.interpreted import interpreted_thread
from stratagem.native.gpu.lane_text import FrameMemory, LaneShape
from stratagem.native.gpu.launch import DeviceKernel, play_deal
from stratagem.native.gpu.ptx import ptx, too_long
from stratagem.native.gpu.rows import ThreadKernel
from stratagem.native.jit.object_cache import circuit_fingerprint
from stratagem.native.playouts.kernels import OUTCOMES_EXPECTED, KernelSet, Variant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.circuit.circuit import Circuit
    from stratagem.native.playouts.report import Sums
    from stratagem.native.playouts.schedule import Deal

REGISTER_GATES: Final = 4000
REGISTER_BASES: Final = 140
"""Circuits up to this size keep their states in registers: a thread has 255."""
COMPILED_GATES: Final = 25_000
"""Circuits up to this size are compiled, unless their text is `too_long`."""
BLOCK: Final = 128
"""Threads per block where states are in registers, or where gates are interpreted ..."""
NEAR_BLOCK: Final = 64
"""... and where they are in near memory that has no room for two larger blocks."""
SAMPLE: Final = 8192
"""Matches on the CPU that tell which outcomes to expect and how long matches are; only the speed depends on them."""
LONGEST_SAMPLED: Final = 1000
DIGITS: Final = (4, 10)
"""How many digits of the lengths are in registers: at least and at most."""


def memory_of(circuit_gates: int, bases: int, pool: int, shared: int) -> tuple[FrameMemory, int]:
    """Where the rows of a frame live and how many threads form a block.

    *pool*: rows for the moves; *shared*: bytes of near memory that a block may have.
    """
    if circuit_gates <= REGISTER_GATES and bases <= REGISTER_BASES:
        near = pool if 4 * pool * BLOCK <= shared // 2 else 0
        return FrameMemory(bases, near), BLOCK
    for near in (bases + pool, bases):
        if 4 * near * NEAR_BLOCK <= shared:
            # Two large blocks rather than four small ones: more threads share the code that is fetched.
            return FrameMemory(0, near), BLOCK if 2 * 4 * near * BLOCK <= shared else NEAR_BLOCK
    return FrameMemory(0, 0), BLOCK


class GpuPlayouts:
    """The kernels of one circuit for GPUs, made when they are asked for."""

    def __init__(self, kernels: KernelSet, sampled: Callable[[int, int], Sums]) -> None:
        """*sampled(matches, limit)* plays matches from the initial state on the CPU."""
        self.kernels, self.circuit = kernels, kernels.circuit
        self._sampled = sampled
        self._ready: dict[tuple[Variant, bool, int], DeviceKernel] = {}
        self._lock = threading.Lock()

    @cached_property
    def compiled(self) -> bool:
        """Whether the gates may become code; else they are interpreted."""
        circuit = self.circuit
        return not circuit.loops and (self.kernels.fused or circuit.gate_count <= COMPILED_GATES)

    @cached_property
    def _sample(self) -> tuple[tuple[tuple[int, ...], ...], int]:
        """Outcomes to expect, the most frequent first, and the digits of a usual length."""
        sums = self._sampled(SAMPLE, LONGEST_SAMPLED)
        order = sorted(sums.outcomes.items(), key=lambda item: (-item[1], item[0]))
        longest = LONGEST_SAMPLED if sums.over else 5 * sums.longest // 4
        digits = min(max(longest.bit_length(), DIGITS[0]), DIGITS[1])
        return tuple(vector for vector, _ in order[:OUTCOMES_EXPECTED]), digits

    def play(
        self,
        devices: Sequence[Device],
        roots: NDArray[np.bool_],
        first: int,
        dealt: Deal,
        seed: int,
        limit: int,
        sums: Sequence[Sums],
        *,
        written: bool,
    ) -> None:
        """Play *dealt* from *roots*, all at the same step of the tokens' cycle as root *first*, and add it to *sums*."""
        variant = self.kernels.variant(roots[first], written)
        kernels = [self.kernel(device, variant, limit) for device in devices]
        full, none = np.uint32(0xFFFFFFFF), np.uint32(0)
        if kernels[0].kernel.frame_rows:
            rows = np.array([self._walk_root(root, kernels[0].kernel.root_rows) for root in roots])
        else:
            rows = np.where(roots, full, none)
        play_deal(kernels, rows, dealt, seed, limit, sums)

    def _walk_root(self, root: NDArray[np.bool_], rows: int) -> NDArray[np.uint32]:
        """The rows of a root with its legal moves."""
        table = self.kernels.phases.walk
        frame = table.frame()
        frame[: len(root)] = np.where(root, np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0))[:, None]
        table.run("view", frame)
        return frame[:rows, 0].astype(np.uint32)

    def kernel(self, device: Device, variant: Variant, limit: int) -> DeviceKernel:
        """The kernel for *variant* on *device*; one that is being made is waited for."""
        outcomes, digits = self._sample
        short = limit < 1 << digits
        with self._lock:
            key = (variant, short, device.number)
            if key not in self._ready:
                plan = self.kernels.plan(variant, () if variant.written else outcomes)
                self._ready[key] = self._make(device, plan, digits, short)
            return self._ready[key]

    def _make(self, device: Device, plan: PlayoutPlan, digits: int, short: bool) -> DeviceKernel:
        code, kernel, table = thread_kernel(
            self, plan, device.architecture, device.shared_memory, digits=digits, short=short
        )
        return DeviceKernel(device, kernel, Module(device, code, kernel.entry), device.copy_of(table))


def thread_kernel(
    game: GpuPlayouts, plan: PlayoutPlan, architecture: int, shared: int, *, digits: int, short: bool
) -> tuple[bytes, ThreadKernel, NDArray[np.int32]]:
    """The PTX of a kernel, what is needed to launch it, and the table of its gates (of one number if it has none)."""
    circuit = game.circuit
    made = _fused(circuit, plan, shared, digits, short) if game.compiled else None
    if made is None or too_long(made[0]):
        shape = LaneShape.device(BLOCK)
        module, kernel, table = interpreted_thread(circuit, plan, shape, digits=digits, short=short)
        made = module, kernel, f"{shape}, interpreted"
    else:
        table = np.zeros(1, np.int32)
    module, kernel, shaped = made
    what = f"gpu playout {plan} {shaped} {kernel} {short} of {circuit_fingerprint(circuit)}"
    return ptx(what, architecture, lambda: module), kernel, table


def _fused(
    circuit: Circuit, plan: PlayoutPlan, shared: int, digits: int, short: bool
) -> tuple[str, ThreadKernel, str]:
    """The text of a fused kernel, what is needed to launch it, and what it is made for."""
    bases = len(circuit.bases)
    pool = frame_layout(circuit, plan).terminal - bases
    memory, threads = memory_of(circuit.gate_count, bases, pool, shared)
    shape = LaneShape.device(threads)
    holding = not memory.registers and worth_holding(circuit, plan)
    if holding:
        plan = replace(plan, outcomes=all_outcomes(circuit))
    kind = HeldThread if holding else FusedThread
    module, kernel = fused_thread(circuit, plan, shape, memory, digits=digits, short=short, kind=kind)
    return module, kernel, f"{shape} {memory}"
