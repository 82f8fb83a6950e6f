"""Compiling in a child process: rules go in as text, a packed circuit comes out.

Exit status 0: a circuit; 1: a reason, as JSON; anything else: the limits were reached.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from stratagem.circuit.circuit import CompiledRules
from stratagem.circuit.compiler.budget import CompileBudget, Left, out_of_time, quietly, unlimited
from stratagem.circuit.compiler.store import Refusal
from stratagem.circuit.pack import pack, unpack
from stratagem.errors import BrokenFile
from stratagem.platform import (
    ProcessLimits,
    limit_cpu_time,
    limit_memory,
    no_core_dumps,
    possible_limits,
    ran_out_of_cpu_time,
    was_killed,
)

PLAYS_ANYWAY = "the game still plays, on joins"
CLOCK_FACTOR = 10
"""The budget is in seconds of computing; a busy machine may take this many times as long by the clock."""
WATCH_SECONDS = 0.1
"""How often the parent looks whether there is time left."""


def compile_in_child(text: str, budget: CompileBudget, left: Left = unlimited) -> CompiledRules | Refusal:
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
        "stratagem.circuit.compiler.child_process",
        str(budget.seconds),
        str(budget.memory),
    ]
    try:
        longest = budget.seconds * (1 if by_the_clock else CLOCK_FACTOR)
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


def _out_of_time(budget: CompileBudget, *, lasting: bool) -> Refusal:
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


def main(seconds: float, memory: int) -> int:
    """The child's side: rules as text on stdin, a packed circuit or a reason on stdout; the exit status says which."""
    limit(seconds, memory)
    # Everything built here lives until the end, so looking for garbage is time lost.
    gc.disable()
    from stratagem.circuit.compiler.pipeline import compile_here
    from stratagem.errors import GroundingError
    from stratagem.gdl.build import build
    from stratagem.gdl.text.kif import read
    from stratagem.gdl.text.syntax import Source
    from stratagem.ground.rewrite.prepare import prepare

    source = Source(sys.stdin.buffer.read().decode("utf-8", "surrogatepass"))
    nodes, _ = read(source)
    sheet, _ = build(source, nodes)
    try:
        start = time.perf_counter()
        prepared = prepare(sheet, thorough=True)
        answer = pack(compile_here(prepared, time.perf_counter() - start, quietly))
    except GroundingError as failure:
        sys.stdout.write(json.dumps({"message": failure.message, "hint": failure.hint}))
        return 1
    except (MemoryError, RecursionError):
        return 3
    sys.stdout.buffer.write(answer)
    return 0


def limit(seconds: float, memory: int) -> None:
    """Limits that hold even if the parent is gone; systems without them have the parent's clock alone."""
    limit_memory(memory)
    limit_cpu_time(seconds)
    no_core_dumps()


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2])))
