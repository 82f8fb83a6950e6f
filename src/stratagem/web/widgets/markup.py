"""HTML from plain data; all text is escaped here and nowhere else.

>>> heading("<b>", 2)
'<h2>&lt;b&gt;</h2>'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape as escape
from typing import Any

from stratagem.show.labels import bare, figure

Cells = Sequence[str | int | float | None]


def heading(text: str, level: int = 2) -> str:
    return f"<h{level}>{escape(text)}</h{level}>"


def spoken(joint: str) -> str:
    """A joint move in one line, without noops.

    >>> spoken("noop (mark 2 2)")
    'mark 2 2'
    >>> spoken("(show rock) (show paper)")
    'show rock + show paper'
    """
    kept = [move for move in MOVE.findall(joint) if move.lower() != "noop"]
    return " + ".join(map(bare, kept))


MOVE = re.compile(r"\((?:[^()]|\([^()]*\))*\)|[^()\s]+")


def chips(labels: Iterable[tuple[str, str]], *, classes: Mapping[str, str] | None = None) -> str:
    """A row of buttons from pairs of key and label; a click reports the key in ``data-chip``."""
    more = classes or {}
    return "".join(
        f'<button type="button" class="pill {escape(more.get(key, ""))}" data-chip="{escape(key, quote=True)}">'
        f"{escape(label)}</button>"
        for key, label in labels
    )


def facts(found: Sequence[str], most: int = 120) -> str:
    """Facts as small cards: the relation and its arguments."""
    cards = []
    for fact in found[:most]:
        name, _, rest = fact.partition(" ")
        cards.append(f'<span class="fact"><span>{escape(name)}</span> {escape(rest)}</span>')
    if len(found) > most:
        cards.append(f'<span class="soft">… and {len(found) - most:,} more</span>')
    return "".join(cards)


def table(head: Sequence[str], rows: Iterable[Cells], *, marked: int | None = None) -> str:
    """A plain table; numbers are aligned to the right."""
    numeric = [False] * len(head)
    body = []
    for number, row in enumerate(rows):
        cells = []
        for place, value in enumerate(row):
            if isinstance(value, int | float):
                numeric[place] = True
                cells.append(f'<td class="number">{escape(shown(value))}</td>')
            else:
                cells.append(f"<td>{escape(value or '')}</td>")
        mark = ' class="mark"' if number == marked else ""
        body.append(f"<tr{mark}>{''.join(cells)}</tr>")
    names = "".join(
        f"<th{' class=number' if right else ''}>{escape(name)}</th>"
        for name, right in zip(head, numeric, strict=True)
    )
    return f'<table class="plain"><thead><tr>{names}</tr></thead><tbody>{"".join(body)}</tbody></table>'


def shown(value: float) -> str:
    """A number with thousands separators."""
    return f"{value:,}" if isinstance(value, int) else figure(value)


def reason(answer: Mapping[str, Any]) -> str:
    """An answer of `why` as nested lists; places in the sheet are buttons with ``data-line``."""
    query = escape(str(answer["query"]))
    if answer["derivation"] is not None:
        return f'<div class="reason"><b>{query}</b> holds{_derivation(answer["derivation"])}</div>'
    note = f": {escape(str(answer['note']))}" if answer["note"] else ""
    return f'<div class="reason"><b>{query}</b> does not hold{note}{_attempts(answer)}</div>'


KINDS = {
    "state": "true in this position",
    "move": "the move made",
    "not": "no rule derives it",
    "distinct": "",
    "deep": "…",
    "fact": "a fact",
}


def _derivation(part: Mapping[str, Any]) -> str:
    rule = ""
    if part["kind"] == "rule":
        rule = f' <span class="where">by {_line(part)}{_bindings(part)}</span>'
    items = []
    for inner in part["because"]:
        said = KINDS.get(inner["kind"], "")
        where = f" {_line(inner)}" if inner["kind"] == "fact" else ""
        words = f' <span class="where">{said}{where}</span>' if said else ""
        items.append(f'<li class="met">{escape(inner["what"])}{words}{_derivation(inner)}</li>')
    return rule + (f"<ul>{''.join(items)}</ul>" if items else "")


def _attempts(answer: Mapping[str, Any]) -> str:
    items = []
    for attempt in answer["attempts"]:
        met = "".join(f'<li class="met">{escape(condition)}</li>' for condition in attempt["met"])
        inner = attempt["reason"]
        below = ""
        if inner is not None and inner["derivation"] is not None:
            below = f' <span class="where">but {escape(inner["query"])} holds</span>{_derivation(inner["derivation"])}'
        elif inner is not None:
            note = f' <span class="where">{escape(inner["note"])}</span>' if inner["note"] else ""
            below = note + _attempts(inner)
        failed = f'<li class="failed">{escape(attempt["failed"])}{below}</li>'
        items.append(f"<li>{_line(attempt)}{_bindings(attempt)}<ul>{met}{failed}</ul></li>")
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _line(part: Mapping[str, Any]) -> str:
    line = int(part["line"])
    return f'<button type="button" class="where" data-line="{line}">the rule in line {line}</button>'


def _bindings(part: Mapping[str, Any]) -> str:
    pairs = ", ".join(f"{name} = {value}" for name, value in part["bindings"].items())
    return f' <span class="where">with {escape(pairs)}</span>' if pairs else ""
