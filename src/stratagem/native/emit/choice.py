"""Counting and selecting legal moves that lie in memory as rows, in loops over groups of eight.

For few moves the tree of `choice` becomes straight-line code. For hundreds that would be more code than the
instruction cache holds, and fetching it would cost more than running it; so the rows are walked in
groups: `count_rows` keeps the number of legal moves before each group, and `select_rows` compares the
drawn rank with it and replaces each row by "this move was chosen", in place.
"""

from __future__ import annotations

from dataclasses import dataclass

from stratagem.native.emit.segment import Segment
from stratagem.native.emit.text import Text
from stratagem.native.logic.uniform_choice import Count, add, count, digits, select, subtract

GROUP = 8


@dataclass(frozen=True, slots=True)
class MoveRows:
    """Where the rows of one role's moves lie: *moves* of them from row *first*, then room for the counts.

    The rows up to the next multiple of eight are there and always zero.
    """

    moves: int
    first: int
    prefix: int

    @property
    def groups(self) -> int:
        return -(-self.moves // GROUP)

    @property
    def digits(self) -> int:
        return digits(self.moves)

    @staticmethod
    def rows_needed(moves: int) -> tuple[int, int]:
        """How many rows the moves take, and how many the counts."""
        groups = -(-moves // GROUP)
        return groups * GROUP, (groups + 1) * digits(moves)


def count_rows(text: Text, frame: str, rows: MoveRows) -> list[str]:
    """The digits of the number of legal moves; the counts before each group are left in memory."""
    loop, done = text.name("count"), text.name("counted")
    before = text.block
    text.go(loop)
    text.label(loop)
    following = f"%{text.name('group')}"
    group = text.phi("i64", ("0", before), (following, loop))
    promised = [f"%{text.name('sum')}" for _ in range(rows.digits)]
    sums = [text.phi(text.row, (text.splat(0), before), (name, loop)) for name in promised]
    moves, counts = _places(text, frame, rows, group)
    for place, digit in enumerate(sums):
        text.store(digit, counts, place)
    segment = Segment(text)
    legal = [segment.row(moves, slot) for slot in range(GROUP)]
    total = count(segment.network, legal).total
    added = add(segment.network, [segment.value(digit) for digit in sums], total, rows.moves)
    for name, value in zip(promised, segment.emit(added), strict=True):
        text.named(name, value)
    _next_group(text, rows, group, following, loop, done)
    for place, digit in enumerate(promised):
        text.store(digit, frame, rows.prefix + rows.groups * rows.digits + place)
    return promised


def select_rows(text: Text, frame: str, rows: MoveRows, rank: list[str]) -> None:
    """Turn the rows of legal moves into rows of chosen moves: the legal move number *rank* in every match."""
    loop, done = text.name("select"), text.name("selected")
    before = text.block
    text.go(loop)
    text.label(loop)
    following = f"%{text.name('group')}"
    group = text.phi("i64", ("0", before), (following, loop))
    promised = f"%{text.name('passed')}"
    passed = text.phi(text.row, (text.splat(0), before), (promised, loop))
    moves, counts = _places(text, frame, rows, group)
    segment = Segment(text)
    network = segment.network
    wanted = [segment.value(digit) for digit in rank]
    _, below = subtract(network, wanted, [segment.row(counts, rows.digits + at) for at in range(rows.digits)])
    low = min(rows.digits, digits(GROUP - 1))
    local, _ = subtract(network, wanted[:low], [segment.row(counts, at) for at in range(low)])
    local += [0] * (digits(GROUP - 1) - low)
    legal = [segment.row(moves, slot) for slot in range(GROUP)]
    here = network.conjunction(below, segment.value(passed) ^ 1)
    tree: Count = count(network, legal)
    chosen = select(network, tree, legal, local, here)
    for slot, literal in enumerate(chosen):
        segment.output(literal, moves, slot)
    text.named(promised, segment.emit([below])[0])
    _next_group(text, rows, group, following, loop, done)


def _places(text: Text, frame: str, rows: MoveRows, group: str) -> tuple[str, str]:
    """The addresses of a group's moves and of the counts before it."""
    first = text.let(f"shl i64 {group}, {GROUP.bit_length() - 1}")
    counted = text.let(f"mul i64 {group}, {rows.digits}")
    return text.at(text.at(frame, rows.first), first), text.at(text.at(frame, rows.prefix), counted)


def _next_group(text: Text, rows: MoveRows, group: str, following: str, loop: str, done: str) -> None:
    text.line(f"{following} = add i64 {group}, 1")
    text.branch(text.let(f"icmp eq i64 {following}, {rows.groups}"), done, loop)
    text.label(done)
