"""The compilations of a server: sheets that are compiled, being compiled, or could not be, for all pages together.

The same compilation is never run twice at a time. It is ended when the last page that waits for it has gone or has
cancelled; a page that cancels plays on a slower machine.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final, TypeAlias

from stratagem.circuit.compiler.budget import BUDGET
from stratagem.errors import LimitExceeded
from stratagem.loading import MachineName
from stratagem.web.app.address import Sheet
from stratagem.web.tasks.compile import Compilation, Meanwhile
from stratagem.web.workers.worker_process import Heard

Compile: TypeAlias = Callable[[Sheet, float, Heard], Coroutine[Any, Any, Compilation]]
"""Compiles a sheet within so many seconds of computing, and tells the stage it is in."""
KEPT: Final = 400
LONGER: Final = 2.0
"""How many times the last budget another try may take."""
LONGEST: Final = 240.0
"""Seconds of computing for the last of these tries."""


@dataclass(slots=True)
class Running:
    """A compilation that is under way."""

    task: asyncio.Task[Compilation]
    budget: float
    began: float
    stage: str = ""
    meanwhile: MachineName = "reasoner"
    """What the rules run on until they are compiled."""
    waiting: set[str] = field(default_factory=set)
    """The pages that wait for it."""

    @property
    def seconds(self) -> float:
        return monotonic() - self.began


class Compilations:
    """By sheet, all of one server."""

    def __init__(self, compile: Compile, budget: float = BUDGET.seconds) -> None:
        self.budget = budget
        self._compile = compile
        self._running: dict[Sheet, Running] = {}
        self._done: OrderedDict[Sheet, Compilation] = OrderedDict()
        self._budgets: dict[Sheet, float] = {}

    def running(self, sheet: Sheet) -> Running | None:
        return self._running.get(sheet)

    def done(self, sheet: Sheet) -> Compilation | None:
        return self._done.get(sheet)

    async def of(self, sheet: Sheet, page: str) -> Compilation:
        """What *sheet* runs on, compiled first where that has not been tried; `leave` ends the wait of a *page*."""
        known = self._done.get(sheet)
        if known is not None:
            self._done.move_to_end(sheet)
            return known
        running = self._running.get(sheet) or self._begin(sheet)
        running.waiting.add(page)
        return await asyncio.shield(running.task)

    def again(self, sheet: Sheet) -> float:
        """Forgets that *sheet* could not be compiled; the next try has the budget that is returned."""
        budget = self.next_budget(sheet)
        known = self._done.get(sheet)
        if known is not None and known.reason:
            del self._done[sheet]
            self._budgets[sheet] = budget
        return budget

    def next_budget(self, sheet: Sheet) -> float:
        """The seconds of computing for another try: more of them where the last ones were not enough."""
        known = self._done.get(sheet)
        refused = known is not None and known.reason
        return min(LONGEST, LONGER * self._budget(sheet)) if refused else self._budget(sheet)

    def leave(self, sheet: Sheet, page: str) -> None:
        """The *page* waits no longer; where no other page does the compilation is ended."""
        running = self._running.get(sheet)
        if running is not None:
            running.waiting.discard(page)
            if not running.waiting:
                del self._running[sheet]
                running.task.cancel()

    def _budget(self, sheet: Sheet) -> float:
        return self._budgets.get(sheet, self.budget)

    def _begin(self, sheet: Sheet) -> Running:
        task = asyncio.ensure_future(self._run(sheet))
        task.add_done_callback(_noticed)
        running = self._running[sheet] = Running(task, self._budget(sheet), monotonic())
        return running

    async def _run(self, sheet: Sheet) -> Compilation:
        def heard(stage: str | Meanwhile) -> None:
            running = self._running.get(sheet)
            if running is not None:
                if isinstance(stage, Meanwhile):
                    running.meanwhile = stage.machine
                else:
                    running.stage = stage

        me = asyncio.current_task()
        try:
            try:
                found = await self._compile(sheet, self._budget(sheet), heard)
            except LimitExceeded as refused:
                running = self._running.get(sheet)
                slower = "reasoner" if running is None else running.meanwhile
                found = Compilation(slower, 0.0, refused.message)
            self._done[sheet] = found
            while len(self._done) > KEPT:
                self._done.popitem(last=False)
            return found
        finally:
            running = self._running.get(sheet)
            if running is not None and running.task is me:
                del self._running[sheet]


def _noticed(task: asyncio.Task[Compilation]) -> None:
    """Marks a failure whose page has gone away as seen."""
    if not task.cancelled():
        task.exception()
