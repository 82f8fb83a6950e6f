"""Joins: how the body of a rule is evaluated.

A body is a chain of literals; what is known so far is a list of rows, one value for each variable met. Each
literal in turn extends the rows (a relation, `or`) or thins them out (`not`, `distinct`):

    rows of (?x ?y)   --(true (cell ?x ?y ?w))-->   rows of (?x ?y ?w)   --(distinct ?w b)-->   fewer rows

After each step the columns that nothing later mentions are dropped and repeats with them. The order of the
literals is chosen once per rule, cheapest first by the sizes of the tables at that time; the meaning does not
depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from stratagem.gdl.rules import Atom, Distinct, Literal, Not, Or, literal_variables
from stratagem.gdl.terms import Compound, Relation, Symbol, Term, Variable, applied, functor, variables
from stratagem.machines.reasoner.tables import Row, Table, picker

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

ROWS_AT_MOST = 5_000_000
UNWRITTEN = 10**9


class TooManyRows(Exception):
    """A chain grew past the limit it was given."""


class Tables(Protocol):
    """Where a join finds the facts of a relation; complete for every relation that it asks for."""

    def table(self, key: Relation) -> Table | None:
        """The whole relation, or None where it is too large to be written out."""

    def ask(
        self, key: Relation, pattern: Term, shared: tuple[int, ...], asked: AbstractSet[Row], limit: int
    ) -> Mapping[Row, list[Row]]:
        """The part of the relation that agrees with *asked*: the index of the view by the *shared* columns."""


Columns = tuple[Variable, ...]


def pattern_of(term: Term) -> tuple[Term, Columns]:
    """*term* with its variables numbered, and the variables in the order of their numbers."""
    numbers: dict[Variable, Variable] = {}

    def numbered(part: Term) -> Term:
        if isinstance(part, Variable):
            return numbers.setdefault(part, Variable(f"?{len(numbers)}"))
        if isinstance(part, Compound):
            return applied(part[0], map(numbered, part[1:]))
        return part

    return numbered(term), tuple(numbers)


def filler(template: Term, columns: Columns) -> Callable[[Row], Term]:
    """A function from rows with these *columns* to instances of *template*."""
    if isinstance(template, Variable):
        at = columns.index(template)
        return lambda row: row[at]
    if not isinstance(template, Compound):
        return lambda row: template
    if all(isinstance(part, Variable) for part in template[1:]):
        head = (template[0],)
        pick = picker([columns.index(part) for part in template[1:]])
        return lambda row: Compound(head + pick(row))
    if not any(True for _ in variables(template)):
        return lambda row: template
    parts = [filler(part, columns) for part in template[1:]]
    name = Symbol(template[0])
    return lambda row: Compound((name, *[part(row) for part in parts]))


class Step(Protocol):
    """One literal at its place in the chain; *columns* names the rows that come out."""

    columns: Columns

    def run(self, rows: list[Row], tables: Tables, delta: Table | None, limit: int) -> list[Row]: ...


class JoinStep:
    """A relation: rows are joined with the facts that agree on the variables known already."""

    def __init__(self, atom: Atom, before: Columns, *, from_delta: bool = False) -> None:
        self.key = functor(atom.term)
        self.pattern, own = pattern_of(atom.term)
        known = [variable for variable in own if variable in before]
        self.shared = tuple(own.index(variable) for variable in known)
        self.key_of = picker([before.index(variable) for variable in known])
        self.columns: Columns = before + tuple(variable for variable in own if variable not in before)
        self.adds = len(self.columns) > len(before)
        self.from_delta = from_delta

    def run(self, rows: list[Row], tables: Tables, delta: Table | None, limit: int) -> list[Row]:
        key_of = self.key_of
        table = delta if self.from_delta else tables.table(self.key)
        index: Mapping[Row, list[Row]]
        if table is None:
            index = tables.ask(self.key, self.pattern, self.shared, set(map(key_of, rows)), limit)
        else:
            index = table.view(self.pattern).index(self.shared)
        if not index:
            return []
        if not self.adds:
            return [row for row in rows if key_of(row) in index]
        if not self.shared:
            found = index[()]
            limit_rows(len(rows) * len(found), limit)
            return [row + more for row in rows for more in found]
        nothing: list[Row] = []
        get = index.get
        return [row + more for row in rows for more in get(key_of(row), nothing)]


class Differ:
    """`distinct`: rows in which both sides are the same are dropped."""

    def __init__(self, literal: Distinct, before: Columns) -> None:
        self.columns = before
        self.left = filler(literal.left, before)
        self.right = filler(literal.right, before)

    def run(self, rows: list[Row], tables: Tables, delta: Table | None, limit: int) -> list[Row]:
        left, right = self.left, self.right
        return [row for row in rows if left(row) != right(row)]


class Refuse:
    """`not`: rows that the inner literal lets through are dropped."""

    def __init__(self, literal: Not, before: Columns, sizes: Tables) -> None:
        self.columns = before
        needed = tuple(dict.fromkeys(v for v in literal_variables(literal) if v in before))
        self.pick = picker([before.index(variable) for variable in needed])
        self.width = len(needed)
        self.inner = Chain((literal.inner,), needed, keep=needed, sizes=sizes)

    def run(self, rows: list[Row], tables: Tables, delta: Table | None, limit: int) -> list[Row]:
        pick = self.pick
        asked = list({pick(row) for row in rows})
        held = {row[: self.width] for row in self.inner.run(asked, tables, limit=limit)}
        return [row for row in rows if pick(row) not in held]


class Either:
    """`or`: rows that at least one alternative lets through, with what every alternative binds."""

    def __init__(self, literal: Or, before: Columns, keep: AbstractSet[Variable], sizes: Tables) -> None:
        bound = [binds(inner) for inner in literal.inner]
        common = set.intersection(*bound) if bound else set()
        new = sorted(variable for variable in common if variable in keep and variable not in before)
        self.columns: Columns = before + tuple(new)
        kept = tuple(self.columns)
        self.alternatives = [Chain((inner,), before, keep=kept, sizes=sizes) for inner in literal.inner]

    def run(self, rows: list[Row], tables: Tables, delta: Table | None, limit: int) -> list[Row]:
        found: dict[Row, None] = {}
        for alternative in self.alternatives:
            found.update(dict.fromkeys(alternative.run(rows, tables, limit=limit)))
        return list(found)


class Drop:
    """Leaves out columns that nothing later mentions, and the repeats that this makes."""

    def __init__(self, before: Columns, after: Columns) -> None:
        self.columns = after
        self.pick = picker([before.index(variable) for variable in after])

    def run(self, rows: list[Row], tables: Tables, delta: Table | None, limit: int) -> list[Row]:
        return list(dict.fromkeys(map(self.pick, rows)))


class Chain:
    """Literals in a good order. `columns` are exactly *keep*, in that order."""

    def __init__(
        self,
        literals: Sequence[Literal],
        before: Columns,
        *,
        keep: Columns,
        sizes: Tables,
        first: int | None = None,
    ) -> None:
        self.steps: list[Step] = []
        waiting = dict(enumerate(literals))
        columns = before
        if first is not None:
            literal = waiting.pop(first)
            assert isinstance(literal, Atom)
            self.steps.append(JoinStep(literal, columns, from_delta=True))
            columns = self.steps[-1].columns
        while waiting:
            number = cheapest(waiting, columns, set(keep), sizes)
            literal = waiting.pop(number)
            later = {variable for other in waiting.values() for variable in literal_variables(other)}
            later.update(keep)
            self.steps.append(step(literal, columns, later, sizes))
            columns = self.steps[-1].columns
            needed = tuple(variable for variable in columns if variable in later)
            if len(needed) < len(columns):
                self.steps.append(Drop(columns, needed))
                columns = needed
        if columns != keep:
            self.steps.append(Drop(columns, keep))
        self.columns = keep

    def run(
        self, rows: list[Row], tables: Tables, delta: Table | None = None, limit: int = ROWS_AT_MOST
    ) -> list[Row]:
        for stage in self.steps:
            if not rows:
                return rows
            rows = stage.run(rows, tables, delta, limit)
            limit_rows(len(rows), limit)
        return rows


def step(literal: Literal, before: Columns, later: AbstractSet[Variable], sizes: Tables) -> Step:
    match literal:
        case Atom():
            return JoinStep(literal, before)
        case Distinct():
            return Differ(literal, before)
        case Not():
            return Refuse(literal, before, sizes)
        case Or():
            return Either(literal, before, later, sizes)


def binds(literal: Literal) -> set[Variable]:
    """The variables that have a value wherever *literal* holds."""
    match literal:
        case Atom(term):
            return set(variables(term))
        case Or(inner) if inner:
            return set.intersection(*map(binds, inner))
        case _:
            return set()


def cheapest(
    waiting: dict[int, Literal], columns: Columns, keep: AbstractSet[Variable], sizes: Tables
) -> int:
    """Which of the *waiting* literals to take next: a test if one can be made, else the smallest join."""
    known = set(columns)
    costs: dict[int, tuple[int, float]] = {}
    for number, literal in waiting.items():
        match literal:
            case Atom(term):
                own = set(variables(term))
                table = sizes.table(functor(term))
                size = UNWRITTEN if table is None else len(table.view(pattern_of(term)[0]).rows)
                share = len(own - known) / len(own) if own else 0.0
                costs[number] = (1, size**share)
            case Or():
                others = (other for at, other in waiting.items() if at != number)
                outside = keep | {variable for other in others for variable in literal_variables(other)}
                needs = {v for v in literal_variables(literal) if v in outside} - binds(literal) - known
                costs[number] = (3, 0) if needs else (2, 0)
            case _:
                needs = set(literal_variables(literal)) - known
                costs[number] = (4, 0) if needs else (0, 0)
    return min(costs, key=lambda number: (costs[number], number))


def limit_rows(count: int, limit: int) -> None:
    if count > limit:
        raise TooManyRows


def instantiate(term: Term, binding: dict[Variable, Any]) -> Term:
    """*term* with the values of *binding* put in; a variable without a value stays."""
    if isinstance(term, Variable):
        return binding.get(term, term)  # type: ignore[no-any-return]
    if isinstance(term, Compound):
        return Compound((term[0], *(instantiate(part, binding) for part in term[1:])))
    return term


def unify_ground(pattern: Term, ground: Term, binding: dict[Variable, Any]) -> bool:
    """Extends *binding* so that *pattern* becomes *ground*; False (and a spoilt binding) if nothing does."""
    if isinstance(pattern, Variable):
        return bool(binding.setdefault(pattern, ground) == ground)
    if isinstance(pattern, Compound):
        return (
            isinstance(ground, Compound)
            and len(pattern) == len(ground)
            and pattern[0] == ground[0]
            and all(unify_ground(a, b, binding) for a, b in zip(pattern[1:], ground[1:], strict=True))
        )
    return pattern == ground
