"""Getting ready without keeping the clock waiting: something is made in a thread, and used once it is there.

The first search on a machine compiles its kernels, which may take longer than a start clock; later ones find them on
disk. Whoever asks waits no longer than the clock allows and does with less until then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from stratagem.errors import StratagemError
from stratagem.play.clock import Deadline

Made = TypeVar("Made")
LOOK = 0.005


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
            self._thread.join(LOOK)
        return self.ready()

    def ready(self) -> Made | None:
        """What was made, if it is there."""
        return None if self._thread.is_alive() else self._made

    def _work(self) -> None:
        try:
            self._made = self._make()
        except StratagemError as refused:
            self.refused = refused
