"""The whole reachable space of a game in memory: every state once, with its children.

Breadth-first from the start: a layer of packed states is expanded in one native call per block, the children go into a
hash set, and what is new is the next layer. With edges the result is a graph in compressed rows, ready for backward
induction; without, only states and layers are kept. Cost: one expansion and one insertion per edge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.states.state_set import StateSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.expand import Expander

BLOCK = 1 << 14
"""States expanded at a time: large enough to fill lanes, small enough to be interrupted soon."""


class SpaceTooLarge(Exception):
    """The space does not fit into the limit; *states* were found."""

    def __init__(self, states: int) -> None:
        super().__init__(states)
        self.states = states


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


def explore(
    expander: Expander,
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
    begin = expander.initial if start is None else start
    known = StateSet(expander.words)
    known.add(np.ascontiguousarray(begin.reshape(1, -1)))
    first = expander.evaluate(known.states)
    terminal: list[NDArray[np.bool_]] = [first.terminal]
    goals: list[NDArray[np.int16]] = [first.goals]
    counts: list[NDArray[np.int64]] = []
    children: list[NDArray[np.int64]] = []
    moves: list[NDArray[np.int32]] = []
    layers = [1]
    done, layer_end, edge_bytes = 0, 1, 0
    ended = np.zeros(BLOCK, np.bool_)
    ended[0] = first.terminal[0]
    while done < known.used:
        if done == layer_end:
            layers.append(known.used - layer_end)
            layer_end = known.used
        upto = min(done + BLOCK, layer_end)
        alive = np.flatnonzero(~ended[done:upto])
        made = expander.expand(np.ascontiguousarray(known.pool[done:upto][alive]))
        before = known.used
        numbers = known.add(made.states)
        fresh = np.flatnonzero(numbers >= before)
        if len(fresh):
            _, places = np.unique(numbers[fresh], return_index=True)
            chosen = fresh[places]
            terminal.append(made.terminal[chosen])
            goals.append(made.goals[chosen])
            if known.used > len(ended):
                ended = np.concatenate([ended, np.zeros(known.used, np.bool_)])
            ended[before : known.used] = made.terminal[chosen]
        if edges:
            block = np.zeros(upto - done, np.int64)
            block[alive] = np.bincount(made.parents, minlength=len(alive))
            counts.append(block)
            children.append(numbers)
            moves.append(made.moves)
            edge_bytes += numbers.nbytes + made.moves.nbytes
        done = upto
        if progress is not None:
            progress(known.used, done)
        if known.used > most or known.bytes + edge_bytes > memory or (stop is not None and stop()):
            raise SpaceTooLarge(known.used)
    roles = len(expander.roles)
    degrees = np.concatenate(counts) if counts else np.zeros(0, np.int64)
    offsets = np.zeros(len(degrees) + 1, np.int64)
    np.cumsum(degrees, out=offsets[1:])
    return Space(
        known.states,
        tuple(layers),
        np.concatenate(terminal),
        np.concatenate(goals),
        offsets,
        np.concatenate(children) if children else np.zeros(0, np.int64),
        np.concatenate(moves) if moves else np.zeros((0, roles), np.int32),
        known,
    )
