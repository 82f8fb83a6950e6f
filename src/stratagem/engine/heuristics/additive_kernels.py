"""Kernels of additive pattern databases: numbers of arrangements, distances in a pattern's space, and look-ups.

A pattern has up to eight variables, all in different places. Its arrangements are numbered without gaps: digit i is the place of
variable i among the places that the ones before it leave free. A *key* holds the places themselves, eight bits for each variable,
so that a key is the sum of what each variable adds to it, and a move changes it by a difference.

Distances count the moves of the pattern's own variables; moves of the context alone are free (Korf and Felner, 2002). The
search goes backward over pairs of an arrangement and a place of the context, a bit for each, level after level; a level is one
sweep over the bits. What is kept is the least distance of each arrangement over all places of the context.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels import (
    Array,
    Record,
    count_ones,
    dims,
    inlined,
    int8,
    int16,
    int32,
    kernel,
    local,
    lowest_one,
    size,
    uint8,
    uint64,
)

MOST_SLOTS: Final = 8
"""Variables of one pattern at most."""
UNREACHED: Final = 255
"""In a database: the goal cannot be reached from there."""
FARTHEST: Final = 254
"""In a database: the goal is so far away, or farther."""


class PatternSpace(Record):
    """The arrangements of one pattern with the context, and the operators turned round."""

    contexts: int = size()
    bounds: int = size()
    first: Array[int32] = dims("bounds")
    """The operators after which the context is in a place: from first[place] on."""
    operators: int = size()
    before: Array[int32] = dims("operators")
    """Where the context was before."""
    slots: int = size()
    origin: Array[int8] = dims("operators", "slots", "contexts")
    """Where a variable was before that is there afterwards; -1: it cannot be there."""
    moved: Array[uint64] = dims("operators")
    """The places in which something is afterwards that was elsewhere before."""
    entries: int = size()
    moves: Array[uint8] = dims("entries")
    words: int = size()
    closed: Array[uint64] = dims("words")
    open: Array[uint64] = dims(2, "words")
    """The pairs that wait at this distance and at the next, in turns."""
    shift: int = 0
    """An arrangement has 1 << shift bits, one for each place of the context."""


@inlined
def number_of(places: Array[int], slots: int, count: int) -> int:
    """The number of an arrangement of *slots* variables in *count* places."""
    number = 0
    taken = uint64(0)
    for slot in range(slots):
        bit = uint64(1) << places[slot]
        number = number * (count - slot) + places[slot] - count_ones(taken & (bit - 1))
        taken |= bit
    return number


@inlined
def arrange(places: Array[int], slots: int, count: int, number: int) -> uint64:
    """The arrangement of that number; the places that it takes."""
    rest = uint64(number)
    for back in range(slots):
        slot = slots - 1 - back
        radix = uint64(count - slot)
        digit = int(rest % radix)
        rest = rest // radix
        places[slot] = digit
        for later in range(slot + 1, slots):
            if places[later] >= digit:
                places[later] += 1
    taken = uint64(0)
    for slot in range(slots):
        taken |= uint64(1) << places[slot]
    return taken


@inlined
def open_before(space: PatternSpace, operator: int, places: Array[int], following: int) -> None:
    """Opens what was before an operator that moved a variable, at the next distance."""
    for slot in range(space.slots):
        place = places[slot]
        origin = space.origin[operator, slot, place]
        if origin != place:
            if origin >= 0:
                places[slot] = origin
                entry = number_of(places, space.slots, space.contexts)
                places[slot] = place
                bit = (entry << space.shift) + space.before[operator]
                space.open[following, bit >> 6] |= uint64(1) << (bit & 63)
            return


@inlined
def close_entry(
    space: PatternSpace, word: int, base: int, todo: uint64, entry: int, places: Array[int], following: int
) -> int:
    """Closes the contexts *todo* of one arrangement, and those that moves of the context alone lead from; how many."""
    closed = 0
    done = space.closed[word] >> base
    taken = arrange(places, space.slots, space.contexts, entry)
    while todo != 0:
        context = lowest_one(todo)
        done |= uint64(1) << context
        closed += 1
        for operator in range(space.first[context], space.first[context + 1]):
            if taken & space.moved[operator] != 0:
                open_before(space, operator, places, following)
            else:
                todo |= uint64(1) << space.before[operator]
        todo &= ~done
    space.closed[word] |= done << base
    return closed


@kernel
def sweep(space: PatternSpace, level: int) -> int:
    """Closes what is at distance *level* and opens what may be one farther; how many pairs were closed."""
    places = local(int, MOST_SLOTS)
    now, following, found = level & 1, (level + 1) & 1, 0
    width = 1 << space.shift
    mask = ~uint64(0) if width == 64 else (uint64(1) << width) - 1
    for word in range(space.words):
        fresh = space.open[now, word]
        if fresh == 0:
            continue
        space.open[now, word] = uint64(0)
        fresh &= ~space.closed[word]
        while fresh != 0:
            bit = lowest_one(fresh)
            base = bit & ~(width - 1)
            todo = (fresh >> base) & mask
            fresh &= ~(mask << base)
            entry = ((word << 6) + bit) >> space.shift
            if space.moves[entry] == UNREACHED:
                space.moves[entry] = min(level, FARTHEST)
            found += close_entry(space, word, base, todo, entry, places, following)
    return found


class AdditiveTables(Record):
    """Databases and the *views* of them: which variable of a state stands for which of a pattern.

    The views of one *partition* belong to different variables, and their distances add up; of the partitions, which are images
    of each other under symmetries of the rules, the greatest sum counts.
    """

    partitions: int = size()
    facts: int = size()
    view: Array[int8] = dims("partitions", "facts")
    """The view that a proposition belongs to in each partition; -1 for none."""
    weight: Array[uint64] = dims("partitions", "facts")
    """What a proposition adds to the key of its view."""
    views: int = size()
    owner: Array[int32] = dims("views")
    """The partition of a view."""
    slots: Array[int32] = dims("views")
    start: Array[int] = dims("views")
    """Where the database of a view begins."""
    entries: int = size()
    moves: Array[uint8] = dims("entries")
    places: int = 0


@inlined
def look_up_key(tables: AdditiveTables, view: int, key: uint64) -> int:
    """The distance of one view with that key."""
    number = 0
    taken = uint64(0)
    count = tables.places
    for _ in range(tables.slots[view]):
        place = int(key & 255)
        key >>= 8
        bit = uint64(1) << place
        number = number * count + place - count_ones(taken & (bit - 1))
        taken |= bit
        count -= 1
    return tables.moves[tables.start[view] + number]


@inlined
def find_keys(tables: AdditiveTables, state: Array[uint64], keys: Array[uint64]) -> None:
    """The key of each view of a state."""
    for view in range(tables.views):
        keys[view] = uint64(0)
    for word in range((tables.facts + 63) >> 6):
        bits = state[word]
        while bits != 0:
            fact = (word << 6) + lowest_one(bits)
            bits &= bits - 1
            for partition in range(tables.partitions):
                view = tables.view[partition, fact]
                if view >= 0:
                    keys[view] += tables.weight[partition, fact]


@kernel
def look_up_states(
    tables: AdditiveTables,
    states: Array[uint64],
    count: int,
    keys: Array[uint64],
    sums: Array[int],
    bounds: Array[int16],
    hopeless: int,
) -> None:
    """The bound of each of *states*; *keys* and *sums* are scratch memory, one for each view and each partition."""
    for row in range(count):
        find_keys(tables, states.at(row * ((tables.facts + 63) >> 6)), keys)
        for partition in range(tables.partitions):
            sums[partition] = 0
        for view in range(tables.views):
            moves = look_up_key(tables, view, keys[view])
            sums[tables.owner[view]] += hopeless if moves == UNREACHED else moves
        bound = 0
        for partition in range(tables.partitions):
            bound = max(bound, sums[partition])
        bounds[row] = min(bound, hopeless)
