"""Where long work runs: the option ``--on``, and how a command uses the executor that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, TypeVar

import typer

from stratagem.errors import OutOfTime

if TYPE_CHECKING:
    from stratagem.cli.common.progress import Stop
    from stratagem.executor.interface import Executor

Found = TypeVar("Found")
HERE: Final = "local"
POLL: Final = 0.1
On: TypeAlias = Annotated[
    str, typer.Option("--on", help="Where to run: local, local:CORES, ray, ray://HOST:PORT or HOST:PORT.")
]


@contextmanager
def running_on(on: str) -> Iterator[Executor | None]:
    """The executor that *on* names; None where the work is done here, as ever."""
    if on == HERE:
        yield None
        return
    from stratagem.cluster.connecting import connect

    with connect(on) as executor:
        yield executor


def run_there(
    executor: Executor, stop: Stop, task: Callable[..., Found], *arguments: Any, cores: float = 1
) -> Found:
    """What *task* returns on the executor; `OutOfTime` where a stop is asked for, and then the task is cancelled."""
    pending = executor.submit(task, *arguments, cores=cores)
    while True:
        try:
            return pending.result(POLL)
        except NotYet:
            if pending.done():
                raise
            if stop():
                pending.cancel()
                raise OutOfTime("stopped before there was an answer") from None
