"""A game that wishes its readers ill: markup and script in every move, role and name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SCRIPT = "</script><script>window.harmed=1</script>"
IMAGE = '"><img src=x onerror="window.harmed=1">'
COMMENT = "<!--<script>\u2028&lt;'"
LABEL = f"{SCRIPT}{IMAGE}{COMMENT}"


class HostileGame:
    """Two moves for each of two players; every move is an attempt to break out of where it is written."""

    roles = (SCRIPT, IMAGE)

    def initial(self) -> tuple[int, ...]:
        return ()

    def legals(self, state: tuple[int, ...], role: str) -> tuple[str, ...]:
        return (SCRIPT, COMMENT) if role == self.roles[len(state) % 2] else ("noop",)

    def next(self, state: tuple[int, ...], joint: Any) -> tuple[int, ...]:
        role = self.roles[len(state) % 2]
        move = joint[role] if isinstance(joint, Mapping) else joint[self.roles.index(role)]
        return (*state, int(move == COMMENT))

    def terminal(self, state: tuple[int, ...]) -> bool:
        return len(state) == 2

    def goal(self, state: tuple[int, ...], role: str) -> int | None:
        if len(state) < 2:
            return None
        worth = 25 * (state[0] + 2 * state[1])
        return worth if role == self.roles[0] else 100 - worth
