"""Where the bar beside a board gets its value, its line and its speed from.

This is the one place that says who thinks for the bar: the engine's tree search, within a few seconds for each
position, or a player where the rules cannot be compiled. What it tells is the same whoever it is: a `Reading`
whenever there is a better one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from stratagem.errors import LimitExceeded, UnsuitableGame
from stratagem.machines.gdl_game import State
from stratagem.web.address import Sheet
from stratagem.web.desks import Heard
from stratagem.web.tasks.loaded import FASTEST, Joint, state_after
from stratagem.web.tasks.thinking import Thinking, think

PLAYER: Final = "stratagem"
QUICK_PLAYER: Final = "uct"
QUICK_SECONDS: Final = 0.3
MEMORY: Final = 128 << 20
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
    """What the position after *history* is worth to whoever is to move; None where nobody has a choice.

    A plain player has a first word at once; the engine, whose code may still have to be compiled, the last one.
    """
    state = state_after(sheet, history, FASTEST)
    if not state.to_move:
        return None
    role = state.to_move[0]

    def hear(thinking: Thinking) -> None:
        tell(reading_of(thinking))

    first = reading_of(think(sheet, history, role, QUICK_PLAYER, QUICK_SECONDS, None, tell=hear))
    if first.solved or first.value is None:
        return first
    tell(first)
    try:
        last = _by_engine(state, role, seconds, tell)
        return last if last.nodes else first
    except (LimitExceeded, UnsuitableGame):
        return reading_of(think(sheet, history, role, PLAYER, seconds, None, tell=hear))


def _by_engine(state: State, role: str, seconds: float, tell: Heard) -> Reading:
    from stratagem.engine.mcts import Mcts, MctsResult

    number = state.game.number(role)

    def reading(found: MctsResult) -> Reading:
        spell = state.game.spell
        return Reading(
            role=role,
            value=found.values[number],
            line=tuple(" ".join(map(spell, joint)) for joint in found.line[:8]),
            nodes=found.visits,
            seconds=found.seconds,
            solved=found.proved,
            why="Monte Carlo tree search of the engine",
            values=tuple((spell(one.move), one.value) for one in found.moves.get(role, ())),
        )

    engine = Mcts(state.game, memory=MEMORY)

    def progress(found: MctsResult) -> None:
        if found.visits:
            tell(reading(found))

    return reading(engine.search(state, seconds=seconds, progress=progress))


def warm_up(*, tell: Heard) -> None:
    """Has the engine's code compiled before anybody waits for it; it is kept on disk."""
    analyse(Sheet("tictactoe"), (), 0.1, tell=tell)


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
