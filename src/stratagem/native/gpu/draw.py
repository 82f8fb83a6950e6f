"""Random ranks in a thread: the same numbers as `emit.draw` draws, word for word.

Both threads of a word run its generator and take their halves of what it gives. A warp draws on until none of its
matches is pending; the generator of a word that has nothing pending stays where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from stratagem.native.emit.draw import ABOVE, CHOOSE
from stratagem.native.emit.moves import Draw
from stratagem.native.emit.text import Text
from stratagem.native.gpu.lane_text import LaneText

SPARED: Final = 2
"""The highest digits of a number, which are seldom needed: most games have far fewer legal moves than moves."""


def next_bits(text: LaneText, low: str, high: str) -> tuple[str, str, str]:
    """A row of random bits from the word's generator (xoroshiro128++) at (*low*, *high*), and where it is then."""

    def rotated(a: str, places: int) -> str:
        return text.let(f"call i64 @llvm.fshl.i64(i64 {a}, i64 {a}, i64 {places})")

    total = text.let(f"add i64 {low}, {high}")
    bits = text.let(f"add i64 {rotated(total, 17)}, {low}")
    mixed = text.let(f"xor i64 {low}, {high}")
    turned = text.let(f"xor i64 {rotated(low, 49)}, {mixed}")
    shifted = text.let(f"shl i64 {mixed}, 21")
    if text.lanes.gpu:
        first = text.let(f"trunc i64 {bits} to i32")
        second = text.let(f"trunc i64 {text.let(f'lshr i64 {bits}, 32')} to i32")
        bits = text.let(f"select i1 %odd, i32 {second}, i32 {first}")
    return bits, text.let(f"xor i64 {turned}, {shifted}"), rotated(mixed, 28)


def draw(
    text: LaneText, bound: Sequence[str], reach: Sequence[str], digits: int, words: str | None = None
) -> list[str]:
    """The digits of a random number from 0 to *bound*, in every match; see `emit.draw.draw`.

    *words*: whether this word draws at all; where it does not, its bounds are 0.
    """
    tried, pending = _attempt(text, bound, reach, digits, words)
    if not bound:
        return []
    ranks = [f"rank{place}" for place in range(len(tried))]
    for name, value in zip(ranks, tried, strict=True):
        text.set(name, value)
    retry, done = text.name("retry"), text.name("drawn")
    _go_on(text, pending, retry, done)
    text.label(retry)
    short = len(bound) - SPARED
    if short >= SPARED:
        few, many = text.name("few"), text.name("many")
        text.branch(text.some(reach[short]), many, few)
        text.label(few)
        _retry(text, bound[:short], reach[:short], digits, done)
        text.label(many)
    _retry(text, bound, reach, digits, done)
    text.label(done)
    return [text.value_of(name) for name in ranks]


def _retry(text: LaneText, bound: Sequence[str], reach: Sequence[str], digits: int, done: str) -> None:
    """Attempt after attempt where a number is pending, for bounds of so many digits; then on to *done*."""
    again = text.name("again")
    text.go(again)
    text.label(again)
    waiting = text.value_of("pending")
    tried, above = _attempt(text, bound, reach, digits, text.own_vote(text.value_of("votes")))
    for place, value in enumerate(tried):
        name = f"rank{place}"
        text.set(name, text.logic(CHOOSE, waiting, value, text.value_of(name)))
    _go_on(text, text.both(waiting, above), again, done)


def drawing(lanes: LaneText) -> Draw:
    """How a kernel for threads draws: `draw`, in the form that the choice of moves asks for."""

    def drawn(
        text: Text,
        block: str,
        bound: Sequence[str],
        reach: Sequence[str],
        digits: int,
        words: str | None = None,
    ) -> list[str]:
        return draw(lanes, bound, reach, digits, words)

    return drawn


def _go_on(text: LaneText, pending: str, again: str, done: str) -> None:
    """On to *again* while a match of the warp is *pending*."""
    votes = text.votes(pending)
    text.set("pending", pending)
    text.set("votes", votes)
    text.branch(text.here(votes), again, done)


def _attempt(
    text: LaneText, bound: Sequence[str], reach: Sequence[str], digits: int, drawing: str | None
) -> tuple[list[str], str]:
    """One number for every match, and where it is above the bound; unless the word is *drawing*, its generator stays."""
    before = low, high = text.value_of("seed_low", "i64"), text.value_of("seed_high", "i64")
    random = []
    for _ in range(digits):
        bits, low, high = next_bits(text, low, high)
        random.append(bits)
    for name, old, new in zip(("seed_low", "seed_high"), before, (low, high), strict=True):
        kept = new if drawing is None else text.let(f"select i1 {drawing}, i64 {new}, i64 {old}")
        text.set(name, kept, "i64")
    tried = [text.both(bits, within) for bits, within in zip(random, reach, strict=False)]
    above = text.splat(0)
    for place, (digit, limit) in enumerate(zip(tried, bound, strict=True)):
        above = text.logic(ABOVE, digit, limit, above) if place else text.but_not(digit, limit)
    return tried, above
