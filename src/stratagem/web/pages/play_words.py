"""The texts of the Play page: whose turn it is, the result, the report of each search."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Any, Final

from stratagem.plural import plural
from stratagem.web.match.live_match import LiveMatch
from stratagem.web.match.occupants import YOU
from stratagem.web.widgets import markup

LONG: Final = 3
"""Seconds of waiting after which they are counted."""


def turn_words(live: LiveMatch) -> str:
    """Whose turn it is, what the page is waiting for, or the result."""
    if live.trouble:
        return live.trouble
    if live.over:
        return ending_words(live)
    if live.busy:
        seconds = int(monotonic() - live.busy_since)
        return f"{live.busy} … {plural(seconds, 'second')}" if seconds >= LONG else f"{live.busy} …"
    if live.mover is not None:
        more = " Now the target." if live.clicked else ""
        return f"Your move, {live.mover}.{more} {live.tried}".rstrip()
    return "Paused." if live.paused else ""


def ending_words(live: LiveMatch) -> str:
    """Who has won."""
    position = live.position
    assert position is not None
    goals = [goal or 0 for goal in position.goals]
    best = [role for role, goal in zip(position.roles, goals, strict=True) if goal == max(goals)]
    if len(position.roles) == 1:
        return "Solved." if max(goals) == 100 else f"The end: {goals[0]} of 100."
    if len(best) > 1:
        return "The match is over: a draw."
    yours = [role for role, seat in live.seats.items() if seat == YOU]
    if len(yours) == 1:
        return "You win." if yours == best else f"You lose: {best[0]} wins."
    return f"{best[0]} wins."


def log_rows(live: LiveMatch) -> list[tuple[str, str, str]]:
    """Every turn: its number, the moves, and the reports of the players."""
    rows = []
    for turn, joint in enumerate(live.history):
        found = (live.thoughts.get((turn, role)) for role in live.seats)
        said = "; ".join(thought_words(one.thought) for one in found if one is not None)
        rows.append((str(turn + 1), markup.spoken(" ".join(joint)), said))
    return rows


def thought_words(thought: Mapping[str, Any]) -> str:
    """A search report in a few words: its value and its work, or why there is no value.

    >>> thought_words({"player": "uct", "value": None, "nodes": 0, "why": "no time for a single playout"})
    'uct: no time for a single playout'
    >>> thought_words({"player": "uct", "value": 60.2, "nodes": 1, "why": ""})
    'uct: 60, 1 node'
    >>> thought_words({"player": "uct", "value": None, "nodes": 139, "why": "the most visited move"})
    'uct: no estimate, 139 nodes'
    """
    if thought["value"] is None and not thought["nodes"]:
        return f"{thought['player']}: {thought['why']}"
    value = "no estimate" if thought["value"] is None else f"{thought['value']:.0f}"
    return f"{thought['player']}: {value}, {plural(thought['nodes'], 'node')}"
