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
from stratagem.engine.proof.arena import Question, enlarge, images_of, new_arena, require_fit
from stratagem.engine.proof.df_pn_kernel import DfPnFrame, DfPnSearch
from stratagem.engine.proof.table import GrowingTable
from stratagem.engine.stop_flag import watched
from stratagem.kernels import record_rows
from stratagem.native.jit.kernel_families import compiled_family

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
        self.table = GrowingTable(compiled.words, memory=memory, extra=1)
        self.question = Question()
        self.stop = np.zeros(1, np.int64)
        arena = new_arena(compiled, images_of(compiled.circuit.bases, exchanges, compiled.words))
        self.search = DfPnSearch(
            arena=arena,
            **_rows_of(arena.rows),
            frames=record_rows(DfPnFrame, kernel.DEEPEST + 1),
            line=np.empty(kernel.DEEPEST + 1, np.uint64),
            table=self.table.record,
            question=self.question,
            stop=self.stop,
        )
        self.df_pn = compiled_family(kernel.KERNELS)[kernel.df_pn]

    @property
    def nodes(self) -> int:
        return self.search.arena.nodes

    @property
    def children(self) -> int:
        return self.search.arena.children

    @property
    def total(self) -> int | None:
        """What the goals of both roles add up to at the ends met; None where there was none."""
        total = int(self.search.arena.total)
        return total if total >= 0 else None

    @property
    def states_known(self) -> int:
        """How many states the table holds, once for every question about them."""
        return self.table.states

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

        A refutation counts only where no repetition and no end without a goal was met on the way to it. Raises
        `UnsuitableGame` where the search finds that the roles do not take turns, or that the game is not zero-sum.
        """
        values = sorted({value for value, _ in self.compiled.circuit.goals[0]})
        tag = 1 + 2 * values.index(bound) + at_least
        self.question.put(attacker=0 if at_least else 1, at_least=at_least, bound=bound, tag=tag)
        search, arena = self.search, self.search.arena
        search.repeated = arena.worthless = 0
        search.place = -1
        with watched(self.stop, deadline, stop):
            while True:
                search.node_limit = self.table.node_limit(self.nodes)
                arena.states.numpy[0] = state
                answer = self.df_pn(search)
                if answer == kernel.ARENA_FULL:
                    enlarge(arena)
                    search.put(**_rows_of(arena.rows))
                elif answer != kernel.LIMIT:
                    break
        require_fit([arena])
        sound = not search.repeated and not arena.worthless
        proved = True if answer == kernel.PROVED else False if answer == kernel.REFUTED and sound else None
        return DfPnAnswer(proved, search.proofs[0], search.disproofs[0], search.place)


def _rows_of(rows: int) -> dict[str, object]:
    """What a search keeps for every row of its arena."""
    return {"proofs": np.ones(rows, np.int64), "disproofs": np.ones(rows, np.int64)}


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
