"""Background work of a page with a progress line and a cancel button; it ends with the page."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from nicegui import Client, background_tasks, ui

from stratagem.errors import StratagemError
from stratagem.web.app import shell


def background(work: Coroutine[Any, Any, Any], client: Client | None = None) -> asyncio.Task[Any]:
    """Starts *work* in the context of *client*, by default that of this page."""
    return background_tasks.create(work, context=client or ui.context.client)


class Progress:
    """One task at a time: a line that reports its progress, with a button that cancels it."""

    def __init__(self) -> None:
        self.client = ui.context.client
        self.task: asyncio.Task[Any] | None = None
        with ui.element("div").classes("job no-print").props('role="status"') as self.line:
            ui.spinner(size="1.4em")
            self.words = ui.label().classes("grow")
            shell.button("Cancel", self.cancel, kind="quiet").mark("cancel")
        self.line.set_visibility(False)
        self.client.on_delete(self.cancel)

    @property
    def busy(self) -> bool:
        return self.task is not None and not self.task.done()

    def say(self, words: str) -> None:
        self.words.text = words

    def run(
        self,
        words: str,
        work: Awaitable[Any],
        then: Callable[[Any], Any],
        failed: Callable[[str], None] | None = None,
    ) -> None:
        """Cancels the current task and runs *work*; *then* is called with its result."""
        self.cancel()
        self.say(words)
        self.line.set_visibility(True)
        self.task = background(self._run(work, then, failed), self.client)

    async def _run(
        self, work: Awaitable[Any], then: Callable[[Any], Any], failed: Callable[[str], None] | None
    ) -> None:
        me = asyncio.current_task()
        try:
            found = await work
            if self.task is me:
                self.line.set_visibility(False)
            result = then(found)
            if asyncio.iscoroutine(result):
                await result
        except StratagemError as refused:
            if failed is None:
                shell.refuse(refused)
            else:
                failed(str(refused))
        finally:
            if self.task is me and not self.client.is_deleted:
                self.line.set_visibility(False)

    def cancel(self) -> None:
        if self.task is not None and not self.task.done():
            self.task.cancel()
        self.task = None
        if not self.client.is_deleted:
            self.line.set_visibility(False)
