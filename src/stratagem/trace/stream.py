"""Traces as files: JSON lines, the first of which names the format and its version.

    {"format": "stratagem trace", "version": 1}
    {"event": "Enter", "node": [], "player": "max", "move": null, "children": 3, "alpha": "-inf", "beta": "inf"}

One event per line, written as it happens; a field that has its default value is left out. JSON has no
infinities, so they are the texts "inf" and "-inf". Paths of nodes are lists. Readers take any version up to their
own and refuse a later one.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields
from functools import cache
from math import inf
from typing import Any, TextIO, Union, get_args, get_origin, get_type_hints

from stratagem.errors import BrokenFile, UsageError
from stratagem.trace import events
from stratagem.trace.events import Event

FORMAT = "stratagem trace"
VERSION = 1

KINDS: dict[str, type[Event]] = {kind.__name__: kind for kind in get_args(Event)}
_INFINITE = {inf: "inf", -inf: "-inf"}
_FINITE = {"inf": inf, "-inf": -inf}


class Recorder:
    """A trace that keeps the first *limit* events, and counts those *dropped* after them.

    >>> from stratagem.trace.events import Leaf
    >>> recorder = Recorder()
    >>> recorder(Leaf((0,), 3))
    >>> recorder.events
    [Leaf(node=(0,), value=3, number=None, terminal=True)]
    """

    __slots__ = ("dropped", "events", "limit")

    def __init__(self, limit: int | None = None) -> None:
        self.events: list[Event] = []
        self.limit = limit
        self.dropped = 0

    def __call__(self, event: Event) -> None:
        if self.limit is not None and len(self.events) >= self.limit:
            self.dropped += 1
        else:
            self.events.append(event)


class TraceWriter:
    """A trace that writes each event into *file* as it comes."""

    __slots__ = ("_file",)

    def __init__(self, file: TextIO) -> None:
        if not hasattr(file, "write"):
            raise UsageError(
                f"a file that is open for writing is needed; this is of the type {type(file).__name__}"
            )
        self._file = file
        file.write(json.dumps({"format": FORMAT, "version": VERSION}) + "\n")

    def __call__(self, event: Event) -> None:
        self._file.write(to_line(event) + "\n")


def write(heard: Iterable[Event], file: TextIO) -> None:
    """Writes *heard*, header first, into *file*."""
    writer = TraceWriter(file)
    for event in heard:
        writer(event)


def read(lines: Iterable[str], *, name: str = "trace") -> Iterator[Event]:
    """The events in *lines*, the header checked first; `BrokenFile` says which line of *name* is wrong."""
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    number, header = next(numbered, (1, ""))
    _check_header(header, f"{name}:{number}")
    for number, line in numbered:
        yield from_line(line, place=f"{name}:{number}")


def to_line(event: Event) -> str:
    """*event* as one line of JSON, without the line end."""
    record: dict[str, Any] = {"event": type(event).__name__}
    for field in fields(event):
        value = getattr(event, field.name)
        if field.default is MISSING or value != field.default:
            record[field.name] = _INFINITE.get(value, value) if isinstance(value, float) else value
    return json.dumps(record)


def from_line(line: str, *, place: str = "line") -> Event:
    """The event that `to_line` wrote as *line*."""
    try:
        record = json.loads(line)
    except ValueError as fault:
        raise BrokenFile(f"{place}: not JSON: {fault}", hint="the file may be truncated") from fault
    kind = KINDS.get(record.pop("event", "")) if isinstance(record, dict) else None
    if kind is None:
        raise BrokenFile(f"{place}: an event of a known kind was expected, found {line.strip()[:60]}")
    readers = _readers(kind.__name__)
    try:
        return kind(**{name: readers[name](value) for name, value in record.items()})
    except (KeyError, TypeError, ValueError) as fault:
        raise BrokenFile(f"{place}: the fields of {kind.__name__} do not fit: {fault}") from fault


def _check_header(line: str, place: str) -> None:
    try:
        header = json.loads(line)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise BrokenFile(f'{place}: the first line of a trace must be {{"format": "{FORMAT}", ...}}')
    version = header.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        raise BrokenFile(
            f"{place}: this trace has version {version}, and this program reads up to {VERSION}",
            hint="read it with the Stratagem that wrote it, or a later one",
        )


@cache
def _readers(kind: str) -> dict[str, Callable[[Any], Any]]:
    """For each field of events of this *kind* the function that turns its JSON value back."""
    hints = get_type_hints(KINDS[kind], vars(events))
    return {name: _reader(hint) for name, hint in hints.items()}


def _reader(hint: Any) -> Callable[[Any], Any]:
    kinds = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)

    def back(value: Any) -> Any:
        if isinstance(value, list):
            value = tuple(back_item(item) for item in value)
        elif float in kinds and isinstance(value, str):
            value = _FINITE[value]
        if not any(_fits(value, option) for option in kinds):
            raise TypeError(f"{value!r} is not {hint}")
        return value

    def back_item(item: Any) -> Any:
        return tuple(item) if isinstance(item, list) else item

    return back


def _fits(value: Any, option: Any) -> bool:
    if option is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if get_origin(option) is tuple:
        return isinstance(value, tuple)
    return (
        isinstance(value, bool) if option is bool else isinstance(value, option) and type(value) is not bool
    )
