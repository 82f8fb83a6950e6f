"""Choosing among legal moves that lie in memory, in walked playouts: hundreds of moves, of which few are legal.

As in `choice` the rows are walked in groups of eight, twice, but nothing is stored in between: `count_fresh` adds up the
legal moves, and `select_fresh` lowers the drawn rank group by group until the move is found. The counts before each group
would be more rows than the moves themselves, and no longer fit the cache. A group without a legal move in any match
is passed over. In fused kernels, whose rows are in the first level, `choice` is faster.
"""

from __future__ import annotations

from dataclasses import dataclass

from stratagem.native.emit.choice import GROUP, MoveRows
from stratagem.native.emit.segment import Segment
from stratagem.native.emit.text import Text
from stratagem.native.logic.lut_mapping import TABLES
from stratagem.native.logic.uniform_choice import Count, count, digits, raised, select, subtract

_A, _B, _C = TABLES
REPLACED = (_A & ~_B | _C) & 0xFF
"""(what was there, where it is replaced, what comes there)"""


@dataclass(frozen=True, slots=True)
class FreshLanes:
    """Lanes that have just begun: their legal moves are the root's, whatever lies in the rows.

    *masks* points to one byte for each row: the bits say in which words of a column the root has the move.
    """

    lanes: str
    masks: str

    def after(self, text: Text, rows: int) -> FreshLanes:
        """The same without the first *rows* rows."""
        if rows == 0:
            return self
        return FreshLanes(self.lanes, text.let(f"getelementptr inbounds i8, ptr {self.masks}, i64 {rows}"))

    def row(self, text: Text, old: str, number: str) -> str:
        """A row of legal moves, where *old* is what lies in memory and *number* is the number of the row."""
        words = text.shape.words
        byte = text.let(
            f"load i8, ptr {text.let(f'getelementptr inbounds i8, ptr {self.masks}, i64 {number}')}"
        )
        bits = byte if words == 8 else text.let(f"trunc i8 {byte} to i{words}")
        mask = text.let(f"bitcast i{words} {bits} to <{words} x i1>")
        begun = text.words_of(mask, self.lanes, text.splat(0))
        return text.logic(REPLACED, old, self.lanes, begun)


def count_fresh(text: Text, frame: str, rows: MoveRows, fresh: FreshLanes | None) -> list[str]:
    """The digits of the number of legal moves; *fresh* where matches may have begun at this ply."""
    loop, body, done, after = (text.name(stem) for stem in ("count", "some", "counted", "counting"))
    before = text.block
    text.go(loop)
    text.label(loop)
    following = f"%{text.name('group')}"
    group = text.phi("i64", ("0", before), (following, after))
    promised = [f"%{text.name('sum')}" for _ in range(rows.digits)]
    sums = [text.phi(text.row, (text.splat(0), before), (name, after)) for name in promised]
    moves, _ = _moves_of(text, frame, rows, group, fresh)
    text.branch(text.some(_any(text, moves)), body, after)
    text.label(body)
    segment = Segment(text)
    legal, so_far = ([segment.value(name) for name in names] for names in (moves, sums))
    added = segment.emit(raised(segment.network, so_far, legal, rows.moves))
    text.go(after)
    text.label(after)
    for name, old, new in zip(promised, sums, added, strict=True):
        text.phi(text.row, (old, loop), (new, body), name=name)
    _next_group(text, rows, group, following, loop, done)
    return promised


def select_fresh(text: Text, frame: str, rows: MoveRows, rank: list[str], fresh: FreshLanes | None) -> None:
    """Turn the rows of legal moves into rows of chosen moves: the legal move number *rank* in every match.

    The rank is lowered by the number of legal moves of each group; where it would fall below zero for the first time,
    the move is in that group, and the digits before are its number there.
    """
    loop, body, done, after = (text.name(stem) for stem in ("select", "some", "selected", "selecting"))
    before = text.block
    text.go(loop)
    text.label(loop)
    following = f"%{text.name('group')}"
    group = text.phi("i64", ("0", before), (following, after))
    names = [f"%{text.name('left')}" for _ in range(rows.digits + 1)]
    start = [*rank, *[text.splat(0)] * (rows.digits + 1 - len(rank))]
    *left, passed = (
        text.phi(text.row, (old, before), (name, after)) for old, name in zip(start, names, strict=True)
    )
    moves, before_them = _moves_of(text, frame, rows, group, fresh)
    # Rows that are to be cleared are written, too.
    text.branch(text.some(_any(text, list(dict.fromkeys([*moves, *before_them])))), body, after)
    text.label(body)
    segment = Segment(text)
    network = segment.network
    legal = [segment.value(move) for move in moves]
    tree: Count = count(network, legal)
    wanted = [segment.value(digit) for digit in left]
    lowered, below = subtract(network, wanted, tree.total)
    here = network.conjunction(below, segment.value(passed) ^ 1)
    low = min(rows.digits, digits(GROUP - 1))
    local = [*wanted[:low], *[0] * (digits(GROUP - 1) - low)]
    place = text.at(text.at(frame, rows.first), text.let(f"shl i64 {group}, {GROUP.bit_length() - 1}"))
    for slot, literal in enumerate(select(network, tree, legal, local, here)):
        segment.output(literal, place, slot)
    gone = network.disjunction(below, segment.value(passed))
    results = segment.emit([*lowered[: rows.digits], gone])
    text.go(after)
    text.label(after)
    for name, old, new in zip(names, [*left, passed], results, strict=True):
        text.phi(text.row, (old, loop), (new, body), name=name)
    _next_group(text, rows, group, following, loop, done)


def _moves_of(
    text: Text, frame: str, rows: MoveRows, group: str, fresh: FreshLanes | None
) -> tuple[list[str], list[str]]:
    """The legal moves of a group; and what lies in their rows."""
    first = text.let(f"shl i64 {group}, {GROUP.bit_length() - 1}")
    place = text.at(text.at(frame, rows.first), first)
    moves = [text.load(place, slot) for slot in range(GROUP)]
    if fresh is None:
        return moves, moves
    numbers = [text.let(f"add i64 {first}, {slot}") for slot in range(GROUP)]
    return [fresh.row(text, move, number) for move, number in zip(moves, numbers, strict=True)], moves


def _any(text: Text, rows: list[str]) -> str:
    """Where any of some rows is set."""
    segment = Segment(text)
    return segment.emit([segment.network.any([segment.value(row) for row in rows])])[0]


def _next_group(text: Text, rows: MoveRows, group: str, following: str, loop: str, done: str) -> None:
    text.line(f"{following} = add i64 {group}, 1")
    text.branch(text.let(f"icmp eq i64 {following}, {rows.groups}"), done, loop)
    text.label(done)
