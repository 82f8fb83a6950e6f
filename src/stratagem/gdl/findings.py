"""Findings: what is wrong with a rule sheet, as data, and how one is printed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Final

from stratagem.gdl.codes import CODES
from stratagem.gdl.text.syntax import Place, Source

FOLDED: Final = 3
"""So many warnings of one kind are shown; of more only their places, and of very many only the first places."""


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong in one place: what, what was expected, and how to mend it."""

    code: str
    severity: Severity
    file: str
    place: Place
    message: str
    expected: str
    hint: str

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    def __str__(self) -> str:
        """The one-line form: ``file:line:col: error[GDL010]: what; expected ...; how to mend it``."""
        where = f"{self.file}:{self.place.line}:{self.place.column}"
        return f"{where}: {self.severity}[{self.code}]: {self.message}; expected {self.expected}; {self.hint}"

    def as_json(self) -> dict[str, object]:
        data = asdict(self)
        del data["place"]
        return {
            **data,
            "severity": str(self.severity),
            "line": self.place.line,
            "column": self.place.column,
            "length": self.place.length,
        }


FORM = re.compile(r"\(([a-z]+) ([^()]+)\)")


def phrase(text: str, syntax: str) -> str:
    """Advice in the syntax of the sheet: messages are written with KIF's forms, and an HRF sheet gets its own.

    >>> phrase("write (legal ?r noop), or (<= terminal ...) without (not ...)", "hrf")
    'write legal(R,noop), or terminal :- ... without ~ ...'
    """
    if syntax != "hrf":
        return text
    text = text.replace("(not ...)", "~ ...").replace("(<= terminal ...)", "terminal :- ...")
    return FORM.sub(lambda form: f"{form[1]}({','.join(map(_hrf_word, form[2].split()))})", text)


def _hrf_word(word: str) -> str:
    return word[1:].capitalize() if word.startswith("?") else word


def in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """*findings* in the order of the text, without repeats."""
    unique = dict.fromkeys(findings)
    return tuple(sorted(unique, key=lambda found: (found.place.line, found.place.column, found.code)))


def arranged(findings: Iterable[Finding]) -> list[tuple[Finding, ...]]:
    """*findings* as people read them: each error alone, then warnings, those of one kind together.

    Errors stay in the order given, and so do kinds by their first warning and the warnings of one kind.
    """
    several = list(findings)
    kinds: dict[str, list[Finding]] = {}
    for found in several:
        if not found.is_error:
            kinds.setdefault(found.code, []).append(found)
    return [(found,) for found in several if found.is_error] + [tuple(kind) for kind in kinds.values()]


def folded(kind: tuple[Finding, ...]) -> str:
    """Many findings of one kind in a few lines: what it is, how often, and the first places."""
    first = kind[0]
    lines = [f"{first.file}: {first.severity}[{first.code}]: {CODES[first.code]}: {len(kind):,} times"]
    lines += [f"  line {found.place.line}: {found.message}" for found in kind[:FOLDED]]
    more = len(kind) - FOLDED
    return "\n".join([*lines, f"  and {more:,} more"] if more > 0 else lines)


def picture(found: Finding, source: Source) -> str:
    """The form for people: the one-line message split up, with the line of the text and a caret below it."""
    where = f"{found.file}:{found.place.line}:{found.place.column}"
    head = f"{where}: {found.severity}[{found.code}]: {found.message}"
    text = visible(source.line(found.place.line))
    margin = f"{found.place.line:4} | "
    carets = "^" * max(1, min(found.place.length, len(text) - found.place.column + 1))
    shown = text if len(text) <= 160 else text[:160] + " …"
    lines = [head]
    if found.place.column <= 160 and text.strip():
        lines += [margin + shown, " " * (len(margin) + found.place.column - 1) + carets]
    return "\n".join([*lines, f"expected: {found.expected}", f"    hint: {found.hint}"])


def visible(text: str) -> str:
    """*text* with a blank for every tab and a dot for what cannot be seen, so that columns still agree."""
    return "".join(
        " " if character.isspace() else character if character.isprintable() else "·" for character in text
    )
