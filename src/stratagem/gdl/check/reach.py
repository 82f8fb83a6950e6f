"""Rules that never matter: nothing needs what they conclude, or nothing can make their conditions hold.

Both are least fixed points over the relations, ignoring arguments and negations, so that what is reported is
certain; each costs one walk over the sheet.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from stratagem.gdl.build import KEYWORDS, RESERVED
from stratagem.gdl.check.and_or import AndOr
from stratagem.gdl.check.keywords import NEEDED, misspelt
from stratagem.gdl.check.survey import Survey, name_place, parts
from stratagem.gdl.dependencies import Use
from stratagem.gdl.rules import Atom
from stratagem.gdl.terms import Relation, functor
from stratagem.plural import plural

GIVEN: Final = (("true", 1), ("does", 2))
"""Relations that the match defines, not the rules."""


def check_used(survey: Survey) -> None:
    """Relations that no condition asks for, and those that only such relations ask for."""
    needed = {relation for relation in survey.definitions if relation[0] in KEYWORDS}
    waiting = list(needed)
    while waiting:
        for used in survey.edges.get(waiting.pop(), ()):
            if used not in needed:
                needed.add(used)
                waiting.append(used)
    meant = misspelt(survey)
    defined = {name for name, _ in survey.definitions}
    for relation, rules in survey.definitions.items():
        if relation in needed or relation[0] in RESERVED:
            continue
        keyword = meant.get(relation)
        if keyword in NEEDED and keyword not in defined:
            continue  # Already named as the reason why the game lacks that keyword.
        others = [use for use in survey.uses.get(relation, ()) if functor(use.rule.head) != relation]
        place = name_place(parts(rules[0])[0])
        name = survey.show_word(relation[0])
        if not others:
            message = f"{survey.name(relation)} is defined but never used"
            hint = f"remove its {plural(len(rules), 'line')}, or use it"
            if keyword is not None:
                hint = f"did you mean {keyword}? If not, {hint}"
            survey.report("GDL104", place, message, f"a condition that asks for {name}", hint)
        else:
            message = f"{survey.name(relation)} matters to nothing: only {_users(survey, others)} asks for it"
            expected = "a way from role, init, legal, next, terminal or goal to every rule"
            hint = f"remove its {plural(len(rules), 'line')}, or use what rests on it"
            survey.report("GDL105", place, message, expected, hint)


def _users(survey: Survey, uses: Iterable[Use]) -> str:
    names = dict.fromkeys(survey.name(functor(use.rule.head)) for use in uses)
    return " or ".join(list(names)[:3])


def check_possible(survey: Survey) -> None:
    """Rules that can never apply. Where a relation has no definition at all, that is reported instead."""
    possible = possible_relations(survey)
    for rule in survey.sheet.rules:
        for literal in rule.body:
            if not isinstance(literal, Atom):
                continue
            relation = functor(literal.term)
            if relation not in possible and relation in survey.definitions:
                survey.report(
                    "GDL105",
                    name_place(literal.node),
                    f"this rule never applies: {survey.name(relation)} can never hold",
                    f"a fact or rule for {survey.show_word(relation[0])} that does not rest on itself",
                    f"every rule for it needs something that never holds: see line {_line(survey, relation)}",
                )
                break


def _line(survey: Survey, relation: Relation) -> int:
    return survey.definitions[relation][0].line


def possible_relations(survey: Survey) -> set[Relation]:
    """The relations that could hold for some arguments in some state, if every negation were true."""
    and_or = AndOr(functor)
    for relation in GIVEN:
        and_or.holds(relation)
    for number, rule in enumerate(survey.sheet.rules):
        and_or.one_of(functor(rule.head), [number])
        and_or.all_of(number, [and_or.condition(literal) for literal in rule.body])
    return {vertex for vertex in and_or.true if isinstance(vertex, tuple)}
