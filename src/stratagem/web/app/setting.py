"""The setting of a match in an address: players, clock and the moves so far.

>>> PlaySetting.from_query({"seats": "you,uct", "moves": "mark 2 2"}).moves
('(mark 2 2)',)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Final

from stratagem.errors import UsageError
from stratagem.web.app.address import moves_from, moves_text
from stratagem.web.app.limits import LONGEST_CLOCK, LONGEST_MATCH, SHORTEST_CLOCK
from stratagem.web.match import occupants

DEFAULT_CLOCK: Final = 1.0


@dataclass(frozen=True, slots=True)
class PlaySetting:
    """Players and clock. *seats* are in the order of the roles, as `occupants` spells them; missing ones are filled in."""

    seats: tuple[str, ...] = ()
    clock: float = DEFAULT_CLOCK
    moves: tuple[str, ...] = ()
    """The moves so far: one for each role that had a choice, turn by turn."""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> PlaySetting:
        """The setting in an address; invalid parts are ignored."""
        seats = tuple(
            occupants.text(occupants.occupants_from(seat))
            for seat in query.get("seats", "").split(",")
            if seat
        )
        try:
            clock = clock_from(query.get("clock", DEFAULT_CLOCK))
        except UsageError:
            clock = DEFAULT_CLOCK
        return cls(seats[:100], clock, moves_from(query.get("moves", ""))[: 4 * LONGEST_MATCH])

    def query(self) -> dict[str, str]:
        clock = "" if self.clock == DEFAULT_CLOCK else f"{self.clock:g}"
        return {"seats": ",".join(self.seats), "clock": clock, "moves": moves_text(self.moves)}


def clock_from(value: object, shortest: float = SHORTEST_CLOCK, longest: float = LONGEST_CLOCK) -> float:
    """Seconds per move from text; refuses what is not a number or out of range.

    >>> clock_from("0.2")
    0.2
    """
    try:
        seconds = float(str(value).strip().replace(",", "."))
    except ValueError:
        seconds = nan
    if not shortest <= seconds <= longest:
        raise UsageError(
            f"the clock takes {shortest:g} to {longest:g} seconds a move", hint="enter such a number"
        )
    return seconds
