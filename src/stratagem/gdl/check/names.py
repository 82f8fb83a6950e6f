"""Names that do not fit together: never defined, never used, or used in two ways."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from stratagem.gdl.build import CONNECTIVES, KEYWORDS, RESERVED
from stratagem.gdl.check.keywords import MISSPELT, NOT_ASKED, near_keyword
from stratagem.gdl.check.survey import Kind, Survey, Word, name_place
from stratagem.gdl.rules import Atom, Rule
from stratagem.gdl.terms import Compound, Relation, Variable, arguments, functor
from stratagem.plural import plural

GIVEN: Final = {("true", 1), ("does", 2)}
"""Relations that the match defines, not the rules."""


def check_defined(survey: Survey) -> None:
    """Relations that are asked for and never defined."""
    arities = {name: arity for name, arity in reversed(survey.definitions) if name not in KEYWORDS}
    for relation, uses in survey.uses.items():
        name = relation[0]
        if relation in survey.definitions or relation in GIVEN or name in RESERVED:
            continue
        first = uses[0]
        times = "" if len(uses) == 1 else f" (asked for {len(uses)} times)"
        if name in arities:
            hint = f"elsewhere {name} has {plural(arities[name], 'argument')}"
        elif name == "and":
            hint = "GDL has no and: write the conditions of a rule one after the other"
        elif (keyword := near_keyword(survey, relation)) is not None and keyword not in NOT_ASKED:
            hint = f"did you mean {keyword}?"
        elif (connective := survey.closest(name, CONNECTIVES, MISSPELT)) is not None:
            hint = f"did you mean {connective}?"
        else:
            hint = survey.did_you_mean(name, arities, "define it, or remove the condition")
        survey.report(
            "GDL103",
            name_place(first.atom.node),
            f"nothing defines {survey.name(relation)}{times}, so it never holds",
            f"a fact or a rule for {survey.show_word(name)}",
            hint,
        )


def check_yielded(survey: Survey) -> None:
    """Facts asked for with true that no init or next yields; moves asked for with does that are never legal."""
    facts = yields(survey, [("init", 1), ("next", 1)])
    _check_yielded(survey, ("true", 1), facts, "fact", "init or next")
    moves = yields(survey, [("legal", 2)])
    _check_yielded(survey, ("does", 2), moves, "move", "legal")


def yields(survey: Survey, heads: Iterable[Relation]) -> set[Relation] | None:
    """The kinds of terms that rules for *heads* conclude, as their last arguments; None if they could be anything."""
    kinds: set[Relation] = set()
    for head in heads:
        for rule in survey.definitions.get(head, ()):
            term = arguments(rule.head)[-1]
            if not isinstance(term, Variable):
                kinds.add(functor(term))
            elif not keeps(rule, term):
                return None
    return kinds


def keeps(rule: Rule, term: Variable) -> bool:
    """Whether *rule* is ``(next ?f)`` for a fact ?f that is true already: it yields nothing new."""
    kept = Compound(("true", term))
    return any(isinstance(literal, Atom) and literal.term == kept for literal in rule.body)


def _check_yielded(
    survey: Survey, asked: Relation, kinds: set[Relation] | None, noun: str, keyword: str
) -> None:
    if kinds is None or (not kinds and asked == ("does", 2)):
        return  # Anything may be yielded; or nothing is legal at all, which is an error of its own.
    told: set[Relation] = set()
    arities = dict(sorted(kinds, reverse=True))
    for use in survey.uses.get(asked, ()):
        term = arguments(use.atom.term)[-1]
        kind = functor(term)
        if isinstance(term, Variable) or kind in kinds or kind in told:
            continue
        told.add(kind)
        if kind[0] in arities:
            hint = f"elsewhere {kind[0]} has {plural(arities[kind[0]], 'argument')}"
        else:
            hint = survey.did_you_mean(kind[0], arities, "add a rule for it, or remove the condition")
        survey.report(
            "GDL120",
            name_place(use.atom.node.items[-1]),
            f"no rule ever yields the {noun} {described(survey, kind)}",
            f"a rule for {keyword} that concludes it",
            hint,
        )


def described(survey: Survey, kind: Relation) -> str:
    """A fact or move in a message: its name and how many arguments it has."""
    name, arity = kind
    return survey.show_word(name) + ("" if arity == 0 else f" with {plural(arity, 'argument')}")


def check_two_ways(survey: Survey) -> None:
    """One name for a relation and a function, or with two numbers of arguments."""
    first: dict[tuple[str, Kind], Word] = {}
    arities: dict[tuple[str, Kind, int], Word] = {}
    for _, words in survey.words:
        for word in words:
            if word.kind in (Kind.RELATION, Kind.FUNCTION) and word.node.word not in RESERVED:
                first.setdefault((word.node.word, word.kind), word)
                arities.setdefault((word.node.word, word.kind, word.arity), word)
    for (name, kind, arity), word in arities.items():
        original = first[name, kind]
        if word is not original:
            code = "GDL116" if kind is Kind.RELATION else "GDL117"
            survey.report(
                code,
                word.place,
                f"the {kind} {survey.show_word(name)} has {plural(arity, 'argument')} here"
                f" and {original.arity} in line {original.place.line}",
                "the same number of arguments everywhere",
                "correct one of them, or rename it: here they are different things, other programs may fail",
            )
    for (name, kind), word in first.items():
        relation = first.get((name, Kind.RELATION))
        if kind is Kind.FUNCTION and relation is not None:
            later, earlier = sorted([word, relation], key=lambda each: each.place.line, reverse=True)
            survey.report(
                "GDL115",
                later.place,
                f"{survey.show_word(name)} is a {later.kind} here and a {earlier.kind} in line {earlier.place.line}",
                "one name for one thing",
                f"look for a missing true around {survey.show_word(name)}, or rename one of them",
            )
