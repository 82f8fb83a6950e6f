"""A player's choice: a move, and the search behind it for the record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from stratagem.gdl.terms import Term


@dataclass(frozen=True, slots=True)
class Thought:
    """What was thought about one move. Moves are text in the spelling of the rules."""

    player: str = ""
    why: str = ""
    """In words: which search, and why this one."""
    value: float | None = None
    """What the position seems worth to us, 0..100."""
    depth: int = 0
    nodes: int = 0
    line: tuple[str, ...] = ()
    """How play is expected to go on."""
    values: tuple[tuple[str, float], ...] = ()
    """What each of our moves seems worth, the best first, where the search can tell."""
    solved: bool = False
    """Whether *value* is proved."""
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "why": self.why,
            "value": self.value,
            "depth": self.depth,
            "nodes": self.nodes,
            "line": list(self.line),
            "values": [list(pair) for pair in self.values],
            "solved": self.solved,
            "seconds": round(self.seconds, 4),
        }


@dataclass(frozen=True, slots=True)
class Choice:
    """A move for our role, legal in the position it was asked for."""

    move: Term
    thought: Thought = field(default_factory=Thought)
    final: bool = False
    """Whether more time would not change it."""


Offer: TypeAlias = Callable[[Choice], None]
"""Takes the best choice so far: what is played if time runs out before the player is done."""
