"""Presence of players: what they answer to INFO before a match, and the refusal where one is missing or busy.

The reference's players answer ``( ( name Skirmisher ) ( status available ) )``, or ``busy`` while they are at a match. The
dialects before it have no INFO: of a player that speaks one of them it is only known whether it can be reached.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from stratagem.errors import PlayerUnavailable, StratagemError
from stratagem.ggp.manager.client import Failure
from stratagem.ggp.manager.contacts import Contact
from stratagem.ggp.player.handler import BUSY
from stratagem.ggp.protocol.expressions import first, is_list, items
from stratagem.ggp.protocol.messages import Info

LONGEST_NAME: Final = 40
ANSWERING: Final = 10.0
"""Seconds for the answer to INFO, whatever the clocks of the match."""
ASKING_AGAIN: Final = 0.5
"""Seconds between two questions to a player that is waited for."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a player says of itself; empty where it does not say."""

    name: str = ""
    status: str = ""

    @classmethod
    def of(cls, answer: str) -> Introduction:
        """Reads the answer to INFO; whatever is none says nothing.

        >>> Introduction.of("( ( name Skirmisher ) ( status busy ) )")
        Introduction(name='Skirmisher', status='busy')
        >>> Introduction.of("busy"), Introduction.of("ready")
        (Introduction(name='', status='busy'), Introduction(name='', status=''))
        """
        if answer.strip().lower() == BUSY:
            return cls(status=BUSY)
        try:
            expression = first(answer)
        except StratagemError:
            return cls()
        pairs = [items(part) for part in items(expression) if is_list(part)] if is_list(expression) else []
        said = {pair[0].lower(): " ".join(pair[1:]) for pair in pairs if len(pair) > 1}
        name = "".join(filter(str.isprintable, said.get("name", "")))
        return cls(name[:LONGEST_NAME], said.get("status", "").lower())


@dataclass(frozen=True, slots=True)
class Presence:
    """What came of asking one player: its *answer*, and why a match cannot begin with it, if it cannot."""

    answer: str | Failure
    fault: str = ""


async def ask_who_is_there(
    contacts: Sequence[Contact],
    *,
    patience: float = 0.0,
    busy_is_fine: bool = False,
    waiting: Callable[[str], None] = lambda text: None,
) -> list[Presence]:
    """Sends INFO to all, again for up to *patience* seconds to those who are not there or busy; they get their names.

    *waiting* hears what is waited for, once.
    """
    loop = asyncio.get_running_loop()
    told: set[str] = set()
    until = loop.time() + patience
    found: dict[Contact, Presence] = {}
    while True:
        missing = [contact for contact in contacts if contact not in found or found[contact].fault]
        answers = await asyncio.gather(*(contact.ask(Info(), ANSWERING) for contact in missing))
        for contact, answer in zip(missing, answers, strict=True):
            found[contact] = _presence(contact, answer, busy_is_fine)
        faults = {presence.fault for presence in found.values() if presence.fault}
        if loop.time() >= until or not faults:
            return [found[contact] for contact in contacts]
        for fault in sorted(faults - told):
            waiting(f"waiting: {fault}")
        told |= faults
        await asyncio.sleep(ASKING_AGAIN)


async def all_there(
    named: Sequence[tuple[str, Contact]],
    *,
    patience: float = 0.0,
    busy_is_fine: bool = False,
    play_on: bool = False,
    waiting: Callable[[str], None] = lambda text: None,
) -> list[str | Failure]:
    """The answers of all players to INFO, each given with a name; refuses where one is missing, unless to *play_on*."""
    contacts = [contact for _, contact in named]
    found = await ask_who_is_there(
        contacts, patience=patience, busy_is_fine=busy_is_fine or play_on, waiting=waiting
    )
    faults = {
        name: presence.fault
        for (name, _), presence in zip(named, found, strict=True)
        if presence.fault and not play_on
    }
    if faults:
        raise unavailable(faults)
    return [presence.answer for presence in found]


def _presence(contact: Contact, answer: str | Failure, busy_is_fine: bool) -> Presence:
    if isinstance(answer, Failure):
        excused = not answer.code or (answer.reached and not contact.introduces)
        return Presence(answer, "" if excused else answer.why)
    said = Introduction.of(answer)
    contact.introduced(said.name)
    busy = said.status == BUSY and not busy_is_fine
    return Presence(answer, f"{contact.label} is busy" if busy else "")


def unavailable(faults: Mapping[str, str]) -> PlayerUnavailable:
    """The refusal for players who are not there: *faults* says what is wrong with whom."""
    each = ", and ".join(why if why.startswith(whom) else f"{whom} at {why}" for whom, why in faults.items())
    they = "it is" if len(faults) == 1 else "they are"
    return PlayerUnavailable(
        f"the match cannot start: {each}",
        hint=f"try again when {they} online and free; --wait 60 waits for a minute, --play-on starts anyway, with "
        "random moves for players that do not answer",
    )
