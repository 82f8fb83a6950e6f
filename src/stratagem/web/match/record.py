"""The record of a live match, as the archive keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stratagem.play.choice import Thought
from stratagem.play.match_state import new_id
from stratagem.play.records.record import MatchRecord, MatchStep, Remark
from stratagem.web.match.live_match import LiveMatch
from stratagem.web.tasks import positions


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
