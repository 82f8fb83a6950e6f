"""What compiling a sheet may cost before it is given up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on compiling one sheet.

    Sheets with at most *instances_here* ground rules, by a bound that cannot be exceeded, and *characters_here* of
    text are compiled in this process; any other in a child process that may take *seconds* of computing and *memory*
    bytes.
    """

    seconds: float = 60.0
    seconds_growing: float = 10.0
    """For rules whose terms seem to grow without end."""
    memory: int = 6 * 1024**3
    instances_here: float = 100_000
    characters_here: int = 200_000


BUDGET = Budget()
