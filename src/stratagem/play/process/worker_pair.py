"""The two who think for a seat: hired when there is something to do, replaced when they die or stay away.

Whoever is hired in the middle of a match is first told how it began; the next order carries all that has happened.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from stratagem.errors import LimitExceeded
from stratagem.play.clock import Clock
from stratagem.play.process.fork_server import Heard, Hired
from stratagem.play.process.protocol import Begin, Order, Ready, Report, Story, Word
from stratagem.play.process.turn import Source
from stratagem.play.process.worker import Employment

REPLACEMENTS: Final = 2
Hire = Callable[[Employment, Heard], Hired]


class Staff:
    """*hear* is called, from other threads, with what the two say; None: that one is gone."""

    def __init__(
        self,
        employments: dict[Source, Employment],
        hire: Hire,
        hear: Callable[[Source, int, Word | None], None],
        *,
        clock: Clock,
        log: Callable[[str], None],
    ) -> None:
        self.begin: Begin | None = None
        self.ready: dict[Source, Ready | None] = dict.fromkeys(employments)
        self._employments = employments
        self._hire = hire
        self._hear = hear
        self._clock = clock
        self._log = log
        self._workers: dict[Source, Hired | None] = dict.fromkeys(employments)
        self._hired: dict[Source, int] = dict.fromkeys(employments, 0)
        self._current: dict[Source, int] = dict.fromkeys(employments, 0)
        self._told: dict[Source, int] = dict.fromkeys(employments, 0)

    def start(self, begin: Begin) -> None:
        """Tells both that a match begins."""
        self.begin = begin
        for who in self._workers:
            self.tell(who, begin)

    def lives(self, who: Source) -> bool:
        return self._workers[who] is not None

    def is_current(self, who: Source, number: int) -> bool:
        """Whether it was the present one who spoke, and not one who has been replaced."""
        return number == self._current[who]

    def tell(self, who: Source, order: Order) -> None:
        """Gives an order, hiring somebody to take it where the place is empty."""
        worker = self._workers[who]
        if worker is None and self.may_hire(who):
            worker = self._hire_one(who)
            if worker is not None and self.begin is not None and order is not self.begin:
                worker.tell(replace(self.begin, deadline=self._clock.now()))
        if worker is not None:
            worker.tell(order)

    def story(self, who: Source, reports: tuple[Report, ...]) -> Story:
        """*reports* for *who*, who has heard some of them already; to be sent at once."""
        if self._workers[who] is None:
            self._told[who] = 0
        kept, self._told[who] = self._told[who], len(reports)
        return Story(kept, reports[kept:])

    def forget(self, kept: int) -> None:
        """Reports after the first *kept* were taken back."""
        for who, told in self._told.items():
            self._told[who] = min(told, kept)

    def may_hire(self, who: Source) -> bool:
        return self._hired[who] <= REPLACEMENTS

    def dismiss(self, who: Source) -> None:
        """Ends one of the two at once."""
        worker, self._workers[who], self.ready[who] = self._workers[who], None, None
        self._current[who] = self._told[who] = 0
        if worker is not None:
            worker.dismiss()

    def dismiss_all(self) -> None:
        for who in self._workers:
            self.dismiss(who)

    def _hire_one(self, who: Source) -> Hired | None:
        self._hired[who] += 1
        number = self._current[who] = self._hired[who]
        try:
            self._workers[who] = self._hire(
                self._employments[who], lambda word: self._hear(who, number, word)
            )
        except LimitExceeded as failure:
            self._log(str(failure))
        return self._workers[who]
