"""The checker: everything the GDL specification asks of a sheet, and what the field's sheets really get wrong.

Each module looks at one thing; errors are what would give a sheet no meaning or several, warnings are what has one
meaning here but is seldom meant. Every check is close to linear in the sheet, so that hostile ones end too.
"""

from __future__ import annotations

from stratagem.gdl.check import cycles, flow, keywords, names, reach, roles, safety, state, style
from stratagem.gdl.check.survey import Survey
from stratagem.gdl.findings import Finding
from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.text.syntax import LIMITS, SheetLimits

ERRORS_OF_RULES = (
    keywords.check_words,
    keywords.check_places,
    safety.check_safety,
    cycles.check_cycles,
    flow.check_flow,
)
ERRORS_OF_THE_WHOLE = (keywords.check_missing,)
WARNINGS_OF_RULES = (
    roles.check_goals,
    style.check_rules,
    style.check_conditions,
    style.check_brackets,
    style.check_spelling,
    names.check_two_ways,
)
WARNINGS_OF_THE_WHOLE = (
    roles.check_roles,
    names.check_defined,
    names.check_yielded,
    state.check_facts,
    reach.check_used,
    reach.check_possible,
)


def check(
    sheet: RuleSheet, *, whole: bool = True, warnings: bool = True, limits: SheetLimits = LIMITS
) -> list[Finding]:
    """All findings about *sheet*, or the errors alone without *warnings*.

    Not *whole* says that part of the text could not be read: then nothing is said about what is not there.
    """
    survey = Survey.of(sheet, limits)
    looks = [*ERRORS_OF_RULES, *(ERRORS_OF_THE_WHOLE if whole else ())]
    if warnings:
        looks += [*WARNINGS_OF_RULES, *(WARNINGS_OF_THE_WHOLE if whole else ())]
    for look in looks:
        look(survey)
    return survey.errors + (survey.warnings if warnings else [])
