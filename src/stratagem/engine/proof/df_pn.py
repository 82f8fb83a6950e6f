"""Depth-first proof-number search: proofs that follow the narrowest line, however deep.

Where one side can keep the other's choice small (threats, forced replies), it comes to a proof long before a search
that deepens evenly. It says nothing about distances. `search/adversarial/proof_number.py` is the algorithm as taught.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.proof import df_pn_kernel as kernel
from stratagem.engine.proof.prover import UNLIMITED, Arena
from stratagem.engine.proof.table import FIRST_ROWS, fitting, images_of, rows_in
from stratagem.engine.stop_flag import watched

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from stratagem.gdl.terms import Term
    from stratagem.native.compiled import CompiledGame


@dataclass(frozen=True, slots=True)
class DfPnAnswer:
    """The answer to one question. *proved* is None where it is open; *place* is the number of the child on the way."""

    proved: bool | None
    proof_number: int
    disproof_number: int
    place: int


class ProofNumbers:
    """Searches one game of two roles with one table, which grows with the search up to *memory* bytes."""

    def __init__(
        self,
        compiled: CompiledGame,
        *,
        memory: int = 256 << 20,
        exchanges: Sequence[Mapping[Term, Term]] = (),
    ) -> None:
        self.compiled = compiled
        words = compiled.words
        self.rows_at_most = rows_in(memory, words + 2)
        self.table: NDArray[np.uint64] = np.zeros((min(FIRST_ROWS, self.rows_at_most), words + 2), np.uint64)
        self.images = images_of(compiled.circuit.bases, exchanges, words)
        self.counters = np.zeros(4, np.int64)
        self.stop = np.zeros(1, np.int64)
        self._make_room(1 << 14)

    def _make_room(self, rows: int) -> None:
        self.arena = Arena(self.compiled, rows)
        self.proofs = np.ones(rows, np.int64)
        self.disproofs = np.ones(rows, np.int64)

    def _limit(self) -> int:
        """Nodes up to which the table need not grow, which it does here: it is at most half full."""
        self.table = fitting(self.table, self.compiled.words, self.nodes, self.rows_at_most)
        return UNLIMITED if len(self.table) == self.rows_at_most else len(self.table) // 2

    @property
    def nodes(self) -> int:
        return int(self.counters[kernel.NODES])

    @property
    def children(self) -> int:
        return int(self.counters[kernel.CHILDREN])

    @property
    def states_known(self) -> int:
        """How many states the table holds, once for every question about them."""
        return int(np.count_nonzero(self.table[:, -1]))

    def ask(
        self,
        state: NDArray[np.uint64],
        bound: int,
        *,
        at_least: bool,
        deadline: float = np.inf,
        stop: Callable[[], bool] | None = None,
    ) -> DfPnAnswer:
        """Whether the first role forces at least *bound* for itself, or the second at most *bound* for the first.

        A refutation counts only where no repetition and no end without a goal was met on the way to it.
        """
        values = sorted({value for value, _ in self.compiled.circuit.goals[0]})
        tag = 1 + 2 * values.index(bound) + at_least
        self.counters[kernel.REPEATED] = self.counters[kernel.WORTHLESS] = 0
        line = np.full(1, -1, np.int64)
        with watched(self.stop, deadline, stop):
            while True:
                arena, limit = self.arena, self._limit()
                arena.states[0] = state
                answer = kernel.search(
                    self.compiled.expand_address,
                    *arena.rows,
                    self.proofs,
                    self.disproofs,
                    0 if at_least else 1,
                    at_least,
                    0,
                    bound,
                    np.uint8(tag),
                    self.table,
                    self.images,
                    self.counters,
                    self.stop,
                    limit,
                    line,
                )
                if answer == kernel.ARENA_FULL:
                    self._make_room(2 * len(arena))
                elif answer != kernel.LIMIT:
                    break
        sound = not self.counters[kernel.REPEATED] and not self.counters[kernel.WORTHLESS]
        proved = True if answer == kernel.PROVED else False if answer == kernel.REFUTED and sound else None
        return DfPnAnswer(proved, int(self.proofs[0]), int(self.disproofs[0]), int(line[0]))


@dataclass(frozen=True, slots=True)
class DfPnBounds:
    """The bounds that proof-number search has proved, and the children behind them (-1: unknown)."""

    low: int
    high: int
    low_place: int
    high_place: int
    nodes: int


def bounds_of(
    numbers: ProofNumbers,
    state: NDArray[np.uint64],
    *,
    seconds: float = np.inf,
    progress: Callable[[DfPnBounds], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> DfPnBounds:
    """What the first role gets from *state*: the values are halved by questions until both bounds meet."""
    deadline = time.monotonic() + seconds
    values = sorted({value for value, _ in numbers.compiled.circuit.goals[0]}) or [0]
    low, high, low_place, high_place = 0, len(values) - 1, -1, -1
    while low < high:
        middle = (low + high + 1) // 2
        before = low, high
        attempt = numbers.ask(state, values[middle], at_least=True, deadline=deadline, stop=stop)
        if attempt.proved:
            low, low_place = middle, attempt.place
        else:
            # Asked again from the other side, for its strategy or because a repetition was in the way.
            attempt = numbers.ask(state, values[middle - 1], at_least=False, deadline=deadline, stop=stop)
            if attempt.proved:
                high, high_place = middle - 1, attempt.place
        if progress is not None:
            progress(DfPnBounds(values[low], values[high], low_place, high_place, numbers.nodes))
        if (low, high) == before:
            break
    return DfPnBounds(values[low], values[high], low_place, high_place, numbers.nodes)
