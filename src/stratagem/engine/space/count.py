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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, overload

import numpy as np

from stratagem.engine.states.frontier import Frontier
from stratagem.errors import UsageError
from stratagem.kernels import Array, Record, dims, int32, kernel, size, uint64
from stratagem.kernels.translate.family import KernelFamily
from stratagem.limit import DEPTH, Limit
from stratagem.native.compiled import CompiledGame
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl_game import GdlGame, State

By: TypeAlias = Literal["distance", "ply", "lines"]
KINDS: Final = ("distance", "ply", "lines")
DEFAULT_MEMORY: Final = 1 << 30
COUNT_LIMIT: Final = Limit(memory=DEFAULT_MEMORY)
"""What a count may use unless told otherwise."""
SAFE: Final = 1 << 20
"""While the top digit of every number is below this, one more ply cannot overflow it: no ply has 2^44 edges."""


@dataclass(frozen=True, slots=True)
class CountedLevel:
    """One distance or ply: distinct *states*, how many of them are *terminal*; *lines* of play to them, and *matches*
    that end there, where lines are counted."""

    states: int
    terminal: int
    lines: int = 0
    matches: int = 0


@dataclass(frozen=True, slots=True)
class Counts(Sequence[int]):
    """The counts of one game: a sequence of numbers, of states or of lines, from distance or ply 0 on.

    *complete* if nothing lies beyond the last level; else *stopped* names the limit that was reached, and only levels
    that were counted to their end are here.
    """

    by: By
    levels: tuple[CountedLevel, ...]
    complete: bool
    stopped: str | None = None
    expanded: int = 0
    file_bytes: int = 0
    """Bytes of states written to files."""
    seconds: float = 0.0

    def __len__(self) -> int:
        return len(self.levels)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[int, ...]: ...
    def __getitem__(self, index: int | slice) -> int | tuple[int, ...]:
        return tuple(self)[index]

    def __iter__(self) -> Iterator[int]:
        return (level.lines if self.by == "lines" else level.states for level in self.levels)

    @property
    def total(self) -> int:
        """The sum over all levels: of states by distance, of nodes of the tree by lines."""
        return sum(self)

    @property
    def matches(self) -> int:
        """Lines of play that end: complete matches."""
        return sum(level.matches for level in self.levels)

    @property
    def perft(self) -> tuple[int, ...]:
        """Lines of play up to each ply: one that ended earlier counts at every later ply too."""
        ended, result = 0, []
        for level in self.levels:
            result.append(level.lines + ended)
            ended += level.matches
        return tuple(result)


def count_states(
    game: GdlGame | CompiledGame,
    state: State | None = None,
    *,
    by: By = "distance",
    limit: Limit = COUNT_LIMIT,
    directory: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Counts:
    """How many states, or lines of play, there are at each distance or ply from *state*, or from the initial state.

    *limit* may bound the seconds, the states (nodes), the depth and the memory; by distance, layers beyond the memory go
    to files in *directory*, the system's temporary one unless given, which are removed at the end. A count by ply of a
    game that never ends needs a depth. *progress* hears (states known, states expanded).

    >>> from stratagem.loading import load
    >>> game = load("tictactoe")
    >>> tuple(count_states(game))
    (1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78)
    >>> lines = count_states(game, by="lines")
    >>> tuple(lines), lines.matches
    ((1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872), 255168)
    """
    if by not in KINDS:
        raise UsageError(f"states are not counted by {by}", hint=f"there are {', '.join(KINDS)}")
    if limit.memory == 0:
        raise UsageError("the memory must be at least 1 byte")
    compiled = game if isinstance(game, CompiledGame) else game.compiled
    start = compiled.initial if state is None else state.packed.copy()
    if by != "distance":
        return _by_ply(compiled, start, by, limit, progress)
    from stratagem.engine.space.external_bfs import count_layers

    if directory is not None and not Path(directory).is_dir():
        raise UsageError(
            f"{directory} is no directory", hint="name one that exists, for the files of the search"
        )
    with TemporaryDirectory(prefix="stratagem-layers-", dir=directory, ignore_cleanup_errors=True) as place:
        return count_layers(compiled, start, Path(place), limit, progress)


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
    compiled: CompiledGame,
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
