"""Tables: the facts of one relation, and the views through which joins look at them.

A *pattern* is a sentence whose variables are ``?0``, ``?1``, ... in order of first occurrence. The *view* of a
table through a pattern has one row for each fact that matches: the values of ``?0``, ``?1``, ... An *index*
of a view groups its rows by the values of some columns. Both are made when first asked for and kept
up to date when facts are added, so a table that never changes pays for them once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from stratagem.gdl.terms import Compound, Term, Variable

Row: TypeAlias = tuple[Any, ...]


def picker(columns: Sequence[int]) -> Callable[[Row], Row]:
    """A function that takes *columns* out of a row, as a row."""
    if not columns:
        return lambda row: ()
    if len(columns) == 1:
        only = columns[0]
        return lambda row: (row[only],)
    if list(columns) == list(range(columns[0], columns[-1] + 1)):
        span = slice(columns[0], columns[-1] + 1)
        return lambda row: row[span]
    get: Callable[[Row], Row] = itemgetter(*columns)
    return get


def selector(pattern: Term) -> Callable[[Iterable[Term]], list[Row]]:
    """A function from facts to the values of the pattern's variables, for the facts that match."""
    if not isinstance(pattern, Compound):
        return lambda facts: [() for fact in facts if fact == pattern]
    arguments = pattern[1:]
    if not any(isinstance(part, Compound) for part in arguments):
        return flat_selector(pattern)
    if len(arguments) == 1 and not any(isinstance(part, Compound) for part in arguments[0]):
        name, size = arguments[0][0], len(arguments[0])
        inner = flat_selector(arguments[0])

        def select(facts: Iterable[Term]) -> list[Row]:
            """``(true (cell ?0 ?1 b))``: by far the most frequent kind of nested pattern."""
            terms = (fact[1] for fact in facts)
            return inner(
                term for term in terms if isinstance(term, Compound) and term[0] == name and len(term) == size
            )

        return select
    return lambda facts: [row for row in (values(pattern, fact) for fact in facts) if row is not None]


def flat_selector(pattern: Compound) -> Callable[[Iterable[Any]], list[Row]]:
    """`selector` for facts of the pattern's own relation, where no argument is nested."""
    first: dict[str, int] = {}
    tests: list[tuple[int, Any, int | None]] = []
    for place, part in enumerate(pattern[1:], start=1):
        if not isinstance(part, Variable):
            tests.append((place, part, None))
        elif part in first:
            tests.append((place, None, first[part]))
        else:
            first[part] = place
    pick = picker(list(first.values()))

    def select(facts: Iterable[Any]) -> list[Row]:
        for place, constant, same in tests:
            if same is None:
                facts = [fact for fact in facts if fact[place] == constant]
            else:
                facts = [fact for fact in facts if fact[place] == fact[same]]
        return [pick(fact) for fact in facts]

    return select


def values(pattern: Term, fact: Term) -> Row | None:
    """The values of the pattern's variables that make it *fact*, or None."""

    def match(part: Term, term: Term) -> bool:
        if isinstance(part, Variable):
            number = int(part[1:])
            if number == len(row):
                row.append(term)
                return True
            return bool(row[number] == term)
        if isinstance(part, Compound):
            return (
                isinstance(term, Compound)
                and len(term) == len(part)
                and term[0] == part[0]
                and all(match(inner, value) for inner, value in zip(part[1:], term[1:], strict=True))
            )
        return part == term

    row: list[Any] = []
    return tuple(row) if match(pattern, fact) else None


class TableView:
    """The rows of one table seen through one pattern, with its indexes."""

    def __init__(self, pattern: Term) -> None:
        self.select = selector(pattern)
        self.rows: list[Row] = []
        self.indexes: dict[
            tuple[int, ...], tuple[Callable[[Row], Row], Callable[[Row], Row], dict[Row, list[Row]]]
        ]
        self.indexes = {}

    def add(self, facts: Iterable[Term]) -> None:
        rows = self.select(facts)
        self.rows += rows
        for key, rest, index in self.indexes.values():
            group(rows, key, rest, index)

    def index(self, columns: tuple[int, ...]) -> dict[Row, list[Row]]:
        """The rows grouped by *columns*: what is left of a row by what was taken out."""
        known = self.indexes.get(columns)
        if known is None:
            width = len(self.rows[0]) if self.rows else 0
            key = picker(columns)
            rest = picker([column for column in range(width) if column not in columns])
            index: dict[Row, list[Row]] = {}
            if not self.rows:
                return index
            group(self.rows, key, rest, index)
            self.indexes[columns] = known = (key, rest, index)
        return known[2]


def group(
    rows: Iterable[Row], key: Callable[[Row], Row], rest: Callable[[Row], Row], index: dict[Row, list[Row]]
) -> None:
    for row in rows:
        index.setdefault(key(row), []).append(rest(row))


class Table:
    """The facts of one relation, each with the round in which it was derived, from facts of earlier rounds."""

    def __init__(self, facts: Iterable[Term] = ()) -> None:
        self.rounds: dict[Term, int] = dict.fromkeys(facts, 0)
        self.views: dict[Term, TableView] = {}

    def __len__(self) -> int:
        return len(self.rounds)

    def __contains__(self, fact: Term) -> bool:
        return fact in self.rounds

    def add(self, facts: Iterable[Term], number: int) -> list[Term]:
        """Adds *facts* as derived in round *number*; the new ones come back."""
        new = [fact for fact in dict.fromkeys(facts) if fact not in self.rounds]
        self.rounds.update(dict.fromkeys(new, number))
        for view in self.views.values():
            view.add(new)
        return new

    def view(self, pattern: Term) -> TableView:
        found = self.views.get(pattern)
        if found is None:
            found = TableView(pattern)
            found.add(self.rounds)
            self.views[pattern] = found  # only now: an interrupted view must not be kept
        return found
