"""Tic-tac-toe as a user's own class would have it: six members, states that are plain strings, no GDL anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8))
LINES = (*ROWS, *zip(*ROWS, strict=True), (0, 4, 8), (2, 4, 6))


class TicTacToe:
    """A state is nine characters and whose turn it is: ``".........x"``."""

    roles = ("x", "o")

    def initial(self) -> str:
        return "." * 9 + "x"

    def legals(self, state: str, role: str) -> tuple[object, ...]:
        if state[9] != role:
            return ("noop",)
        return tuple(cell for cell in range(9) if state[cell] == ".")

    def next(self, state: str, joint: Any) -> str:
        role = state[9]
        move = joint[role] if isinstance(joint, Mapping) else joint[self.roles.index(role)]
        return state[:move] + role + state[move + 1 : 9] + ("o" if role == "x" else "x")

    def terminal(self, state: str) -> bool:
        return "." not in state or self.winner(state) is not None

    def goal(self, state: str, role: str) -> int | None:
        winner = self.winner(state)
        if winner is None:
            return 50 if "." not in state else None
        return 100 if winner == role else 0

    def winner(self, state: str) -> str | None:
        for first, second, third in LINES:
            if state[first] != "." and state[first] == state[second] == state[third]:
                return state[first]
        return None


def open_lines(state: str) -> float:
    """An evaluation for x: how many lines are still open to it, less those open to o, around 50."""
    score = 50.0
    for line in LINES:
        marks = {state[cell] for cell in line}
        score += ("o" not in marks) - ("x" not in marks)
    return score
