"""An executor without processes: calls are made at once, and actors can be lost at any of them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from stratagem.executor.interface import FAILED, Pending, WorkerLost, answer_of
from stratagem.executor.mapping import mapped


class DriverKilled(BaseException):
    """The process that drives a search is gone, here and now."""


class InlineExecutor:
    """What is sent is pickled, as between processes. *lose* has the numbers of calls at which the callee is lost."""

    name = "inline"

    def __init__(self, cores: int = 2, *, lose: Sequence[int] = (), kill_driver: int | None = None) -> None:
        self.cores, self.calls = cores, 0
        self.lose, self.kill_driver = set(lose), kill_driver
        self.actors: list[InlineActor] = []

    def submit(self, task: Callable[..., Any], *arguments: Any, cores: float = 1) -> Pending[Any]:
        pending: Pending[Any] = Pending()
        pending.settle(*answer_of(pickled(task), pickled(arguments)))
        return pending

    def map(
        self,
        task: Callable[..., Any],
        items: Sequence[tuple[Any, ...]],
        *,
        cores: float = 1,
        progress: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Iterator[tuple[int, Any]]:
        return mapped(self, task, items, cores, progress, stop)

    def actor(self, kind: Callable[..., Any], *arguments: Any, cores: float = 1) -> InlineActor:
        made = InlineActor(self, kind(*pickled(arguments)))
        self.actors.append(made)
        return made

    def close(self) -> None:
        for actor in self.actors:
            actor.kill()


class InlineActor:
    def __init__(self, executor: InlineExecutor, it: Any) -> None:
        self.executor, self.it = executor, it

    def call(self, method: str, *arguments: Any) -> Pending[Any]:
        executor = self.executor
        executor.calls += 1
        if executor.calls == executor.kill_driver:
            raise DriverKilled
        if executor.calls in executor.lose:
            self.it = None
        pending: Pending[Any] = Pending()
        if self.it is None:
            pending.settle(FAILED, WorkerLost("an actor has ended"))
        else:
            given = arguments if method == "connect" else pickled(arguments)
            answer = answer_of(getattr(self.it, method), given)
            pending.settle(answer[0], answer[1])
        return pending

    def kill(self) -> None:
        self.it = None

    release = kill


def pickled(value: Any) -> Any:
    """*value* as it comes out of another process."""
    return pickle.loads(pickle.dumps(value))
