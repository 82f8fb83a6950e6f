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
}

WARNINGS: Final[dict[str, str]] = {}

CODES: Final = {**ERRORS, **WARNINGS}
