"""Random ranks in bit-slices: exactly uniform, by rejection.

Every word of 64 matches has its own generator (xoroshiro128++; Blackman and Vigna, 2019). A rank below n is drawn as
a number with as many binary digits as ``n - 1`` and drawn again while it is not below n: each attempt succeeds
with probability above one half and every rank is equally likely, without any bias. After the first attempt only
words with a match still pending draw on. What a word draws therefore depends on that word alone: results are the same
for every width of row.
"""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.native.emit.text import Text
from stratagem.native.logic.lut_mapping import TABLES

ATTEMPTS = 3
"""Attempts that are written out before the loop: a loop that ends at random costs a branch that cannot be predicted."""

SEED_LOW, SEED_HIGH = 0, 1
"""The rows of a block that hold the generators."""

_A, _B, _C = TABLES
ABOVE = (_A & ~_B | ~(_A ^ _B) & _C) & 0xFF
"""Comparison digit by digit: (digit of one, digit of the other, above so far) -> above."""
CHOOSE = (_A & _B | ~_A & _C) & 0xFF


class Generator:
    """The generators of one row of words, held in registers."""

    def __init__(self, text: Text, low: str, high: str) -> None:
        self.text, self.low, self.high = text, low, high

    def next(self) -> str:
        """A row of random bits."""
        text = self.text
        bits = text.add(text.rotate(text.add(self.low, self.high), 17), self.low)
        mixed = text.differ(self.low, self.high)
        self.low = text.differ(text.differ(text.rotate(self.low, 49), mixed), text.shift_left(mixed, 21))
        self.high = text.rotate(mixed, 28)
        return bits


def draw(
    text: Text, block: str, bound: Sequence[str], reach: Sequence[str], digits: int, words: str | None = None
) -> list[str]:
    """The digits of a random number from 0 to *bound*, in every match.

    *reach[i]* says where the bound has a digit at place i or above. *digits* random rows are drawn per attempt,
    whether or not the bound needs them all. *words*, one bit per word, keeps the others' generators still.
    """
    generator = Generator(text, text.load(block, SEED_LOW), text.load(block, SEED_HIGH))
    rank: list[str] = []
    pending = text.splat(-1)
    for attempt in range(ATTEMPTS):
        low, high = generator.low, generator.high
        active = text.nonzero_words(pending) if attempt else words
        rank, pending = _attempt(text, generator, bound, reach, digits, rank if attempt else None, pending)
        if active is not None:
            generator.low = text.words_of(active, generator.low, low)
            generator.high = text.words_of(active, generator.high, high)
    rank = _until_none_pending(text, generator, bound, reach, digits, rank, pending)
    text.store(generator.low, block, SEED_LOW)
    text.store(generator.high, block, SEED_HIGH)
    return rank


def _attempt(
    text: Text,
    generator: Generator,
    bound: Sequence[str],
    reach: Sequence[str],
    digits: int,
    rank: Sequence[str] | None,
    pending: str,
) -> tuple[list[str], str]:
    """One attempt for all matches; those still pending take it."""
    random = [generator.next() for _ in range(digits)]
    tried = [text.both(bits, within) for bits, within in zip(random, reach, strict=False)]
    above = text.splat(0)
    for place, (digit, limit) in enumerate(zip(tried, bound, strict=True)):
        above = text.logic(ABOVE, digit, limit, above) if place else text.but_not(digit, limit)
    if rank is None:
        return tried, above
    taken = [text.logic(CHOOSE, pending, new, old) for new, old in zip(tried, rank, strict=True)]
    return taken, text.both(pending, above)


def _until_none_pending(
    text: Text,
    generator: Generator,
    bound: Sequence[str],
    reach: Sequence[str],
    digits: int,
    rank: list[str],
    pending: str,
) -> list[str]:
    """Draw on in the words that have a match pending."""
    again, done = text.name("again"), text.name("drawn")
    before = text.block
    text.branch(text.some(pending), again, done)
    text.label(again)
    entering = [*rank, pending, generator.low, generator.high]
    promised = [f"%{text.name('next')}" for _ in entering]
    inside = [
        text.phi(text.row, (old, before), (new, again)) for old, new in zip(entering, promised, strict=True)
    ]
    looped = Generator(text, inside[-2], inside[-1])
    waiting = inside[-3]
    new_rank, still = _attempt(text, looped, bound, reach, digits, inside[:-3], waiting)
    active = text.nonzero_words(waiting)
    leaving = [
        *new_rank,
        still,
        text.words_of(active, looped.low, inside[-2]),
        text.words_of(active, looped.high, inside[-1]),
    ]
    for name, value in zip(promised, leaving, strict=True):
        text.named(name, value)
    text.branch(text.some(still), again, done)
    text.label(done)
    after = [
        text.phi(text.row, (old, before), (new, again)) for old, new in zip(entering, promised, strict=True)
    ]
    generator.low, generator.high = after[-2], after[-1]
    return after[:-3]
