"""Bidirectional search over packed states: layers from the start and layers from the goals, until they meet.

Predecessors of a state can be had in two ways:

    by the solver     clingo turns the rules round, a state at a time (ground/solving/predecessors.py): exact, and a thousand
                      times slower than a step forward, so that a few layers from the goals spare the widest from the start
    by undoing        where every move has one that undoes it (sliding tiles, turning cubes, switching lights), what leads to
                      a state is what it leads to: b^(d/2) states on each side instead of b^d, at full speed

Whether moves can be undone is not known beforehand: the path found by undoing is replayed forward, and dropped where a
step cannot be made. The side whose next layer is cheaper goes on. All states within both distances are known, so the
first meeting is a shortest path.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.puzzle.breadth_first import PUZZLE_LIMIT, PathResult
from stratagem.engine.states.child_buffer import ChildBuffer
from stratagem.engine.states.frontier import BLOCK, Frontier
from stratagem.errors import LimitExceeded, UsageError
from stratagem.limit import Limit, Started
from stratagem.native.compiled import Children

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl_game import GdlGame
    from stratagem.ground.solving.predecessors import Predecessors
    from stratagem.native.compiled import CompiledGame

GOALS: Final = 20_000
"""Goal states from which the solver goes back; more are no place to start from."""
FEW_GOALS: Final = 64
"""Goal states from which undoing goes back."""


def bidirectional(
    game: GdlGame,
    start: NDArray[np.uint64] | None = None,
    *,
    undoing: bool = False,
    threshold: int = 100,
    limit: Limit = PUZZLE_LIMIT,
    progress: Callable[[int, int], None] | None = None,
) -> PathResult:
    """The shortest path from *start*, not terminal, to a terminal state worth at least *threshold*; one player only.

    With *undoing* nothing is proved: no path may only mean that some move cannot be undone. *progress* hears how many
    states are known from the start and from the goals.

    >>> from stratagem.loading import load
    >>> len(bidirectional(load("hanoi", discs=4), undoing=True).moves)
    15
    """
    from stratagem.ground.solving.predecessors import Predecessors, goal_states, ground_sheet

    started = limit.start()
    program = ground_sheet(game.sheet)
    before = None if undoing else Predecessors(program, stop=lambda: started.reached() is not None)
    if started.reached() is not None:
        return PathResult(None, seconds=started.elapsed)
    groups = None if before is None else before.groups
    most = FEW_GOALS if undoing else GOALS
    try:
        goals = list(goal_states(program, game.roles[0], threshold=threshold, groups=groups, limit=most))
    except LimitExceeded:
        if not undoing:
            raise
        goals = []
    packed = [one for one in (_packed(game.compiled, facts) for facts in goals) if one is not None]
    if undoing and not packed:
        return PathResult(None)
    search = _BothSides(
        game.compiled,
        game.compiled.initial if start is None else start,
        np.array(packed, np.uint64).reshape(-1, game.compiled.words),
        before,
        started,
        progress,
    )
    return search.run(threshold)


class _BothSides:
    """One call of `bidirectional`."""

    def __init__(
        self,
        compiled: CompiledGame,
        start: NDArray[np.uint64],
        goals: NDArray[np.uint64],
        before: Predecessors | None,
        limit: Started,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.compiled, self.progress, self.limit = compiled, progress, limit
        self.undoing = before is None
        # One state at a time for the solver, which is slow enough for that.
        back = ChildBuffer(compiled, BLOCK).expand if before is None else _Regression(compiled, before).expand
        self.forward = Frontier(compiled, start, limit=self.limit, progress=self._tell, paths=True)
        self.backward = Frontier(
            compiled,
            goals,
            limit=self.limit,
            progress=self._tell,
            paths=True,
            expand=back,
            block=BLOCK if before is None else 1,
        )
        self.costs = {self.forward: 1.0, self.backward: 1.0} if self.undoing else {}
        """Seconds for each state of a layer; measured where the sides differ."""
        self.expanded = 0

    def run(self, threshold: int) -> PathResult:
        met: tuple[int, int] | None = None
        sides = self.forward, self.backward
        while met is None and all(map(_open, sides)) and all(side.stopped is None for side in sides):
            ours = min(sides, key=lambda side: self.costs.get(side, 0.0) * _open(side))
            met = self._layer(ours, self.backward if ours is self.forward else self.forward)
        moves = None if met is None else self._moves(*met)
        stopped = any(side.stopped is not None for side in sides)
        distance = sum(len(side.layers) - 1 for side in sides)
        return PathResult(
            None if moves is None else threshold,
            moves or (),
            not stopped and not self.undoing,
            sum(side.known.used for side in sides),
            self.expanded,
            tuple(self.forward.layers),
            distance + 1 if moves is None else len(moves),
            self.limit.elapsed,
        )

    def _tell(self, known: int, passed: int) -> None:
        if self.progress is not None:
            self.progress(self.forward.known.used, self.backward.known.used)

    def _layer(self, ours: Frontier, other: Frontier) -> tuple[int, int] | None:
        """Expands a layer; the numbers, from the start and from the goals, of the first state that both sides know."""
        since, width = time.monotonic(), _open(ours)
        ours.held = other.held = 0
        ours.held = other.bytes
        for step in ours.layer():
            self.expanded += len(step.parents)
            numbers = other.known.find(step.children.states[step.fresh])
            met = np.flatnonzero(numbers >= 0)
            if len(met):
                here, there = int(step.numbers[step.fresh[met[0]]]), int(numbers[met[0]])
                return (here, there) if ours is self.forward else (there, here)
            if self.limit.limit.nodes is not None:
                ours.stopped = self.limit.reached(ours.known.used + other.known.used)
                if ours.stopped is not None:
                    break
        if not self.undoing:
            self.costs[ours] = (time.monotonic() - since) / width
        return None

    def _moves(self, front: int, back: int) -> tuple[tuple[int, ...], ...] | None:
        """The joint moves of the path through a meeting; None where moves cannot be undone."""
        if not self.undoing:
            return (*reversed(self.forward.path(front)), *self.backward.path(back))
        moves: list[tuple[int, ...]] = []
        states = [*reversed(self.forward.ancestors(front)), *self.backward.ancestors(back)[1:]]
        for here, there in pairwise(states):
            made = self.compiled.expand(here.reshape(1, -1))
            places = np.flatnonzero((made.states == there).all(axis=1))
            if not len(places):
                return None
            moves.append(tuple(int(move) for move in made.moves[places[0]]))
        return tuple(moves)


def _open(side: Frontier) -> int:
    """How many states of the outermost layer are to be expanded."""
    return side.width - int(side.terminal[side.first : side.last].sum())


class _Regression:
    """Predecessors of packed states, by the solver."""

    def __init__(self, compiled: CompiledGame, before: Predecessors) -> None:
        self.compiled, self.before = compiled, before
        self.places = [{move: place for place, move in enumerate(moves)} for moves in compiled.circuit.moves]

    def expand(self, states: NDArray[np.uint64]) -> Children:
        """The predecessors of *states*, with the joint moves that lead from them; terminal ones are none."""
        found: list[NDArray[np.uint64]] = []
        moves: list[list[int]] = []
        parents: list[int] = []
        for row, state in enumerate(states):
            for joint, facts in self.before.of(self.compiled.unpack(state)):
                packed = _packed(self.compiled, facts)
                known = all(move in places for move, places in zip(joint, self.places, strict=True))
                if packed is not None and known:
                    found.append(packed)
                    moves.append([places[move] for move, places in zip(joint, self.places, strict=True)])
                    parents.append(row)
        block = np.array(found, np.uint64).reshape(-1, self.compiled.words)
        seen = self.compiled.evaluate(block)
        going_on = ~seen.terminal
        return Children(
            block[going_on],
            np.array(parents, np.int32)[going_on],
            np.array(moves, np.int32).reshape(-1, len(self.places))[going_on],
            seen.terminal[going_on],
            seen.goals[going_on],
        )


def _packed(compiled: CompiledGame, facts: frozenset[object]) -> NDArray[np.uint64] | None:
    try:
        return compiled.pack(facts)  # type: ignore[arg-type]
    except UsageError:
        return None  # no match comes to it
