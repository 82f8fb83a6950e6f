"""The match archive of the workbench: the records on this machine, read and written off the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from stratagem.errors import BrokenFile
from stratagem.play.records.record import MatchRecord
from stratagem.play.records.store import Records
from stratagem.web.app.address import Sheet
from stratagem.web.match.occupants import Seats
from stratagem.web.tasks.loaded import Joint
from stratagem.web.tasks.positions import PositionView
from stratagem.web.tasks.thinking import Thinking

Found = TypeVar("Found")


class WatchedMatch(Protocol):
    """What pages that watch a live match read of it."""

    @property
    def sheet(self) -> Sheet:
        """Its rules."""

    @property
    def position(self) -> PositionView | None:
        """Where it is; None before it is open."""

    @property
    def history(self) -> tuple[Joint, ...]:
        """All joint moves."""

    @property
    def over(self) -> bool:
        """Whether it has ended."""

    @property
    def seats(self) -> dict[str, str]:
        """Who plays each role now."""

    @property
    def places(self) -> Seats:
        """Who played each role, and when."""

    @property
    def thoughts(self) -> dict[tuple[int, str], Thinking]:
        """The thinking behind moves, by turn and role."""


@dataclass(slots=True)
class Archive:
    """The list of matches on this machine, opened when it is first needed; what cannot be kept is let go."""

    trouble: str = ""
    _records: Records | None = None

    async def newest(self, most: int = 100) -> list[MatchRecord]:
        return await self._ask(lambda records: records.newest(most), [])

    async def find(self, name: str, tournament: str = "") -> MatchRecord | None:
        """A match by its number or id; those of a *tournament* are in a file of its own."""
        if tournament:
            return await asyncio.to_thread(_of_tournament, tournament, name)
        return await self._ask(lambda records: records.find(name), None)

    async def keep(self, record: MatchRecord) -> int | None:
        """Puts a finished match on the list; its number there."""

        def write(records: Records) -> int:
            number = records.add(record)
            for remark in record.remarks:
                records.remark(number, remark)
            return number.result()

        return await self._ask(write, None)

    async def _ask(self, question: Callable[[Records], Found], otherwise: Found | None) -> Found:
        def answer() -> Found:
            if self._records is None:
                self._records = Records()
            return question(self._records)

        try:
            return await asyncio.to_thread(answer)
        except BrokenFile as failure:
            self.trouble = str(failure)
            return otherwise  # type: ignore[return-value]

    def close(self) -> None:
        if self._records is not None:
            self._records.close()


def _of_tournament(tournament: str, name: str) -> MatchRecord | None:
    from stratagem.web.tasks.tournaments import folders

    folder = folders().get(tournament)
    if folder is None or not (folder / "matches.sqlite").is_file():
        return None
    with Records(folder / "matches.sqlite") as records:
        return records.find(name)
