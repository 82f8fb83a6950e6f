"""Long work at a terminal: progress on one line, Ctrl-C as a request to stop, a time limit that is kept.

The work runs in a thread and is asked to stop; searches check the flag and return what they know. Work that cannot check
it (a running compiler) is abandoned soon after, so that the command keeps its time limit.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import NoReturn, TypeAlias, TypeVar

from stratagem.circuit.compiler.budget import MORE_TIME
from stratagem.errors import OutOfTime
from stratagem.platform import asked_by_ctrl_c

Tell: TypeAlias = Callable[[str], None]
Stop: TypeAlias = Callable[[], bool]
Result = TypeVar("Result")


class WorkAbandoned(OutOfTime):
    """The time is used up and the work still runs in its thread: the process must end without waiting for it."""


GRACE = 2.0
"""Seconds that work has to finish after a request to stop, or after its limit."""
POLL = 0.05


def with_progress(
    work: Callable[[Tell, Stop], Result],
    *,
    seconds: float | None = None,
    hint: str | None = None,
    more: str = MORE_TIME,
    now: Callable[[], float] = time.monotonic,
) -> Result:
    """The result of *work*; `WorkAbandoned` if it still runs long after Ctrl-C, or after a limit of *seconds*.

    *work* keeps the limit itself, as far as it can, and returns what it knows. An error has *hint*; without one it has
    *more* where the time was too short, and nothing after Ctrl-C.
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
                spent = (
                    "stopped"
                    if asked.is_set() or seconds is None
                    else f"the budget of {seconds:g} s is spent"
                )
                hint = hint or (None if asked.is_set() else more)
                raise WorkAbandoned(_with_last_step(spent, last[0]), hint=hint)
    if shown:
        sys.stderr.write("\r\x1b[K")
    for fault in failure:
        if not isinstance(fault, OutOfTime) or fault.hint not in (None, MORE_TIME):
            raise fault  # such as a build that says how it can be continued
        if asked.is_set():  # whatever limit it speaks of: it was asked to stop
            raise OutOfTime(_with_last_step("stopped", last[0]), hint=hint) from fault
        if fault.hint == MORE_TIME:
            raise OutOfTime(fault.message, hint=hint or more) from fault
        raise fault
    return outcome[0]


def _with_last_step(spent: str, last: str) -> str:
    return f"{spent}; the last step was: {last}" if last else f"{spent}, and nothing is known yet"


def leave(code: int) -> NoReturn:
    """Ends the process at once, with its threads: a running compiler cannot be asked to stop."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)
