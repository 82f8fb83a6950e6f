"""Compiling in a child process: the parent's side."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from stratagem.circuit.compiler.compiled import Compiled
from stratagem.circuit.compiler.refusal import Refusal
from stratagem.circuit.pack import unpack
from stratagem.errors import BrokenFile
from stratagem.ground.budget import Budget, Left, out_of_time, unlimited
from stratagem.platform import ProcessLimits, possible_limits, ran_out_of_cpu_time, was_killed

PLAYS_ANYWAY = "the game still plays, on the reasoner"
PATIENCE = 10
"""The budget is in seconds of computing; a busy machine may take this many times as long by the clock."""
WATCH_SECONDS = 0.1
"""How often the parent looks whether there is time left."""


def compile_in_child(text: str, budget: Budget, left: Left = unlimited) -> Compiled | Refusal:
    """The circuit of the rules in canonical *text*, by a child process within *budget*; or why there is none.

    The child is ended, and `OutOfTime` raised, as soon as no time is *left*.
    """
    folder = str(Path(__file__).resolve().parents[3])
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH", "")]))
    limits = possible_limits(budget.memory, budget.seconds)
    by_the_clock = limits.cpu_seconds is None
    command = [
        sys.executable,
        "-m",
        "stratagem.circuit.compiler.child",
        str(budget.seconds),
        str(budget.memory),
    ]
    try:
        longest = budget.seconds * (1 if by_the_clock else PATIENCE)
        done = _run(command, text.encode("utf-8", "surrogatepass"), environment, longest, left)
    except subprocess.TimeoutExpired:
        return _out_of_time(budget, lasting=by_the_clock)
    except OSError as failure:
        return Refusal(f"no child process could be started: {failure}", PLAYS_ANYWAY, lasting=False)
    if done.returncode == 0:
        try:
            return unpack(done.stdout)
        except BrokenFile:
            return Refusal("the child process gave an unreadable answer", PLAYS_ANYWAY, lasting=False)
    if ran_out_of_cpu_time(done.returncode):
        return _out_of_time(budget, lasting=True)
    return _refusal(done, limits)


def _run(
    command: list[str], text: bytes, environment: dict[str, str], longest: float, left: Left
) -> subprocess.CompletedProcess[bytes]:
    """Runs a child to its end, asking now and then whether there is time *left*; it never outlives the call."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment) as child:
        end = time.monotonic() + longest
        given: bytes | None = text
        try:
            while True:
                try:
                    out, errors = child.communicate(given, timeout=WATCH_SECONDS)
                    return subprocess.CompletedProcess(command, child.returncode, out, errors)
                except subprocess.TimeoutExpired:
                    given = None
                    if left() <= 0:
                        raise out_of_time() from None
                    if time.monotonic() > end:
                        raise
        finally:
            child.kill()


def _out_of_time(budget: Budget, *, lasting: bool) -> Refusal:
    return Refusal(
        f"the rules could not be ground within {budget.seconds:g} seconds", PLAYS_ANYWAY, lasting=lasting
    )


def _refusal(done: subprocess.CompletedProcess[bytes], limits: ProcessLimits) -> Refusal:
    """What the child said, or what its silence means: memory ran out, the part that it may have or the machine's."""
    try:
        said = json.loads(done.stdout)
        return Refusal(said["message"], said["hint"] or PLAYS_ANYWAY)
    except (ValueError, KeyError, TypeError):
        pass
    if limits.memory is None or was_killed(-done.returncode):
        return Refusal(
            f"the rules could not be ground: the process that did it ended with status {done.returncode}, "
            "most likely because the machine's memory ran out",
            PLAYS_ANYWAY,
            lasting=False,
        )
    # clingo ends the whole process where memory runs out
    gigabytes = limits.memory / 1024**3
    return Refusal(f"the rules could not be ground within {gigabytes:g} GiB of memory", PLAYS_ANYWAY)
