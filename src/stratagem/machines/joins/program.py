"""The program of joins: a sheet's rules in normal form over flat relations, in components sorted by what they need.

`true` and `does` are only ever given, never derived, so their facts are kept by the function of the fact or the move:
``(true (cell ?x ?y b))`` is the relation ``true cell`` with three columns. A rule that reads ``(true ?fact)`` gets a
relation of whole facts. All other relations hold terms as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from stratagem.gdl.rules import Atom, Distinct, Literal, Not, Rule, RuleSheet
from stratagem.gdl.terms import Relation, Term, Variable, arguments, functor
from stratagem.gdl.text.syntax import Node, Place
from stratagem.ground.rewrite.normal import NormalRule, normal_form
from stratagem.machines.reasoner.theory import DOES, TRUE, Theory, sorted_by_need, theory_of

FlatKey: TypeAlias = tuple[str, str, int]
"""The name of a relation, the function whose facts it holds ("" for any), and the number of columns."""
QUESTIONS: tuple[Relation, ...] = (("init", 1), ("terminal", 0), ("legal", 2), ("goal", 2), ("next", 1))
NOWHERE = Node(Place(0, 0), "normal form")


@dataclass(frozen=True, slots=True)
class JoinAtom:
    """A relation applied to columns."""

    key: FlatKey
    columns: tuple[Term, ...]

    @staticmethod
    def of(term: Term) -> JoinAtom:
        relation, columns = functor(term), arguments(term)
        if relation not in (TRUE, DOES) or isinstance(columns[-1], Variable):
            return JoinAtom((relation[0], "", relation[1]), columns)
        name, arity = functor(columns[-1])
        flat = (*columns[:-1], *arguments(columns[-1]))
        # The arity tells (f a) from (f a b); the relations of `does` have the role in front.
        return JoinAtom((relation[0], f"{name}/{arity}", len(flat)), flat)


@dataclass(frozen=True, slots=True)
class JoinRule:
    """*head* holds for all values for which all *positive* atoms hold, no *negative* one, and all pairs differ."""

    head: JoinAtom
    positive: tuple[JoinAtom, ...]
    negative: tuple[JoinAtom, ...]
    different: tuple[tuple[Term, Term], ...]
    line: int

    def atoms(self) -> Iterable[JoinAtom]:
        return (self.head, *self.positive, *self.negative)


@dataclass(frozen=True, slots=True)
class JoinComponent:
    """Relations that are worked out together; *level* is that of the theory."""

    keys: frozenset[FlatKey]
    rules: tuple[JoinRule, ...]
    level: int
    recursive: bool
    reads: frozenset[FlatKey]

    @property
    def demands_grow(self) -> bool:
        """Whether a demand may lead to one with deeper terms, as ``(p ?x)`` does where it follows from ``(p (f ?x))``."""
        for rule in self.rules:
            shallow = dict(reversed(_depths(rule.head.columns)))
            for atom in rule.positive:
                if atom.key in self.keys:
                    deep = _depths(atom.columns)
                    if any(depth > shallow.get(variable, depth) for variable, depth in deep):
                        return True
        return False


def _depths(columns: Iterable[Term]) -> list[tuple[Variable, int]]:
    """Where variables stand in the columns, and how deep, shallow ones first."""
    found: list[tuple[Variable, int]] = []
    waiting = [(column, 0) for column in columns]
    for term, depth in waiting:
        if isinstance(term, Variable):
            found.append((term, depth))
        else:
            waiting += [(part, depth + 1) for part in arguments(term)]
    return found


@dataclass(frozen=True, slots=True)
class JoinProgram:
    """All components in order, and the levels of all relations."""

    roles: tuple[str, ...]
    components: tuple[JoinComponent, ...]
    levels: dict[FlatKey, int]


def program_of(sheet: RuleSheet) -> JoinProgram:
    """The rules of *sheet* that matter to a match, ready to be planned."""
    told_apart = tuple(rule for component in theory_of(sheet).components for rule in component.rules)
    normal = normal_form(replace(sheet, rules=told_apart))
    theory = sorted_by_need([_plain(rule) for rule in normal])
    levels: dict[FlatKey, int] = {(name, "", arity): 0 for name, arity in QUESTIONS}
    components = tuple(_component(theory, number, levels) for number in range(len(theory.components)))
    return JoinProgram(sheet.roles, components, levels)


def _plain(rule: NormalRule) -> Rule:
    """A rule of the abstract syntax again, so that it can be sorted by need."""
    body: tuple[Literal, ...] = (
        *(Atom(term, NOWHERE) for term in rule.positive),
        *(Not(Atom(term, NOWHERE), NOWHERE) for term in rule.negative),
        *(Distinct(pair.left, pair.right, NOWHERE) for pair in rule.comparisons),
    )
    return Rule(rule.head, body, Node(Place(rule.line, 0), "normal form"))


def _component(theory: Theory, number: int, levels: dict[FlatKey, int]) -> JoinComponent:
    component = theory.components[number]
    rules = tuple(_flat(rule) for rule in component.rules)
    for rule in rules:
        for atom in (*rule.positive, *rule.negative):
            levels.setdefault(atom.key, 1 if atom.key[0] == TRUE[0] else 2 if atom.key[0] == DOES[0] else 0)
    keys = frozenset((name, "", arity) for name, arity in component.keys if (name, arity) not in (TRUE, DOES))
    levels.update(dict.fromkeys(keys, int(component.level)))
    reads = frozenset(atom.key for rule in rules for atom in (*rule.positive, *rule.negative))
    return JoinComponent(keys, rules, int(component.level), component.recursive, reads)


def _flat(rule: Rule) -> JoinRule:
    parts = rule.body
    return JoinRule(
        JoinAtom.of(rule.head),
        tuple(JoinAtom.of(part.term) for part in parts if isinstance(part, Atom)),
        tuple(
            JoinAtom.of(part.inner.term)
            for part in parts
            if isinstance(part, Not) and isinstance(part.inner, Atom)
        ),
        tuple((part.left, part.right) for part in parts if isinstance(part, Distinct)),
        rule.line,
    )
