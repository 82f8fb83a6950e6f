"""A uniformly random legal move in bit-sliced arithmetic: count, draw, select.

Every literal is a row in which each bit belongs to another match, so all arithmetic is done with gates. The legal
moves are counted by a tree of adders whose inner sums are kept. A random rank below the count is drawn
elsewhere (by rejection, so it is exactly uniform), and `select` walks down the same tree: left where the rank is
below the count of the left half, else right with the rank lowered by that count. About four gates of three inputs
per move for the count and as many for the selection, where counting down move by move would cost
two per move and binary digit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from stratagem.native.logic.network import LogicNetwork

Number: TypeAlias = list[int]
"""A number per match: its binary digits as literals, the lowest first."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many of the moves ``first`` to ``first + size - 1`` are legal, and the two halves that add up to it."""

    first: int
    size: int
    total: Number
    halves: tuple[Count, Count] | None


def digits(largest: int) -> int:
    """How many binary digits the numbers 0 to *largest* need."""
    return largest.bit_length()


def count(network: LogicNetwork, legal: list[int], first: int = 0) -> Count:
    """The tree of sums over *legal*; a role has at least one move."""
    if len(legal) == 1:
        return Count(first, 1, [legal[0]], None)
    middle = (len(legal) + 1) // 2
    left = count(network, legal[:middle], first)
    right = count(network, legal[middle:], first + middle)
    return Count(first, len(legal), add(network, left.total, right.total, len(legal)), (left, right))


def add(network: LogicNetwork, left: Number, right: Number, largest: int) -> Number:
    """The sum, which is known to be at most *largest*."""
    total: Number = []
    carry = 0
    for place in range(digits(largest)):
        a = left[place] if place < len(left) else 0
        b = right[place] if place < len(right) else 0
        bit, carry = network.full_sum(a, b, carry)
        total.append(bit)
    return total


def raised(network: LogicNetwork, number: Number, bits: list[int], largest: int) -> Number:
    """*number* raised by one for each of *bits* that holds; known to be at most *largest*.

    Three of one place become one there and a carry, until one is left: fewer gates than a tree of sums and another sum.
    """
    total: Number = []
    column = list(bits)
    for place in range(digits(largest)):
        if place < len(number):
            column.append(number[place])
        carries = []
        while len(column) > 1:
            bit, carry = network.full_sum(*column[:3], *[0] * (3 - len(column)))
            column = [*column[3:], bit]
            carries.append(carry)
        total += column or [0]
        column = carries
    return total


def less_one(network: LogicNetwork, number: Number, largest: int) -> Number:
    """``number - 1`` in as many digits as ``largest - 1`` needs; all digits set where the number is 0."""
    borrow = 1
    lowered: Number = []
    for bit in number[: digits(largest - 1)]:
        lowered.append(network.exclusive(bit, borrow))
        borrow = network.conjunction(bit ^ 1, borrow)
    return lowered


def subtract(network: LogicNetwork, left: Number, right: Number) -> tuple[Number, int]:
    """The difference, and where it falls below zero."""
    borrow = 0
    difference: Number = []
    for place in range(max(len(left), len(right))):
        a = left[place] if place < len(left) else 0
        b = right[place] if place < len(right) else 0
        half = network.exclusive(a, b)
        difference.append(network.exclusive(half, borrow))
        borrow = network.disjunction(network.conjunction(a ^ 1, b), network.conjunction(half ^ 1, borrow))
    return difference, borrow


def select(
    network: LogicNetwork, counts: Count, legal: list[int], rank: Number, active: int = 1
) -> list[int]:
    """For every move whether it is the legal move number *rank* (from 0), where *active* holds.

    The rank must be below the count there; elsewhere it may be anything.
    """
    chosen = [0] * counts.size

    def descend(node: Count, active: int, rank: Number) -> None:
        if node.halves is None:
            chosen[node.first] = active
            return
        left, right = node.halves
        if node.size == 2:
            first = network.conjunction(legal[left.first], rank[0] ^ 1)
            chosen[left.first] = network.conjunction(active, first)
            chosen[right.first] = network.conjunction(active, first ^ 1)
            return
        difference, below = subtract(network, rank, left.total)
        descend(left, network.conjunction(active, below), rank[: digits(left.size - 1)])
        descend(right, network.conjunction(active, below ^ 1), difference[: digits(right.size - 1)])

    descend(counts, active, rank)
    return chosen
