"""Domains and sizes from the rows that relations can hold at most, where these are known.

Domains of single arguments lose that the second argument of (adjacent ?x ?y) is a file where the first is one. Where the rows
of relations are known, the values of the variables of a body are narrowed by them until nothing changes
(generalised arc consistency, Mackworth 1977).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import contains
from typing import TypeAlias

from stratagem.gdl.domains import Clause, Domain, DomainInference
from stratagem.gdl.terms import (
    Compound,
    Relation,
    Symbol,
    Term,
    Variable,
    applied,
    arguments,
    functor,
    variables,
)
from stratagem.ground.rewrite.normal import NormalRule
from stratagem.ground.rewrite.size_estimates import DEEPEST, LOOKS_PER_RULE, SizeEstimates

Rows: TypeAlias = Sequence[tuple[Term, ...]]
Projection: TypeAlias = tuple[tuple[Variable, ...], frozenset[tuple[str, ...]]]
"""Variables of an atom, and the values that they take together in the rows it matches."""


class RowTables:
    """The rows that some relations can hold at most."""

    def __init__(self, rows: Mapping[Relation, Rows]) -> None:
        self.rows = rows
        self.facts = [fact for relation, several in rows.items() for fact in _covering(relation, several)]
        """Rows with all values of all arguments, which is what domains are made of."""
        self._projections: dict[Term, Projection | None] = {}

    def narrow(self, atoms: Iterable[Term], bindings: dict[Variable, Domain]) -> bool:
        """Narrows *bindings* as far as the rows of the *atoms* allow them; whether anything is left."""
        known = [atom for atom in atoms if functor(atom) in self.rows]
        waiting = dict.fromkeys(known)
        while waiting:
            atom = next(iter(waiting))
            del waiting[atom]
            changed = self._revise(atom, bindings)
            if changed is None:
                return False
            if changed:
                waiting.update(
                    (other, None)
                    for other in known
                    if other != atom and not changed.isdisjoint(variables(other))
                )
        return True

    def _revise(self, atom: Term, bindings: dict[Variable, Domain]) -> set[Variable] | None:
        """The variables of *atom* that its rows have narrowed; None where no row is left."""
        projection = self._projection(atom)
        if projection is None:
            return None
        tracked, rows = projection
        allowed = [bindings[variable].symbols for variable in tracked]
        left = [row for row in rows if all(map(contains, allowed, row))]
        if not left:
            return None
        changed: set[Variable] = set()
        for variable, values in zip(tracked, zip(*left, strict=True), strict=True):
            found = set(values)
            known = bindings[variable]
            if len(found) < known.size():
                bindings[variable] = Domain(known.room, known.strict, found)
                changed.add(variable)
        return changed

    def count(self, atom: Term, kept: Iterable[Variable] | None = None) -> int | None:
        """How many values the variables of *atom* take together, or those *kept* of them; None where that is not known."""
        if functor(atom) not in self.rows:
            return None
        projection = self._projection(atom)
        if projection is None:
            return 0
        tracked, rows = projection
        if len(tracked) < len(set(variables(atom))):
            return None
        if kept is None:
            return len(rows)
        places = [tracked.index(variable) for variable in kept]
        return len({tuple(row[place] for place in places) for row in rows})

    def _projection(self, atom: Term) -> Projection | None:
        """What the rows that *atom* matches say of its variables; None where it matches none."""
        if atom not in self._projections:
            matches = (_values_of(atom, row) for row in self.rows[functor(atom)])
            found = [values for values in matches if values is not None]
            tracked = tuple(
                variable
                for variable in dict.fromkeys(variables(atom))
                if all(isinstance(values[variable], Symbol) for values in found)
            )
            rows = frozenset(tuple(str(values[variable]) for variable in tracked) for values in found)
            self._projections[atom] = (tracked, rows) if found else None
        return self._projections[atom]


def _covering(relation: Relation, rows: Rows) -> list[Clause]:
    """Some of the *rows*, with all values that any argument has in any row."""
    columns = [Domain(DEEPEST) for _ in range(relation[1])]
    found: list[Clause] = []
    for row in rows:
        news = False
        for domain, term in zip(columns, row, strict=True):
            news |= domain.add_term(term, {})
        if news or not row:
            found.append(Clause(applied(relation[0], row)))
    return found


def _values_of(atom: Term, row: tuple[Term, ...]) -> dict[Variable, Term] | None:
    """The values that the variables of *atom* have in the *row*; None where it does not match."""
    values: dict[Variable, Term] = {}
    pairs = zip(arguments(atom), row, strict=True)
    return values if all(_match(part, term, values) for part, term in pairs) else None


def _match(pattern: Term, term: Term, values: dict[Variable, Term]) -> bool:
    """Whether *term* is the *pattern* with values for its variables, which are added."""
    if isinstance(pattern, Variable):
        return values.setdefault(pattern, term) == term
    if isinstance(pattern, Compound):
        return (
            isinstance(term, Compound)
            and functor(pattern) == functor(term)
            and all(_match(part, other, values) for part, other in zip(pattern[1:], term[1:], strict=True))
        )
    return pattern == term


class RowInference(DomainInference):
    """Domain inference that knows the rows of some relations."""

    def __init__(self, clauses: Iterable[Clause], tables: RowTables) -> None:
        self.tables = tables
        inferred = [clause for clause in clauses if functor(clause.head) not in tables.rows]
        looks = len(tables.facts) + LOOKS_PER_RULE * (1 + len(inferred))
        super().__init__((*tables.facts, *inferred), deepest=DEEPEST, looks=looks)

    def bind(
        self, atoms: Iterable[Term], unequal: Iterable[tuple[Variable, Symbol]] = ()
    ) -> dict[Variable, Domain] | None:
        """What the variables of *atoms* can be; None where they can never hold together."""
        atoms = tuple(atoms)
        bindings = super().bind(atoms, unequal)
        return bindings if bindings is not None and self.tables.narrow(atoms, bindings) else None


class RowEstimates(SizeEstimates):
    """Estimates from the rows that relations can hold at most."""

    def __init__(self, rules: Iterable[NormalRule], tables: RowTables) -> None:
        self.tables = tables
        self._bound: dict[tuple[Term, ...], dict[Variable, Domain] | None] = {}
        super().__init__(rules)

    def bind(self, rule: NormalRule) -> dict[Variable, Domain] | None:
        """What the variables of *rule* can be; None where its body can never hold."""
        body = (*rule.positive, *rule.guards)
        if body not in self._bound:
            self._bound[body] = super().bind(rule)
        found = self._bound[body]
        return None if found is None else dict(found)

    def note(self, rule: NormalRule) -> None:
        """Takes in the relation that *rule* alone defines, over variables only; a projection of known rows is counted."""
        super().note(rule)
        if len(rule.positive) == 1 and not rule.guards:
            kept = [part for part in arguments(rule.head) if isinstance(part, Variable)]
            count = self.tables.count(rule.positive[0], kept)
            if count is not None:
                self.sizes[functor(rule.head)] = count

    def _infer(self, clauses: Sequence[Clause]) -> DomainInference:
        return RowInference(clauses, self.tables)

    def _rows_of(self, relation: Relation, size: float) -> float:
        rows = self.tables.rows.get(relation)
        return size if rows is None else min(size, len(rows))

    def _size(self, term: Term) -> float:
        count = self.tables.count(term)
        return super()._size(term) if count is None else count
