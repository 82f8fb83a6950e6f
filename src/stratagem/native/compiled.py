"""The compiled game: everything that machine code answers about one game's rules, made from its circuit.

One set of phase tables serves all of it: children, views and successors of many packed states at once (`expand`,
`evaluate`, `advance`), one state at a time (`single`), matches on arrays (`batch`), random matches (`playouts`).

A packed state is W uint64 words (W = ceil(len(bases) / 64), at least 1); bit i % 64 of word i // 64 is base i.
Three C functions, called by address from kernels that are compiled once for all games:

    int64 expand(const uint64* states, int64 count, uint64* children, int32* parents, int32* moves,
                 uint8* terminal, int16* goals, int64 capacity, int64* consumed)
        for *count* non-terminal states all children by all legal joint moves, parents ascending, joint moves in
        lexicographic order of the roles' canonical move indices: child states [n, W], parents [n], joint moves
        as indices into circuit.moves[role] [n, R], whether a child is terminal [n], its goals [n, R] (-1: none,
        or not exactly one). Stops before the first parent whose children do not fit; *consumed* says how many
        parents are done. A role without a legal move: the parent has no children. Returns n, or -m where the
        first parent alone has m > capacity children (then nothing is done). Rows from the n-th on, within the
        capacity, may be overwritten.

    void advance(const uint64* states, int64 count, const int32* moves, uint64* children)
        the states after given joint moves [count, R], which need not be legal.

    void evaluate(const uint64* states, int64 count, uint64* legal, uint8* terminal, int16* goals)
        for any states the legal moves as masks [count, R, mask_words] (bit i % 64 of word i // 64 is
        circuit.moves[role][i]), whether each is terminal [count], the goals [count, R].

All may be called from many threads at once; scratch memory is their own. The addresses never change, the code
behind them may: it is the gate interpreter at first, and machine code for this one game when that is ready.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from stratagem.circuit.circuit import Circuit
from stratagem.errors import UsageError, require_whole
from stratagem.gdl.terms import Term
from stratagem.native.batch import COMPILED_GATES, CpuBatch
from stratagem.native.device_batch import DeviceBatch
from stratagem.native.driver.build import EXPAND
from stratagem.native.driver.expand import advance, evaluate, expand
from stratagem.native.driver.expansion_steps import ExpansionSteps
from stratagem.native.driver.game_header import GameHeader
from stratagem.native.driver.trampoline import EntryPoints
from stratagem.native.jit.kernel_families import compiled_family
from stratagem.native.packing import packed_truth, truth_of
from stratagem.native.phases.phase_tables import PhaseTables
from stratagem.native.playouts.playouts import Playouts
from stratagem.native.single import Single

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.gpu.batch.kernels import BatchKernels


@dataclass(frozen=True, slots=True, eq=False)
class Children:
    """All children of some states: row i is a child; *parents* and *moves* say how it comes about."""

    states: NDArray[np.uint64]
    parents: NDArray[np.int32]
    moves: NDArray[np.int32]
    terminal: NDArray[np.bool_]
    goals: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.parents)


@dataclass(frozen=True, slots=True, eq=False)
class StateViews:
    """What the rules say about states: legal moves as masks [n, roles, mask_words], terminal [n], goals [n, roles] (-1: none)."""

    legal: NDArray[np.uint64]
    terminal: NDArray[np.bool_]
    goals: NDArray[np.int16]


class PackedGame(Protocol):
    """A game whose packed states can be expanded: what breadth-first searches need of it."""

    @property
    def roles(self) -> tuple[str, ...]: ...

    @property
    def words(self) -> int: ...

    @property
    def initial(self) -> NDArray[np.uint64]: ...

    @property
    def expand_address(self) -> int: ...

    def evaluate(self, states: NDArray[np.uint64]) -> StateViews: ...

    def pack(self, facts: Iterable[Term]) -> NDArray[np.uint64]: ...


def checked_states(states: NDArray[np.uint64], words: int) -> NDArray[np.uint64]:
    """*states* as one block of memory, if they are packed states [n, words]."""
    if states.ndim != 2 or states.shape[1] != words or states.dtype != np.uint64:
        raise UsageError(
            f"states are an array of uint64 with {words} words each; this one is {states.dtype} {states.shape}",
            hint="one state is state[None]",
        )
    return np.ascontiguousarray(states)


class CompiledGame:
    """The rules of one game as machine code. May be used from many threads; keeps the code alive."""

    def __init__(self, circuit: Circuit, *, background: bool = True) -> None:
        """*background*: make machine code for this very game once kernels ask for addresses."""
        self.circuit = circuit
        self.roles = circuit.roles
        self.moves = circuit.moves
        """For each role its moves; actions are indices into them."""
        self.phases = PhaseTables(circuit)
        self.header = GameHeader(self.phases)
        self._steps = ExpansionSteps(self.header)
        self.single = Single(self.header)
        """The same rules for one state at a time, as an int."""
        self.words, self.mask_words = self.header.words, self.header.mask_words
        self.initial: NDArray[np.uint64] = packed_truth(circuit.initial, self.words)
        self._background = background
        self._batch_kernels: dict[int, BatchKernels] = {}
        self._batch_lock = threading.Lock()
        self._branching = 16.0
        self._places = {term: place for place, term in enumerate(circuit.bases)}
        self._driver, pointer, number = compiled_family(EXPAND), ctypes.c_void_p, ctypes.c_int64
        self._expand = ctypes.CFUNCTYPE(number, pointer, pointer, number, *[pointer] * 5, number, pointer)(
            self._driver.address(expand)
        )
        self._evaluate = ctypes.CFUNCTYPE(None, pointer, pointer, number, *[pointer] * 3)(
            self._driver.address(evaluate)
        )
        self._advance = ctypes.CFUNCTYPE(None, pointer, pointer, number, pointer, pointer)(
            self._driver.address(advance)
        )

    def __repr__(self) -> str:
        return f"<compiled game: {self.words} words per state, {self.circuit.gate_count:,} gates ({self.phases.wide.tier})>"

    @cached_property
    def playouts(self) -> Playouts:
        """Random matches."""
        return Playouts(self.phases, self.single)

    def batch(self, n: int, *, threads: int | None = None, device: str = "cpu") -> DeviceBatch:
        """*n* matches at once as rows of bits, all at the start; on all cores, or on the first GPU that *device* names."""
        require_whole("number of matches", n, least=0)
        if threads is not None:
            require_whole("number of threads", threads, least=1)
        if device == "cpu":
            return CpuBatch(self.header, n, threads=threads)
        from stratagem.native.gpu.batch.batch import GpuBatch
        from stratagem.native.gpu.batch.kernels import BatchKernels
        from stratagem.native.gpu.devices import chosen_devices

        devices = chosen_devices(device) or ()
        with self._batch_lock:
            kernels = self._batch_kernels.get(devices[0].number)
            if kernels is None:
                kernels = self._batch_kernels[devices[0].number] = BatchKernels(self.circuit, devices[0])
        return GpuBatch(kernels, n)

    @cached_property
    def _entry_points(self) -> EntryPoints:
        return EntryPoints(self.header.address, self._driver)

    @property
    def expand_address(self) -> int:
        """The address of ``expand``, for kernels: they expand enough to be worth machine code."""
        self._compile_soon()
        return self._entry_points.expand_address

    @property
    def evaluate_address(self) -> int:
        """The address of ``evaluate``, for kernels."""
        self._compile_soon()
        return self._entry_points.evaluate_address

    @property
    def advance_address(self) -> int:
        """The address of ``advance``, for kernels."""
        self._compile_soon()
        return self._entry_points.advance_address

    def _compile_soon(self) -> None:
        if self._background and self.phases.expansion_gates <= COMPILED_GATES:
            self.compile()

    def compile(self, *, wait: bool = False) -> None:
        """Have machine code made for this game, in the background; with *wait*, return when it is there.

        Everything works before, by interpretation; afterwards single states take a half of the time.
        """
        for table in (self.phases.narrow, self.phases.wide):
            table.compile()
        self._steps.compile()
        if wait:
            self.phases.narrow.wait()
            self.phases.wide.wait()
            self._steps.wait()

    def expand(self, states: NDArray[np.uint64], *, room: int | None = None) -> Children:
        """All children of non-terminal *states* [n, words]; *room* is a guess at their number."""
        states = self.checked(states)
        count, roles = len(states), len(self.roles)
        parts: list[Children] = []
        done = 0
        room = 64 + int(1.25 * self._branching * count) if room is None else max(1, room)
        while done < count:
            children = np.empty((room, self.words), np.uint64)
            parents = np.empty(room, np.int32)
            moves = np.empty((room, roles), np.int32)
            terminal = np.empty(room, np.bool_)
            goals = np.empty((room, roles), np.int16)
            consumed = ctypes.c_int64(0)
            made = self._expand(
                self.header.address,
                states[done:].ctypes.data,
                count - done,
                children.ctypes.data,
                parents.ctypes.data,
                moves.ctypes.data,
                terminal.ctypes.data,
                goals.ctypes.data,
                room,
                ctypes.addressof(consumed),
            )
            if made < 0:
                room = -made
                continue
            parents[:made] += done
            parts.append(
                Children(children[:made], parents[:made], moves[:made], terminal[:made], goals[:made])
            )
            done += consumed.value
        if count:
            # Only a guess for the next call: how much room children usually take.
            self._branching = max(1.0, sum(map(len, parts)) / count)
        return parts[0] if len(parts) == 1 else self._joined(parts)

    def evaluate(self, states: NDArray[np.uint64]) -> StateViews:
        """Legal moves, the end and the goals of *states* [n, words]."""
        states = self.checked(states)
        count, roles = len(states), len(self.roles)
        legal = np.empty((count, roles, self.mask_words), np.uint64)
        terminal = np.empty(count, np.bool_)
        goals = np.empty((count, roles), np.int16)
        if count:
            self._evaluate(
                self.header.address,
                states.ctypes.data,
                count,
                legal.ctypes.data,
                terminal.ctypes.data,
                goals.ctypes.data,
            )
        return StateViews(legal, terminal, goals)

    def advance(self, states: NDArray[np.uint64], moves: NDArray[np.int32]) -> NDArray[np.uint64]:
        """The states after *moves* [n, roles], one index into `moves` for every role; they may be illegal."""
        states = self.checked(states)
        given = np.ascontiguousarray(moves, np.int32)
        most = np.array(list(map(len, self.moves)))
        if given.shape != (len(states), len(self.roles)) or (given < 0).any() or (given >= most).any():
            raise UsageError(
                f"moves are one index for each of {len(states)} states and {len(self.roles)} roles",
                hint="they count the moves in `moves` of the role",
            )
        children = np.empty_like(states)
        if len(states):
            self._advance(
                self.header.address, states.ctypes.data, len(states), given.ctypes.data, children.ctypes.data
            )
        return children

    def pack(self, facts: Iterable[Term]) -> NDArray[np.uint64]:
        """The packed state in which exactly *facts* hold, beside those that always do."""
        bits = np.zeros(len(self.circuit.bases), np.bool_)
        for term in facts:
            place = self._places.get(term)
            if place is not None:
                bits[place] = True
            elif term not in self.circuit.constants:
                raise UsageError(f"{term} can never hold in this game")
        return packed_truth(bits, self.words)

    def unpack(self, state: NDArray[np.uint64]) -> frozenset[Term]:
        """The facts of a packed state."""
        bases = self.circuit.bases
        return self.circuit.constants | {
            bases[place] for place in np.flatnonzero(truth_of(state, len(bases)))
        }

    def checked(self, states: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """*states* as one block of memory, if they are packed states [n, words] of this game."""
        return checked_states(states, self.words)

    def _joined(self, parts: list[Children]) -> Children:
        if not parts:
            return self._none()
        return Children(
            np.concatenate([part.states for part in parts]),
            np.concatenate([part.parents for part in parts]),
            np.concatenate([part.moves for part in parts]),
            np.concatenate([part.terminal for part in parts]),
            np.concatenate([part.goals for part in parts]),
        )

    def _none(self) -> Children:
        roles = len(self.roles)
        return Children(
            np.empty((0, self.words), np.uint64),
            np.empty(0, np.int32),
            np.empty((0, roles), np.int32),
            np.empty(0, np.bool_),
            np.empty((0, roles), np.int16),
        )
