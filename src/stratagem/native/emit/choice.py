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
from stratagem.native.logic.uniform_choice import Count, count, digits, raised, select, subtract

GROUP = 8


@dataclass(frozen=True, slots=True)
class MoveRows:
    """Where the rows of one role's moves lie: *moves* of them from row *first*, and room for the counts.

    The rows up to the next multiple of eight are there and always zero. Without room (*prefix* is None) counts are not
    kept: the selection counts again, which is cheaper where memory is dearer than logic.
    """

    moves: int
    first: int
    prefix: int | None

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
    moves = _moves_of(text, frame, rows, group)
    if rows.prefix is not None:
        counts = _counts_of(text, frame, rows, rows.prefix, group)
        for place, digit in enumerate(sums):
            text.store(digit, counts, place)
    segment = Segment(text)
    legal = [segment.row(moves, slot) for slot in range(GROUP)]
    added = raised(segment.network, [segment.value(digit) for digit in sums], legal, rows.moves)
    for name, value in zip(promised, segment.emit(added), strict=True):
        text.named(name, value)
    _next_group(text, rows, group, following, loop, done)
    if rows.prefix is not None:
        for place, digit in enumerate(promised):
            text.store(digit, frame, rows.prefix + rows.groups * rows.digits + place)
    return promised


def select_rows(text: Text, frame: str, rows: MoveRows, rank: list[str]) -> None:
    """Turn the rows of legal moves into rows of chosen moves: the legal move number *rank* in every match."""
    if rows.prefix is None:
        _select_counting(text, frame, rows, rank)
        return
    loop, done = text.name("select"), text.name("selected")
    before = text.block
    text.go(loop)
    text.label(loop)
    following = f"%{text.name('group')}"
    group = text.phi("i64", ("0", before), (following, loop))
    promised = f"%{text.name('passed')}"
    passed = text.phi(text.row, (text.splat(0), before), (promised, loop))
    moves = _moves_of(text, frame, rows, group)
    counts = _counts_of(text, frame, rows, rows.prefix, group)
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


def _select_counting(text: Text, frame: str, rows: MoveRows, rank: list[str]) -> None:
    """The selection without kept counts: the rank is lowered by every group's count until it is below one."""
    loop, done = text.name("select"), text.name("selected")
    before = text.block
    text.go(loop)
    text.label(loop)
    following = f"%{text.name('group')}"
    group = text.phi("i64", ("0", before), (following, loop))
    promised = f"%{text.name('passed')}"
    passed = text.phi(text.row, (text.splat(0), before), (promised, loop))
    lowered = [f"%{text.name('rest')}" for _ in rank]
    rest = [text.phi(text.row, (old, before), (new, loop)) for old, new in zip(rank, lowered, strict=True)]
    moves = _moves_of(text, frame, rows, group)
    segment = Segment(text)
    network = segment.network
    wanted = [segment.value(digit) for digit in rest]
    legal = [segment.row(moves, slot) for slot in range(GROUP)]
    tree = count(network, legal)
    difference, below = subtract(network, wanted, tree.total)
    local = (wanted + [0] * digits(GROUP - 1))[: digits(GROUP - 1)]
    over = segment.value(passed)
    for slot, literal in enumerate(select(network, tree, legal, local, network.conjunction(below, over ^ 1))):
        segment.output(literal, moves, slot)
    values = segment.emit([network.disjunction(over, below), *difference[: len(rank)]])
    for name, value in zip([promised, *lowered], values, strict=True):
        text.named(name, value)
    _next_group(text, rows, group, following, loop, done)


def _moves_of(text: Text, frame: str, rows: MoveRows, group: str) -> str:
    """The address of a group's moves."""
    first = text.let(f"shl i64 {group}, {GROUP.bit_length() - 1}")
    return text.at(text.at(frame, rows.first), first)


def _counts_of(text: Text, frame: str, rows: MoveRows, prefix: int, group: str) -> str:
    """The address of the counts before a group."""
    return text.at(text.at(frame, prefix), text.let(f"mul i64 {group}, {rows.digits}"))


def _next_group(text: Text, rows: MoveRows, group: str, following: str, loop: str, done: str) -> None:
    text.line(f"{following} = add i64 {group}, 1")
    text.branch(text.let(f"icmp eq i64 {following}, {rows.groups}"), done, loop)
    text.label(done)
