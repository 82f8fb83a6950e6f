"""The end of a ply: which matches are over, how they ended, how long they were, and which lanes begin another.

Lengths are counted in bit-slices: four digits while no match is longer than 15 plies, eight while none is longer
than 255, then all 32 in a loop. The rare cases (a new longest match, an unexpected outcome, a quota used up)
go through memory into functions of their own, so that the code of the common case stays small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stratagem.native.emit.draw import ABOVE
from stratagem.native.emit.text import Text
from stratagem.native.logic.lut_mapping import TABLES
from stratagem.native.playouts import block as blocks

_A, _B, _C = TABLES
SAME_TOO = (~(_A ^ _B) & _C) & 0xFF
"""(digit of one, digit of the other, equal so far) -> equal."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What is known about the matches after a ply, as rows; *idle* lanes wait for a new match (None: no lane)."""

    terminal: str
    stuck: str | None
    idle: str | None
    outcomes: Sequence[str]
    rest: str
    state: str
    """The address of the states after the ply."""


def account(text: Text, ending: Ending, reset: str | None, used: str) -> tuple[str, str, str]:
    """Book the ply. Comes back: lanes that need a new match, digits of length in use, and whether all is done."""
    active = text.load("%block", blocks.ACTIVE)
    live = active if ending.idle is None else text.but_not(active, ending.idle)
    above, at_limit, used = _lengths(text, reset, used)
    moved = live if ending.stuck is None else text.but_not(live, ending.stuck)
    finished = text.both(moved, ending.terminal)
    unfinished = text.but_not(at_limit, ending.terminal)
    over = text.both(moved, unfinished)
    tally(text, blocks.PLIES, moved)
    for number, outcome in enumerate(ending.outcomes):
        tally(text, blocks.COUNTS + number, text.both(outcome, finished))
    ended = text.either(finished, over)
    again = text.either(ending.terminal, unfinished)
    if ending.idle is not None:
        again = text.either(again, ending.idle)
    if ending.stuck is not None:
        ended = text.either(ended, text.both(live, ending.stuck))
        again = text.either(again, ending.stuck)
    rest = text.both(ending.rest, finished)
    longer = text.both(above, finished)
    rare = text.either(text.either(rest, longer), over)
    if ending.stuck is not None:
        rare = text.either(rare, text.both(live, ending.stuck))
    with text.when(text.some(rare)):
        _rare_cases(text, live, ending, finished, rest, longer, over)
    return again, used, _quota(text, ended)


def _lengths(text: Text, reset: str | None, used: str) -> tuple[str, str, str]:
    """One ply more in every lane: (longer than the longest, as long as the limit, digits in use)."""
    four, more, eight, long, done = (text.name(stem) for stem in ("four", "more", "eight", "long", "done"))
    text.branch(text.let(f"icmp eq i64 {used}, 4"), four, more)
    ways: list[tuple[str, str, str, str]] = []
    for label, count, fits in ((four, 4, blocks.FITS_4), (eight, 8, blocks.FITS_8)):
        text.label(label)
        ages, carry = _increment(text, count, reset)
        text.store(carry, "%block", blocks.AGE + count)
        above = text.splat(0)
        same = text.load("%block", fits)
        for digit, age in enumerate(ages):
            above = text.logic(ABOVE, age, text.load("%block", blocks.LONGEST + digit), above)
            same = text.logic(SAME_TOO, age, text.load("%block", blocks.LIMIT + digit), same)
        ways.append((above, same, str(count), text.block))
        promoted = text.name("promoted")
        text.branch(text.some(carry), promoted, done)
        text.label(promoted)
        ways.append(_compared(text, "compare_long", str(2 * count if count == 4 else blocks.DIGITS)))
        text.go(done)
    text.label(more)
    text.branch(text.let(f"icmp eq i64 {used}, 8"), eight, long)
    text.label(long)
    text.store(text.splat(0) if reset is None else reset, "%block", blocks.RESET)
    ways.append(_compared(text, "count_long", str(blocks.DIGITS)))
    text.go(done)
    text.label(done)
    above = text.phi(text.row, *((way[0], way[3]) for way in ways))
    same = text.phi(text.row, *((way[1], way[3]) for way in ways))
    return above, same, text.phi("i64", *((way[2], way[3]) for way in ways))


def _compared(text: Text, function: str, used: str) -> tuple[str, str, str, str]:
    """The comparison of all digits, through memory."""
    text.line(f"call void @{function}(ptr %block)")
    above, same = text.load("%block", blocks.ABOVE), text.load("%block", blocks.AT_LIMIT)
    return above, same, used, text.block


def _increment(text: Text, count: int, reset: str | None) -> tuple[list[str], str]:
    """The lowest digits of the lengths plus one, stored; and the carry out of them."""
    ages = []
    carry = ""
    for digit in range(count):
        age = text.load("%block", blocks.AGE + digit)
        if reset is not None:
            age = text.but_not(age, reset)
        new = text.opposite(age) if digit == 0 else text.differ(age, carry)
        carry = age if digit == 0 else text.both(age, carry)
        text.store(new, "%block", blocks.AGE + digit)
        ages.append(new)
    return ages, carry


def tally(text: Text, row: int, lanes: str) -> None:
    """Add the number of *lanes* to the counts of the words in a row of the block."""
    text.store(text.add(text.load("%block", row), text.population(lanes)), "%block", row)


def _rare_cases(
    text: Text, live: str, ending: Ending, finished: str, rest: str, longer: str, over: str
) -> None:
    tally(text, blocks.OVER, over)
    if ending.stuck is not None:
        tally(text, blocks.STUCK, text.both(live, ending.stuck))
    with text.when(text.some(longer)):
        text.store(finished, "%block", blocks.ENDED)
        text.line("call void @note_longest(ptr %block)")
    with text.when(text.some(rest)):
        text.store(rest, "%block", blocks.REST)
        text.line(f"call void @note_rest(ptr %frame, ptr {ending.state}, ptr %block, ptr %log)")


def _quota(text: Text, ended: str) -> str:
    """Begin new matches while the quota lasts; whether every lane is out of work."""
    begun = text.population(ended)
    remaining = text.load("%block", blocks.REMAINING)
    left = text.subtract(remaining, begun)
    short = text.let(f"icmp slt {text.row} {left}, zeroinitializer")
    words = text.shape.words
    scarce = text.let(f"icmp ne i{words} {text.let(f'bitcast <{words} x i1> {short} to i{words}')}, 0")
    slow, fast, after = text.name("slow"), text.name("fast"), text.name("after")
    text.branch(scarce, slow, fast)
    text.label(slow)
    text.store(ended, "%block", blocks.ENDED)
    finished = text.let("call i1 @last_matches(ptr %block)")
    text.go(after)
    text.label(fast)
    text.store(left, "%block", blocks.REMAINING)
    text.go(after)
    text.label(after)
    return text.phi("i1", (finished, slow), ("false", fast))
