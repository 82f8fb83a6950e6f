"""Kernels on interned terms: making them, and their canonical order."""

from __future__ import annotations

from stratagem.kernels import Array, inlined, int32, kernel, uint64
from stratagem.kernels.library.random_numbers import mixed
from stratagem.kernels.splitmix import FIRST_FACTOR, GOLDEN
from stratagem.machines.joins.kernels.memory import TermTable


@inlined
def folded(value: uint64, number: int) -> uint64:
    """A hash with one more number taken in."""
    value = (value ^ uint64(number)) * FIRST_FACTOR
    return value ^ (value >> 32)


@inlined
def hash_term(terms: TermTable, function: int, first: int) -> uint64:
    """The hash of a term whose arguments begin at *first*."""
    value = folded(uint64(GOLDEN), function)
    for place in range(terms.arity[function]):
        value = folded(value, terms.arguments[first + place])
    return value


@inlined
def same_term(terms: TermTable, term: int, function: int, first: int) -> bool:
    """Whether *term* has this function and these arguments."""
    if terms.function[term] != function:
        return False
    there = terms.first[term]
    for place in range(terms.arity[function]):
        if terms.arguments[there + place] != terms.arguments[first + place]:
            return False
    return True


@inlined
def has_room(terms: TermTable, function: int) -> bool:
    """Whether one more term of *function* can be entered; the table stays at most half full."""
    return (
        terms.used < terms.room
        and 2 * terms.used + 2 < terms.slots
        and terms.arguments_used + terms.arity[function] <= terms.argument_room
    )


@kernel
def enter_term(terms: TermTable, function: int) -> int:
    """The number of the term with the arguments that were put at `arguments_used`; there must be room for it."""
    first = terms.arguments_used
    mask = terms.slots - 1
    slot = int(hash_term(terms, function, first)) & mask
    while terms.table[slot] != 0:
        term = terms.table[slot] - 1
        if same_term(terms, term, function, first):
            return term
        slot = (slot + 1) & mask
    term = terms.used
    terms.function[term] = function
    terms.first[term] = first
    key = terms.function_key[function]
    for place in range(terms.arity[function]):
        key = mixed(key) ^ terms.key[terms.arguments[first + place]]
    terms.key[term] = mixed(key)
    terms.arguments_used += terms.arity[function]
    terms.used += 1
    terms.table[slot] = terms.used
    return term


@kernel
def refill_terms(terms: TermTable) -> None:
    """Enters all terms into an empty table."""
    mask = terms.slots - 1
    for term in range(terms.used):
        slot = int(hash_term(terms, terms.function[term], terms.first[term])) & mask
        while terms.table[slot] != 0:
            slot = (slot + 1) & mask
        terms.table[slot] = term + 1


@kernel
def compare_terms(terms: TermTable, one: int, other: int) -> int:
    """Below zero where *one* comes first in the canonical order, above where *other* does."""
    if one == other:
        return 0
    function = terms.function[one]
    difference = terms.rank[function] - terms.rank[terms.function[other]]
    if difference != 0:
        return difference
    for place in range(terms.arity[function]):
        here = terms.arguments[terms.first[one] + place]
        there = terms.arguments[terms.first[other] + place]
        if here != there:
            return compare_terms(terms, here, there)
    return 0


@inlined
def comes_before(terms: TermTable, one: int, other: int) -> bool:
    """An order of terms that is soon told: by their keys, and where these are the same by the canonical order."""
    if terms.key[one] != terms.key[other]:
        return terms.key[one] < terms.key[other]
    return compare_terms(terms, one, other) < 0


@kernel
def select_term(terms: TermTable, several: Array[int32], count: int, wanted: int) -> int:
    """The term number *wanted* of some different ones in the order of keys; they are moved about (Hoare, 1961)."""
    low, high = 0, count - 1
    while low < high:
        pivot = several[(low + high) // 2]
        left, right = low, high
        while left <= right:
            while comes_before(terms, several[left], pivot):
                left += 1
            while comes_before(terms, pivot, several[right]):
                right -= 1
            if left <= right:
                several[left], several[right] = several[right], several[left]
                left += 1
                right -= 1
        if wanted <= right:
            high = right
        elif wanted >= left:
            low = left
        else:
            break
    return several[wanted]
