"""Choosing among legal moves that lie in memory, in walked playouts: hundreds of moves, of which few are legal.

As in `choice` the rows are walked twice, but the moves are counted in spans of 32, and only the counts of spans are kept: those
of groups of eight would be three rows for two moves, and no longer fit the cache. `select_in_spans` lowers the drawn rank
span by span until the move is found; the groups of a span are looked at only where it holds the move of some match, the
moves of a group likewise. Spans without a legal move in any match are passed over. In fused kernels, whose rows are in the
first level, `choice` is faster.
"""

from __future__ import annotations

from typing import Final

from stratagem.native.emit.choice import GROUP, MoveRows
from stratagem.native.emit.segment import Segment
from stratagem.native.emit.text import Text
from stratagem.native.logic.uniform_choice import Count, add, count, digits, raised, select, subtract

SPAN: Final = 4
"""Groups of a span."""
SPAN_MOVES: Final = SPAN * GROUP
SPAN_DIGITS: Final = digits(SPAN_MOVES)
LOCAL_DIGITS: Final = digits(SPAN_MOVES - 1)
"""Digits of a move's number in its span, and of its number among the groups after the last whole span."""


def count_in_spans(text: Text, frame: str, rows: MoveRows, prefix: int) -> list[str]:
    """The digits of the number of legal moves; the count of each span is left in memory from row *prefix* on."""
    spans = rows.groups // SPAN
    sums = [text.splat(0)] * rows.digits
    if spans:
        loop, body, none, after, done = (
            text.name(stem) for stem in ("count", "some", "none", "after", "counted")
        )
        before = text.block
        text.go(loop)
        text.label(loop)
        following = f"%{text.name('span')}"
        span = text.phi("i64", ("0", before), (following, after))
        promised = [f"%{text.name('sum')}" for _ in sums]
        so_far = [
            text.phi(text.row, (old, before), (name, after)) for old, name in zip(sums, promised, strict=True)
        ]
        place, counts = _span_at(text, frame, rows, span), _counts_at(text, frame, prefix, span)
        text.branch(text.some(_any(text, place, SPAN_MOVES)), body, none)
        text.label(body)
        segment = Segment(text)
        legal = [segment.row(place, slot) for slot in range(SPAN_MOVES)]
        own = raised(segment.network, [], legal, SPAN_MOVES)
        total = add(segment.network, [segment.value(digit) for digit in so_far], own, rows.moves)
        for digit, literal in enumerate(own):
            segment.output(literal, counts, digit)
        added = segment.emit(total)
        text.go(after)
        text.label(none)
        for digit in range(SPAN_DIGITS):
            text.store(text.splat(0), counts, digit)
        text.go(after)
        text.label(after)
        for name, old, new in zip(promised, so_far, added, strict=True):
            text.phi(text.row, (old, none), (new, body), name=name)
        text.line(f"{following} = add i64 {span}, 1")
        text.branch(text.let(f"icmp eq i64 {following}, {spans}"), done, loop)
        text.label(done)
        sums = promised
    rest = rows.groups - spans * SPAN
    if not rest:
        return sums
    segment = Segment(text)
    legal = [segment.row(frame, rows.first + spans * SPAN_MOVES + slot) for slot in range(rest * GROUP)]
    return segment.emit(raised(segment.network, [segment.value(digit) for digit in sums], legal, rows.moves))


