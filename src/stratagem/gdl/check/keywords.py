"""The keywords of GDL: how many arguments each has, where it may stand, and which a game must have.

Source: Love, Hinrichs, Haley, Schkufza and Genesereth, "General Game Playing: Game Description Language
Specification" (2008), with base and input as the field has added them since.
"""

from __future__ import annotations

from typing import Final

from stratagem.gdl.build import CONNECTIVES, KEYWORDS, RESERVED
from stratagem.gdl.check.survey import Kind, Survey, Word, name_place, parts
from stratagem.gdl.terms import Compound, Relation, functor, is_ground
from stratagem.gdl.text.syntax import Place
from stratagem.plural import plural

FORMS: Final = {
    "role": "(role name)",
    "init": "(init fact)",
    "true": "(true fact)",
    "does": "(does role move)",
    "next": "(next fact)",
    "legal": "(legal role move)",
    "goal": "(goal role value)",
    "terminal": "terminal",
    "base": "(base fact)",
    "input": "(input role move)",
}
ARITIES: Final = {name: form.count(" ") for name, form in FORMS.items()}
MISSPELT: Final = 0.74
"""How alike a name and a keyword must be: legl and legal are (0.89), gaol and goal too (0.75), index and next not (0.67)."""
NOT_DEFINED: Final = {
    "true": ("what is true in a state", "init and next", "conclude (init ...) or (next ...) instead"),
    "does": ("what the players do", "the players", "say what they may do with (legal role move)"),
}
NOT_ASKED: Final = {
    "init": "ask for the state with (true ...)",
    "next": "ask for the state with (true ...), or repeat the conditions of the next rule",
    "base": "name the facts in a relation of your own and use it in both rules",
    "input": "name the moves in a relation of your own and use it in both rules",
}
NEEDED: Final = {
    "role": ("roles", "at least one (role name)", "name the players, as in (role white)"),
    "legal": ("legal moves", "rules for (legal role move)", "say what each role may do, noop included"),
    "goal": ("goals", "rules for (goal role value)", "say what each role gets, from 0 to 100"),
    "terminal": ("end", "a rule for terminal", "say when the match is over: (<= terminal ...)"),
}


def check_words(survey: Survey) -> None:
    """Keywords with the wrong number of arguments, and reserved words where a name must stand."""
    for _, words in survey.words:
        for word in words:
            name = word.node.word
            if name in KEYWORDS and word.kind is Kind.RELATION:
                if word.arity != ARITIES[name]:
                    survey.report(
                        "GDL014",
                        word.place,
                        f"{name} with {plural(word.arity, 'argument')}",
                        FORMS[name],
                        "look for a bracket in the wrong place, or rename your own relation",
                    )
            elif name in KEYWORDS:
                _keyword_as_term(survey, word)
            elif name in CONNECTIVES or name == "<=":
                survey.report(
                    "GDL022",
                    word.place,
                    f"{name} is used as the name of a {word.kind}",
                    f"{name} only where a rule combines conditions",
                    "rename it, or look for a bracket in the wrong place",
                )


def _keyword_as_term(survey: Survey, word: Word) -> None:
    name = word.node.word
    if word.kind is Kind.FUNCTION:
        survey.report(
            "GDL021",
            word.place,
            f"the keyword {name} is used inside a term",
            f"{FORMS[name]} only as a sentence of its own",
            "rename the function, or look for a bracket in the wrong place",
        )
    else:
        survey.report(
            "GDL114",
            word.place,
            f"the keyword {name} is used as a constant",
            f"{name} only as the name of a relation",
            "rename the constant: some programs confuse the two",
        )


def check_places(survey: Survey) -> None:
    """Keywords that rules must not define, and those that conditions must not ask for."""
    for rule in survey.sheet.rules:
        name, arity = functor(rule.head)
        place = name_place(parts(rule)[0])
        if name == "role" and rule.body:
            hint = "write the role as a fact, as in (role white)"
            survey.report("GDL015", place, "a role that depends on conditions", "roles as facts alone", hint)
        elif name == "role" and arity == 1 and is_ground(rule.head) and isinstance(rule.head[1], Compound):
            message = f"the role {survey.show(rule.head[1])} is not a single word"
            hint = "give the role a simple name"
            survey.report("GDL020", place, message, "a name, as in (role white)", hint)
        elif name in NOT_DEFINED:
            what, who, hint = NOT_DEFINED[name]
            message = f"{name} is defined here, but {what} is not for the rules to say"
            survey.report("GDL015", place, message, f"{name} only in conditions: {who} decide it", hint)
    for (name, _), uses in survey.uses.items():
        for use in uses if name in NOT_ASKED else ():
            message = f"{name} is asked for in a condition"
            expected = f"{name} only as the conclusion of a rule"
            survey.report("GDL016", name_place(use.atom.node), message, expected, NOT_ASKED[name])


def check_missing(survey: Survey) -> None:
    """Keywords without which there is no game; where one is misspelt, at the place of the misspelling."""
    defined = {name for name, _ in survey.definitions}
    missing = [name for name in NEEDED if name not in defined]
    meant = {keyword: relation for relation, keyword in misspelt(survey).items()} if missing else {}
    for name in missing:
        what, expected, hint = NEEDED[name]
        place = Place(1, 1)
        if name in meant:
            place = name_place(parts(survey.definitions[meant[name]][0])[0])
            hint = f"{survey.name(meant[name])} is never used: did you mean {name}?"
        survey.report("GDL019", place, f"the game has no {what}", expected, hint)


def misspelt(survey: Survey) -> dict[Relation, str]:
    """Relations that are defined and never used, and nearly have the name of a keyword: which keyword."""
    found: dict[Relation, str] = {}
    for relation in survey.definitions:
        if relation[0] not in RESERVED and relation not in survey.uses:
            keyword = near_keyword(survey, relation)
            if keyword is not None and keyword not in NOT_DEFINED:
                found[relation] = keyword
    return found


def near_keyword(survey: Survey, relation: Relation) -> str | None:
    """The keyword with as many arguments that the name of *relation* is nearly, if there is one."""
    name, arity = relation
    return survey.closest(name, [word for word in FORMS if ARITIES[word] == arity], MISSPELT)
