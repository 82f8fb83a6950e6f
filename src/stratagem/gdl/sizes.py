"""Size parameters: one sheet for all sizes of a board.

A sheet whose header has `[set.NAME]` entries may use three more things, which are gone before anything else
looks at the rules:

    $columns  $i+1  $rows/2  $i+j%2         a word that starts with $ is a whole number: + - * / % of settings,
                                            loop names and numbers, with the usual precedence
    (each $i 1 $columns  item ...)          the items once for every number from the first to the second
    (when $i < $j  item ...)                the items if the comparison holds: = != < > <= >=

`each` and `when` may stand wherever a list of things does: among the rules, in a body, inside `or`.

>>> from stratagem.gdl.text.kif import read
>>> from stratagem.gdl.text.syntax import Source
>>> sheet = Source("(each $i 1 $n (when $i < $n (succ $i $i+1)))")
>>> nodes, faults = expand(sheet, read(sheet)[0], {"n": 3})
>>> [" ".join(part.word for part in node.items) for node in nodes]
['succ 1 2', 'succ 2 3']
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from typing import Final, SupportsIndex

from stratagem.errors import UsageError
from stratagem.gdl.findings import Finding, Severity
from stratagem.gdl.header import Header
from stratagem.gdl.text.syntax import LIMITS, Node, SheetLimits, Source

LARGEST: Final = 10**9
PIECE: Final = re.compile(r"\d+|[a-z_][a-z0-9_]*|[-+*/%]")
COMPARISONS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def chosen(header: Header, settings: Mapping[str, int], name: str) -> dict[str, int]:
    """The value of every size of a sheet: the given *settings*, checked, and the defaults."""
    for key, value in settings.items():
        size = header.sizes.get(key)
        if size is None:
            sizes = ", ".join(header.sizes) or "none"
            raise UsageError(f"{name} has no size called {key}", hint=f"its sizes: {sizes}")
        if isinstance(value, bool | Sized) or not isinstance(value, SupportsIndex):
            raise UsageError(f"{name} needs a whole number as {key}; got {value!r}")
        if not size.least <= value <= size.most:
            raise UsageError(f"{name} needs {key} from {size.least} to {size.most}, not {value}")
    return {key: settings.get(key, size.default) for key, size in header.sizes.items()}


def expand(
    source: Source, nodes: Sequence[Node], values: Mapping[str, int], limits: SheetLimits = LIMITS
) -> tuple[list[Node], list[Finding]]:
    """*nodes* with all `$`, `each` and `when` worked out, and what was wrong with those that are left out for it."""
    made = 0

    def several(parts: Sequence[Node], names: Mapping[str, int]) -> Iterator[Node]:
        for part in parts:
            yield from one(part, names)

    def spend(node: Node) -> None:
        nonlocal made
        made += 1
        if made > limits.words:
            raise TooLarge(
                source, node, f"the sheet grows past {limits.words:,} words", "choose smaller sizes"
            )

    def one(node: Node, names: Mapping[str, int]) -> Iterator[Node]:
        spend(node)
        if node.is_word:
            yield Node(node.place, str(number(source, node, names))) if node.word.startswith("$") else node
            return
        head = node.items[0].word if node.items else ""
        if head == "each":
            yield from each(node, names)
        elif head == "when":
            yield from when(node, names)
        else:
            yield Node(node.place, None, tuple(several(node.items, names)))

    def each(node: Node, names: Mapping[str, int]) -> Iterator[Node]:
        if len(node.items) < 4 or not re.fullmatch(r"\$[a-z_][a-z0-9_]*", node.items[1].word):
            raise SizeFault(
                source, node, "each without a name and two numbers", "write (each $i 1 $n item ...)"
            )
        _, name, low, high, *items = node.items
        for value in range(number(source, low, names), number(source, high, names) + 1):
            spend(node)
            yield from several(items, {**names, name.word[1:]: value})

    def when(node: Node, names: Mapping[str, int]) -> Iterator[Node]:
        if len(node.items) < 4 or node.items[2].word not in COMPARISONS:
            raise SizeFault(source, node, "when without a comparison", "write (when $i < $j item ...)")
        _, left, relation, right, *items = node.items
        if COMPARISONS[relation.word](number(source, left, names), number(source, right, names)):
            yield from several(items, names)

    worked_out: list[Node] = []
    faults: list[Finding] = []
    for node in nodes:
        try:
            worked_out += list(one(node, values))
        except SizeFault as wrong:
            faults.append(wrong.finding)
            if isinstance(wrong, TooLarge):
                break
    return worked_out, faults


def number(source: Source, node: Node, names: Mapping[str, int]) -> int:
    """The value of a word: a plain number, or ``$`` and an expression."""
    text = node.word.removeprefix("$")
    pieces = PIECE.findall(text)
    if not pieces or "".join(pieces) != text or len(pieces) % 2 == 0:
        raise SizeFault(
            source, node, f"{node.word or 'a list'} is not a number", "write a number, or as in $rows/2+1"
        )
    values: list[int] = []
    for piece in pieces[::2]:
        if piece.isdecimal() and len(piece) <= 9:
            values.append(int(piece))
        elif piece in names:
            values.append(names[piece])
        else:
            raise SizeFault(
                source, node, f"nothing is called {piece} here", f"known: {', '.join(names) or 'nothing'}"
            )
    return evaluated(source, node, values, pieces[1::2])


def evaluated(source: Source, node: Node, values: list[int], signs: list[str]) -> int:
    terms, kept = [values[0]], []
    for sign, value in zip(signs, values[1:], strict=True):
        if sign in "+-":
            terms.append(value)
            kept.append(sign)
        elif sign == "*":
            terms[-1] *= value
        elif value == 0:
            raise SizeFault(source, node, "a division by zero", "divide by something else")
        else:
            terms[-1] = terms[-1] // value if sign == "/" else terms[-1] % value
    total = terms[0]
    for sign, value in zip(kept, terms[1:], strict=True):
        total = total + value if sign == "+" else total - value
    if abs(total) > LARGEST:
        raise SizeFault(source, node, "a number past a thousand million", "choose smaller sizes")
    return total


class SizeFault(Exception):
    """Something in a rule cannot be worked out; never leaves this module."""

    def __init__(self, source: Source, node: Node, message: str, hint: str) -> None:
        super().__init__(message)
        expected = "$numbers, (each ...) and (when ...)"
        self.finding = Finding("GDL025", Severity.ERROR, source.name, node.place, message, expected, hint)


class TooLarge(SizeFault):
    """The sheet as a whole grows too large: there is no use in going on."""
