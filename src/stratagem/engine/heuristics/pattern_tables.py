"""Look-ups in pattern databases: a state's entries by its bytes, and the bound that they give together."""

from __future__ import annotations

from typing import Final

from stratagem.kernels import Array, Record, dims, inlined, int16, int32, kernel, size, uint16, uint64

NEVER: Final = 65535
"""In a database: the goal cannot be reached from there."""
HOPELESS: Final = 1 << 14
"""As a bound: the goal cannot be reached."""


class PatternIndex(Record):
    """Where states stand in databases: sums[b, v, p] is what byte b of a state adds to the entry in p where its value is v."""

    bytes: int = size()
    patterns: int = size()
    sums: Array[int32] = dims("bytes", 256, "patterns")
    starts: Array[int] = dims("patterns")
    """Where the database of a pattern begins."""


class PatternTables(Record):
    """The databases of all patterns, one after another: the moves from every abstract state to the goal."""

    index: PatternIndex
    entries: int = size()
    moves: Array[uint16] = dims("entries")
    additive: bool = False
    """Whether bounds add up; otherwise the greatest counts."""


@inlined
def find_entries(index: PatternIndex, state: Array[uint64], entries: Array[int]) -> None:
    """The entry of a state in the database of each pattern."""
    for pattern in range(index.patterns):
        entries[pattern] = index.starts[pattern]
    for byte in range(index.bytes):
        value = int((state[byte >> 3] >> (8 * (byte & 7))) & 255)
        if value != 0:
            for pattern in range(index.patterns):
                entries[pattern] += index.sums[byte, value, pattern]


@inlined
def combined(tables: PatternTables, entries: Array[int]) -> int:
    """The bound that all databases give together."""
    total = 0
    for pattern in range(tables.index.patterns):
        bound = tables.moves[entries[pattern]]
        if bound == NEVER:
            return HOPELESS
        total = min(total + bound, HOPELESS - 1) if tables.additive else max(total, bound)
    return total


@kernel
def look_up(
    tables: PatternTables, states: Array[uint64], count: int, entries: Array[int], bounds: Array[int16]
) -> None:
    """The bound of each of *states*; *entries* is scratch memory, one for each pattern."""
    for row in range(count):
        find_entries(tables.index, states.at(row * (tables.index.bytes >> 3)), entries)
        bounds[row] = combined(tables, entries)


@kernel
def index_states(index: PatternIndex, states: Array[uint64], count: int, entries: Array[int]) -> None:
    """The entry of each of *states* in the database of one pattern."""
    for row in range(count):
        find_entries(index, states.at(row * (index.bytes >> 3)), entries.at(row))
