"""Preparation before any clock runs: the fork server, and the kernels of the engine.

Kernels are found on disk within seconds. The first time on a machine they are compiled, which takes about a minute, and
matches that begin meanwhile are played without the engine.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from typing import Any, Final

from stratagem.platform import can_fork
from stratagem.play.process.fork_server import fork_server, warm_fork_server
from stratagem.play.process.kernel_compilation import PLAYERS, POLITENESS

A_MOMENT: Final = 3.0
"""Seconds of getting ready that need no word."""
NOTICE: Final = "preparing the kernels of the engine: seconds where they are on disk, about a minute the first time on a machine"
Say = Callable[[str], None]


async def prepare(players: Iterable[str], say: Say) -> None:
    """Returns when *players* of ours can be asked for moves; *say* hears what takes long, and when it is done."""
    chosen = set(players)
    if chosen:
        await prepare_processes()
        await prepare_kernels(chosen, say)


async def prepare_processes() -> None:
    """Returns when processes to think in can be had at once."""
    if can_fork():
        await in_thread(fork_server().wait)


async def warm() -> None:
    """Compiles what is missing as fast as can be."""
    await in_thread(warm_fork_server)


async def warm_politely() -> None:
    """Compiles what is missing at low priority: matches are played meanwhile."""
    await in_thread(partial(warm_fork_server, POLITENESS))


async def prepare_kernels(
    players: Iterable[str], say: Say, *, warm: Callable[[], Coroutine[Any, Any, object]] = warm
) -> None:
    """Returns when the kernels that *players* need are there."""
    if set(players).isdisjoint(PLAYERS):
        return
    loop = asyncio.get_running_loop()
    begun = loop.time()
    warming = asyncio.ensure_future(warm())
    await asyncio.wait([warming], timeout=A_MOMENT)
    if warming.done():
        warming.result()
        return
    say(NOTICE)
    await warming
    say(f"ready after {loop.time() - begun:.0f} s")


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
