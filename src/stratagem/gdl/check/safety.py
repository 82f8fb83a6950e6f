"""Safety: every variable of a rule must get its values from a condition that holds.

A sentence gives values to its variables; ``or`` to those that all of its alternatives give values to; ``not`` and
``distinct`` to none: they only test. A variable of the head, or of a test, with no values to take would
make the rule conclude something about everything there could ever be.
"""

from __future__ import annotations

from collections.abc import Iterator

from stratagem.gdl.check.survey import Survey, parts, places
from stratagem.gdl.rules import Atom, Distinct, Literal, Not, Or, Rule, literal_variables
from stratagem.gdl.terms import Variable, variables
from stratagem.gdl.text.syntax import Node


def values_given(literal: Literal) -> frozenset[Variable]:
    """The variables that have a value wherever *literal* holds."""
    match literal:
        case Atom(term):
            return frozenset(variables(term))
        case Or(several) if several:
            return frozenset.intersection(*map(values_given, several))
        case _:
            return frozenset()


def values_needed(literal: Literal) -> Iterator[tuple[Variable, Node]]:
    """The variables that *literal* only tests, each with the test."""
    match literal:
        case Or(several):
            for inner in several:
                yield from values_needed(inner)
        case Not() | Distinct():
            for variable in literal_variables(literal):
                yield variable, literal.node


def check_safety(survey: Survey) -> None:
    for rule in survey.sheet.rules:
        if rule.body:
            _check_rule(survey, rule)
        else:
            _check_fact(survey, rule)


def _check_fact(survey: Survey, rule: Rule) -> None:
    found = dict.fromkeys(variables(rule.head))
    where = places(parts(rule)[0]) if found else {}
    for variable in found:
        survey.report(
            "GDL011",
            where[variable],
            f"the variable {survey.show(variable)} in a fact",
            "facts about particular things",
            "write a name, or give the variable its values in the conditions of a rule",
        )


def _check_rule(survey: Survey, rule: Rule) -> None:
    given = frozenset[Variable]().union(*map(values_given, rule.body))
    head, _ = parts(rule)
    needed = [(variable, head) for variable in variables(rule.head)]
    needed += [pair for literal in rule.body for pair in values_needed(literal)]
    missing: dict[Variable, Node] = {}
    for variable, node in needed:
        if variable not in given:
            missing.setdefault(variable, node)
    where = {id(node): places(node) for node in missing.values()}
    sometimes = _given_sometimes(rule) if missing else frozenset()
    for variable, node in missing.items():
        name = survey.show(variable)
        survey.report(
            "GDL010",
            where[id(node)][variable],
            f"variable {name} has no values to take",
            f"a condition, other than (not ...) and (distinct ...), that mentions {name}",
            _hint(survey, variable, given, sometimes),
        )


def _given_sometimes(rule: Rule) -> frozenset[Variable]:
    """The variables that some alternative of an ``or`` gives values to."""
    alternatives = (inner for literal in rule.body if isinstance(literal, Or) for inner in literal.inner)
    return frozenset[Variable]().union(*map(values_given, alternatives))


def _hint(
    survey: Survey, variable: Variable, given: frozenset[Variable], sometimes: frozenset[Variable]
) -> str:
    name = survey.show(variable)
    if variable in sometimes:
        return f"mention {name} in every alternative of the or, or split the rule in two"
    return survey.did_you_mean(variable, given, f"add a condition that says which values {name} can take")
