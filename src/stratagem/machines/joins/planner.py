"""From rules to plans: literals ordered by selectivity, then instructions.

Tests come as soon as what they mention is known; of the relations the one with the fewest matching rows comes next. Where
nothing later needs what a relation binds, one row is enough. Every instruction knows the choice to go back to: the
latest one that bound something it depends on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from stratagem.gdl.terms import Compound, Term, Variable, arguments, functor, is_ground, variables
from stratagem.machines.joins.kernels.memory import FIELDS, InstructionField, Op
from stratagem.machines.joins.program import FlatKey, JoinAtom, JoinRule
from stratagem.machines.joins.selectivity import TESTED, Selectivity
from stratagem.machines.joins.terms import InternedTerms

CHOICES = (Op.LOOK_UP, Op.DELTA)
JoinTest: TypeAlias = JoinAtom | tuple[Term, Term]
"""A negated atom, or two terms that must differ."""


@dataclass(frozen=True, slots=True)
class Demand:
    """A relation on demand with some columns known: where they are asked for, where the answers are, who makes them."""

    asked: int
    rows: int
    known: tuple[int, ...]
    group: int


class Relations(Protocol):
    """What a plan has to know of relations."""

    def table(self, key: FlatKey) -> int:
        """The number of a relation that is written out."""

    def index(self, relation: int, columns: tuple[int, ...]) -> int:
        """An index by some columns."""

    def on_demand(self, key: FlatKey) -> bool:
        """Whether a relation is worked out on demand."""

    def demand(self, key: FlatKey, known: tuple[int, ...]) -> Demand:
        """A relation on demand, asked for with these columns known."""


@dataclass(slots=True)
class Instructions:
    """Instructions with their operands and constants; they only ever grow."""

    code: list[list[int]] = field(default_factory=list)
    operands: list[int] = field(default_factory=list)
    constants: list[int] = field(default_factory=list)
    _places: dict[int, int] = field(default_factory=dict)

    def constant(self, term: int) -> int:
        """The register that holds a term for good."""
        place = self._places.get(term)
        if place is None:
            place = self._places[term] = len(self.constants)
            self.constants.append(term)
        return -1 - place

    def add(self, op: Op, operands: Iterable[int], fields: Mapping[InstructionField, int]) -> None:
        """Appends an instruction."""
        row = [0] * FIELDS
        row[InstructionField.OP], row[InstructionField.OPERANDS] = op, len(self.operands)
        row[InstructionField.FAIL] = row[InstructionField.BACK] = -1
        for name, value in fields.items():
            row[name] = value
        self.operands.extend(operands)
        self.code.append(row)


@dataclass(frozen=True, slots=True)
class Planned:
    """A rule as instructions: where it begins, and how many registers it takes."""

    entry: int
    registers: int


class RulePlan:
    """The instructions of one rule while they are made.

    Steps are noted first and written down at the end: planning a demand may write instructions of its own.
    *group* is that of the rule where it is worked out on demand itself; its other relations are *posted* there.
    """

    def __init__(
        self,
        rule: JoinRule,
        out: Instructions,
        terms: InternedTerms,
        relations: Relations,
        selectivity: Selectivity,
        group: int | None = None,
    ) -> None:
        self.rule, self.out, self.terms, self.relations = rule, out, terms, relations
        self.selectivity, self.group = selectivity, group
        self.keep = {variable for column in rule.head.columns for variable in variables(column)}
        self.registers = 0
        self.where: dict[Variable, int] = {}
        self.depth: dict[int, int] = {}
        """For each register the number of the choice that bound it; -1: known from the start."""
        self.choices = 0
        self.steps: list[tuple[Op, list[int], dict[InstructionField, int]]] = []
        self.demands: dict[int, Demand] = {}
        """The demands that stand for positive atoms of the own group, by their place."""

    def written(self) -> Planned:
        """Writes the steps down; choices had numbers so far and get places now."""
        entry = len(self.out.code)
        places = [entry + at for at, step in enumerate(self.steps) if step[0] in CHOICES]
        for op, operands, fields in self.steps:
            for name in (InstructionField.FAIL, InstructionField.BACK):
                if fields.get(name, -1) >= 0:
                    fields[name] = places[fields[name]]
            self.out.add(op, operands, fields)
        return Planned(entry, self.registers)

    def new_register(self, depth: int) -> int:
        self.depth[self.registers] = depth
        self.registers += 1
        return self.registers - 1

    def depth_of(self, registers: Iterable[int]) -> int:
        return max((self.depth[one] for one in registers if one >= 0), default=-1)

    def is_known(self, term: Term) -> bool:
        return all(variable in self.where for variable in variables(term))

    def value(self, term: Term) -> int:
        """The register of a term whose variables are known; a function term with variables is built."""
        if isinstance(term, Variable):
            return self.where[term]
        if not isinstance(term, Compound) or is_ground(term):
            return self.out.constant(self.terms.number(term))
        parts = [self.value(part) for part in arguments(term)]
        register = self.new_register(self.depth_of(parts))
        function = self.terms.function(*functor(term))
        fields = {
            InstructionField.WHAT: function,
            InstructionField.CURSOR: register,
            InstructionField.KEYS: len(parts),
        }
        self.steps.append((Op.BUILD, parts, fields))
        return register

    def match(self, register: int, pattern: Term) -> None:
        """A register must agree with a term: variables get values, the rest is compared."""
        if isinstance(pattern, Variable) and pattern not in self.where:
            self.where[pattern] = register
        elif self.is_known(pattern):
            values = [register, self.value(pattern)]
            self.steps.append((Op.EQUAL, values, {InstructionField.FAIL: self.depth_of(values)}))
        else:
            parts = arguments(pattern)
            depth = self.depth_of((register,))
            inner = [self.new_register(depth) for _ in parts]
            binds = [number for pair in enumerate(inner) for number in pair]
            function = self.terms.function(*functor(pattern))
            fields = {
                InstructionField.WHAT: function,
                InstructionField.BINDS: len(inner),
                InstructionField.FAIL: depth,
            }
            self.steps.append((Op.OPEN, [register, *binds], fields))
            for one, part in zip(inner, parts, strict=True):
                self.match(one, part)

    def begin(self, relation: int, columns: Sequence[Term]) -> None:
        """The new rows of a relation, matched with *columns*."""
        pairs = [(column, self.new_register(self.choices)) for column in range(len(columns))]
        self._step(Op.DELTA, relation, [], [number for pair in pairs for number in pair])
        for column, register in pairs:
            self.match(register, columns[column])

    def body(self, done: int | None = None, first: tuple[int, Sequence[Term]] | None = None) -> None:
        """All literals but the positive one numbered *done*; *first* is a table that narrows all that follows."""
        waiting = {at: atom for at, atom in enumerate(self.rule.positive) if at != done}
        tests: list[JoinTest] = [*self.rule.different, *self.rule.negative]
        if first is not None:
            self._rows(first[0], first[1], waiting.values(), tests)
        while True:
            for test in [one for one in tests if self._is_ready(one) and not self._is_dear(one)]:
                tests.remove(test)
                self._test(test)
            costs = [(self._cost(at, atom), at) for at, atom in waiting.items()]
            dear = [one for one in tests if self._is_ready(one)]
            if dear and all(cost > TESTED for cost, _ in costs):
                tests.remove(dear[0])
                self._test(dear[0])
            elif costs:
                at = min(costs)[1]
                self._positive(at, waiting.pop(at), waiting.values(), tests)
            elif not dear:
                return

    def end(self, relation: int) -> None:
        """What the rule yields."""
        values = [self.value(column) for column in self.rule.head.columns]
        fields = {
            InstructionField.WHAT: relation,
            InstructionField.KEYS: len(values),
            InstructionField.FAIL: self.depth_of(values),
        }
        self.steps.append((Op.EMIT, values, fields))

    def _is_ready(self, test: JoinTest) -> bool:
        return all(map(self.is_known, test.columns if isinstance(test, JoinAtom) else test))

    def _is_dear(self, test: JoinTest) -> bool:
        return isinstance(test, JoinAtom) and self.relations.on_demand(test.key)

    def _known(self, columns: Sequence[Term]) -> tuple[int, ...]:
        return tuple(at for at, column in enumerate(columns) if self.is_known(column))

    def _cost(self, at: int, atom: JoinAtom) -> float:
        """How many rows an atom is thought to yield with what is known."""
        known = self._known(atom.columns)
        demand = self.demands.get(at)
        if demand is not None and not set(demand.known) <= set(known):
            return float("inf")
        if self.relations.on_demand(atom.key):
            return self.selectivity.on_demand(len(atom.columns), len(known))
        return self.selectivity.matches(self.relations.table(atom.key), known)

    def _test(self, test: JoinTest) -> None:
        if not isinstance(test, JoinAtom):
            values = [self.value(side) for side in test]
            self.steps.append((Op.DISTINCT, values, {InstructionField.FAIL: self.depth_of(values)}))
            return
        every = tuple(range(len(test.columns)))
        values = [self.value(column) for column in test.columns]
        relation = self._demanded(test, every, values).rows if self._is_dear(test) else None
        if relation is None:
            relation = self.relations.table(test.key)
        self._step(Op.ABSENT, self.relations.index(relation, every), values, [])

    def _positive(
        self, at: int, atom: JoinAtom, waiting: Iterable[JoinAtom], tests: Iterable[JoinTest]
    ) -> None:
        if not self.relations.on_demand(atom.key):
            self._rows(self.relations.table(atom.key), atom.columns, waiting, tests)
            return
        fixed = self.demands.get(at)
        known = self._known(atom.columns) if fixed is None else fixed.known
        values = [self.value(atom.columns[column]) for column in known]
        demand = self._demanded(atom, known, values)
        if demand.group == self.group:
            self.demands[at] = demand
        self._rows(demand.rows, atom.columns, waiting, tests)

    def _demanded(self, atom: JoinAtom, known: tuple[int, ...], values: list[int]) -> Demand:
        """Asks for the rows of a relation on demand that have these values."""
        demand = self.relations.demand(atom.key, known)
        fields = {
            InstructionField.WHAT: demand.asked,
            InstructionField.KEYS: len(values),
            InstructionField.GROUP: demand.group,
        }
        op = Op.POST if demand.group == self.group else Op.ASK
        self.steps.append((op, list(values), fields))
        return demand

    def _rows(
        self,
        relation: int,
        columns: Sequence[Term],
        waiting: Iterable[JoinAtom],
        tests: Iterable[JoinTest],
    ) -> None:
        """The rows of a table that agree with what is known."""
        known = self._known(columns)
        values = [self.value(columns[at]) for at in known]
        wanted = self._wanted(columns, known, waiting, tests)
        pairs = [(column, self.new_register(self.choices)) for column in wanted]
        binds = [number for pair in pairs for number in pair]
        op = Op.LOOK_UP if wanted else Op.EXISTS
        self._step(op, self.relations.index(relation, known), values, binds)
        for column, register in pairs:
            self.match(register, columns[column])

    def _wanted(
        self,
        columns: Sequence[Term],
        known: tuple[int, ...],
        waiting: Iterable[JoinAtom],
        tests: Iterable[JoinTest],
    ) -> tuple[int, ...]:
        """The columns that are not known and matter: they are named again, or have a structure."""
        others = [column for other in waiting for column in other.columns]
        others += [part for one in tests for part in (one.columns if isinstance(one, JoinAtom) else one)]
        later = self.keep | {variable for term in others for variable in variables(term)}
        own = [variable for column in columns for variable in variables(column)]
        return tuple(
            at
            for at, column in enumerate(columns)
            if at not in known
            and (not isinstance(column, Variable) or column in later or own.count(column) > 1)
        )

    def _step(self, op: Op, what: int, values: list[int], binds: list[int]) -> None:
        """An instruction on a table."""
        fields = {
            InstructionField.WHAT: what,
            InstructionField.KEYS: len(values),
            InstructionField.BINDS: len(binds) // 2,
        }
        fields[InstructionField.FAIL] = self.depth_of(values)
        if op in CHOICES:
            fields |= {
                InstructionField.BACK: self.choices - 1,
                InstructionField.CURSOR: self.new_register(-1),
            }
            self.choices += 1
        self.steps.append((op, [*values, *binds], fields))
