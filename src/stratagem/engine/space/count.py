"""Counts of a game's states, by distance or by ply, and of its lines of play (perft).

    by distance   every reachable state once, at its least distance from the start; layers that do not fit into memory go
                  to files (see `external_bfs`)
    by ply        the distinct states that can be met after exactly n moves; a state may count at several plies
    by lines      the same states with the exact number of lines of play to each: 128-bit numbers, wider ones where those
                  could overflow

Cost: one expansion and one probe per edge of the graph of states, a few dozen nanoseconds, however large the tree is.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.space.counts import DEFAULT_MEMORY, By, CountedLevel, Counts
from stratagem.engine.space.external_bfs import count_layers
from stratagem.engine.states.frontier import Frontier
from stratagem.errors import UsageError
from stratagem.executor.interface import require_executor
from stratagem.gdl_game import require_rules
from stratagem.kernels import Array, Record, dims, int32, kernel, size, uint64
from stratagem.kernels.translate.family import KernelFamily
from stratagem.limit import DEPTH, Limit, require_limit
from stratagem.native.compiled import CompiledGame, PackedGame
from stratagem.native.jit.kernel_families import compiled_family
from stratagem.state import data_of, require_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.shards.progress import WatchSpace
    from stratagem.executor.interface import Executor
    from stratagem.gdl_game import GdlGame, State

KINDS: Final = ("distance", "ply", "lines")
COUNT_LIMIT: Final = Limit(memory=DEFAULT_MEMORY)
"""What a count may use unless told otherwise."""
SAFE: Final = 1 << 20
"""While the top digit of every number is below this, one more ply cannot overflow it: no ply has 2^44 edges."""


def count_states(
    game: GdlGame | CompiledGame,
    state: State | None = None,
    *,
    by: By = "distance",
    limit: Limit = COUNT_LIMIT,
    directory: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    on: Executor | None = None,
    shards: int | None = None,
    watch: WatchSpace | None = None,
) -> Counts:
    """How many states, or lines of play, there are at each distance or ply from *state*, or from the initial state.

    *limit* may bound the seconds, the states (nodes), the depth and the memory; by distance, layers beyond the memory go
    to files in *directory* (by default the system's temporary one), which are removed at the end. A count by ply of a
    game that never ends needs a depth. *progress* is called with (states known, states expanded).

    With an executor, *on*, states are counted by distance there, in *shards* parts, by default one per core. The
    memory limit holds for each shard, *directory* must be shared by all machines, and *watch* is called with the progress.

    >>> from stratagem.loading import load
    >>> game = load("tictactoe")
    >>> tuple(count_states(game))
    (1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78)
    >>> lines = count_states(game, by="lines")
    >>> tuple(lines), lines.matches
    ((1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872), 255168)
    """
    if by not in KINDS:
        raise UsageError(f"states are not counted by {by}", hint=f"choose one of {', '.join(KINDS)}")
    require_limit(limit)
    if limit.memory == 0:
        raise UsageError("the memory must be at least 1 byte")
    require_executor(on)
    if by == "distance" and directory is not None and not Path(directory).is_dir():
        raise UsageError(
            f"{directory} is not a directory", hint="name one that exists, for the files of the search"
        )
    if not isinstance(game, CompiledGame):
        require_rules(game, by="count_states")
    if state is not None and not isinstance(game, CompiledGame):
        require_state(game, state)
    elif state is not None:
        data_of(state)
    if on is not None:
        return _on_executor(game, state, by, limit, directory, on, shards, watch)
    compiled = game if isinstance(game, CompiledGame) else game.expandable
    start = compiled.initial if state is None else state.packed.copy()
    if by != "distance":
        return _by_ply(compiled, start, by, limit, progress)
    with TemporaryDirectory(prefix="stratagem-layers-", dir=directory, ignore_cleanup_errors=True) as place:
        return count_layers(compiled, start, Path(place), limit, progress)


def _on_executor(
    game: GdlGame | CompiledGame,
    state: State | None,
    by: By,
    limit: Limit,
    directory: str | os.PathLike[str] | None,
    on: Executor,
    shards: int | None,
    watch: WatchSpace | None,
) -> Counts:
    from stratagem.engine.shards.build import count_sharded

    if by != "distance" or isinstance(game, CompiledGame):
        raise UsageError("shards count the states of a loaded game by distance", hint='leave by out, or "on"')
    start = game.initial() if state is None else state
    place = None if directory is None else Path(directory)
    return count_sharded(game, start, on, shards=shards, limit=limit, directory=place, watch=watch)


class LineSums(Record):
    """The lines of play to the states of two plies: numbers of several 64-bit *digits*, the lowest first."""

    before: int = size()
    after: int = size()
    digits: int = size()
    lines: Array[uint64] = dims("before", "digits")
    sums: Array[uint64] = dims("after", "digits")
    expanded: int = size()
    edges: int = size()
    states: Array[int] = dims("expanded")
    """The states of the first ply that were expanded; *parents* are places in here."""
    parents: Array[int32] = dims("edges")
    children: Array[int] = dims("edges")


@kernel
def add_lines(ply: LineSums) -> None:
    """Adds the lines of play to every parent to those of its children."""
    for edge in range(ply.edges):
        child, parent = ply.children[edge], ply.states[ply.parents[edge]]
        carry = uint64(0)
        for digit in range(ply.digits):
            one, other = ply.sums[child, digit], ply.lines[parent, digit]
            total = one + other + carry
            ply.sums[child, digit] = total
            # A carry leaves a digit where both tops are set, or one is and the sum's is not.
            carry = ((one & other) | ((one | other) & ~total)) >> 63


KERNELS: Final = KernelFamily("lines of play", (add_lines,))


def _by_ply(
    compiled: PackedGame,
    start: NDArray[np.uint64],
    by: By,
    limit: Limit,
    progress: Callable[[int, int], None] | None,
) -> Counts:
    started = limit.start()
    frontier = Frontier(compiled, start, limit=started, progress=progress, by_ply=True)
    lines: NDArray[np.uint64] = np.zeros((1, 2 if by == "lines" else 0), np.uint64)
    lines[:, :1] = 1
    levels: list[CountedLevel] = []
    expanded = 0
    while frontier.width:
        terminal = frontier.terminal
        ended = int(terminal.sum())
        levels.append(CountedLevel(frontier.width, ended, _total(lines), _total(lines[terminal])))
        if limit.depth is not None and len(levels) > limit.depth:
            complete = ended == frontier.width
            stopped = None if complete else DEPTH
            return Counts(by, tuple(levels), complete, stopped, expanded, 0, started.elapsed)
        if lines.size and int(lines[~terminal, -1].max(initial=0)) >= SAFE:
            lines = np.concatenate([lines, np.zeros((len(lines), 1), np.uint64)], axis=1)
        sums = np.zeros((0, lines.shape[1]), np.uint64)
        for step in frontier.layer():
            expanded += len(step.parents)
            if len(sums) < frontier.known.used:
                more = np.zeros((frontier.known.used, lines.shape[1]), np.uint64)  # twice as many, about
                sums = np.concatenate([sums, more])
            frontier.held = lines.nbytes + sums.nbytes
            if by == "lines":
                compiled_family(KERNELS)[add_lines](
                    LineSums(
                        lines=lines,
                        sums=sums,
                        states=step.parents,
                        parents=step.children.parents,
                        children=step.numbers,
                    )
                )
        if frontier.stopped is not None:
            return Counts(by, tuple(levels), False, frontier.stopped, expanded, 0, started.elapsed)
        lines = sums[: frontier.known.used]
    return Counts(by, tuple(levels), True, None, expanded, 0, started.elapsed)


def _total(numbers: NDArray[np.uint64]) -> int:
    """The sum of numbers of several digits, exactly: halves of words cannot overflow."""
    total = 0
    for digit in range(numbers.shape[1]):
        column = numbers[:, digit]
        low, high = int((column & np.uint64(0xFFFFFFFF)).sum()), int((column >> np.uint64(32)).sum())
        total += (low + (high << 32)) << (64 * digit)
    return total
