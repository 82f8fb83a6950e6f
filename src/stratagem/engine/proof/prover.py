"""The prover: can this role force at least so much within so many moves, can the others hold it to at most that?

Each is a search with an empty window (MTD's question) in a table that keeps both bounds; several threads may share the
table. `prove_value` asks the questions that lead to a value.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.proof import kernel
from stratagem.engine.proof.arena import Question, enlarge, images_of, new_arena, require_fit
from stratagem.engine.proof.kernel import ProofFrame, ProofSearch
from stratagem.engine.proof.table import UNLIMITED, GrowingTable
from stratagem.engine.stop_flag import watched
from stratagem.kernels import record_rows
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl.terms import Term
    from stratagem.native.compiled import CompiledGame

DEEPEST = 4000
ALONE = 50_000
"""Nodes that one thread looks at before it asks for help."""


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
        self.table = GrowingTable(compiled.words, memory=memory)
        self.history = np.zeros((2, 1 << kernel.HISTORY_BITS), np.int32)
        self.question = Question()
        self.stop = np.zeros(1, np.int64)
        images = images_of(compiled.circuit.bases, exchanges, compiled.words)
        self.searches = [self._search(thread, images) for thread in range(max(1, threads))]
        self.prove = compiled_family(kernel.KERNELS)[kernel.prove]

    def _search(self, thread: int, images: NDArray[np.uint64]) -> ProofSearch:
        arena = new_arena(self.compiled, images)
        return ProofSearch(
            arena=arena,
            **_rows_of(arena.rows),
            frames=record_rows(ProofFrame, DEEPEST + 2),
            table=self.table.record,
            history=self.history,
            question=self.question,
            stop=self.stop,
            noise=2 * thread * 0x5851F42D4C957F2D % (1 << 62) | (1 if thread else 0),
        )

    @property
    def nodes(self) -> int:
        return sum(search.arena.nodes for search in self.searches)

    @property
    def children(self) -> int:
        return sum(search.arena.children for search in self.searches)

    @property
    def states(self) -> int:
        """How many states the table holds, counted once for every question about them."""
        return self.table.states

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
        the answer is LIMIT; the table keeps what was found. Raises `UnsuitableGame` where the search finds that the roles do
        not take turns, or that what one gains the other does not lose.
        """
        roles = len(self.compiled.roles)
        attacker = role if at_least else _other(role, roles)
        if role != self.question.goal_role:
            self.table.clear()
        tag = 1 + 2 * self.values(role).index(bound) + at_least
        self.question.put(attacker=attacker, at_least=at_least, goal_role=role, bound=bound, tag=tag)
        for search in self.searches:
            search.depth = min(depth, DEEPEST)
        alone = len(self.searches) == 1
        done = 0
        with watched(self.stop, deadline, stop) as asked:
            while True:
                share = min(nodes - done, self.table.node_limit(self.nodes) - self.nodes)
                if alone or done < ALONE:
                    share = share if alone else min(share, ALONE - done)
                    answer, place = self._ask(self.searches[0], state, share)
                else:
                    answer, place = self._ask_together(state, share)
                    self.stop[0] = 0  # the threads that were too late have raised it
                    if asked.is_set():
                        self.stop[0] = 1
                require_fit(search.arena for search in self.searches)
                done += share
                if answer != kernel.LIMIT or done >= nodes:
                    return answer, place

    def _ask(self, search: ProofSearch, state: NDArray[np.uint64], nodes: int) -> tuple[int, int]:
        search.node_limit = search.arena.nodes + nodes
        while True:
            search.arena.states.numpy[0] = state
            answer = self.prove(search)
            if answer != kernel.ARENA_FULL:
                return answer, search.frames[0].chosen
            enlarge(search.arena)
            search.put(**_rows_of(search.arena.rows))

    def _ask_together(self, state: NDArray[np.uint64], nodes: int) -> tuple[int, int]:
        """All threads ask the same question of one table; the first answer counts."""
        answers: list[tuple[int, int]] = []
        share = nodes // len(self.searches)

        def work(search: ProofSearch) -> None:
            found = self._ask(search, state, share)
            if found[0] != kernel.STOPPED:
                answers.append(found)
                self.stop[0] = 1

        threads = [threading.Thread(target=work, args=(search,)) for search in self.searches[1:]]
        for thread in threads:
            thread.start()
        try:
            work(self.searches[0])
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
    def total(self) -> int | None:
        """What the goals of both roles add up to at the ends met; None where there was none."""
        return next((search.arena.total for search in self.searches if search.arena.total >= 0), None)

    @property
    def every_end_has_a_goal(self) -> bool:
        """Whether that was so for all ends met, and no state was met in which somebody cannot move."""
        return not any(search.arena.worthless for search in self.searches)


def _other(role: int, roles: int) -> int:
    """The opponent of *role* in a game of two; for one player the role itself."""
    return 1 - role if roles == 2 else role


def _rows_of(rows: int) -> dict[str, object]:
    """What a search keeps for every row of its arena."""
    return {
        "order": np.empty(rows, np.int32),
        "scores": np.empty(rows, np.int64),
        "knowns": np.empty(rows, np.uint64),
        "child_first": np.empty(rows, np.int64),
        "child_count": np.empty(rows, np.int64),
    }
