"""The prover: can this role force at least so much within so many moves, can the others hold it to at most that?

Each is a search with an empty window (MTD's question) in a table that keeps both bounds; several threads may share the
table. `prove_value` asks the questions that lead to a value.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stratagem.engine.proof import kernel
from stratagem.engine.proof.table import FIRST_ROWS, fitting, images_of, rows_in
from stratagem.engine.stop_flag import watched

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl.terms import Term
    from stratagem.native.compiled import CompiledGame

DEEPEST = 4000
UNLIMITED = 1 << 60
ALONE = 50_000
"""Nodes that one thread looks at before it asks for help."""


class Arena:
    """The memory of one thread: children of the states on its line, and what it has counted."""

    def __init__(self, compiled: CompiledGame, rows: int = 1 << 14) -> None:
        roles, words = len(compiled.roles), compiled.words
        self.states: NDArray[np.uint64] = np.empty((rows, words), np.uint64)
        self.keys: NDArray[np.uint64] = np.empty((rows, words), np.uint64)
        self.hashes: NDArray[np.uint64] = np.empty(rows, np.uint64)
        self.parents = np.empty(rows, np.int32)
        self.moves = np.empty((rows, roles), np.int32)
        self.terminal = np.empty(rows, np.bool_)
        self.goals = np.empty((rows, roles), np.int16)
        self.order = np.empty(rows, np.int32)
        self.scores = np.empty(rows, np.int64)
        self.knowns: NDArray[np.uint64] = np.empty(rows, np.uint64)
        self.child_first = np.empty(rows, np.int64)
        self.child_count = np.empty(rows, np.int64)
        self.line = np.full(1, -1, np.int64)
        self.counters = np.zeros(6, np.int64)

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def rows(self) -> tuple[NDArray[Any], ...]:
        """What every kernel that expands into the arena takes first."""
        return self.states, self.keys, self.hashes, self.parents, self.moves, self.terminal, self.goals


class Prover:
    """Searches one game with one table. One question at a time; several threads may work on it.

    The table begins small and grows with the search up to *memory* bytes: memory that is never used costs nothing.
    """

    def __init__(
        self,
        compiled: CompiledGame,
        *,
        memory: int = 256 << 20,
        threads: int = 1,
        exchanges: Sequence[Mapping[Term, Term]] = (),
    ) -> None:
        """*exchanges* are proved symmetries of the rules (machines/symmetry.py)."""
        self.compiled = compiled
        self.rows_at_most = rows_in(memory, compiled.words + 1)
        self.table = np.zeros((min(FIRST_ROWS, self.rows_at_most), compiled.words + 1), np.uint64)
        self.images = images_of(compiled.circuit.bases, exchanges, compiled.words)
        self.history = np.zeros((2, 1 << kernel.HISTORY_BITS), np.int32)
        self.stop = np.zeros(1, np.int64)
        self.role = 0
        self.arenas = [Arena(compiled) for _ in range(max(1, threads))]

    @property
    def nodes(self) -> int:
        return sum(int(arena.counters[kernel.NODES]) for arena in self.arenas)

    @property
    def children(self) -> int:
        return sum(int(arena.counters[kernel.CHILDREN]) for arena in self.arenas)

    @property
    def states(self) -> int:
        """How many states the table holds, counted once for every question about them."""
        return int(np.count_nonzero(self.table[:, -1]))

    def force(
        self,
        state: NDArray[np.uint64],
        role: int,
        bound: int,
        *,
        at_least: bool,
        depth: int,
        nodes: int = UNLIMITED,
        deadline: float = np.inf,
        stop: Callable[[], bool] | None = None,
    ) -> tuple[int, int]:
        """Whether *role* forces its goal to be at least *bound* (the others: at most) within *depth* moves.

        The answer (see proof/kernel.py) and the number of the first child on the way, -1 if unknown. After *nodes* nodes
        the answer is LIMIT; the table keeps what was found.
        """
        roles = len(self.compiled.roles)
        attacker = role if at_least else _other(role, roles)
        if role != self.role:
            self.table[:] = 0
            self.role = role
        tag = 1 + 2 * self.values(role).index(bound) + at_least
        question = (min(depth, DEEPEST), attacker, at_least, role, bound, np.uint8(tag))
        done = 0
        with watched(self.stop, deadline, stop) as asked:
            while True:
                share = min(nodes - done, self._room())
                if len(self.arenas) == 1 or done < ALONE:
                    share = share if len(self.arenas) == 1 else min(share, ALONE - done)
                    answer, place = self._ask(0, state, question, share)
                else:
                    answer, place = self._ask_together(state, question, share)
                    self.stop[0] = 0  # the threads that were too late have raised it
                    if asked.is_set():
                        self.stop[0] = 1
                done += share
                if answer != kernel.LIMIT or done >= nodes:
                    return answer, place

    def _room(self) -> int:
        """Nodes that may be searched before the table must grow, which it does here: it is at most half full."""
        self.table = fitting(self.table, self.compiled.words, self.nodes, self.rows_at_most)
        return UNLIMITED if len(self.table) == self.rows_at_most else len(self.table) // 2 - self.nodes

    def _ask(
        self, thread: int, state: NDArray[np.uint64], question: tuple[Any, ...], nodes: int
    ) -> tuple[int, int]:
        limit = self.arenas[thread].counters[kernel.NODES] + nodes
        while True:
            arena = self.arenas[thread]
            arena.states[0] = state
            arena.line[0] = -1
            answer = kernel.prove(
                self.compiled.expand_address,
                *arena.rows,
                arena.order,
                arena.scores,
                arena.knowns,
                arena.child_first,
                arena.child_count,
                *question,
                self.table,
                self.images,
                self.history,
                np.int64(2 * thread * 0x5851F42D4C957F2D % (1 << 62)) | (1 if thread else 0),
                arena.counters,
                self.stop,
                np.int64(limit),
                arena.line,
            )
            if answer != kernel.ARENA_FULL:
                return int(answer), int(arena.line[0])
            self.arenas[thread] = Arena(self.compiled, 2 * len(arena))
            self.arenas[thread].counters[:] = arena.counters

    def _ask_together(
        self, state: NDArray[np.uint64], question: tuple[Any, ...], nodes: int
    ) -> tuple[int, int]:
        """All threads ask the same question of one table; the first answer counts."""
        answers: list[tuple[int, int]] = []
        share = nodes // len(self.arenas)

        def work(thread: int) -> None:
            found = self._ask(thread, state, question, share)
            if found[0] != kernel.STOPPED:
                answers.append(found)
                self.stop[0] = 1

        threads = [threading.Thread(target=work, args=(number,)) for number in range(1, len(self.arenas))]
        for thread in threads:
            thread.start()
        try:
            work(0)
        finally:
            self.stop[0] = 1
            for thread in threads:
                thread.join()
        definite = [found for found in answers if found[0] != kernel.LIMIT]
        return (definite or answers or [(kernel.STOPPED, -1)])[0]

    def values(self, role: int) -> list[int]:
        """The goals that the rules can give a role, least first."""
        return sorted({value for value, _ in self.compiled.circuit.goals[role] if 0 <= value <= 100})

    @property
    def every_end_has_a_goal(self) -> bool:
        """Whether that was so for all ends met."""
        return not any(int(arena.counters[kernel.WORTHLESS]) for arena in self.arenas)


def _other(role: int, roles: int) -> int:
    """The opponent of *role* in a game of two; for one player the role itself."""
    return 1 - role if roles == 2 else role
