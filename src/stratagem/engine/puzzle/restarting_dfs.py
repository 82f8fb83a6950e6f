"""Depth-first search with restarts and a table of dead ends: any path to the goal, soon, not the shortest.

For puzzles in which every move uses something up, such as peg solitaire, whose matches all end within the same few
moves: breadth-first would have to hold the widest layers, while depth-first is at the bottom at once, and a state that
failed is never entered again. Children are tried in a random order. A search that has used up its share of states is
given up for one with another order and twice the share, since luck varies more than skill (Gomes, Selman and Kautz, 1998).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.puzzle.breadth_first import PathResult
from stratagem.kernels import Array, Record, dims, inlined, int16, int32, kernel, record_rows, size, uint64
from stratagem.kernels.library.exact_set import ExactSet, add_state
from stratagem.kernels.library.game_functions import Expand
from stratagem.kernels.library.hashing import hash_state
from stratagem.kernels.library.sorting import insert_by_key
from stratagem.kernels.splitmix import GOLDEN, SECOND_FACTOR, WORD
from stratagem.kernels.translate.family import KernelFamily
from stratagem.limit import Limit
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.compiled import CompiledGame

DFS_MEMORY: Final = 256 << 20
DFS_LIMIT: Final = Limit(memory=DFS_MEMORY)
DEEPEST: Final = 400
ARENA: Final = 1 << 15
FIRST_SHARE: Final = 1 << 15
"""States of the first search; each restart may use twice as many."""
CHUNK: Final = 1 << 12
"""States between two looks at the clock."""
UNEXPANDED: Final = -1


class OpenState(Record):
    """A state on the path: its *row* of the arena, its *made* children from row *top* on, and the *next* one to try."""

    row: int = 0
    top: int = 0
    made: int = 0
    next: int = 0
    move: int = 0
    """The move to the child that is being tried."""


class DepthFirstSearch(Record):
    """One search: the path, the states on it with their children in an arena, and all states ever entered."""

    expand: Expand
    known: ExactSet
    deepest: int = size()
    path: Array[OpenState] = dims("deepest")
    rows: int = size()
    words: int = size()
    arena: Array[uint64] = dims("rows", "words")
    parents: Array[int32] = dims("rows")
    moves: Array[int32] = dims("rows")
    terminal: Array[bool] = dims("rows")
    goals: Array[int16] = dims("rows")
    consumed: Array[int] = dims(1)
    order: Array[int32] = dims("rows")
    """The rows of children in the order in which they are tried, by descending *keys*."""
    keys: Array[int] = dims("rows")
    seed: uint64 = uint64(0)
    threshold: int = 0
    ply: int = 0
    found: bool = False
    stopped: bool = False


@inlined
def shuffle(search: DepthFirstSearch, top: int, made: int) -> None:
    """Orders children by a hash of their states: at random, and differently for every seed."""
    for row in range(top, top + made):
        key = hash_state(search.arena.row(row), search.words) ^ search.seed
        key = (key ^ (key >> 31)) * SECOND_FACTOR
        insert_by_key(search.order.at(top), search.keys.at(top), row - top, row, int(key >> 1))


@inlined
def expand_state(search: DepthFirstSearch, state: OpenState) -> None:
    """The children of the last state on the path; none where there is no room for them."""
    top = state.top
    made = search.expand(
        search.arena.at(state.row),
        1,
        search.arena.at(top),
        search.parents,
        search.moves.at(top),
        search.terminal.at(top),
        search.goals.at(top),
        search.rows - top,
        search.consumed,
    )
    if made < 0 or search.ply + 2 >= search.deepest:
        made = 0
    state.made, state.next = made, 0
    shuffle(search, top, made)


@inlined
def is_full(known: ExactSet) -> bool:
    return 3 * known.used > 2 * known.slots or known.used >= known.room


@inlined
def enter(search: DepthFirstSearch, state: OpenState, child: int) -> None:
    """Makes a child the last state of the path, unless it has been entered before."""
    before = search.known.used
    if add_state(search.known, search.arena.row(child)) == before:
        search.ply += 1
        entered = search.path[search.ply]
        entered.row, entered.next = child, UNEXPANDED
        entered.top = state.top + state.made


@inlined
def try_child(search: DepthFirstSearch, state: OpenState) -> None:
    """Looks at the next child: the end that is wanted, a dead end, or the next state of the path."""
    child = search.order[state.top + state.next]
    state.next += 1
    state.move = search.moves[child]
    if search.terminal[child]:
        search.found = search.goals[child] >= search.threshold
    elif is_full(search.known):
        search.stopped = True
    else:
        enter(search, state, child)


@kernel
def search_deeper(search: DepthFirstSearch, most: int) -> None:
    """Goes on with a search for *most* states, until it has *found* a path or is *stopped*."""
    done = 0
    while done < most and not search.found and not search.stopped:
        state = search.path[search.ply]
        if state.next == UNEXPANDED:
            expand_state(search, state)
            done += 1
        if state.next < state.made:
            try_child(search, state)
        elif search.ply > 0:
            search.ply -= 1
        else:
            search.stopped = True


KERNELS: Final = KernelFamily("depth-first search with restarts", (search_deeper,))


def restarting_depth_first(
    compiled: CompiledGame,
    start: NDArray[np.uint64] | None = None,
    *,
    threshold: int = 100,
    limit: Limit = DFS_LIMIT,
) -> PathResult:
    """Any path from *start* to a terminal state worth at least *threshold*; no value where none was found.

    >>> from stratagem.loading import load
    >>> len(restarting_depth_first(load("pegtriangle").compiled).moves)
    13
    """
    started = limit.start()
    words = compiled.words
    most = max(FIRST_SHARE, (DFS_MEMORY if limit.memory is None else limit.memory) // (8 * words + 16))
    share, seed, seen = FIRST_SHARE, 0, 0
    search = _new_search(compiled, threshold)
    search_more = compiled_family(KERNELS)[search_deeper]
    while True:
        share = min(share, most)
        search.put(
            known=ExactSet(
                table=np.zeros(1 << (2 * share - 1).bit_length(), np.int64),
                pool=np.empty((share, words), np.uint64),
            ),
            path=record_rows(OpenState, DEEPEST),
            seed=seed,
            ply=0,
            stopped=False,
        )
        search.path[0].top, search.path[0].next = 1, UNEXPANDED
        search.arena.numpy[0] = compiled.initial if start is None else start
        while not search.found and not search.stopped:
            if started.reached(seen + search.known.used) is not None:
                return PathResult(None, states=seen + search.known.used, seconds=started.elapsed)
            search_more(search, CHUNK)
        seen += search.known.used
        if search.found:
            path = tuple((search.path[ply].move,) for ply in range(search.ply + 1))
            return PathResult(threshold, path, states=seen, expanded=seen, seconds=started.elapsed)
        if search.known.used < share:  # everything within reach, and within DEEPEST moves, has been seen
            return PathResult(None, states=seen, expanded=seen, seconds=started.elapsed)
        share, seed = 2 * share, (seed + GOLDEN) & WORD


def _new_search(compiled: CompiledGame, threshold: int) -> DepthFirstSearch:
    return DepthFirstSearch(
        expand=compiled.expand_address,
        known=ExactSet(table=np.zeros(1, np.int64), pool=np.zeros((1, compiled.words), np.uint64)),
        path=record_rows(OpenState, DEEPEST),
        arena=np.zeros((ARENA, compiled.words), np.uint64),
        parents=np.zeros(ARENA, np.int32),
        moves=np.zeros(ARENA, np.int32),
        terminal=np.zeros(ARENA, np.bool_),
        goals=np.zeros(ARENA, np.int16),
        consumed=np.zeros(1, np.int64),
        order=np.zeros(ARENA, np.int32),
        keys=np.zeros(ARENA, np.int64),
        threshold=threshold,
    )
