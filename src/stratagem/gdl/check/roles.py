"""The players: named once, each with moves and goals, and no moves or goals for anyone else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from stratagem.gdl.check.survey import Survey, listed, name_place, parts
from stratagem.gdl.rules import Rule
from stratagem.gdl.terms import Symbol, Term, Variable, arguments, functor, integer, is_ground
from stratagem.gdl.text.syntax import Place

OF_A_ROLE: Final = {("legal", 2), ("goal", 2), ("input", 2), ("does", 2)}
PROMISED: Final = {
    "goal": ("has no goals", "a rule for (goal {} value)", "say what it gets, from 0 to 100"),
    "legal": (
        "has no legal moves",
        "a rule for (legal {} move)",
        "let it do (legal {} noop) if nothing else",
    ),
}


def check_roles(survey: Survey) -> None:
    """Roles named twice, roles without goals or moves, and goals or moves without a role."""
    named: dict[Term, Rule] = {}
    for rule in survey.definitions.get(("role", 1), ()):
        (role,) = arguments(rule.head)
        if role in named:
            message = f"the role {survey.show(role)} is named a second time"
            expected = f"each role once: it is in line {named[role].line} already"
            survey.report("GDL108", name_place(parts(rule)[0]), message, expected, "remove this line")
        elif isinstance(role, Symbol) and not rule.body:
            named[role] = rule
    for role, rule in named.items():
        _check_promises(survey, role, name_place(parts(rule)[0]))
    if named:
        for role, place in _mentioned(survey):
            if is_ground(role) and role not in named:
                survey.report(
                    "GDL109",
                    place,
                    f"the game has no role {survey.show(role)}",
                    f"one of the roles: {listed([survey.show(each) for each in named])}",
                    survey.did_you_mean(
                        str(role), [str(each) for each in named], "correct the name, or add the role"
                    ),
                )


def _check_promises(survey: Survey, role: Term, place: Place) -> None:
    name = survey.show(role)
    for keyword, (what, expected, hint) in PROMISED.items():
        rules = survey.definitions.get((keyword, 2), ())
        if rules and not any(rule.head[1] == role or isinstance(rule.head[1], Variable) for rule in rules):
            survey.report(
                "GDL107", place, f"the role {name} {what}", expected.format(name), hint.format(name)
            )


def _mentioned(survey: Survey) -> Iterator[tuple[Term, Place]]:
    """Every role that is named outright as the one that may do, does or gets something."""
    for rule in survey.sheet.rules:
        head, _ = parts(rule)
        if functor(rule.head) in OF_A_ROLE:
            yield arguments(rule.head)[0], name_place(head.items[1])
    for relation in OF_A_ROLE:
        for use in survey.uses.get(relation, ()):
            yield arguments(use.atom.term)[0], name_place(use.atom.node.items[1])


def check_goals(survey: Survey) -> None:
    """Goal values that are no numbers, or out of range."""
    for rule in survey.definitions.get(("goal", 2), ()):
        _, value = arguments(rule.head)
        if isinstance(value, Variable):
            continue
        number = integer(value)
        if number is None or not 0 <= number <= 100:
            survey.report(
                "GDL106",
                name_place(parts(rule)[0].items[2]),
                f"the goal {survey.show(value)} is not a number from 0 to 100",
                "a whole number from 0 to 100",
                "100 is for winning, 0 for losing",
            )
