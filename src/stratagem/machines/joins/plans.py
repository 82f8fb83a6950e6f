"""The plans of a sheet: components are planned when they are first needed, relations on demand when first asked for.

A component that is written out has its rules once for all rows, and for recursion once for each atom that reads the
component (semi-naive). On demand a relation has, for each set of columns that callers know, a table of what was asked
and one of the answers; the rules run for new questions and for new answers of their own group.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from stratagem.gdl.terms import Variable, is_ground
from stratagem.machines.joins.kernels.memory import FIELDS, Plans
from stratagem.machines.joins.planner import Demand, Instructions, Planned, RulePlan
from stratagem.machines.joins.program import FlatKey, JoinAtom, JoinComponent, JoinProgram, JoinRule
from stratagem.machines.joins.selectivity import Selectivity
from stratagem.machines.joins.tables import TableStore
from stratagem.machines.joins.terms import InternedTerms, grown

FACTS: Final = "facts"
"""In place of a function: the facts of a relation on demand."""
DEMAND_LEVEL: Final = 1
"""RelationTables of relations on demand are emptied with the state, even where they hold for the game: they grow too large."""


class PlanStore:
    """Plans in the memory of kernels; knows which relations are on demand."""

    def __init__(
        self, program: JoinProgram, terms: InternedTerms, tables: TableStore, limits: list[int]
    ) -> None:
        self.program, self.terms, self.tables = program, terms, tables
        self.selectivity = Selectivity(tables)
        self.instructions = Instructions()
        self.demanded: set[int] = set()
        """The components on demand."""
        self.numbers: dict[FlatKey, int] = {}
        for (name, function, arity), level in program.levels.items():
            key = name, function, arity
            self.numbers[key] = tables.add_relation(f"{name} {function}".strip(), arity, level)
        self.component_of = {
            key: number for number, component in enumerate(program.components) for key in component.keys
        }
        self._demands: dict[tuple[FlatKey, tuple[int, ...]], Demand] = {}
        self._group_rules: dict[int, list[Planned]] = {}
        self._group_members: dict[int, list[int]] = {}
        self._rules: list[tuple[int, int]] = []
        self._members: list[int] = []
        self._copied: dict[str, int] = {}
        self.record = self._new_record(limits)

    def _new_record(self, limits: list[int]) -> Plans:
        components = self.program.components
        count = len(components)
        first: list[int] = []
        for component in components:
            first.append(len(self._members))
            self._members += [self.numbers[key] for key in sorted(component.keys)]

        def zeros() -> NDArray[np.int32]:
            return np.zeros(count, np.int32)

        return Plans(
            code=np.zeros((64, FIELDS), np.int32),
            operands=np.zeros(64, np.int32),
            constants=np.zeros(64, np.int32),
            level=np.array([component.level for component in components], np.int32),
            done=np.zeros(count, np.int64),
            first_rule=np.full(count, -1, np.int32),
            rule_count=zeros(),
            delta_count=zeros(),
            first_member=np.array(first, np.int32),
            member_count=np.array([len(component.keys) for component in components], np.int32),
            limit=np.array(limits, np.int64),
            rules=np.zeros((64, 2), np.int32),
            members=np.array(self._members, np.int32),
            group_rule=zeros(),
            group_rules=zeros(),
            group_member=zeros(),
            group_members=zeros(),
            busy=zeros(),
        )

    def table(self, key: FlatKey) -> int:
        return self.numbers[key]

    def index(self, relation: int, columns: tuple[int, ...]) -> int:
        return self.tables.index(relation, columns)

    def on_demand(self, key: FlatKey) -> bool:
        return self.component_of.get(key) in self.demanded

    def demand(self, key: FlatKey, known: tuple[int, ...]) -> Demand:
        """A relation on demand with some columns known, planned when first asked for."""
        found = self._demands.get((key, known))
        if found is None:
            group = self.component_of[key]
            name, _, arity = key
            level = max(DEMAND_LEVEL, self.program.components[group].level)
            asked = self.tables.add_relation(name, len(known), level)
            rows = self.tables.add_relation(name, arity, level)
            found = self._demands[key, known] = Demand(asked, rows, known, group)
            self._group_members.setdefault(group, []).extend((asked, rows))
            planned = self._group_rules.setdefault(group, [])
            for rule in self._rules_of(key):
                planned += self._on_demand(rule, found)
            self._place_group(group)
        return found

    def _rules_of(self, key: FlatKey) -> list[JoinRule]:
        """The rules of a relation on demand; its facts are a table that one rule reads."""
        own = [rule for rule in self.program.components[self.component_of[key]].rules if rule.head.key == key]
        facts = [rule for rule in own if _is_fact(rule)]
        if not facts:
            return own
        name, _, arity = key
        table = name, FACTS, arity
        if table not in self.numbers:
            self.numbers[table] = self.tables.add_relation(name, arity, 0)
            rows = [[self.terms.number(column) for column in fact.head.columns] for fact in facts]
            self.tables.add(self.numbers[table], np.array(rows, np.int32).reshape(len(rows), -1))
        columns = tuple(Variable(f"?{column}") for column in range(arity))
        rule = JoinRule(JoinAtom(key, columns), (JoinAtom(table, columns),), (), (), facts[0].line)
        return [rule, *(rule for rule in own if not _is_fact(rule))]

    def _on_demand(self, rule: JoinRule, demand: Demand) -> list[Planned]:
        """A rule for new questions, and for new answers to each question of its own."""
        asked = [rule.head.columns[column] for column in demand.known]
        plan = self._plan(rule, demand.group)
        plan.begin(demand.asked, asked)
        plan.body()
        plan.end(demand.rows)
        planned = [plan.written()]
        own = plan.demands
        for place, other in own.items():
            again = self._plan(rule, demand.group)
            again.demands = dict(own)
            again.begin(other.rows, rule.positive[place].columns)
            again.body(place, (demand.asked, asked))
            again.end(demand.rows)
            planned.append(again.written())
        return planned

    def _plan(self, rule: JoinRule, group: int | None = None) -> RulePlan:
        return RulePlan(rule, self.instructions, self.terms, self, self.selectivity, group)

    def plan(self, number: int) -> None:
        """Plans a component for the tables as they are; facts of the rules are entered at once."""
        try:
            self._plan_component(number)
        except BaseException:
            self._forget_demands()  # one of them may be planned in part
            raise

    def _plan_component(self, number: int) -> None:
        component = self.program.components[number]
        facts, rules = self._facts_and_rules(component)
        for relation, rows in facts.items():
            self.tables.add(relation, np.array(rows, np.int32).reshape(len(rows), -1))
        planned = []
        for rule in rules:
            plan = self._plan(rule)
            plan.body()
            plan.end(self.numbers[rule.head.key])
            planned.append(plan.written())
        deltas = []
        for rule in rules:
            for place, atom in enumerate(rule.positive):
                if atom.key in component.keys:
                    plan = self._plan(rule)
                    plan.begin(self.numbers[atom.key], atom.columns)
                    plan.body(place)
                    plan.end(self.numbers[rule.head.key])
                    deltas.append(plan.written())
        self.record.first_rule[number] = self._place_rules([*planned, *deltas])
        self.record.rule_count[number], self.record.delta_count[number] = len(planned), len(deltas)
        self._copy()

    def _facts_and_rules(self, component: JoinComponent) -> tuple[dict[int, list[list[int]]], list[JoinRule]]:
        """What is entered once, and what is run: a fact of a table that is emptied is a rule without conditions."""
        facts: dict[int, list[list[int]]] = {}
        rules: list[JoinRule] = []
        for rule in component.rules:
            if component.level == 0 and _is_fact(rule):
                relation = self.numbers[rule.head.key]
                facts.setdefault(relation, []).append([self.terms.number(one) for one in rule.head.columns])
            else:
                rules.append(rule)
        return facts, rules

    def put_on_demand(self, number: int) -> None:
        """A component is worked out on demand from now on; all plans that ask for anything on demand are made again.

        What its old plan asked for may be much more than what will be asked now, so nothing of that is kept.
        """
        self.demanded.add(number)
        self._forget_demands()

    def _forget_demands(self) -> None:
        on_demand = {key for at in self.demanded for key in self.program.components[at].keys}
        self._demands.clear()
        self._group_rules.clear()
        self._group_members.clear()
        for at, component in enumerate(self.program.components):
            if component.reads & on_demand:
                self.record.first_rule[at] = -1

    def _place_group(self, group: int) -> None:
        """Lays the rules and tables of a group down anew; what was asked is worked out again."""
        planned, members = self._group_rules[group], self._group_members[group]
        self.record.group_rule[group] = self._place_rules(planned)
        self.record.group_rules[group] = len(planned)
        self.record.group_member[group] = len(self._members)
        self.record.group_members[group] = len(members)
        self._members += members
        self.record.busy[group] = 1

    def _place_rules(self, planned: list[Planned]) -> int:
        first = len(self._rules)
        self._rules += [(one.entry, one.registers) for one in planned]
        return first

    def _copy(self) -> None:
        """Copies what is new into the memory of kernels."""
        out = self.instructions
        for name, values in (
            ("code", out.code),
            ("operands", out.operands),
            ("constants", out.constants),
            ("rules", self._rules),
            ("members", self._members),
        ):
            array: NDArray[np.int32] = getattr(self.record, name).numpy
            copied = self._copied.get(name, 0)
            if len(values) > len(array):
                array = grown(array, len(values))
                self.record.put(**{name: array})
            if len(values) > copied:
                array[copied : len(values)] = values[copied:]
                self._copied[name] = len(values)


def _is_fact(rule: JoinRule) -> bool:
    """Whether a rule has no conditions and no variables."""
    conditions = rule.positive or rule.negative or rule.different
    return not conditions and all(map(is_ground, rule.head.columns))
