"""A map over an executor: tasks are handed over as there is room for them, and come back as they end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

from stratagem.errors import OutOfTime
from stratagem.executor.interface import Executor, Pending

Found = TypeVar("Found")
AHEAD: Final = 2
"""Tasks of a map that are handed over beyond those that can run at once."""
POLL: Final = 0.1


def mapped(
    executor: Executor,
    task: Callable[..., Found],
    items: Sequence[tuple[Any, ...]],
    cores: float,
    progress: Callable[[int, int], None] | None,
    stop: Callable[[], bool] | None,
) -> Iterator[tuple[int, Found]]:
    """`Executor.map` for every executor: a few more tasks than can run are handed over, so that none waits for long."""
    ended: SimpleQueue[int] = SimpleQueue()
    waiting: dict[int, Pending[Found]] = {}
    handed = 0
    try:
        while handed < len(items) or waiting:
            most = max(1, int(executor.cores / max(cores, 0.01))) + AHEAD
            while handed < len(items) and len(waiting) < most:
                pending = executor.submit(task, *items[handed], cores=cores)
                waiting[handed] = pending
                pending.add_done_callback(lambda _, number=handed: ended.put(number))  # type: ignore[misc]
                handed += 1
            number = _next(ended, stop)
            found = waiting.pop(number).result()
            if progress is not None:
                progress(handed - len(waiting), len(items))
            yield number, found
    finally:
        for pending in waiting.values():
            pending.cancel()


def _next(ended: SimpleQueue[int], stop: Callable[[], bool] | None) -> int:
    while True:
        try:
            return ended.get(timeout=None if stop is None else POLL)
        except Empty:
            if stop is not None and stop():
                raise OutOfTime("stopped") from None


class TaskMapping:
    """The method `map` of every executor, by its method `submit`."""

    def map(
        self: Executor,
        task: Callable[..., Found],
        items: Sequence[tuple[Any, ...]],
        *,
        cores: float = 1,
        progress: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Iterator[tuple[int, Found]]:
        """Runs *task* on all *items*, as `Executor.map` says."""
        return mapped(self, task, items, cores, progress, stop)
