"""The counts of a game's states or lines of play, level by level: what `count_states` returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, overload

By: TypeAlias = Literal["distance", "ply", "lines"]
DEFAULT_MEMORY: Final = 1 << 30
"""Bytes that a count may use unless told otherwise."""


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
