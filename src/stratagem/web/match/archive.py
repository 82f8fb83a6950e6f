"""The match archive of the workbench: the records on this machine, read and written off the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from stratagem.errors import BrokenFile
from stratagem.play.choice import Thought
from stratagem.play.match_state import new_id
from stratagem.play.records.record import MatchRecord, MatchStep, Remark
from stratagem.play.records.store import Records
from stratagem.web.tasks import positions

if TYPE_CHECKING:
    from stratagem.web.match.live_match import LiveMatch

Found = TypeVar("Found")


async def record_of(live: LiveMatch) -> MatchRecord:
    """A finished match of a visitor as it is kept."""
    position = live.position
    assert position is not None
    rules, moves = await live.scheduler.ask(live.sheet, positions.as_kif, position.history)
    remarks = (
        Remark(turn, role, moves[turn][position.roles.index(role)], "thinker", 0.0, thought_of(found.thought))
        for (turn, role), found in sorted(live.thoughts.items())
        if turn < len(moves)
    )
    return MatchRecord(
        id=new_id("workbench"),
        game=live.sheet.name or live.sheet.own_title or "rules",
        rules=rules,
        roles=position.roles,
        players=live.places.words,
        startclock=live.clock,
        playclock=live.clock,
        started=live.times[0],
        keeper="workbench",
        role=live.places.person,
        status="completed",
        goals=position.goals,
        steps=tuple(MatchStep(joint, time) for joint, time in zip((None, *moves), live.times, strict=True)),
        remarks=tuple(remarks),
    )


def thought_of(data: Mapping[str, Any]) -> Thought:
    """A thought from plain data."""
    return Thought(**{**data, "line": tuple(data["line"]), "values": tuple(map(tuple, data["values"]))})


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
