"""An exact set of packed states: open addressing with linear probing, and numbers instead of copies.

States lie one after another in a pool; the table holds their numbers plus one, 0 where a slot is free. An insertion costs
one hash and, in a table that is at most two thirds full, about two probes. Kernels never allocate: the caller makes
room before it adds states, and `refill` enters what is there into a larger table.
"""

from __future__ import annotations

from stratagem.kernels import Array, Record, dims, inlined, kernel, size, uint64
from stratagem.kernels.library.hashing import copy_state, hash_state, same_state


class ExactSet(Record):
    """*used* states in the *pool*, findable by the *table*, whose size is a power of two."""

    slots: int = size()
    room: int = size()
    words: int = size()
    table: Array[int] = dims("slots")
    pool: Array[uint64] = dims("room", "words")
    used: int = 0


@inlined
def slot_of(states: ExactSet, state: Array[uint64]) -> int:
    """The slot of a state, or the free slot where it belongs."""
    mask = states.slots - 1
    slot = int(hash_state(state, states.words)) & mask
    while states.table[slot] != 0:
        if same_state(states.pool.row(states.table[slot] - 1), state, states.words):
            return slot
        slot = (slot + 1) & mask
    return slot


@kernel
def number_of(states: ExactSet, state: Array[uint64]) -> int:
    """The number of a state, or -1 where it is not in the set."""
    return states.table[slot_of(states, state)] - 1


@kernel
def add_state(states: ExactSet, state: Array[uint64]) -> int:
    """The number of a state, which is added where it is new; there must be room for it."""
    slot = slot_of(states, state)
    if states.table[slot] == 0:
        copy_state(state, states.pool.row(states.used), states.words)
        states.used += 1
        states.table[slot] = states.used
    return states.table[slot] - 1


@kernel
def add_states(
    states: ExactSet, added: Array[uint64], count: int, numbers: Array[int], fresh: Array[int]
) -> int:
    """Adds *count* states; *numbers* gets the number of each, *fresh* the rows of those that are new. How many are."""
    before = states.used
    for row in range(count):
        used = states.used
        numbers[row] = add_state(states, added.at(row * states.words))
        if states.used != used:
            fresh[used - before] = row
    return states.used - before


@kernel
def find_states(states: ExactSet, wanted: Array[uint64], count: int, numbers: Array[int]) -> None:
    """The number of each of *count* states, -1 for those that are not in the set."""
    for row in range(count):
        numbers[row] = number_of(states, wanted.at(row * states.words))


@kernel
def refill(states: ExactSet) -> None:
    """Enters all states of the pool, which are different, into an empty table."""
    mask = states.slots - 1
    for number in range(states.used):
        slot = int(hash_state(states.pool.row(number), states.words)) & mask
        while states.table[slot] != 0:
            slot = (slot + 1) & mask
        states.table[slot] = number + 1
