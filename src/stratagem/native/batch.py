"""Many matches of one game at once on numpy arrays: what reinforcement learning and statistics ask for.

Inside, a match is one bit: every base proposition is a row of bits, in blocks of 512 matches, so a million connect
four matches take eleven megabytes, and a gate advances 512 of them. The native code releases the interpreter's
lock, and blocks are shared out among threads; no loop in Python is over matches.

>>> from stratagem.loading import load
>>> batch = load("tictactoe").batch(3)
>>> batch.legal("xplayer").sum(axis=1)
array([9, 9, 9])
>>> for ply in range(9):
...     batch.step_random(seed=ply)
>>> batch.terminal
array([ True,  True,  True])
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any, Final, SupportsIndex

import numpy as np

from stratagem.circuit.circuit import Circuit
from stratagem.errors import IllegalMove, UsageError
from stratagem.kernels import KernelFunction
from stratagem.native.driver import batch as drive
from stratagem.native.driver.build import BATCH
from stratagem.native.driver.game_header import GameHeader
from stratagem.native.jit.kernel_families import compiled_family
from stratagem.native.packing import packed_truth, truth_of
from stratagem.native.phases.phase_tables import WIDE
from stratagem.native.playouts.block import aligned_rows
from stratagem.platform import cores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

COMPILED_GATES: Final = 20_000
"""Larger circuits stay interpreted unless `compile` is called: LLVM takes some milliseconds for every ten gates."""
BLOCK: Final = 64 * WIDE
"""Matches in a block."""
LARGE: Final = 50_000
"""A batch of so many matches has machine code made for its game, in the background."""
SHARE: Final = 32
"""Blocks that are worth a thread."""
SHOWN: Final = 8
"""Legal moves that a refusal names."""


class _Functions:
    """The batch functions of one game; shared by a batch and its copies."""

    def __init__(self, header: GameHeader) -> None:
        self.header = header
        self._shared = compiled_family(BATCH)
        self._functions: dict[KernelFunction[..., Any], Callable[..., int | None]] = {}

    def __call__(self, kernel: KernelFunction[..., Any], batch: Batch, *arguments: int) -> int:
        """Run one kernel over all blocks, in threads; the lowest number of a match that it returns, else -1."""
        function = self._functions.get(kernel)
        if function is None:
            kinds = [ctypes.c_int64] * (5 + len(arguments))
            result = ctypes.c_int64 if kernel is drive.batch_check else None
            function = ctypes.CFUNCTYPE(result, *kinds)(self._shared.address(kernel))
            self._functions[kernel] = function
        blocks = len(batch.blocks)
        threads = max(1, min(batch.threads, blocks // SHARE))
        edges = [blocks * share // threads for share in range(threads + 1)]
        rows = batch.blocks.ctypes.data

        def work(first: int, last: int) -> int:
            wrong = function(self.header.address, rows, first, last, batch.count, *arguments)
            return -1 if wrong is None else wrong

        if threads == 1:
            return work(0, blocks)
        results = list(_workers().map(work, edges[:-1], edges[1:]))
        return min((result for result in results if result >= 0), default=-1)


@cache
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(cores(), thread_name_prefix="stratagem-batch")


class Batch:
    """*n* matches, all at the start. A batch is a place, not a value: its methods change it."""

    def __init__(self, header: GameHeader, n: int, *, threads: int | None = None) -> None:
        if isinstance(n, bool) or not isinstance(n, SupportsIndex) or n < 0:
            raise UsageError(f"the number of matches must be a whole number from 0 up; got {n!r}")
        self._call = _Functions(header)
        self._begin(n, threads)
        self.reset(np.ones(n, np.bool_))
        if n >= LARGE and header.phases.expansion_gates <= COMPILED_GATES:
            header.phases.wide.compile()

    def _begin(self, n: int, threads: int | None) -> None:
        self.count = n
        self.threads = threads or cores()
        blocks, rows = -(-n // BLOCK), len(self.circuit.bases) + 1
        self.blocks = aligned_rows(blocks * rows, WIDE).reshape(blocks, rows * WIDE)

    def __len__(self) -> int:
        return self.count

    @property
    def circuit(self) -> Circuit:
        return self._call.header.circuit

    @property
    def roles(self) -> tuple[str, ...]:
        return self.circuit.roles

    # looking

    @property
    def terminal(self) -> NDArray[np.bool_]:
        """Which matches are over."""
        flags = np.empty(self.count, np.bool_)
        self._call(drive.batch_ends, self, flags.ctypes.data)
        return flags

    @property
    def goals(self) -> NDArray[np.int16]:
        """The goals [n, roles]; -1 where the rules give none, or several."""
        flags = np.empty(self.count, np.bool_)
        goals = np.empty((self.count, len(self.roles)), np.int16)
        self._call(drive.batch_final, self, flags.ctypes.data, goals.ctypes.data)
        return goals

    @property
    def legal_masks(self) -> NDArray[np.uint64]:
        """The legal moves as bits [n, roles, words]: bit i % 64 of word i // 64 is ``circuit.moves[role][i]``."""
        masks = np.empty((self.count, len(self.roles), self._call.header.mask_words), np.uint64)
        self._call(drive.batch_legal, self, masks.ctypes.data)
        return masks

    def legal(self, role: str) -> NDArray[np.bool_]:
        """The legal moves of *role* [n, moves], in the order of ``circuit.moves``."""
        if role not in self.roles:
            raise UsageError(f"no role {role}", hint=f"the roles are {', '.join(self.roles)}")
        number = self.roles.index(role)
        return truth_of(self.legal_masks[:, number], len(self.circuit.moves[number]))

    @property
    def states(self) -> NDArray[np.uint64]:
        """The packed states [n, words], as `CompiledGame` takes them."""
        states = np.empty((self.count, self._call.header.words), np.uint64)
        self._call(drive.batch_pack, self, states.ctypes.data)
        return states

    def random_moves(self, seed: int) -> NDArray[np.int32]:
        """For every match and role a uniformly random legal move, as an index [n, roles]; -1 where there is none."""
        moves = np.empty((self.count, len(self.roles)), np.int32)
        folded = seed & 0xFFFF_FFFF_FFFF_FFFF
        self._call(drive.batch_choose, self, folded - (folded >> 63 << 64), moves.ctypes.data)
        return moves

    # going on

    def step(self, moves: ArrayLike) -> None:
        """Make the moves [n, roles], indices into ``circuit.moves``, in all matches that are not over.

        A match with the move -1 stands still. An illegal move is refused, before anything has changed.
        """
        given = np.ascontiguousarray(moves, np.int32)
        if given.shape != (self.count, len(self.roles)):
            raise UsageError(
                f"moves are an array of {self.count} by {len(self.roles)} indices, not {given.shape}"
            )
        wrong = self._call(drive.batch_check, self, given.ctypes.data)
        if wrong >= 0:
            raise self._illegal(wrong, given[wrong])
        self._call(drive.batch_step, self, given.ctypes.data)

    def step_random(self, seed: int) -> None:
        """One uniformly random legal joint move in every match that is not over, the same for the same seed."""
        moves = self.random_moves(seed)
        self._call(drive.batch_step, self, moves.ctypes.data)

    def reset(self, which: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Begin anew the matches *which*, by default those that are over; which they were."""
        chosen = self.terminal if which is None else np.ascontiguousarray(which, np.bool_)
        if chosen.shape != (self.count,):
            raise UsageError(f"*which* is one bool for each of {self.count} matches")
        initial = packed_truth(self.circuit.initial, self._call.header.words)
        self._call(drive.batch_reset, self, chosen.ctypes.data, initial.ctypes.data)
        return chosen

    def put(self, states: NDArray[np.uint64]) -> None:
        """Let the matches go on from packed states [n, words]."""
        if states.shape != (self.count, self._call.header.words) or states.dtype != np.uint64:
            raise UsageError(f"states are uint64 of {self.count} by {self._call.header.words} words")
        self._load(np.ascontiguousarray(states))

    # others like this one

    def copy(self) -> Batch:
        """The same matches once more."""
        other = self._like(self.count)
        other.blocks[:] = self.blocks
        return other

    def select(self, which: ArrayLike) -> Batch:
        """A batch of the matches *which*: indices, which may repeat, or one bool for each match."""
        states = self.states[np.asarray(which)]
        other = self._like(len(states))
        other._load(np.ascontiguousarray(states))
        return other

    def _like(self, n: int) -> Batch:
        other = object.__new__(type(self))
        other._call = self._call
        other._begin(n, self.threads)
        return other

    def _load(self, states: NDArray[np.uint64]) -> None:
        self._call(drive.batch_load, self, states.ctypes.data)

    def _illegal(self, match: int, moves: NDArray[np.int32]) -> IllegalMove:
        """The refusal of *moves* in *match*: whose move it is that is not legal, and what is."""
        there = self.select([match])
        for role, own, number in zip(self.roles, self.circuit.moves, moves.tolist(), strict=True):
            legal = [str(own[index]) for index in np.flatnonzero(there.legal(role)[0])]
            move = str(own[number]) if 0 <= number < len(own) else f"move number {number}"
            if move not in legal:
                some = ", ".join(legal[:SHOWN]) + (", ..." if len(legal) > SHOWN else "")
                return IllegalMove(f"match {match}: {move} is not legal for {role}", hint=f"legal: {some}")
        return IllegalMove(f"match {match}: these moves are not legal together")
