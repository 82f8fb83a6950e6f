"""The reader for prefix KIF, the syntax of the field's rule sheets.

    (<= (legal ?player noop)  (role ?player)  (not (true (control ?player))))     ; a comment

White space separates, brackets nest, ``;`` starts a comment wherever it stands, all else is part of a word.
Every fault is collected, so that one run shows all; the nodes that could be read are returned all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stratagem.gdl.findings import Finding, Severity
from stratagem.gdl.limits import LIMITS, Limits
from stratagem.gdl.syntax import Node, Place, Source, split_lines

TOKEN = re.compile(r"[()]|[^()\s;]+|;.*", re.ASCII)
UNREADABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def read(source: Source, limits: Limits = LIMITS) -> tuple[list[Node], list[Finding]]:
    """The top-level nodes of a KIF text, and what is wrong with its brackets."""
    findings: list[Finding] = []

    def fault(code: str, place: Place, message: str, expected: str, hint: str) -> None:
        findings.append(Finding(code, Severity.ERROR, source.name, place, message, expected, hint))

    if len(source.text) > limits.characters:
        fault(
            "GDL008",
            Place(1, 1),
            f"the text has {len(source.text):,} characters",
            f"at most {limits.characters:,}",
            "split the game, or pass larger limits",
        )
        return [], findings

    top: list[Node] = []
    open_lists: list[tuple[Place, list[Node]]] = []
    words = 0
    for place, text in tokens(source.text):
        words += 1
        if words > limits.words:
            fault(
                "GDL008",
                place,
                f"more than {limits.words:,} words and brackets",
                "a rule sheet of ordinary size",
                "split the game, or pass larger limits",
            )
            return [], findings
        if text == "(":
            if len(open_lists) >= limits.nesting:
                fault(
                    "GDL008",
                    place,
                    f"brackets are nested more than {limits.nesting} deep",
                    "terms of ordinary depth",
                    "look for a bracket that is never closed",
                )
                return [], findings
            open_lists.append((place, []))
        elif text == ")":
            if not open_lists:
                fault(
                    "GDL002",
                    place,
                    "this bracket closes nothing",
                    "as many ) as (",
                    "remove it, or look for a ( that is missing before it",
                )
                continue
            opened, items = open_lists.pop()
            (open_lists[-1][1] if open_lists else top).append(Node(opened, None, tuple(items)))
        else:
            unreadable = UNREADABLE.search(text)
            if unreadable is not None:
                fault(
                    "GDL009",
                    Place(place.line, place.column + unreadable.start()),
                    f"the character U+{ord(unreadable.group()):04X} cannot be in rules",
                    "plain text",
                    "save the sheet as plain text in UTF-8",
                )
                continue
            (open_lists[-1][1] if open_lists else top).append(Node(place, text))
    for opened, _ in open_lists:
        fault(
            "GDL001", opened, "this bracket is never closed", "a ) for every (", "add the ) that is missing"
        )
    return top, findings


def tokens(text: str) -> Iterator[tuple[Place, str]]:
    """The brackets and words of *text* with their places; comments and white space are passed over."""
    for number, line in enumerate(split_lines(text.removeprefix("\ufeff")), start=1):
        for found in TOKEN.finditer(line):
            word = found.group()
            if not word.startswith(";"):
                yield Place(number, found.start() + 1, len(word)), word
