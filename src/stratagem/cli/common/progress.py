"""Long work beside the terminal: progress on one line, Ctrl-C as a request to stop, a budget that is kept.

The work runs in a thread of its own and is asked to stop; searches do so at their next look at the flag and return what
they know. Some work cannot look (a compiler at work): it is left behind soon after, so that the command keeps its
promise to whoever waits for it.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import NoReturn, TypeAlias, TypeVar

from stratagem.errors import OutOfTime
from stratagem.platform import asked_by_ctrl_c

Tell: TypeAlias = Callable[[str], None]
Stop: TypeAlias = Callable[[], bool]
Result = TypeVar("Result")


class LeftBehind(OutOfTime):
    """The time is spent and the work goes on in its thread: the process must end without waiting for it."""


GRACE = 2.0
"""Seconds that work gets to come to its end after it was asked to stop, or after its budget."""
POLL = 0.05


def with_progress(
    work: Callable[[Tell, Stop], Result],
    *,
    seconds: float | None = None,
    hint: str | None = None,
    now: Callable[[], float] = time.monotonic,
) -> Result:
    """What *work* returns; `LeftBehind` where it goes on long after Ctrl-C, or after a budget of *seconds*.

    *work* keeps the budget itself, as far as it can, and returns what it knows. *hint* says what to do then.
    """
    asked, done = threading.Event(), threading.Event()
    outcome: list[Result] = []
    failure: list[BaseException] = []
    shown = sys.stderr.isatty()
    last = [""]

    def tell(sentence: str) -> None:
        last[0] = sentence
        if shown:
            sys.stderr.write(f"\r\x1b[K{sentence}")
            sys.stderr.flush()

    def run() -> None:
        try:
            outcome.append(work(tell, asked.is_set))
        except BaseException as fault:
            failure.append(fault)
        finally:
            done.set()

    end = float("inf") if seconds is None else now() + seconds + GRACE
    with asked_by_ctrl_c(asked):
        threading.Thread(target=run, daemon=True).start()
        heard = False
        while not done.wait(POLL):
            if asked.is_set() and not heard:
                heard, end = True, min(end, now() + GRACE)
            if now() > end and not done.is_set():
                raise _late(seconds, asked.is_set(), last[0], hint)
    if shown:
        sys.stderr.write("\r\x1b[K")
    if failure:
        raise failure[0]
    return outcome[0]


def _late(seconds: float | None, asked: bool, last: str, hint: str | None) -> LeftBehind:
    spent = "stopped" if asked or seconds is None else f"the budget of {seconds:g} s is spent"
    return LeftBehind(
        f"{spent}; the last step was: {last}" if last else f"{spent}, and nothing is known yet",
        hint=hint or (None if asked else "allow more time"),
    )


def leave(code: int) -> NoReturn:
    """Ends the process at once, whatever its threads are doing: a compiler at work cannot be asked to stop."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)
