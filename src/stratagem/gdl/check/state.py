"""How facts of the state come and go: those that can never come true, and those that are lost after the first move.

Facts are told apart by name and number of arguments alone, negations are taken to be true and every move to be made: what
is reported as impossible is certain. Where a keyword is misspelt, that is reported instead.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final

from stratagem.gdl.check.and_or import ALWAYS, AndOr
from stratagem.gdl.check.keywords import misspelt
from stratagem.gdl.check.names import described, keeps, yields
from stratagem.gdl.check.survey import Survey, name_place, parts
from stratagem.gdl.rules import Rule, atoms
from stratagem.gdl.terms import Relation, Term, Variable, arguments, functor
from stratagem.gdl.text.syntax import Place

INIT: Final = ("init", 1)
NEXT: Final = ("next", 1)
TRUE: Final = ("true", 1)


def check_facts(survey: Survey) -> None:
    """Facts that the match needs and cannot have, or has only before the first move."""
    begun, made = yields(survey, [INIT]), yields(survey, [NEXT])
    if begun is None or made is None or {"init", "next"} & set(misspelt(survey).values()):
        return
    asked: dict[Relation, Place] = {}
    for use in survey.uses.get(TRUE, ()):
        kind = fact_kind(use.atom.term)
        if kind is not None:
            asked.setdefault(kind, name_place(use.atom.node.items[-1]))
    _check_possible(survey, {kind: place for kind, place in asked.items() if kind in made - begun})
    if not any(_keeps_anything(rule) for rule in survey.definitions.get(NEXT, ())):
        _check_lasting(survey, {kind for kind in asked if kind in begun - made})


def fact_kind(sentence: Term) -> Relation | None:
    """The name and arity of the fact in ``(true fact)``; None for other sentences and for a variable."""
    if functor(sentence) != TRUE or isinstance(arguments(sentence)[0], Variable):
        return None
    return functor(arguments(sentence)[0])


def _keeps_anything(rule: Rule) -> bool:
    (fact,) = arguments(rule.head)
    return isinstance(fact, Variable) and keeps(rule, fact)


def _check_lasting(survey: Survey, lost: set[Relation]) -> None:
    """A flag without arguments may mark the first move; a fact with arguments was meant to be kept."""
    for rule in survey.definitions.get(INIT, ()):
        (fact,) = arguments(rule.head)
        kind = functor(fact)
        if kind in lost and kind[1] > 0:
            lost.remove(kind)
            survey.report(
                "GDL123",
                name_place(parts(rule)[0].items[1]),
                f"the fact {described(survey, kind)} is lost after the first move: no rule for next yields it",
                f"a rule for next that yields {survey.show_word(kind[0])}",
                "a fact stays true only if a rule for next says so, after every move",
            )


def _check_possible(survey: Survey, asked: dict[Relation, Place]) -> None:
    """Facts that only next yields, by rules that all rest on facts which are never true. Causes go before effects."""
    and_or = AndOr(_vertex)
    and_or.holds(ALWAYS)
    and_or.holds(("does", 2))
    for number, rule in enumerate(survey.sheet.rules):
        for head in _concluded(rule):
            and_or.one_of(head, [number])
        and_or.all_of(number, [and_or.condition(literal) for literal in rule.body])
    never = [kind for kind in asked if _fact(kind) not in and_or.true]
    for kind in sorted(never, key=lambda kind: not _needs_itself(survey, kind)):
        if _fact(kind) in and_or.true:
            continue  # It would come true, if the facts named so far did.
        and_or.holds(_fact(kind))
        survey.report(
            "GDL124",
            asked[kind],
            f"the fact {described(survey, kind)} can never come true: every rule for it rests on a fact that never is",
            f"an init, or a rule for next that does not need {survey.show_word(kind[0])} itself",
            "say what is true at the start: a line for init is missing",
        )


def _fact(kind: Relation) -> Hashable:
    return "fact", kind


def _vertex(sentence: Term) -> Hashable:
    if functor(sentence) != TRUE:
        return functor(sentence)
    kind = fact_kind(sentence)
    return ALWAYS if kind is None else _fact(kind)


def _concluded(rule: Rule) -> Iterator[Hashable]:
    yield functor(rule.head)
    if functor(rule.head) in (INIT, NEXT) and not isinstance(arguments(rule.head)[0], Variable):
        yield _fact(functor(arguments(rule.head)[0]))


def _needs_itself(survey: Survey, kind: Relation) -> bool:
    """Whether a rule for next that yields the fact asks for it directly."""
    return any(
        fact_kind(atom.term) == kind
        for rule in survey.definitions.get(NEXT, ())
        if functor(arguments(rule.head)[0]) == kind
        for literal in rule.body
        for atom, positive in atoms(literal)
        if positive
    )
