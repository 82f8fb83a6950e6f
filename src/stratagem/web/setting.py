"""Who plays a match by which clock, and what was played so far, as an address says it.

>>> Setting.from_query({"seats": "you,uct", "moves": "mark 2 2"}).moves
('(mark 2 2)',)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from stratagem.play.players import names as player_names
from stratagem.web.address import moves_from, moves_text
from stratagem.web.limits import LONGEST_CLOCK, LONGEST_MATCH

YOU: Final = "you"
DEFAULT_CLOCK: Final = 1.0


@dataclass(frozen=True, slots=True)
class Setting:
    """Who plays by which clock. *seats* are in the order of the roles; missing ones are filled in."""

    seats: tuple[str, ...] = ()
    clock: float = DEFAULT_CLOCK
    moves: tuple[str, ...] = ()
    """What was chosen so far: one move for each role that had a choice, turn by turn."""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Setting:
        """The setting that an address describes; what makes no sense there is left out."""
        known = (YOU, *player_names())
        seats = tuple(seat if seat in known else YOU for seat in query.get("seats", "").split(",") if seat)
        try:
            clock = float(query.get("clock", DEFAULT_CLOCK))
        except ValueError:
            clock = DEFAULT_CLOCK
        if not 0.05 <= clock <= LONGEST_CLOCK:
            clock = DEFAULT_CLOCK
        return cls(seats[:100], clock, moves_from(query.get("moves", ""))[: 4 * LONGEST_MATCH])

    def query(self) -> dict[str, str]:
        clock = "" if self.clock == DEFAULT_CLOCK else f"{self.clock:g}"
        return {"seats": ",".join(self.seats), "clock": clock, "moves": moves_text(self.moves)}
