"""Short texts for people: numbers, moves without brackets, titles of algorithms.

A null-window search uses bounds like 11.999999999999998, the last number before 12. That is written 12−, and the first
number after 12 is 12+.
"""

from __future__ import annotations

from math import inf, isinf, nextafter
from sys import float_info

INFINITY = "∞"
MINUS = "−"
TITLES = {
    "alpha-beta": "Alpha-beta",
    "alpha-beta-second": "Alpha-beta, second form",
    "alpha-beta-strict": "Alpha-beta, cut at > only",
    "alpha-beta-shallow": "Alpha-beta, shallow cuts only",
    "fail-soft": "Alpha-beta, fail-soft",
    "sss-star": "SSS*",
    "dual-star": "DUAL*",
    "negascout": "NegaScout",
    "mtdf": "MTD(f)",
    "mtd-plus-inf": "MTD(+∞)",
    "mtd-minus-inf": "MTD(−∞)",
    "proof-number": "Proof numbers",
    "iterative-deepening": "Iterative deepening",
    "iterative-deepening-blind": "Iterative deepening, blind",
    "uniform-cost": "Uniform cost",
    "a-star": "A*",
    "ida-star": "IDA*",
    "greedy": "Greedy best first",
    "backward": "Backward from the goal",
}
"""Titles of algorithms that differ from their names."""


def figure(value: float | None) -> str:
    """*value* in a few characters.

    >>> from math import inf, nextafter
    >>> [figure(each) for each in (12, 0.5, 1/3, -inf, nextafter(12, 0), nextafter(12, 13), None)]
    ['12', '0.5', '0.333', '−∞', '12−', '12+', '?']
    """
    if value is None:
        return "?"
    if isinf(value):
        return INFINITY if value > 0 else MINUS + INFINITY
    if abs(value) == float_info.max:  # the neighbour of an infinity
        return INFINITY + MINUS if value > 0 else MINUS + INFINITY + "+"
    whole = round(value)
    if value == whole:
        return _signed(str(whole))
    if nextafter(value, inf) == whole:
        return _signed(f"{whole}{MINUS}")
    if nextafter(value, -inf) == whole:
        return _signed(f"{whole}+")
    return _signed(f"{value:.3g}" if abs(value) < 1000 else f"{value:.1f}")


def interval(low: float, high: float) -> str:
    """The values strictly between *low* and *high*, in words.

    >>> from math import inf
    >>> interval(3, inf), interval(3, 12), interval(-inf, inf)
    ('more than 3', 'more than 3 and less than 12', 'any value')
    """
    if low == -inf and high == inf:
        return "any value"
    if high == inf:
        return f"more than {figure(low)}"
    if low == -inf:
        return f"less than {figure(high)}"
    return f"more than {figure(low)} and less than {figure(high)}"


def empty(low: float, high: float) -> bool:
    """Whether no number lies strictly between *low* and *high*."""
    return nextafter(low, inf) >= high


def _signed(text: str) -> str:
    return text.replace("-", MINUS)


def bare(move: str) -> str:
    """*move* without its outer brackets."""
    return move[1:-1] if move.startswith("(") and move.endswith(")") else move


def title(algorithm: str) -> str:
    """The title of an algorithm.

    >>> title("sss-star"), title("breadth-first")
    ('SSS*', 'Breadth first')
    """
    return TITLES.get(algorithm) or algorithm.replace("-", " ").capitalize()
