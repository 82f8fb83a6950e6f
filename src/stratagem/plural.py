"""Numbers with their nouns, in the singular or the plural.

>>> plural(1, "move"), plural(1200, "move"), plural(2, "match", "matches")
('1 move', '1,200 moves', '2 matches')
"""

from __future__ import annotations


def plural(count: int, one: str, many: str = "") -> str:
    """*count* with the noun in the right number; *many* where it is not *one* with an s."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
