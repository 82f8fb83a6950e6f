"""Who plays one role in the course of a match: a person, and a player from some move on.

In an address it is one word. Turns are counted by the joint moves made before; people count moves from 1.

>>> seat = occupants_from("you.4.stratagem")
>>> seat, now(seat), words(seat)
(((0, 'you'), (4, 'stratagem')), 'stratagem', 'you (stratagem from move 5)')
>>> text(taken(seat, 2, "uct")), text(taken(seat, 9, "uct"))
('you.2.uct', 'you.4.stratagem.9.uct')
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from stratagem.play.players import player_names

YOU: Final = "you"
Occupants: TypeAlias = tuple[tuple[int, str], ...]
"""The turn from which each of them plays, the first from turn 0 on."""


def occupants_from(text: str) -> Occupants:
    """What an address says; what makes no sense there is left out."""
    first, *rest = text.split(".")
    found: Occupants = ((0, _known(first)),)
    for turn, who in zip(rest[::2], rest[1::2], strict=False):
        if turn.isdecimal() and turn.isascii() and len(turn) < 5 and int(turn) >= found[-1][0]:
            found = taken(found, int(turn), _known(who))
    return found


def text(occupants: Occupants) -> str:
    """The word for an address."""
    (_, first), *others = occupants
    return ".".join((first, *(f"{turn}.{who}" for turn, who in others)))


def now(occupants: Occupants) -> str:
    """Who plays the role now."""
    return occupants[-1][1]


def taken(occupants: Occupants, turn: int, who: str) -> Occupants:
    """The same after *who* has taken the seat at *turn*; later occupants are dropped."""
    before = tuple(pair for pair in occupants if pair[0] < turn) if turn else ()
    return before if before and now(before) == who else (*before, (turn if before else 0, who))


def words(occupants: Occupants) -> str:
    """Who made which moves, for people and records."""
    (_, first), *others = occupants
    later = ", ".join(f"{who} from move {turn + 1}" for turn, who in others)
    return f"{first} ({later})" if later else first


@dataclass(slots=True)
class Seats:
    """All seats of a match, by role."""

    occupants: dict[str, Occupants] = field(default_factory=dict)

    @property
    def now(self) -> dict[str, str]:
        """Who plays each role now."""
        return {role: now(seat) for role, seat in self.occupants.items()}

    @property
    def words(self) -> tuple[str, ...]:
        """Who made the moves of each role."""
        return tuple(map(words, self.occupants.values()))

    @property
    def texts(self) -> tuple[str, ...]:
        """The words for an address."""
        return tuple(map(text, self.occupants.values()))

    @property
    def person(self) -> str | None:
        """The first role that a person played, if only for a while."""
        return next((role for role, seat in self.occupants.items() if _yours(seat)), None)

    def assign(self, role: str, who: str, turn: int) -> None:
        """Has *role* played by *who* from *turn* on."""
        self.occupants[role] = taken(self.occupants[role], turn, who)

    def back_to(self, turn: int) -> None:
        """The match has gone back to *turn*; the present occupants stay."""
        for role, seat in self.occupants.items():
            if seat[-1][0] > turn:
                self.assign(role, now(seat), turn)

    def anew(self) -> tuple[str, ...]:
        """Who plays which role in the next match: a person who left every seat to players has the old one again."""
        left = YOU not in self.now.values()
        return tuple(YOU if left and _yours(seat) else now(seat) for seat in self.occupants.values())


def _yours(seat: Occupants) -> bool:
    return any(who == YOU for _, who in seat)


def _known(name: str) -> str:
    return name if name in (YOU, *player_names()) else YOU
