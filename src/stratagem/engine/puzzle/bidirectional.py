"""Bidirectional search at full speed: layers of packed states from the start, layers from the goals, until they meet.

Forward, a layer is one native call after another; backward, clingo's solver turns the rules round, a state at a time
(ground/solving/predecessors.py), which is a thousand times slower. So the side whose next layer will probably take less time
goes on: a few layers from the goals spare the widest layers from the start. The first meeting is a shortest way, since
all states within both distances are known.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.puzzle.breadth_first import Parents, Way, refuse_others
from stratagem.engine.space.explore import BLOCK
from stratagem.engine.states.state_set import StateSet
from stratagem.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.ground.solving.predecessors import Predecessors
    from stratagem.native.expand import Expander

GOALS = 20_000
"""Ends worth the threshold; more than that are no place to start from."""


class Side:
    """What is known from one end: states in the order of their distance, and how each was come by."""

    def __init__(self, expander: Expander, states: NDArray[np.uint64]) -> None:
        self.known = StateSet(expander.words)
        self.known.add(states)
        self.kept = Parents(len(expander.roles))
        self.kept.keep(
            0, np.full(self.known.used, -1), np.zeros((self.known.used, len(expander.roles)), np.int32)
        )
        self.layers = [0, self.known.used]
        self.seconds = 0.0

    @property
    def width(self) -> int:
        """How many states the outermost layer has."""
        return self.layers[-1] - self.layers[-2]

    @property
    def distance(self) -> int:
        return len(self.layers) - 2

    def next_seconds(self) -> float:
        """A guess at what the next layer takes."""
        before = self.layers[-2] - self.layers[-3] if len(self.layers) > 2 else 1
        return self.seconds * max(1.0, self.width / max(1, before))

    def add(
        self, states: NDArray[np.uint64], origins: NDArray[np.int64], moves: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Puts *states* in; where in the arguments the new ones lie."""
        first = self.known.used
        numbers = self.known.add(np.ascontiguousarray(states))
        fresh = np.flatnonzero(numbers >= first)
        _, places = np.unique(numbers[fresh], return_index=True)
        chosen = fresh[places]
        self.kept.keep(first, origins[chosen], moves[chosen])
        return chosen

    def distance_of(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(np.array(self.layers[1:]), numbers, side="right")

    def way(self, number: int) -> list[tuple[int, ...]]:
        """The joint moves between a state and this side's end of the way, from the state on."""
        found: list[tuple[int, ...]] = []
        while self.kept.parents[number] >= 0:
            found.append(tuple(int(move) for move in self.kept.moves[number]))
            number = int(self.kept.parents[number])
        return found


class OutOfBudget(Exception):
    """Time or memory is used up, or the user says stop."""


def both_ways(
    expander: Expander,
    before: Predecessors,
    start: NDArray[np.uint64],
    *,
    threshold: int = 100,
    seconds: float = np.inf,
    memory: int = 4 << 30,
    progress: Callable[[int, int], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Way:
    """The shortest way from *start*, which is no end, to an end worth at least *threshold*; one player only."""
    search = _Search(expander, before, start, threshold, time.monotonic() + seconds, memory, progress, stop)
    return search.run()


class _Search:
    def __init__(
        self,
        expander: Expander,
        before: Predecessors,
        start: NDArray[np.uint64],
        threshold: int,
        deadline: float,
        memory: int,
        progress: Callable[[int, int], None] | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        self.expander, self.before, self.threshold = expander, before, threshold
        self.begin, self.deadline, self.memory = time.monotonic(), deadline, memory
        self.progress, self.stop = progress, stop
        self.ends: set[int] = set()
        self.expanded = 0
        self.forward = Side(expander, np.ascontiguousarray(start.reshape(1, -1)))
        self.backward = Side(expander, self._goals())
        self.places = [{move: place for place, move in enumerate(moves)} for moves in expander.circuit.moves]

    def _goals(self) -> NDArray[np.uint64]:
        from stratagem.ground.solving.predecessors import goal_states

        found = goal_states(
            self.before.program,
            self.expander.roles[0],
            threshold=self.threshold,
            groups=self.before.groups,
            limit=GOALS,
        )
        packed = [one for one in map(self._packed, found) if one is not None]
        return np.array(packed, np.uint64).reshape(-1, self.expander.words)

    def _packed(self, facts: frozenset[object]) -> NDArray[np.uint64] | None:
        try:
            return self.expander.pack(facts)  # type: ignore[arg-type]
        except UsageError:
            return None  # the machine knows that no match comes to it

    def run(self) -> Way:
        way: tuple[tuple[int, ...], ...] | None = None
        done = False
        try:
            while way is None and self.forward.width and self.backward.width:
                side = min((self.forward, self.backward), key=Side.next_seconds)
                since = time.monotonic()
                if side is self.forward:
                    self._layer_forward()
                else:
                    self._layer_backward()
                side.seconds = time.monotonic() - since
                way = self._meeting(side)
            done = True
        except OutOfBudget:
            pass
        distance = self.forward.distance + self.backward.distance
        return Way(
            None if way is None else self.threshold,
            way or (),
            done,
            self.forward.known.used + self.backward.known.used,
            self.expanded,
            tuple(np.diff(self.forward.layers).tolist()),
            distance + 1 if way is None else len(way),
            time.monotonic() - self.begin,
        )

    def _check(self) -> None:
        if self.progress is not None:
            self.progress(self.forward.known.used, self.backward.known.used)
        used = self.forward.known.bytes + self.backward.known.bytes + self.forward.kept.bytes
        if time.monotonic() > self.deadline or used > self.memory or (self.stop is not None and self.stop()):
            raise OutOfBudget

    def _layer_forward(self) -> None:
        side = self.forward
        first, last = side.layers[-2:]
        for begin in range(first, last, BLOCK):
            self._check()
            numbers = np.arange(begin, min(begin + BLOCK, last))
            alive = numbers[~self.expander.evaluate(side.known.pool[numbers]).terminal]
            made = self.expander.expand(np.ascontiguousarray(side.known.pool[alive]))
            refuse_others(made.moves, made.parents, 0)
            self.expanded += len(alive)
            side.add(made.states, alive[made.parents], made.moves)
        side.layers.append(side.known.used)

    def _layer_backward(self) -> None:
        side = self.backward
        first, last = side.layers[-2:]
        for number in range(first, last):
            self._check()
            states, moves = [], []
            for joint, facts in self.before.of(self.expander.unpack(side.known.pool[number])):
                packed = self._packed(facts)
                if packed is not None and all(
                    move in places for move, places in zip(joint, self.places, strict=True)
                ):
                    states.append(packed)
                    moves.append([places[move] for move, places in zip(joint, self.places, strict=True)])
            self.expanded += 1
            if states:
                block = np.array(states, np.uint64)
                going_on = ~self.expander.evaluate(block).terminal
                side.add(
                    block[going_on],
                    np.full(int(going_on.sum()), number),
                    np.array(moves, np.int32)[going_on],
                )
        side.layers.append(side.known.used)

    def _meeting(self, side: Side) -> tuple[tuple[int, ...], ...] | None:
        """The shortest way through a state of the new layer that the other side knows."""
        other = self.backward if side is self.forward else self.forward
        first, last = side.layers[-2:]
        numbers = other.known.find(side.known.pool[first:last])
        met = np.flatnonzero(numbers >= 0)
        if not len(met):
            return None
        best = met[int(np.argmin(other.distance_of(numbers[met])))]
        here, there = first + int(best), int(numbers[best])
        front, back = (here, there) if side is self.forward else (there, here)
        return tuple(reversed(self.forward.way(front))) + tuple(self.backward.way(back))
