"""Random ranks in a thread: the same numbers as `emit.draw` draws, word for word.

Both threads of a word run its generator and take their halves of what it gives. A word draws on until none of its 64
matches is pending; the threads of other words wait, as threads of a GPU do.
"""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.native.emit.draw import ABOVE, CHOOSE
from stratagem.native.emit.moves import Draw
from stratagem.native.emit.text import Text
from stratagem.native.gpu.lane_text import LaneText


def next_bits(text: LaneText) -> str:
    """A row of random bits from the word's generator (xoroshiro128++)."""
    low, high = text.value_of("seed_low", "i64"), text.value_of("seed_high", "i64")

    def rotated(a: str, places: int) -> str:
        return text.let(f"call i64 @llvm.fshl.i64(i64 {a}, i64 {a}, i64 {places})")

    total = text.let(f"add i64 {low}, {high}")
    bits = text.let(f"add i64 {rotated(total, 17)}, {low}")
    mixed = text.let(f"xor i64 {low}, {high}")
    turned = text.let(f"xor i64 {rotated(low, 49)}, {mixed}")
    shifted = text.let(f"shl i64 {mixed}, 21")
    text.set("seed_low", text.let(f"xor i64 {turned}, {shifted}"), "i64")
    text.set("seed_high", rotated(mixed, 28), "i64")
    if not text.lanes.gpu:
        return bits
    first = text.let(f"trunc i64 {bits} to i32")
    second = text.let(f"trunc i64 {text.let(f'lshr i64 {bits}, 32')} to i32")
    return text.let(f"select i1 %odd, i32 {second}, i32 {first}")


def draw(text: LaneText, bound: Sequence[str], reach: Sequence[str], digits: int) -> list[str]:
    """The digits of a random number from 0 to *bound*, in every match; see `emit.draw.draw`."""
    tried, pending = _attempt(text, bound, reach, digits)
    if not bound:
        return []
    ranks = [f"rank{place}" for place in range(len(tried))]
    for name, value in zip(ranks, tried, strict=True):
        text.set(name, value)
    text.set("pending", pending)
    again, done = text.name("again"), text.name("drawn")
    text.branch(text.some(pending), again, done)
    text.label(again)
    waiting = text.value_of("pending")
    tried, above = _attempt(text, bound, reach, digits)
    for name, value in zip(ranks, tried, strict=True):
        text.set(name, text.logic(CHOOSE, waiting, value, text.value_of(name)))
    still = text.both(waiting, above)
    text.set("pending", still)
    text.branch(text.some(still), again, done)
    text.label(done)
    return [text.value_of(name) for name in ranks]


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
        return draw(lanes, bound, reach, digits)

    return drawn


def _attempt(
    text: LaneText, bound: Sequence[str], reach: Sequence[str], digits: int
) -> tuple[list[str], str]:
    """One number for every match, and where it is above the bound."""
    random = [next_bits(text) for _ in range(digits)]
    tried = [text.both(bits, within) for bits, within in zip(random, reach, strict=False)]
    above = text.splat(0)
    for place, (digit, limit) in enumerate(zip(tried, bound, strict=True)):
        above = text.logic(ABOVE, digit, limit, above) if place else text.but_not(digit, limit)
    return tried, above