def select_in_spans(text: Text, frame: str, rows: MoveRows, prefix: int, rank: list[str]) -> None:
    """Turn the rows of legal moves into rows of chosen moves: the legal move number *rank* in every match.

    The rank is lowered by the number of legal moves of each span; where it would fall below zero for the first time,
    the move is in that span, and the digits before are its number there.
    """
    spans = rows.groups // SPAN
    left = [*rank, *[text.splat(0)] * (rows.digits - len(rank))]
    passed = text.splat(0)
    if spans:
        loop, body, inside, outside, after, done = (
            text.name(stem) for stem in ("select", "some", "inside", "outside", "after", "selected")
        )
        before = text.block
        text.go(loop)
        text.label(loop)
        following = f"%{text.name('span')}"
        span = text.phi("i64", ("0", before), (following, after))
        names = [f"%{text.name('left')}" for _ in range(rows.digits + 1)]
        *wanted, over = [
            text.phi(text.row, (old, before), (name, after))
            for old, name in zip([*left, passed], names, strict=True)
        ]
        place, counts = _span_at(text, frame, rows, span), _counts_at(text, frame, prefix, span)
        legal_here = text.some(_any(text, counts, SPAN_DIGITS))
        text.branch(legal_here, body, after)
        text.label(body)
        segment = Segment(text)
        network = segment.network
        total = [segment.row(counts, digit) for digit in range(SPAN_DIGITS)]
        lowered, below = subtract(network, [segment.value(digit) for digit in wanted], total)
        here = network.conjunction(below, segment.value(over) ^ 1)
        gone = network.disjunction(below, segment.value(over))
        *results, found = segment.emit([*lowered[: rows.digits], gone, here])
        text.branch(text.some(found), inside, outside)
        text.label(inside)
        _select_in_groups(text, place, SPAN, wanted[:LOCAL_DIGITS], found)
        text.go(after)
        leaving = text.block
        text.label(outside)
        for slot in range(SPAN_MOVES):
            text.store(text.splat(0), place, slot)
        text.go(after)
        text.label(after)
        for name, old, new in zip(names, [*wanted, over], results, strict=True):
            text.phi(text.row, (old, loop), (new, leaving), (new, outside), name=name)
        text.line(f"{following} = add i64 {span}, 1")
        text.branch(text.let(f"icmp eq i64 {following}, {spans}"), done, loop)
        text.label(done)
        *left, passed = names
    rest = rows.groups - spans * SPAN
    if rest:
        place = text.at(frame, rows.first + spans * SPAN_MOVES)
        _select_in_groups(text, place, rest, left[:LOCAL_DIGITS], text.opposite(passed))


def _select_in_groups(text: Text, place: str, groups: int, rank: list[str], here: str) -> None:
    """The same for the groups from *place* on, in the matches *here*, whose move is one of theirs."""
    loop, body, none, after, done = (
        text.name(stem) for stem in ("group", "some", "none", "after", "grouped")
    )
    before = text.block
    text.go(loop)
    text.label(loop)
    following = f"%{text.name('group')}"
    group = text.phi("i64", ("0", before), (following, after))
    names = [f"%{text.name('left')}" for _ in range(len(rank) + 1)]
    *wanted, pending = [
        text.phi(text.row, (old, before), (name, after))
        for old, name in zip([*rank, here], names, strict=True)
    ]
    moves = text.at(place, text.let(f"shl i64 {group}, {GROUP.bit_length() - 1}"))
    segment = Segment(text)
    network = segment.network
    legal = [segment.row(moves, slot) for slot in range(GROUP)]
    tree = count(network, legal)
    lowered, below = subtract(network, [segment.value(digit) for digit in wanted], tree.total)
    found = network.conjunction(below, segment.value(pending))
    later = network.conjunction(segment.value(pending), below ^ 1)
    *results, chosen = segment.emit([*lowered[: len(rank)], later, found])
    text.branch(text.some(chosen), body, none)
    text.label(body)
    segment = Segment(text)
    legal = [segment.row(moves, slot) for slot in range(GROUP)]
    own: Count = count(segment.network, legal)
    digits_here = [*wanted, *[text.splat(0)] * 3][: digits(GROUP - 1)]
    local = [segment.value(digit) for digit in digits_here]
    for slot, literal in enumerate(select(segment.network, own, legal, local, segment.value(chosen))):
        segment.output(literal, moves, slot)
    segment.emit()
    text.go(after)
    text.label(none)
    for slot in range(GROUP):
        text.store(text.splat(0), moves, slot)
    text.go(after)
    text.label(after)
    for name, value in zip(names, results, strict=True):
        text.named(name, value)
    text.line(f"{following} = add i64 {group}, 1")
    text.branch(text.let(f"icmp eq i64 {following}, {groups}"), done, loop)
    text.label(done)


def _span_at(text: Text, frame: str, rows: MoveRows, span: str) -> str:
    """The address of a span's moves."""
    return text.at(text.at(frame, rows.first), text.let(f"mul i64 {span}, {SPAN_MOVES}"))


def _counts_at(text: Text, frame: str, prefix: int, span: str) -> str:
    """The address of a span's count."""
    return text.at(text.at(frame, prefix), text.let(f"mul i64 {span}, {SPAN_DIGITS}"))


def _any(text: Text, place: str, rows: int) -> str:
    """Where any of some rows is set."""
    segment = Segment(text)
    return segment.emit([segment.network.any([segment.row(place, slot) for slot in range(rows)])])[0]
