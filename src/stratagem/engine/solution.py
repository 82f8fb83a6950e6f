"""What solving a game gives: values, the best move, the line, and how far they are proved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stratagem.plural import plural


@dataclass(frozen=True, slots=True)
class Solution:
    """The answer of `solve`.

    *bounds* holds for each role what is proved: at least, at most. *value* has a role only where both are the same.
    """

    game: str
    roles: tuple[str, ...]
    bounds: Mapping[str, tuple[int, int]]
    best_move: str | None
    mover: str | None
    distance: int | None
    line: tuple[str, ...]
    proved: bool
    states: int
    nodes: int
    method: str
    why: str
    seconds: float
    note: str = ""

    @property
    def value(self) -> Mapping[str, int]:
        """The value for each role for which it is known."""
        return {role: low for role, (low, high) in self.bounds.items() if low == high}

    def as_json(self) -> dict[str, object]:
        return {
            "game": self.game,
            "value": {role: self.value.get(role) for role in self.roles},
            "bounds": {role: list(self.bounds[role]) for role in self.roles},
            "best_move": self.best_move,
            "mover": self.mover,
            "distance": self.distance,
            "line": list(self.line),
            "proved": self.proved,
            "states": self.states,
            "nodes": self.nodes,
            "method": self.method,
            "why": self.why,
            "seconds": round(self.seconds, 3),
            "note": self.note,
        }

    def __str__(self) -> str:
        lines = [f"{self.game}: {'solved' if self.proved else 'not solved'} by {self.method} ({self.why})"]
        for role, (low, high) in self.bounds.items():
            lines.append(f"  {role}: {low}" if low == high else f"  {role}: at least {low}, at most {high}")
        if self.best_move is not None:
            lines.append(f"  best move: {self.best_move}" + (f" ({self.mover})" if self.mover else ""))
        if self.distance is not None:
            lines.append(f"  ends after {plural(self.distance, 'move')}")
        if self.line:
            lines.append(f"  line: {' '.join(self.line)}")
        if self.note:
            lines.append(f"  {self.note}")
        size = f"{plural(self.states, 'state')}, {plural(self.nodes, 'node')}"
        lines.append(f"  {size}, {self.seconds:.2f} s")
        return "\n".join(lines)
