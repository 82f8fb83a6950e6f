"""Preparation before any clock runs: the fork server, the kernels that first moves need, and a heap that is not searched.

Kernels are found on disk at once; the first time on a machine they are compiled, which takes a few seconds. A collection
of all garbage takes 25 ms of a core, a third of a second where others want it, and no thread of ours runs meanwhile; what
is there before the first match stays, so the collector need not look at it again.
"""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterable
from functools import partial

from stratagem.platform import can_fork
from stratagem.play.process.first_kernels import compile_first_kernels
from stratagem.play.process.fork_server import fork_server


async def prepare(players: Iterable[str]) -> None:
    """Returns when *players* of ours can be asked for moves."""
    chosen = sorted(set(players))
    if chosen and can_fork():
        await in_thread(fork_server().wait)
    for player in chosen:
        await in_thread(partial(compile_first_kernels, player))
    gc.collect()
    gc.freeze()


def in_thread(work: Callable[[], None]) -> asyncio.Future[None]:
    """Runs *work* in a thread that does not delay the end of the program, unlike those of the event loop."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[None] = loop.create_future()

    def settle(failure: BaseException | None) -> None:
        if future.cancelled():
            return
        if failure is None:
            future.set_result(None)
        else:
            future.set_exception(failure)

    def run() -> None:
        failure: BaseException | None = None
        try:
            work()
        except BaseException as raised:  # handed to the awaiting task
            failure = raised
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, failure)

    threading.Thread(target=run, name="preparing", daemon=True).start()
    return future
