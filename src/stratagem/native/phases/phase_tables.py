"""Phase tables: the phases of one circuit as code, for every row width, in tiers that replace each other while in use.

    interpreted   no compile time; about a nanosecond per gate and 256 states
    compiled      pieces of some hundred gates at LLVM's level 0; some 50 microseconds per gate, five times as fast
    optimised     the same at level 1: loads become operands, and the code is a fifth smaller

A phase is cut into pieces once for all widths. Its table (`emit.interpreter`) is a list of calls; a better tier is
another list, and one store puts it in the place of the old one. All tiers compute the same rows. Code that an earlier
run compiled comes from disk.
"""

from __future__ import annotations

import threading
import weakref
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.chunks import PIECE_GATES, emit_pieces
from stratagem.native.emit.text import VectorShape
from stratagem.native.jit import compile_queue
from stratagem.native.jit.llvm import LoadedCode, host, host_shape
from stratagem.native.jit.object_cache import circuit_fingerprint, compiled, stored
from stratagem.native.jit.vector_width import runs_in_halves
from stratagem.native.logic.turn_cycle import Tokens
from stratagem.native.phases.frame_layout import layout_of
from stratagem.native.phases.interpreted import instructions, interpreter, run_phase
from stratagem.native.phases.prepared import PhaseName, PreparedPhase, at_step, make_phase
from stratagem.native.phases.steps import StepCircuit, StepMoves, circuit_at
from stratagem.native.playouts.block import aligned_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tier: TypeAlias = Literal["interpreted", "compiled", "optimised"]
Step: TypeAlias = tuple[int, int, int]
"""A step of a table: function, argument, bytes of code that are to be fetched ahead."""
TIERS: Final[tuple[Tier, ...]] = ("interpreted", "compiled", "optimised")
LEVELS: Final[dict[Tier, int]] = {"compiled": 0, "optimised": 1}
MODULE_PIECES: Final[dict[Tier, int]] = {"compiled": 8, "optimised": 2}
"""Pieces per module: the program cannot end while LLVM is at work on one."""
EXPANSION: Final[tuple[PhaseName, ...]] = ("legal", "next", "final")
"""The phases of expansion and of batches, in the order of their tables."""
WALK: Final[tuple[PhaseName, ...]] = ("view", "next", "final", "open")
"""The phases of walked playouts and lane kernels, in the order of their tables."""
NARROW: Final = 1
"""Words per row for few states."""
WIDE: Final = 8
"""Words per row for many states."""
WALKED: Final = 16
"""Words of matches that walked playouts and lane kernels work on at once: compiled code is fetched once for two columns of 512."""
GATES_PER_ROW: Final = 6
"""With fewer gates in a cycle of steps for each row of a frame, one column is faster: rows fill the cache, not code. So it is in any
case where instructions of 512 bits take twice as long as those of 256, and code is fetched in time."""
FETCHED_AHEAD: Final = 256 << 10
"""Code of more bytes is fetched from memory piece by piece while the piece before it runs: the second level of the cache does not
hold it beside the rows."""
LINES: Final = 64
"""Rows of 64 bytes after which the first level of the cache comes to the same set again."""
MOST_COMPILED: Final = 150_000
"""Gates of all phases of expansion together; compiling more would take the better part of a minute."""
DEFERRED_GATES: Final = 500
DEFERRED_PER_BASE: Final = 4
"""Goals are put off until several matches need them where they cost more gates than this: so many for each base, and
some more. To put them off, the state of a match that is over is copied."""
OPTIMISED_GATES: Final = 100_000
"""Circuits up to this size are also compiled at level 1 for walked playouts: some 60 microseconds per gate."""


