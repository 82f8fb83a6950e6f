"""The codes of all findings with their titles; docs/errors.md has a section for each."""

from __future__ import annotations

from typing import Final

ERRORS: Final = {
    "GDL001": "a bracket is never closed",
    "GDL002": "a closing bracket too many",
    "GDL003": "an empty list",
    "GDL004": "a list that begins with a list",
    "GDL005": "an arrow out of place",
    "GDL006": "a variable used as a name",
    "GDL007": "not, or, distinct with the wrong arguments",
    "GDL008": "a limit is exceeded",
    "GDL009": "a character that cannot be in rules",
    "GDL010": "a variable has no values to take",
    "GDL011": "a variable in a fact",
    "GDL012": "a relation is defined by its own negation",
    "GDL013": "recursion that may never end",
    "GDL014": "a keyword with the wrong number of arguments",
    "GDL015": "a keyword that rules must not define",
    "GDL016": "a keyword that must not occur in conditions",
    "GDL017": "what holds before the match depends on the state",
    "GDL018": "what holds before the move depends on the move",
    "GDL019": "a keyword is missing",
    "GDL020": "a role that is not a name",
    "GDL021": "a keyword used as a function",
    "GDL022": "a connective used as a name",
    "GDL023": "a conjunction where GDL has none",
    "GDL024": "infix text with a syntax error",
    "GDL025": "sizes that cannot be evaluated",
    "GDL026": "a header that cannot be read",
}

WARNINGS: Final = {
    "GDL101": "a single word in brackets",
    "GDL102": "a variable that occurs once",
    "GDL103": "a relation that is never defined",
    "GDL104": "a relation that is never used",
    "GDL105": "a rule that never matters",
    "GDL106": "a goal that is not a number from 0 to 100",
    "GDL107": "a role without goals or moves",
    "GDL108": "a role named twice",
    "GDL109": "a role that the game does not have",
    "GDL110": "a rule without conditions",
    "GDL111": "an unnecessary or",
    "GDL112": "one word in two spellings",
    "GDL113": "an unusual character",
    "GDL114": "a keyword used as a constant",
    "GDL115": "one name for a relation and a function",
    "GDL116": "a relation with two numbers of arguments",
    "GDL117": "a function with two numbers of arguments",
    "GDL118": "not around something other than a sentence",
    "GDL119": "recursion that the specification forbids",
    "GDL120": "a fact or move that no rule yields",
    "GDL121": "a rule written twice",
    "GDL122": "negation that is sound only rule by rule",
    "GDL123": "a fact that is lost after the first move",
    "GDL124": "a fact that can never come true",
}

CODES: Final = {**ERRORS, **WARNINGS}
