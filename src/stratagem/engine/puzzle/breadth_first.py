"""Breadth-first search over packed states, for one player: the shortest way to the best end.

Every state is kept once with the number of its parent and the move that led to it, so that the way can be read off.
Layers are expanded block by block in native code. The search ends with the first layer that has an end worth the
*threshold*; where there is none, with the best end there is, proved best because the whole space was seen.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.space.explore import BLOCK
from stratagem.engine.states.state_set import StateSet
from stratagem.errors import UnsuitableGame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.expand import Expander


@dataclass(frozen=True, slots=True)
class Way:
    """The best end found: its *value*, the joint moves that lead there, and whether nothing better or shorter exists.

    *value* is None where no end was found; where that is *proved*, no play ever ends. *bound*: no end worth more can be closer than this many moves.
    """

    value: int | None
    moves: tuple[tuple[int, ...], ...]
    proved: bool
    states: int
    expanded: int
    layers: tuple[int, ...]
    bound: int
    seconds: float


class Parents:
    """For every state the number of its parent and the move that led to it, in growing arrays."""

    def __init__(self, roles: int) -> None:
        self.parents = np.zeros(1024, np.int64)
        self.moves = np.zeros((1024, roles), np.int32)

    @property
    def bytes(self) -> int:
        return int(self.parents.nbytes + self.moves.nbytes)

    def keep(self, first: int, parents: NDArray[np.int64], moves: NDArray[np.int32]) -> None:
        last = first + len(parents)
        if last > len(self.parents):
            room = max(last, 3 * len(self.parents) // 2)
            self.parents = np.concatenate([self.parents, np.zeros(room - len(self.parents), np.int64)])
            more = np.zeros((room - len(self.moves), self.moves.shape[1]), np.int32)
            self.moves = np.concatenate([self.moves, more])
        self.parents[first:last] = parents
        self.moves[first:last] = moves

    def way(self, number: int) -> tuple[tuple[int, ...], ...]:
        found: list[tuple[int, ...]] = []
        while number:
            found.append(tuple(int(move) for move in self.moves[number]))
            number = int(self.parents[number])
        return tuple(reversed(found))


def breadth_first(
    expander: Expander,
    start: NDArray[np.uint64] | None = None,
    *,
    role: int = 0,
    threshold: int = 100,
    seconds: float = np.inf,
    memory: int = 4 << 30,
    progress: Callable[[int, int], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Way:
    """The shortest way from *start* to an end worth at least *threshold* to *role*, or the best end there is."""
    begin = time.monotonic()
    known = StateSet(expander.words)
    known.add(np.ascontiguousarray((expander.initial if start is None else start).reshape(1, -1)))
    origin = expander.evaluate(known.states)
    kept = Parents(len(expander.roles))
    ended = np.zeros(BLOCK, np.bool_)
    ended[0] = origin.terminal[0]
    best: tuple[int, int] | None = (int(origin.goals[0, role]), 0) if origin.terminal[0] else None
    layers, done, layer_end = [1], 0, 1
    proved = False
    while done < known.used and not (best is not None and best[0] >= threshold):
        if done == layer_end:
            layers.append(known.used - layer_end)
            layer_end = known.used
        upto = min(done + BLOCK, layer_end)
        alive = np.flatnonzero(~ended[done:upto])
        made = expander.expand(np.ascontiguousarray(known.pool[done:upto][alive]))
        refuse_others(made.moves, made.parents, role)
        before = known.used
        numbers = known.add(made.states)
        fresh = np.flatnonzero(numbers >= before)
        if len(fresh):
            _, places = np.unique(numbers[fresh], return_index=True)
            chosen = fresh[places]
            kept.keep(before, done + alive[made.parents[chosen]], made.moves[chosen])
            if known.used > len(ended):
                ended = np.concatenate([ended, np.zeros(known.used, np.bool_)])
            ended[before : known.used] = made.terminal[chosen]
            ends = np.flatnonzero(made.terminal[chosen])
            if len(ends):
                goals = made.goals[chosen[ends], role]
                place = int(np.argmax(goals))
                if best is None or goals[place] > best[0]:
                    best = (int(goals[place]), before + int(ends[place]))
        done = upto
        if progress is not None:
            progress(known.used, done)
        spent = time.monotonic() - begin
        if (
            spent > seconds
            or known.bytes + kept.parents.nbytes + kept.moves.nbytes > memory
            or (stop is not None and stop())
        ):
            break
    else:
        proved = True
    moves = () if best is None else kept.way(best[1])
    return Way(
        None if best is None else best[0],
        moves,
        proved,
        known.used,
        done,
        tuple(layers),
        len(layers),
        time.monotonic() - begin,
    )


def refuse_others(moves: NDArray[np.int32], parents: NDArray[np.int32], role: int) -> None:
    """Only *role* may have a choice."""
    for other in range(moves.shape[1]):
        if other == role or not len(moves):
            continue
        first = np.flatnonzero(np.diff(parents, prepend=-1))
        same = np.repeat(moves[first, other], np.diff(np.append(first, len(parents))))
        if np.any(same != moves[:, other]):
            raise UnsuitableGame("another role has a choice in this game", hint="puzzles are for one player")
