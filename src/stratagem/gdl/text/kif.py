"""The reader for prefix KIF, the syntax of the field's rule sheets.

    (<= (legal ?player noop)  (role ?player)  (not (true (control ?player))))     ; a comment

White space separates, brackets nest, ``;`` starts a comment wherever it stands, all else is part of a word.
Every fault is collected, so that one run shows all; the nodes that could be read are returned all the same.
One pass, no recursion: the cost is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from stratagem.gdl.findings import Finding, Severity
from stratagem.gdl.text.syntax import LIMITS, Node, Place, SheetLimits, Source, split_lines

TOKEN: Final = re.compile(r"[()]|[^()\s;]+|;.*", re.ASCII)
UNREADABLE: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


class _Refused(Exception):
    """A limit is exceeded: reading ends here; the finding says which."""


class _Reader:
    """The brackets that are open, and what has been read inside each."""

    def __init__(self, source: Source, limits: SheetLimits) -> None:
        self.source = source
        self.limits = limits
        self.findings: list[Finding] = []
        self.top: list[Node] = []
        self.open_lists: list[tuple[Place, list[Node]]] = []

    def fault(self, code: str, place: Place, message: str, expected: str, hint: str) -> None:
        if len(self.findings) < self.limits.findings:
            found = Finding(code, Severity.ERROR, self.source.name, place, message, expected, hint)
            self.findings.append(found)

    def refuse(self, place: Place, message: str, expected: str, hint: str) -> _Refused:
        self.fault("GDL008", place, message, expected, hint)
        return _Refused()

    def read(self) -> None:
        for count, (place, text) in enumerate(tokens(self.source.text), start=1):
            if count > self.limits.words:
                message = f"more than {self.limits.words:,} words and brackets"
                raise self.refuse(place, message, "a rule sheet of ordinary size", LARGER)
            if text == "(":
                self.open(place)
            elif text == ")":
                self.close(place)
            else:
                self.word(place, text)
        self.rescue()

    def open(self, place: Place) -> None:
        if len(self.open_lists) >= self.limits.nesting:
            message = f"brackets are nested more than {self.limits.nesting} deep"
            hint = "look for a bracket that is never closed"
            raise self.refuse(place, message, "terms of ordinary depth", hint)
        self.open_lists.append((place, []))

    def close(self, place: Place) -> None:
        if not self.open_lists:
            hint = "remove it, or look for a ( that is missing before it"
            self.fault("GDL002", place, "this bracket closes nothing", "as many ) as (", hint)
            return
        opened, items = self.open_lists.pop()
        self.add(Node(opened, None, tuple(items)))

    def word(self, place: Place, text: str) -> None:
        if text == "<=" and len(self.open_lists) > 1 and not self.open_lists[-1][1]:
            self.begin_anew()
        if len(text) > self.limits.word_length:
            message = f"a word of {len(text):,} letters"
            hint = "look for white space that is missing, or pass larger limits"
            raise self.refuse(place, message, f"at most {self.limits.word_length:,}", hint)
        unreadable = UNREADABLE.search(text)
        if unreadable is None:
            self.add(Node(place, text))
        else:
            where = Place(place.line, place.column + unreadable.start())
            message = f"the character U+{ord(unreadable.group()):04X} cannot be in rules"
            self.fault("GDL009", where, message, "plain text", "save the sheet as plain text in UTF-8")

    def add(self, node: Node) -> None:
        (self.open_lists[-1][1] if self.open_lists else self.top).append(node)

    def begin_anew(self) -> None:
        """A rule that begins inside another one, on a new line and no further in: the other was never closed."""
        opened, _ = self.open_lists[-1]
        around, _ = self.open_lists[0]
        if opened.line > self.open_lists[-2][0].line and opened.column <= around.column:
            rule = self.open_lists.pop()
            self.rescue()
            self.open_lists.append(rule)

    def rescue(self) -> None:
        """Report the brackets that are still open, and save the rules that one of them has swallowed.

        Rules begin at the start of a line: a list further down, no further in than the open bracket, was
        meant to stand beside it, not inside.
        """
        for opened, items in self.open_lists:
            hint = "add the ) that is missing"
            self.fault("GDL001", opened, "this bracket is never closed", "a ) for every (", hint)
            self.top += [
                item
                for item in items
                if not item.is_word and item.place.line > opened.line and item.place.column <= opened.column
            ]
        self.open_lists.clear()


LARGER: Final = "split the game, or pass larger limits"


def read(source: Source, limits: SheetLimits = LIMITS) -> tuple[list[Node], list[Finding]]:
    """The top-level nodes of a KIF text, and what is wrong with its brackets and words."""
    reader = _Reader(source, limits)
    try:
        if len(source.text) > limits.characters:
            message = f"the text has {len(source.text):,} characters"
            raise reader.refuse(Place(1, 1), message, f"at most {limits.characters:,}", LARGER)
        reader.read()
    except _Refused:
        return [], reader.findings
    return reader.top, reader.findings


def tokens(text: str) -> Iterator[tuple[Place, str]]:
    """The brackets and words of *text* with their places; comments and white space are passed over."""
    for number, line in enumerate(split_lines(text), start=1):
        for found in TOKEN.finditer(line):
            word = found.group()
            if not word.startswith(";"):
                yield Place(number, found.start() + 1, len(word)), word
