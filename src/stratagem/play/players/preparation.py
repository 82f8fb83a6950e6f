"""Preparation in the background: a search is made in a thread, and used once it is there.

A player waits no longer than the clock allows and uses its fallback until then.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from stratagem.errors import StratagemError
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match

Made = TypeVar("Made")
POLL_SECONDS = 0.005


class Preparation(Generic[Made]):
    """Runs *make* once, in the background."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._made: Made | None = None
        self.refused: StratagemError | None = None
        """Why nothing could be made, where that is so."""
        self._thread = threading.Thread(target=self._work, name="preparation", daemon=True)
        self._thread.start()

    def wait(self, clock: Deadline) -> Made | None:
        """What was made, if it is there before the clock is over; else None."""
        while self._thread.is_alive() and not clock.over():
            self._thread.join(POLL_SECONDS)
        return self.ready()

    def ready(self) -> Made | None:
        """What was made, if it is there."""
        return None if self._thread.is_alive() else self._made

    def _work(self) -> None:
        try:
            self._made = self._make()
        except StratagemError as refused:
            self.refused = refused


class PreparedPlayer(Player):
    """A player whose search is made in the background."""

    spared = 0
    """Threads of the search that stand still while it chooses a move, because another search has their cores."""

    def ready(self, match: Match, clock: Deadline) -> bool:
        """Whether the search for the rules of *match* is ready before the clock is over."""
        return self._engine(match, clock) is not None

    @abstractmethod
    def _engine(self, match: Match, clock: Deadline) -> Any | None:
        """The search for the rules of *match*, if it is ready in time and they suit it."""
