"""Scrambled rules: every name replaced by a word that means nothing, so that only the structure is left to play by.

Numbers, variables and the words of GDL itself stay. The words are made from syllables, by a seed: the same names get
the same words in a match, other words in the next.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Final

from stratagem.gdl.build import RESERVED
from stratagem.play.records.record import TOKEN

ONSETS: Final[tuple[str, ...]] = (
    *"bcdfghklmnprstvwz",
    "br",
    "ch",
    "dr",
    "fl",
    "gr",
    "pl",
    "qu",
    "sh",
    "st",
    "tr",
)
VOWELS: Final[tuple[str, ...]] = (*"aeiou", "ai", "ea", "oo", "ou")
CODAS: Final[tuple[str, ...]] = ("", *"lmnrstx", "nd", "rk", "st")


class Scrambler:
    """One match's words in both directions. What is not in *rules* is left alone."""

    def __init__(self, rules: str, seed: int | None = None) -> None:
        random = Random(seed)
        names = dict.fromkeys(word.lower() for word in _words(rules) if _is_name(word))
        taken = set(names) | RESERVED
        self._there: dict[str, str] = {}
        self._back: dict[str, str] = {}
        for name in names:
            word = _made_up(random, taken)
            taken.add(word)
            self._there[name] = word
            self._back[word] = name

    def scramble(self, text: str) -> str:
        """*text*, with its names replaced."""
        return _translated(text, self._there)

    def unscramble(self, text: str) -> str:
        """What a player's answer means; in lower case throughout."""
        return _translated(text, self._back)


def _translated(text: str, words: dict[str, str]) -> str:
    return TOKEN.sub(lambda token: words.get(token.group().lower(), token.group()), text)


def _words(text: str) -> Iterable[str]:
    return (word for word in TOKEN.findall(text) if not word.startswith(";"))


def _is_name(word: str) -> bool:
    return not (
        word in ("(", ")", "<=")
        or word.startswith("?")
        or word.lower() in RESERVED
        or word.lstrip("+-").isdecimal()
    )


def _made_up(random: Random, taken: set[str]) -> str:
    while True:
        syllables = [random.choice(ONSETS) + random.choice(VOWELS) for _ in range(random.randint(2, 3))]
        word = "".join(syllables) + random.choice(CODAS)
        if word not in taken:
            return word
