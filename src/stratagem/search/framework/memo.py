"""A game that remembers: every question about a state is put to the real game once.

Several searches over the same states then cost the game's own work only once, which is what makes comparing
algorithms a matter of seconds. The searches themselves do not notice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stratagem.game import Game, JointMove, Role

MOST = 2_000_000  # answers; past that the memory starts afresh


class Remembered:
    """*game*, with its answers kept."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self._roles = tuple(game.roles)
        self._known: dict[Any, Any] = {}

    @property
    def roles(self) -> Sequence[Role]:
        return self._roles

    def initial(self) -> Any:
        return self.game.initial()

    def legals(self, state: Any, role: Role) -> Sequence[Any]:
        key = (state, role)
        if key not in self._known:
            self._keep(key, self.game.legals(state, role))
        known: Sequence[Any] = self._known[key]
        return known

    def next(self, state: Any, joint: JointMove) -> Any:
        moves = tuple(joint[role] for role in self._roles) if isinstance(joint, Mapping) else tuple(joint)
        key = (state, moves)
        if key not in self._known:
            self._keep(key, self.game.next(state, moves))
        return self._known[key]

    def terminal(self, state: Any) -> bool:
        if state not in self._known:
            self._keep(state, self.game.terminal(state))
        return bool(self._known[state])

    def goal(self, state: Any, role: Role) -> float | None:
        return self.game.goal(state, role)

    def _keep(self, key: Any, value: Any) -> None:
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[key] = value
