"""Proofs by search: what a role can force, how soon, and against everybody else.

For each value v that a goal can have there are two questions: can MAX force at least v, can the others hold it to at
most v. Each is a search with an empty window (MTD's question, asked of a table that keeps both bounds), deepened
until both bounds meet or the budget is out. Depth by depth the first proof is also the shortest: the distance.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine import prove_kernel as kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.expand import Expander

DEEPEST = 4000
WATCH_SECONDS = 0.02
"""How often a running search looks whether it should stop."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is proved about a state for one role: at least *low*, at most *high*.

    *low_depth* and *high_depth* are the moves within which it is forced; *best* is a child that keeps *low* where the role
    moves. *complete*: nothing more can be proved (the rest is endless play).
    """

    low: int
    high: int
    low_depth: int
    high_depth: int
    complete: bool
    nodes: int
    children: int
    depth: int
    seconds: float


class Prover:
    """Searches one game with one table. Not for several threads at once."""

    def __init__(self, expander: Expander, *, memory: int = 256 << 20) -> None:
        self.expander = expander
        entry = 8 * expander.words + 1 + 2 + 2 + 4 + 4
        slots = 1 << max(10, (max(memory, 1 << 16) // entry).bit_length() - 1)
        self.keys: NDArray[np.uint64] = np.zeros((slots, expander.words), np.uint64)
        self.tags = np.zeros(slots, np.uint8)
        self.proved = np.zeros(slots, np.int16)
        self.refuted = np.zeros(slots, np.int16)
        self.effort = np.zeros(slots, np.int32)
        self.best = np.zeros(slots, np.int32)
        self.history = np.zeros(1 << 15, np.int64)
        self.counters = np.zeros(5, np.int64)
        self.stop = np.zeros(1, np.int64)
        self._arena(1 << 14)

    def _arena(self, rows: int) -> None:
        roles = len(self.expander.roles)
        self.arena: NDArray[np.uint64] = np.empty((rows, self.expander.words), np.uint64)
        self.parents = np.empty(rows, np.int32)
        self.moves = np.empty((rows, roles), np.int32)
        self.terminal = np.empty(rows, np.bool_)
        self.goals = np.empty((rows, roles), np.int16)

    def force(
        self,
        state: NDArray[np.uint64],
        role: int,
        bound: int,
        *,
        at_least: bool,
        depth: int,
        deadline: float = np.inf,
        stop: Callable[[], bool] | None = None,
    ) -> tuple[int, int]:
        """Whether *role* forces its goal to be at least *bound* (the others: at most) within *depth* moves.

        The answer (see prove_kernel.py) and the number of the first child on the way, -1 if unknown.
        """
        roles = len(self.expander.roles)
        attacker = role if at_least else _other(role, roles)
        tag = 1 + (2 * self._value_number(role, bound) + at_least) * roles + role
        line = np.full(1, -1, np.int64)
        with self._watched(deadline, stop):
            while True:
                self.arena[0] = state
                answer = kernel.prove(
                    self.expander.expand_address,
                    self.arena,
                    self.parents,
                    self.moves,
                    self.terminal,
                    self.goals,
                    min(depth, DEEPEST),
                    attacker,
                    at_least,
                    role,
                    bound,
                    np.uint8(tag),
                    self.keys,
                    self.tags,
                    self.proved,
                    self.refuted,
                    self.effort,
                    self.best,
                    self.history,
                    self.counters,
                    self.stop,
                    np.int64(1) << 60,
                    line,
                )
                if answer != kernel.ARENA_FULL:
                    return int(answer), int(line[0])
                self._arena(2 * len(self.arena))

    @contextmanager
    def _watched(self, deadline: float, stop: Callable[[], bool] | None) -> Iterator[None]:
        """While this lasts, the kernel is told to stop at the deadline or when *stop* says so."""
        self.stop[0] = 0
        if deadline == np.inf and stop is None:
            yield
            return
        done = threading.Event()

        def watch() -> None:
            while not done.wait(min(WATCH_SECONDS, max(0.0, deadline - time.monotonic()))):
                if time.monotonic() >= deadline or (stop is not None and stop()):
                    self.stop[0] = 1
                    return

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _value_number(self, role: int, bound: int) -> int:
        values = sorted({value for value, _ in self.expander.circuit.goals[role]})
        return values.index(bound)

    def solve(
        self,
        state: NDArray[np.uint64],
        role: int,
        *,
        seconds: float = np.inf,
        deepest: int = DEEPEST,
        exact_distance: bool = True,
        progress: Callable[[Bounds], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Bounds:
        """What *role* gets from *state* with best play of all, as far as *seconds* allow."""
        begin = time.monotonic()
        values = sorted({value for value, _ in self.expander.circuit.goals[role] if 0 <= value <= 32000})
        low, high, low_depth, high_depth = 0, len(values) - 1, 0, 0
        never_low = never_high = False
        complete = low == high
        depth = 0
        while low < high and depth < deepest and not complete:
            depth = depth + 1 if exact_distance or depth < 8 else depth + max(1, depth // 3)
            complete = True
            stopped = False
            for at_least in (True, False):
                while low < high and not (never_low if at_least else never_high):
                    goal = low + 1 if at_least else high - 1
                    answer, _ = self.force(
                        state,
                        role,
                        values[goal],
                        at_least=at_least,
                        depth=depth,
                        deadline=begin + seconds,
                        stop=stop,
                    )
                    if answer == kernel.STOPPED:
                        stopped = True
                        break
                    if answer >= 0 and at_least:
                        low, low_depth = goal, answer
                    elif answer >= 0:
                        high, high_depth = goal, answer
                    elif answer == kernel.NEVER:
                        never_low, never_high = never_low or at_least, never_high or not at_least
                    else:
                        complete = False
                        break
                if stopped:
                    break
            bounds = self._bounds(
                values, low, high, low_depth, high_depth, complete and not stopped, depth, begin
            )
            if progress is not None:
                progress(bounds)
            if stopped or (stop is not None and stop()):
                return bounds
        return self._bounds(values, low, high, low_depth, high_depth, True, depth, begin)

    def _bounds(
        self,
        values: list[int],
        low: int,
        high: int,
        low_depth: int,
        high_depth: int,
        complete: bool,
        depth: int,
        begin: float,
    ) -> Bounds:
        return Bounds(
            values[low] if values else 0,
            values[high] if values else 100,
            low_depth,
            high_depth,
            complete or low == high,
            int(self.counters[kernel.NODES]),
            int(self.counters[kernel.CHILDREN]),
            depth,
            time.monotonic() - begin,
        )


def _other(role: int, roles: int) -> int:
    """Whoever plays against *role* in a game of two; alone, nobody does (a role number that no move column has)."""
    return 1 - role if roles == 2 else role
