"""What GDL allows and authors seldom mean: shapes of rules, spellings and characters to look at twice."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Final

from stratagem.gdl.build import RESERVED
from stratagem.gdl.check.survey import Kind, Survey, Word, name_place, places, shown
from stratagem.gdl.rules import Atom, Distinct, Literal, Not, Or, Rule, literal_variables
from stratagem.gdl.terms import Variable, functor, variables

UNUSUAL: Final = re.compile(r"[^A-Za-z0-9_-]")


def check_rules(survey: Survey) -> None:
    """Rules without conditions, rules written twice, variables that occur once."""
    seen: dict[Rule, Rule] = {}
    for rule in survey.sheet.rules:
        name = name_place(rule.node)
        if not rule.body and rule.node.items and rule.node.items[0].word == "<=":
            hint = "write the conclusion alone, without <="
            survey.report("GDL110", name, "a rule without conditions", "a fact, or conditions", hint)
        original = seen.setdefault(rule, rule)
        written_twice = original.node.place != rule.node.place
        if written_twice and functor(rule.head) != ("role", 1):
            message = f"the same as line {original.line}"
            survey.report("GDL121", name, message, "every rule and fact once", "remove one of them")
        _check_single_variables(survey, rule)


def _check_single_variables(survey: Survey, rule: Rule) -> None:
    in_body = [variable for literal in rule.body for variable in literal_variables(literal)]
    occurrences = Counter([*variables(rule.head), *in_body])
    # A variable that occurs once and has no values to take is an error already.
    given = {variable for literal in rule.body for variable in _positive(literal)}
    single = [
        variable
        for variable, count in occurrences.items()
        if count == 1 and variable in given and not variable.startswith("?_")
    ]
    if single:
        where = places(rule.node)
        for variable in single:
            name = survey.show(variable)
            free = survey.show(Variable("?_" + variable[1:]))
            near = survey.closest(variable, occurrences)
            meant = "" if near is None else f", or did you mean {survey.show_word(near)}?"
            survey.report(
                "GDL102",
                where[variable],
                f"variable {name} occurs only once in this rule",
                "a second occurrence, unless any value will do",
                f"write {free} if any value will do{meant}",
            )


def _positive(literal: Literal) -> Iterator[Variable]:
    if isinstance(literal, Atom | Or):
        yield from literal_variables(literal)


def check_conditions(survey: Survey) -> None:
    """``or`` around none, one or another ``or``; ``not`` around something other than a sentence."""
    for rule in survey.sheet.rules:
        stack = list(reversed(rule.body))
        while stack:
            literal = stack.pop()
            if isinstance(literal, Or):
                _check_or(survey, literal)
                stack.extend(reversed(literal.inner))
            elif isinstance(literal, Not):
                _check_not(survey, literal)
                stack.append(literal.inner)


def _check_or(survey: Survey, literal: Or) -> None:
    place = name_place(literal.node)
    expected = "at least two alternatives"
    if not literal.inner:
        hint = "remove the rule, or say what the alternatives are"
        survey.report("GDL111", place, "an or without alternatives never holds", expected, hint)
    elif len(literal.inner) == 1:
        survey.report("GDL111", place, "an or of one alternative", expected, "write the alternative alone")
    if any(isinstance(inner, Or) for inner in literal.inner):
        hint = "put all alternatives into one or"
        survey.report("GDL111", place, "an or directly inside an or", "one or for all alternatives", hint)


NEGATED: Final = {
    Or: ("or", "every alternative is false", "write a (not ...) for each alternative"),
    Distinct: ("distinct", "the two are the same", "use the same variable or constant in both places"),
    Not: ("not", "the sentence holds", "remove both"),
}


def _check_not(survey: Survey, literal: Not) -> None:
    if not isinstance(literal.inner, Atom):
        name, meaning, hint = NEGATED[type(literal.inner)]
        survey.report(
            "GDL118",
            name_place(literal.inner.node),
            f"{name} inside not: taken to mean that {meaning}",
            "a sentence inside not, as in (not (p ?x))",
            f"{hint}: other programs refuse it or get it wrong",
        )


def check_brackets(survey: Survey) -> None:
    """``(p)`` for ``p``: the same here, different things to some programs."""
    first: dict[str, Word] = {}
    times: Counter[str] = Counter()
    plain: set[str] = set()
    functions: set[str] = set()
    for _, words in survey.words:
        for word in words:
            if word.kind is Kind.FUNCTION:
                functions.add(word.node.word)
            if word.bracketed:
                first.setdefault(word.node.word, word)
                times[word.node.word] += 1
            elif word.arity == 0:
                plain.add(word.node.word)
    for name, word in first.items():
        if word.kind is Kind.CONSTANT and name in functions:
            continue  # Its arguments are missing, rather than the brackets too many.
        often = "" if times[name] == 1 else f" ({times[name]} times)"
        both = ", and also without" if name in plain else ""
        survey.report(
            "GDL101",
            word.place,
            f"{shown(word.text)} stands in brackets by itself{often}{both}",
            f"{shown(word.text)} without brackets",
            "remove the brackets: both mean the same here, but not to every program",
        )


def check_spelling(survey: Survey) -> None:
    """One word in two spellings, anywhere; one variable in two spellings, in one rule; unusual characters."""
    spellings: dict[str, dict[str, Word]] = {}
    checked: set[str] = set()
    for _, words in survey.words:
        in_rule: dict[str, dict[str, Word]] = {}
        for word in words:
            if word.node.word in RESERVED:
                continue
            table = in_rule if word.kind is Kind.VARIABLE else spellings
            table.setdefault(word.node.word, {}).setdefault(word.text, word)
            if word.text not in checked:
                checked.add(word.text)
                _check_characters(survey, word)
        _report_spellings(survey, in_rule)
    _report_spellings(survey, spellings)


def _report_spellings(survey: Survey, spellings: dict[str, dict[str, Word]]) -> None:
    for ways in spellings.values():
        first, *others = ways.values()
        for word in others:
            survey.report(
                "GDL112",
                word.place,
                f"{shown(word.text)} is written {shown(first.text)} in line {first.place.line}",
                f"{shown(first.text)} everywhere",
                "use one spelling: they are the same here, but not to every program",
            )


def _check_characters(survey: Survey, word: Word) -> None:
    text = word.text.removeprefix("?") if word.kind is Kind.VARIABLE else word.text
    odd = sorted(set(UNUSUAL.findall(text)))
    if odd:
        survey.report(
            "GDL113",
            word.place,
            f"unusual in {shown(word.text)}: {', '.join(map(_character, odd[:5]))}",
            "letters, digits, _ and -",
            "rename it: some programs cannot read it",
        )


def _character(character: str) -> str:
    """A character in a message: itself if it can be seen, else its number and name."""
    if character.isprintable() and not character.isspace() and not unicodedata.combining(character):
        return character
    return f"U+{ord(character):04X} {unicodedata.name(character, 'without a name').lower()}"
