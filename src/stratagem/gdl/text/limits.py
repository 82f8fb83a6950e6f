"""Limits against hostile sheets. The largest sheets of the field have 40,000 characters and 500 rules."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SheetLimits:
    """What a rule sheet may ask for before it is refused."""

    characters: int = 4_000_000
    nesting: int = 100
    rules: int = 50_000
    words: int = 1_000_000
    word_length: int = 1_000
    """Also keeps every number short enough for ``int``."""
    findings: int = 10_000
    """How many findings a sheet is told about; there may be more."""


LIMITS = SheetLimits()
