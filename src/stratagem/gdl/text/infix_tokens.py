"""The words and signs of HRF: from text to tokens, and from a token to the word that KIF has for it.

cell  1  -5  x-axis      as they are            X  Player  _any        ?x  ?player  ?_any
"+"  "1.5"  "Cell"       as they are quoted     _                      a new variable each time
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import Any, Final

from lark import Token

from stratagem.gdl.findings import Finding, Severity
from stratagem.gdl.text.kif import LARGER, UNREADABLE
from stratagem.gdl.text.syntax import Node, Place, SheetLimits, Source, split_lines

TOKEN: Final = re.compile(
    r"""
      (?P<SKIP> \s+ | %.* )
    | (?P<WORD> [A-Za-z0-9_][A-Za-z0-9_-]* | -[0-9][A-Za-z0-9_-]* | \$[A-Za-z0-9_+*/%-]+ | "(?:[^"\\]|\\.)*" )
    | (?P<ARROW> :- | <= | ⇐ | ← )
    | (?P<AND> & | ∧ )
    | (?P<OR> \| | ∨ )
    | (?P<NOT> ~ | ¬ )
    | (?P<OPEN> \( )
    | (?P<CLOSE> \) )
    | (?P<COMMA> , )
    | (?P<DOT> \. )
    | (?P<ODD> . )
    """,
    re.VERBOSE | re.ASCII,
)
NOT_IN_A_WORD: Final = re.compile(r"[()\s;]", re.ASCII)
ESCAPE: Final = re.compile(r"\\(.)")
HINTS: Final = {
    "?": "variables begin with a capital: X for ?x",
    ";": "comments begin with %",
    '"': "close the quotation mark on the same line",
    ":": "the arrow is :-",
    "!": "for not write ~, for different write distinct(X,Y)",
    "=": "for different write distinct(X,Y); for equal use one variable in both places",
}


class Refused(Exception):
    """A limit is exceeded: reading ends here; the finding says which."""


class Faults:
    """What is wrong with one text so far."""

    def __init__(self, source: Source, limits: SheetLimits) -> None:
        self.source = source
        self.limits = limits
        self.findings: list[Finding] = []

    def add(self, code: str, place: Place, message: str, expected: str, hint: str) -> None:
        if len(self.findings) < self.limits.findings:
            found = Finding(code, Severity.ERROR, self.source.name, place, message, expected, hint)
            self.findings.append(found)

    def refuse(self, place: Place, message: str, expected: str, hint: str = LARGER) -> Refused:
        self.add("GDL008", place, message, expected, hint)
        return Refused()


def place_at(token: Any) -> Place:
    """Where a token stands; what the grammar misses at the end of the text is missed after its last token."""
    return Place(token.line or 1, token.column or 1, max(1, len(token)))


def lexed(source: Source, limits: SheetLimits, faults: Faults) -> list[Any]:
    """The tokens of *source*, those that cannot be anything marked as ODD; raises `Refused` past a limit."""
    if len(source.text) > limits.characters:
        message = f"the text has {len(source.text):,} characters"
        raise faults.refuse(Place(1, 1), message, f"at most {limits.characters:,}")
    tokens: list[Any] = []
    depth = _Depth()
    for number, line in enumerate(split_lines(source.text), start=1):
        for found in TOKEN.finditer(line):
            kind, text = str(found.lastgroup), found.group()
            if kind == "SKIP":
                continue
            place = Place(number, found.start() + 1, len(text))
            if len(tokens) >= limits.words:
                raise faults.refuse(place, f"more than {limits.words:,} words and signs", "an ordinary sheet")
            if len(text) > limits.word_length:
                expected = f"at most {limits.word_length:,}"
                raise faults.refuse(place, f"a word of {len(text):,} letters", expected)
            if depth.after(kind) > limits.nesting:
                message = f"brackets and ~ are nested more than {limits.nesting} deep"
                hint = "look for a bracket that is never closed"
                raise faults.refuse(place, message, "terms of ordinary depth", hint)
            if kind == "ODD" or (text.startswith('"') and not _sound(text)):
                _report_odd(text, place, faults)
                kind = "ODD"
            tokens.append(Token(kind, text, line=number, column=found.start() + 1))
    return tokens


class _Depth:
    """How deep the next word is nested, counting brackets and the negations before them."""

    def __init__(self) -> None:
        self.negations = [0]
        self.depth = 0

    def after(self, kind: str) -> int:
        if kind == "NOT":
            self.negations[-1] += 1
            self.depth += 1
        elif kind == "OPEN":
            self.negations.append(0)
            self.depth += 1
        elif kind != "WORD":
            self._end_of_condition()
            if kind == "CLOSE" and len(self.negations) > 1:
                self.negations.pop()
                self.depth -= 1
        return self.depth

    def _end_of_condition(self) -> None:
        self.depth -= self.negations[-1]
        self.negations[-1] = 0


def _sound(quoted: str) -> bool:
    """Whether a word in quotation marks could be a word of KIF."""
    word = _unquoted(quoted)
    return word != "" and not NOT_IN_A_WORD.search(word) and not UNREADABLE.search(word)


def _unquoted(quoted: str) -> str:
    return ESCAPE.sub(r"\1", quoted[1:-1])


def _report_odd(text: str, place: Place, faults: Faults) -> None:
    if len(text) > 1:
        message, hint = f"{text} cannot be a word", "leave out white space, brackets and ;"
    else:
        seen = text if text.isprintable() else f"the character U+{ord(text):04X}"
        message = "a quotation mark that is never closed" if text == '"' else f"{seen} cannot stand here"
        hint = HINTS.get(text, 'put a word with unusual characters into quotation marks: "a+b"')
    faults.add("GDL009", place, message, 'words, ( ) , . :- & | ~ and words in "..."', hint)


class WordReader:
    """From tokens to words of KIF; every ``_`` gets a variable of its own."""

    def __init__(self, tokens: Sequence[Any]) -> None:
        taken = {str(token) for token in tokens}
        free = (f"_{number}" for number in count(1) if f"_{number}" not in taken)
        self.anonymous = {place_at(token): f"?{next(free)}" for token in tokens if token == "_"}

    def node(self, token: Any) -> Node:
        place, text = place_at(token), str(token)
        if text.startswith('"'):
            return Node(place, _unquoted(text))
        if text == "_":
            return Node(place, self.anonymous[place])
        if text.startswith("_"):
            return Node(place, f"?{text}")
        if text[0].isupper():
            return Node(place, f"?{text.lower() if text.isupper() else text[0].lower() + text[1:]}")
        return Node(place, text)
