"""The driver of `count`: packed states collected without repetition, with exact numbers of ways to them (see `lower`).

An open-addressing table of slots (0 is free, else the number of a state plus one) over arrays of states, flags and
ways. Ways are numbers of *digits* words, the lowest first; none where only states are counted.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels.checked_memory import Flags, Numbers, Words

MIX_ONE: Final = 0xBF58476D1CE4E5B9
MIX_TWO: Final = 0x94D049BB133111EB
MASK_64: Final = 0xFFFFFFFFFFFFFFFF


def hashed(state: Words, width: int) -> int:
    """A hash of a packed state: SplitMix64's finalizer word after word (Steele et al., 2014)."""
    value = 0x9E3779B97F4A7C15
    for part in range(width):
        value = value ^ state[part]
        value = (value ^ (value >> 30)) * MIX_ONE & MASK_64
        value = (value ^ (value >> 27)) * MIX_TWO & MASK_64
        value = value ^ (value >> 31)
    return value


def same(one: Words, other: Words, width: int) -> int:
    """1 if two packed states are equal, else 0."""
    for part in range(width):
        if one[part] != other[part]:
            return 0
    return 1


def add_ways(target: Words, source: Words, digits: int) -> None:
    """Add one number to another."""
    carry = 0
    for digit in range(digits):
        one, other = target[digit], source[digit]
        total = one + other + carry & MASK_64
        target[digit] = total
        # A carry leaves a digit where both tops are set, or one is and the sum's is not.
        carry = ((one & other) | ((one | other) & ~total)) >> 63 & 1


def place_of(slots: Words, mask: int, states: Words, state: Words, width: int) -> int:
    """The slot of a state, or the free slot where it belongs."""
    at = hashed(state, width) & mask
    while slots[at] != 0:
        if same(states.at((slots[at] - 1) * width), state, width):
            return at
        at = (at + 1) & mask
    return at


def collect(
    children: Words,
    count: int,
    terminal: Flags,
    parents: Numbers,
    ways: Words,
    width: int,
    digits: int,
    slots: Words,
    mask: int,
    states: Words,
    ends: Flags,
    sums: Words,
    used: int,
) -> int:
    """Add *count* children to the *used* states collected so far; how many there are then.

    *ways* holds the numbers of the parents, *sums* those of the states collected. The arrays have room for all.
    """
    for number in range(count):
        child = children.at(number * width)
        at = place_of(slots, mask, states, child, width)
        place = slots[at] - 1
        if slots[at] == 0:
            place = used
            used += 1
            slots[at] = used
            for part in range(width):
                states[place * width + part] = child[part]
            ends[place] = terminal[number]
            for digit in range(digits):
                sums[place * digits + digit] = 0
        if digits > 0:
            add_ways(sums.at(place * digits), ways.at(parents[number] * digits), digits)
    return used


def arrange(states: Words, used: int, width: int, slots: Words, mask: int) -> None:
    """Enter *used* different states into empty slots."""
    for number in range(used):
        at = hashed(states.at(number * width), width) & mask
        while slots[at] != 0:
            at = (at + 1) & mask
        slots[at] = number + 1
