"""The explicit state space of a game in memory: every reachable state once, with its children.

With edges the result is a graph in compressed rows, ready for backward induction; without, only states and layers are
kept. Cost: one expansion and one insertion per edge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.states.frontier import Frontier
from stratagem.errors import LimitExceeded
from stratagem.limit import Limit
from stratagem.plural import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.states.state_set import StateSet
    from stratagem.native.compiled import CompiledGame


class SpaceTooLarge(LimitExceeded):
    """The space does not fit into the limit; *states* were found."""

    def __init__(self, states: int) -> None:
        super().__init__(
            f"the space has more than the {plural(states, 'state')} found", hint="give more time or memory"
        )
        self.states = states

    def __reduce__(self) -> tuple[object, ...]:
        return SpaceTooLarge, (self.states,)


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """All reachable states, numbered in breadth-first order from 0, the start.

    The children of state s are ``children[offsets[s]:offsets[s + 1]]`` by the joint moves ``moves[...]`` (indices into
    the circuit's moves, one for each role); without edges these arrays are empty.
    """

    states: NDArray[np.uint64]
    layers: tuple[int, ...]
    """How many states are first reached after 0, 1, 2, ... moves."""
    terminal: NDArray[np.bool_]
    goals: NDArray[np.int16]
    offsets: NDArray[np.int64]
    children: NDArray[np.int64]
    moves: NDArray[np.int32]
    known: StateSet

    def __len__(self) -> int:
        return len(self.states)

    @property
    def stuck(self) -> NDArray[np.int64]:
        """The states in which a role has no legal move although the match is not over."""
        return np.flatnonzero((np.diff(self.offsets) == 0) & ~self.terminal)


@dataclass(frozen=True, slots=True, eq=False)
class ExpandedLayer:
    """What the expansion of one layer adds to a space."""

    goals: NDArray[np.int16]
    """Of the new states, which are the next layer."""
    counts: NDArray[np.int64]
    """How many children each state of the layer has."""
    children: NDArray[np.int64]
    moves: NDArray[np.int32]


def explore(
    compiled: CompiledGame,
    start: NDArray[np.uint64] | None = None,
    *,
    most: int = 50_000_000,
    memory: int = 8 << 30,
    edges: bool = True,
    progress: Callable[[int, int], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Space:
    """The reachable space from *start*; raises `SpaceTooLarge` past *most* states or *memory* bytes.

    *progress* hears (states found, states expanded); *stop* is asked between blocks and ends the work the same way.
    """
    limit = Limit(nodes=most + 1, memory=memory, stop=stop)
    frontier = Frontier(
        compiled, compiled.initial if start is None else start, limit=limit.start(), progress=progress
    )
    layers: list[ExpandedLayer] = []
    while frontier.width:
        layers.append(expand_layer(frontier, edges=edges))
        if frontier.stopped is not None:
            raise SpaceTooLarge(frontier.known.used)
    return assembled(frontier, layers)


def expand_layer(frontier: Frontier, *, edges: bool = True) -> ExpandedLayer:
    """The outermost layer of *frontier* expanded; where the frontier stops, only a part of it."""
    counts = np.zeros(frontier.width if edges else 0, np.int64)
    goals = [np.zeros((0, frontier.roles), np.int16)]
    children = [np.zeros(0, np.int64)]
    moves = [np.zeros((0, frontier.roles), np.int32)]
    first = frontier.first
    for step in frontier.layer():
        goals.append(step.children.goals[step.fresh])
        if edges:
            counts[step.parents - first] = np.bincount(step.children.parents, minlength=len(step.parents))
            children.append(step.numbers)
            moves.append(step.children.moves.copy())
            frontier.held += step.numbers.nbytes + step.children.moves.nbytes
    return ExpandedLayer(np.concatenate(goals), counts, np.concatenate(children), np.concatenate(moves))


def assembled(frontier: Frontier, layers: Sequence[ExpandedLayer]) -> Space:
    """The space that a finished *frontier* and its *layers* make."""
    counts = np.concatenate([layer.counts for layer in layers])
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return Space(
        frontier.known.states,
        tuple(frontier.layers),
        frontier.terminal,
        np.concatenate([frontier.start.goals, *(layer.goals for layer in layers)]),
        offsets,
        np.concatenate([layer.children for layer in layers]),
        np.concatenate([layer.moves for layer in layers]),
        frontier.known,
    )
