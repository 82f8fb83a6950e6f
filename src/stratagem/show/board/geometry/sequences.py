"""Orders: which sets of words are the labels of an axis, and in what order.

    1 2 3 ...      -2 -1 0 1      numbers without large gaps
    a b c ...                     letters without large gaps
    c1 c2 ... c8                  one word, numbered
    one two three                 number words
    any words                     where a relation of the rules chains them: (succ x y) (succ y z)

Gaps are filled: a domain 1 2 4 5 makes an axis of five.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from stratagem.gdl.terms import Symbol, Term

NUMBER = re.compile(r"[+-]?\d{1,6}")
NUMBERED = re.compile(r"([a-z_]*[a-z_-])(\d{1,4})")
CODE = re.compile(r"([a-z])(\d{1,2})")
WORDS = (
    [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ],
    [
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
    ],
)


@dataclass(frozen=True, slots=True)
class Axis:
    """Labels in order. *style* is ``number``, ``letter``, ``numbered`` or ``word``."""

    values: tuple[Symbol, ...]
    style: str

    def __len__(self) -> int:
        return len(self.values)


def axis_of(values: Iterable[Term], chains: Iterable[Mapping[Term, int]] = ()) -> Axis | None:
    """The axis whose labels are *values*, or None if they have no order.

    >>> axis_of([Symbol("3"), Symbol("1"), Symbol("2")]).values
    ('1', '2', '3')
    >>> axis_of([Symbol("red"), Symbol("blue")]) is None
    True
    """
    words = sorted({value for value in values if isinstance(value, Symbol)})
    if len(words) < 2 or len(words) < len({*values}):
        return None
    return (
        _numbers(words)
        or _letters(words)
        or _numbered(words)
        or _number_words(words)
        or _chained(words, chains)
    )


def _numbers(words: list[Symbol]) -> Axis | None:
    if not all(NUMBER.fullmatch(word) for word in words):
        return None
    known = {int(word): word for word in words}
    return _filled(known, str, "number") if len(known) == len(words) else None


def _letters(words: list[Symbol]) -> Axis | None:
    if not all(len(word) == 1 and "a" <= word <= "z" for word in words):
        return None
    return _filled({ord(word): word for word in words}, chr, "letter")


def _numbered(words: list[Symbol]) -> Axis | None:
    found = [NUMBERED.fullmatch(word) for word in words]
    stems = {match[1] for match in found if match is not None}
    if None in found or len(stems) != 1:
        return None
    known = {int(match[2]): word for match, word in zip(found, words, strict=True) if match is not None}
    stem = stems.pop()
    return _filled(known, lambda number: f"{stem}{number}", "numbered") if len(known) == len(words) else None


def _number_words(words: list[Symbol]) -> Axis | None:
    for known in WORDS:
        if all(word in known for word in words):
            return _filled({known.index(word): word for word in words}, known.__getitem__, "word")
    return None


def _chained(words: list[Symbol], chains: Iterable[Mapping[Term, int]]) -> Axis | None:
    for chain in chains:
        if all(word in chain for word in words):
            places = [chain[word] for word in words]
            between = sorted(
                (term for term, place in chain.items() if min(places) <= place <= max(places)),
                key=chain.__getitem__,
            )
            if len(between) <= 2 * len(words) + 4:
                return Axis(tuple(term for term in between if isinstance(term, Symbol)), "word")
    return None


def _filled(known: Mapping[int, Symbol], spell: Callable[[int], str], style: str) -> Axis | None:
    low, high = min(known), max(known)
    if high - low + 1 > max(len(known) + 1, 3 * len(known) // 2):
        return None
    values = (known.get(number, Symbol(spell(number))) for number in range(low, high + 1))
    return Axis(tuple(values), style)


def chain_of(pairs: Iterable[tuple[Term, Term]]) -> Mapping[Term, int] | None:
    """The place of each term in the one chain that *pairs* (before, after) form, or None if they form no chain.

    >>> chain_of([("b", "c"), ("a", "b")])
    {'a': 0, 'b': 1, 'c': 2}
    >>> chain_of([("a", "b"), ("a", "c")]) is None
    True
    """
    following = dict[Term, Term]()
    for before, after in pairs:
        if before in following or before == after:
            return None
        following[before] = after
    starts = [term for term in following if term not in set(following.values())]
    if len(starts) != 1 or len(set(following.values())) != len(following):
        return None
    places: dict[Term, int] = {starts[0]: 0}
    term = starts[0]
    while term in following:
        term = following[term]
        places[term] = len(places)
    return places if len(places) == len(following) + 1 else None


def coded(values: Iterable[Term]) -> dict[Term, tuple[Symbol, Symbol]] | None:
    """Letter and number of each value where all are cells such as ``a1`` or ``h8``; None where they are not.

    >>> coded([Symbol("a1"), Symbol("a2"), Symbol("b1")])["b1"]
    ('b', '1')
    """
    parts: dict[Term, tuple[Symbol, Symbol]] = {}
    for value in values:
        match = CODE.fullmatch(value) if isinstance(value, Symbol) else None
        if match is None:
            return None
        parts[value] = (Symbol(match[1]), Symbol(match[2]))
    letters, numbers = ({part[place] for part in parts.values()} for place in (0, 1))
    enough = len(letters) > 1 and len(numbers) > 1 and 3 * len(parts) >= len(letters) * len(numbers)
    gaps = len(letters) > 0 and ord(max(letters)) - ord(min(letters)) + 1 > len(letters)
    return parts if enough and not gaps else None
