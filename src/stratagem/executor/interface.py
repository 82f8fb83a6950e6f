"""The executor: where long work runs. Tasks and actors, on the processes of one machine or on a cluster.

An executor runs functions of a module (tasks) and objects (actors) in other processes, each on cores of its own, and
takes them back one by one. `stratagem.cluster` has two: processes of this machine, and Ray. All that can be split takes an
executor as *on*; what comes out does not depend on which it is, nor on how many cores it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any, Final, Protocol, TypeVar

from stratagem.errors import StratagemError, UsageError

Found = TypeVar("Found")


class WorkerLost(StratagemError):
    """A worker process has ended: it was killed, or its machine was lost."""


class Pending(Future[Found]):
    """What a task or a call of an actor will return; cancelling it ends the work, if that has not ended yet."""

    def __init__(self, abandon: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self._abandon = abandon

    def cancel(self) -> bool:
        cancelled = super().cancel()
        if cancelled:
            self._abandon()
        return cancelled

    def settle(self, kind: str, value: Any) -> None:
        """Takes an answer; one that comes after the caller has gone away is dropped."""
        if not self.done() and self.set_running_or_notify_cancel():
            if kind == DONE:
                self.set_result(value)
            else:
                self.set_exception(value)


class Actor(Protocol):
    """An object in another process. It may be handed to other actors, which can call it too."""

    def call(self, method: str, *arguments: Any) -> Pending[Any]:
        """Calls a *method* of the object; calls of one caller are answered in order, those of others in between."""

    def kill(self) -> None:
        """Ends the process at once."""

    def release(self) -> None:
        """Ends the object, which no call is running of any more; its process may be used for another actor."""


class Executor(Protocol):
    """Runs tasks and actors in other processes."""

    @property
    def name(self) -> str:
        """What the command line calls it."""

    @property
    def cores(self) -> int:
        """How many cores it has at present, at least 1."""

    def submit(self, task: Callable[..., Found], *arguments: Any, cores: float = 1) -> Pending[Found]:
        """Runs a *task*, a function of a module, on *cores* cores of its own; runs it again if its process is lost."""

    def map(
        self,
        task: Callable[..., Found],
        items: Sequence[tuple[Any, ...]],
        *,
        cores: float = 1,
        progress: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Iterator[tuple[int, Found]]:
        """Runs *task* on the arguments of each of *items*; yields (number of the item, result) as they finish."""

    def actor(self, kind: Callable[..., Any], *arguments: Any, cores: float = 1) -> Actor:
        """A new actor: the object that *kind* makes of *arguments*, in a process of its own."""

    def close(self) -> None:
        """Ends all processes."""


def require_executor(on: object) -> None:
    """Refuses what is neither None nor an executor, such as the text that names one."""
    if on is not None and not (hasattr(on, "submit") and hasattr(on, "actor")):
        raise UsageError(
            f"an executor is needed; this is of the type {type(on).__name__}",
            hint='stratagem.cluster.connect("local") gives one',
        )


DONE: Final = "done"
FAILED: Final = "failed"


def answer_of(function: Callable[..., Any], arguments: Sequence[Any]) -> tuple[str, Any]:
    """What *function* returns or raises, as a message."""
    try:
        return DONE, function(*arguments)
    except Exception as fault:  # whatever it is: it is raised where the answer is waited for
        return FAILED, fault
