"""An input field for the seconds per move, checked on Enter and on blur."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from stratagem.errors import UsageError
from stratagem.web.app.limits import LONGEST_CLOCK, SHORTEST_CLOCK
from stratagem.web.app.setting import clock_from


class ClockField:
    """*applied* is called with every new valid number of seconds."""

    def __init__(
        self,
        seconds: float,
        applied: Callable[[float], object] = lambda seconds: None,
        *,
        shortest: float = SHORTEST_CLOCK,
        longest: float = LONGEST_CLOCK,
    ) -> None:
        self.seconds = seconds
        self._applied = applied
        self._range = shortest, longest
        self.field = ui.input("Seconds a move", value=f"{seconds:g}").classes("field").mark("clock")
        self.field.props("outlined dense inputmode=decimal maxlength=12")
        self.field.on("keydown.enter", self.read)
        self.field.on("blur", self.read)

    def read(self) -> bool:
        """Applies the text; False, with the reason below the field, if it is invalid."""
        try:
            seconds = clock_from(self.field.value, *self._range)
        except UsageError as refused:
            self.field.error = (
                f"{refused.message[:1].upper()}{refused.message[1:]}. It stays at {self.seconds:g}."
            )
            return False
        self.field.error = None
        if seconds != self.seconds:
            self.seconds = seconds
            self._applied(seconds)
        return True
