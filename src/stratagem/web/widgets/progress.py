"""Work in the background of a page: started, shown with a cancel button, and ended with the page."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from nicegui import Client, background_tasks, ui

from stratagem.errors import StratagemError
from stratagem.web.app import shell


def background(work: Coroutine[Any, Any, Any], client: Client | None = None) -> asyncio.Task[Any]:
    """Starts *work*; what it makes appears on the page of *client*, this one unless given."""
    return background_tasks.create(work, context=client or ui.context.client)


class Progress:
    """One piece of work at a time: a line that says what is done, with a button that ends it."""

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
        """Does *work* instead of what was being done; *then* is called with what it finds."""
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
