"""Where the bar beside a board gets its value, its line and its speed from.

This is the one place that says who thinks for the bar: today the `stratagem` player, within a few seconds for each
position. What it tells is the same whoever it is: a `Reading` whenever there is a better one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from stratagem.web.address import Sheet
from stratagem.web.desks import Heard
from stratagem.web.tasks.loaded import Joint, state_after
from stratagem.web.tasks.thinking import Thinking, think

PLAYER: Final = "stratagem"
SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class Reading:
    """What the bar shows: *value* 0..100 for *role*, the *line* expected, and the work behind it."""

    role: str
    value: float | None
    line: tuple[str, ...]
    nodes: int
    seconds: float
    solved: bool
    why: str
    values: tuple[tuple[str, float], ...] = ()

    @property
    def speed(self) -> float:
        """Nodes, or playouts, a second."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0


def analyse(sheet: Sheet, history: Sequence[Joint], seconds: float, *, tell: Heard) -> Reading | None:
    """What the position after *history* is worth to whoever is to move; None where nobody has a choice."""
    state = state_after(sheet, history)
    if not state.to_move:
        return None
    role = state.to_move[0]

    def hear(thinking: Thinking) -> None:
        tell(reading_of(thinking))

    return reading_of(think(sheet, history, role, PLAYER, seconds, None, tell=hear))


def reading_of(thinking: Thinking) -> Reading:
    """A thought as the bar reads it."""
    thought: dict[str, Any] = thinking.thought
    return Reading(
        role=thinking.role,
        value=thought["value"],
        line=tuple(thought["line"]),
        nodes=thought["nodes"],
        seconds=thought["seconds"],
        solved=thought["solved"],
        why=thought["why"],
        values=tuple((move, value) for move, value in thought["values"]),
    )