class PhaseTables:
    """All phase tables of one circuit. They may be run from many threads, each with its own frame."""

    def __init__(self, circuit: Circuit, *, piece_gates: int = PIECE_GATES) -> None:
        self.circuit = circuit
        self.layout = layout_of(circuit)
        self.piece_gates = piece_gates
        self._prepared: dict[PhaseName, PreparedPhase] = {}
        self._lock = threading.RLock()
        self._walk: PhaseTable | None = None
        self._stepped: PhaseTable | None = None
        self._steps: list[StepCircuit] = []
        narrow, wide = host_shape(NARROW), host_shape(WIDE)
        best: tuple[Tier, ...] = ("optimised",) if self.expansion_gates <= MOST_COMPILED else ()
        self.narrow = PhaseTable(self, EXPANSION, narrow, best)
        """Expansion of few states."""
        self.wide = PhaseTable(self, EXPANSION, wide, best)
        """Expansion of many states."""

    @cached_property
    def fingerprint(self) -> str:
        return circuit_fingerprint(self.circuit)

    @property
    def expansion_gates(self) -> int:
        """The gates of all phases of expansion together."""
        return sum(self.prepared(name).phase.gate_count for name in EXPANSION)

    @property
    def walk(self) -> PhaseTable:
        """Walked playouts and lane kernels; made when first asked for, and compiled from then on."""
        with self._lock:
            if self._walk is None:
                self._walk = self.walk_up_to("optimised")
            return self._walk

    def stepped(self, tokens: Tokens) -> PhaseTable:
        """Walked playouts and lane kernels in step with *tokens*, those of the circuit."""
        with self._lock:
            if self._stepped is None:
                self._stepped = self.walk_up_to("optimised", tokens)
            return self._stepped

    def steps(self, tokens: Tokens) -> list[StepCircuit]:
        """The circuit at the steps of *tokens*, its own; phases of the steps can be prepared from then on."""
        with self._lock:
            if not self._steps:
                self._steps = [circuit_at(self.circuit, tokens, step) for step in range(tokens.period)]
            return self._steps

    def walk_up_to(self, tier: Tier, tokens: Tokens | None = None) -> PhaseTable:
        """A table of its own for walked playouts, with *tier* as the best to reach.

        With *tokens* it has the phases of `WALK` once for every step.
        """
        small = self.circuit.gate_count <= OPTIMISED_GATES
        last = TIERS.index(tier if small or tier != "optimised" else "compiled")
        shape = host_shape(8 if host().ternary else 4)
        with self._lock:
            steps = [] if tokens is None else self.steps(tokens)
            parts = self._walk_parts() if tokens is None else self._step_parts()
            moves = tuple(step.moves for step in steps)
            table = PhaseTable(
                self,
                tuple(parts),
                shape,
                TIERS[1 : last + 1],
                parts=parts,
                moves=moves,
                from_disk=True,
                columns=self._columns(parts, shape) if tokens is not None else WALKED // shape.words,
            )
        table.compile()
        return table

    def _columns(self, parts: dict[PhaseName, tuple[PhaseName, ...]], shape: VectorShape) -> int:
        """How many columns share a fetch of the code of every step."""
        phases = [self.prepared(part[0]) for name, part in parts.items() if name.startswith(("open", "next"))]
        gates, rows = sum(each.phase.gate_count for each in phases), max(each.pieces.top for each in phases)
        by_code = gates >= GATES_PER_ROW * rows and not runs_in_halves()
        return (WALKED if by_code else WALKED // 2) // shape.words

    @property
    def deferred(self) -> bool:
        """Whether walked playouts put goals off."""
        costs = [self.prepared(name).phase.gate_count for name in ("view", "open")]
        return costs[0] - costs[1] > DEFERRED_GATES + DEFERRED_PER_BASE * len(self.circuit.bases)

    def _walk_parts(self) -> dict[PhaseName, tuple[PhaseName, ...]]:
        """What is run for the phases of a walk: `view` computes all that `open` and `final` do."""
        if self.deferred:
            return {"view": ("open", "final"), "next": ("next",), "final": ("final",), "open": ("open",)}
        return {"view": ("view",), "next": ("next",), "final": ("view",), "open": ("view",)}

    def _step_parts(self) -> dict[PhaseName, tuple[PhaseName, ...]]:
        """The same for every step. Goals that are put off are those of matches that ended at any step."""
        parts: dict[PhaseName, tuple[PhaseName, ...]] = {}
        for step in range(len(self._steps)):
            for name, own in self._walk_parts().items():
                parts[at_step(name, step)] = tuple(
                    part if part == "final" else at_step(part, step) for part in own
                )
        return parts

    def prepared(self, name: PhaseName) -> PreparedPhase:
        """A phase, made when first asked for: the same for all widths."""
        with self._lock:
            if name not in self._prepared:
                phase = make_phase(name, self.circuit, self._steps, self.layout)
                self._prepared[name] = PreparedPhase(phase, self.layout.scratch, self.piece_gates)
            return self._prepared[name]


class PhaseTable:
    """Some phases of one circuit for rows of one width, on one or several frames (columns) side by side."""

    def __init__(
        self,
        source: PhaseTables,
        names: tuple[PhaseName, ...],
        shape: VectorShape,
        tiers: tuple[Tier, ...],
        *,
        parts: dict[PhaseName, tuple[PhaseName, ...]] | None = None,
        moves: tuple[tuple[StepMoves, ...], ...] = (),
        from_disk: bool = False,
        columns: int = 1,
    ) -> None:
        """*tiers* are the steps of `compile`; with *from_disk*, start with the best where an earlier run has made it.

        *parts* says for each name which phases are run for it, where that is not the one of that name. *moves*, for
        phases at the steps of a cycle: what each role looks at, step by step.
        """
        self.circuit, self.layout, self.shape = source.circuit, source.layout, shape
        self.columns, self.words = columns, columns * shape.words
        self.moves = moves
        self.names = names
        self.parts = {name: (name,) for name in names} if parts is None else parts
        self.addresses: NDArray[np.int64] = np.zeros(len(names), np.int64)
        """For each phase the address of its table: what kernels read at every call."""
        used = dict.fromkeys(part for name in names for part in self.parts[name])
        self._prepared = {name: source.prepared(name) for name in used}
        self._steps: dict[PhaseName, tuple[list[Step], tuple[object, ...]]] = {}
        self._key = f"in pieces of {source.piece_gates} of {source.fingerprint} for {shape}"
        self._tiers = tiers
        self._reached: dict[PhaseName, Tier] = {}
        self._kept: list[tuple[NDArray[np.int64], tuple[object, ...]]] = []
        self._ready = threading.Event()
        self._lock = threading.Lock()
        self._asked = False
        found = {name: self._stored(name) if from_disk else [] for name in self._prepared}
        tops = [phase.pieces.top for phase in self._prepared.values() if tiers]
        tops += [self._prepared[name].program.rows for name, code in found.items() if not code]
        self.rows = _distance(max(tops, default=0), columns)
        """How many rows a frame has."""
        for name, code in found.items():
            if code:
                self._exchange(name, tiers[-1], code)
            else:
                self._interpret(name)

    @property
    def deferred(self) -> bool:
        """Whether goals are put off."""
        return len(self.parts[self.names[0]]) > 1

    @property
    def tier(self) -> Tier:
        """The tier that all phases have reached."""
        return min(self._reached.values(), key=TIERS.index)

    def frame(self) -> NDArray[np.uint64]:
        """New memory for one row of states: the rows of the frame of the first column, then those of the next."""
        return aligned_rows(self.columns * self.rows, self.shape.words)

    def run(self, name: PhaseName, frame: NDArray[np.uint64]) -> None:
        """Run a phase on a frame."""
        run_phase(frame.ctypes.data, int(self.addresses[self.names.index(name)]))

    def compile(self, *, wait: bool = False) -> None:
        """Have machine code made in the background; with *wait*, return when it is there.

        Until then, and where the circuit is too large or LLVM fails, phases are run in the tier reached so far.
        """
        with self._lock:
            if not self._asked:
                self._asked = True
                best = self._tiers[-1] if self._tiers else "interpreted"
                missing = [
                    name for name, tier in self._reached.items() if tier != best and not self._load(name)
                ]
                self._compile_later([(name, tier) for tier in self._tiers for name in missing], [])
        if wait:
            self._ready.wait()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the best tier is reached; whether it is."""
        return self._ready.wait(seconds)

    def _compile_later(self, steps: list[tuple[PhaseName, Tier]], done: list[bytes]) -> None:
        """Have the next module compiled, then the others; stops when the table is no longer referenced."""
        if not steps:
            self._ready.set()
            return
        owner = weakref.ref(self)

        def work() -> None:
            table = owner()
            if table is not None:
                table._compile_next(steps, done)

        compile_queue.later(work)

    def _compile_next(self, steps: list[tuple[PhaseName, Tier]], done: list[bytes]) -> None:
        """Compile one module of the first of *steps*, of which *done* are compiled already."""
        name, tier = steps[0]
        modules = self._modules(name, tier)
        try:
            numbers = modules[len(done)]
            pieces = self._prepared[name].pieces
            code = compiled(
                self._name(name, numbers),
                LEVELS[tier],
                lambda: emit_pieces(pieces, numbers, self.shape, name, LEVELS[tier]),
            )
        except BaseException:
            self._ready.set()  # the tier reached so far serves on
            raise
        done = [*done, code]
        if len(done) < len(modules):
            self._compile_later(steps, done)
        else:
            self._exchange(name, tier, done)
            self._compile_later(steps[1:], [])

    def _modules(self, name: PhaseName, tier: Tier) -> list[range]:
        """The numbers of the pieces of a phase, module by module."""
        pieces, step = len(self._prepared[name].pieces.pieces), MODULE_PIECES[tier]
        return [range(at, min(at + step, pieces)) for at in range(0, pieces, step)]

    def _name(self, name: PhaseName, numbers: range) -> str:
        return f"{name} {numbers} {self._key}"

    def _load(self, name: PhaseName) -> bool:
        """Let machine code of the best tier take over, if it is all on disk."""
        code = self._stored(name)
        if code:
            self._exchange(name, self._tiers[-1], code)
        return bool(code)

    def _stored(self, name: PhaseName) -> list[bytes]:
        """Machine code of the best tier, if it is all on disk."""
        if not self._tiers:
            return []
        tier = self._tiers[-1]
        code = [stored(self._name(name, numbers), LEVELS[tier]) for numbers in self._modules(name, tier)]
        found = [part for part in code if part is not None]
        return found if len(found) == len(code) else []

    def _interpret(self, name: PhaseName) -> None:
        shared, program = interpreter(self.shape.words), self._prepared[name].program
        code = [instructions(run, self.shape.row_bytes) for run in program.runs]
        steps = [
            (shared["interpret_loop" if run.loop else "interpret"], part.ctypes.data, 0)
            for run, part in zip(program.runs, code, strict=True)
        ]
        last, copies = self._copies(list(self._prepared[name].phase.in_place.items()))
        self._put(name, "interpreted", steps + last, (*code, shared, copies))

    def _exchange(self, name: PhaseName, tier: Tier, code: list[bytes]) -> None:
        """Let machine code take over a phase."""
        loaded = [
            LoadedCode(part, [f"{name}{number}" for number in numbers])
            for part, numbers in zip(code, self._modules(name, tier), strict=True)
        ]
        large = sum(part.text_bytes for part in loaded) > FETCHED_AHEAD
        steps = [
            (address, 0, size if large else 0)
            for part in loaded
            for address, size in zip(part.addresses.values(), part.sizes(), strict=True)
        ]
        last, copies = self._copies(self._prepared[name].pieces.copies)
        self._put(name, tier, steps + last, (*loaded, copies))

    def _copies(self, pairs: list[tuple[int, int]]) -> tuple[list[Step], NDArray[np.int64]]:
        """The step that copies rows, if there are any, and its memory."""
        rows = np.array(pairs, np.uint32).reshape(-1, 2) * np.uint32(self.shape.row_bytes)
        code = np.concatenate([np.array([len(pairs)], np.int64), rows.view(np.int64).ravel()])
        step = (interpreter(self.shape.words)["copy_rows"], code.ctypes.data, 0)
        return [step] if pairs else [], code

    def _put(self, name: PhaseName, tier: Tier, steps: list[Step], keep: tuple[object, ...]) -> None:
        self._steps[name] = steps, keep
        for place, other in enumerate(self.names):
            parts = self.parts[other]
            if name in parts and all(part in self._steps for part in parts):
                whole = [step for part in parts for step in self._steps[part][0]]
                head = [len(whole), self.columns, self.rows * self.shape.row_bytes]
                words = np.array([*head, *(word for step in whole for word in step)], np.int64)
                # Older tables stay: another thread may be running them.
                self._kept.append((words, tuple(code for part in parts for code in self._steps[part][1])))
                self.addresses[place] = words.ctypes.data
        self._reached[name] = tier


def _distance(rows: int, columns: int) -> int:
    """The rows from one frame to the next, if there are several: at least *rows*, and not the same sets of the cache again."""
    return rows + (LINES // 4 - rows) % LINES if columns > 1 else rows
