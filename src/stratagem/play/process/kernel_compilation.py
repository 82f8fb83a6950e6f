"""Background compilation of the engine's kernels, and which of them are compiled already.

numba compiles a kernel when it is first called: all of them take the better part of a minute on a new machine, and are
found on disk within the second by every later process. A clock that runs is no time for that, and a process that thinks
no place. So kernels that are not on disk yet are compiled by a process of their own, at low priority, in the order in
which matches need them; a note on disk says which are there. Until then players do without: a search whose kernels are
not there leaves the move to one that needs none.
"""

from __future__ import annotations

import atexit
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal, TypeAlias

from stratagem.cache import Cache, entry_name, source_digest, user_cache
from stratagem.platform import ignore_interrupts, lower_priority

Kernels: TypeAlias = Literal["puzzle", "mcts", "alphabeta"]
ORDER: Final[tuple[Kernels, ...]] = ("puzzle", "mcts", "alphabeta")
"""Puzzles first: theirs take seconds. MCTS plays any other game; alpha-beta also has to learn."""
PLAYERS: Final = ("stratagem", "mcts", "alphabeta", "database", "solver")
"""Players that want kernels, or have a deputy that does."""
POLITENESS: Final = 10
"""As in nice(1): only what other processes leave."""
LONGEST: Final = 1800.0
"""Seconds that a compiler is waited for."""


def command(politeness: int) -> Sequence[str]:
    """How the process in the background is started."""
    return sys.executable, "-c", f"from {__name__} import main; main({politeness})"


class Compiler:
    """The process in the background that compiles for this one; it ends with it."""

    def __init__(self, command: Callable[[int], Sequence[str]] = command) -> None:
        self._command = command
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._left_to_others = False

    def leave_to_others(self) -> None:
        """For a process whose parent has seen to it."""
        self._left_to_others = True

    def start(self, politeness: int = POLITENESS) -> subprocess.Popen[bytes] | None:
        """Begins to compile what is missing, once; returns at once. None where there is nothing to do."""
        with self._lock:
            if self._process is None and not self._left_to_others and not all(map(compiled, ORDER)):
                self._process = subprocess.Popen(
                    self._command(politeness),
                    stdin=subprocess.PIPE,  # closes when we end: so does the compiler then
                    stdout=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                )
                atexit.register(self.stop)
            return self._process

    def wait(self, politeness: int = 0) -> None:
        """Returns when all is compiled, or cannot be: no *politeness* where nothing else is to be done meanwhile."""
        process = self.start(politeness)
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(LONGEST)

    def stop(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            if process.stdin is not None:
                process.stdin.close()


COMPILER: Final = Compiler()
_known: set[tuple[Path | None, Kernels]] = set()
"""Which kernels are there, by the folder in which they are."""


def compiled(kernels: Kernels) -> bool:
    """Whether they can be called without waiting long; also where there is no cache in which to find them later."""
    notes = _notes()
    known = notes.folder, kernels
    if known not in _known and (not _keeps(notes) or notes.read(_note(kernels)) is not None):
        _known.add(known)
    return known in _known


def can_start(kernels: Kernels) -> bool:
    """The same; where the answer is no, compiling them begins in the background."""
    if compiled(kernels):
        return True
    COMPILER.start()
    return False


def compile_missing() -> None:
    """Compiles, here and now, all kernels that are not on disk."""
    from stratagem.play.process.warmup import call_kernels

    for kernels in ORDER:
        if not compiled(kernels):
            call_kernels(kernels)


def note_compiled(kernels: Kernels) -> None:
    """Says, to this and all later processes, that they are there."""
    notes = _notes()
    _known.add((notes.folder, kernels))
    notes.write(_note(kernels), b"compiled")


def main(politeness: int) -> None:
    """What the process in the background does."""
    ignore_interrupts()
    lower_priority(politeness)
    logging.disable()  # the parent process writes the log
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    compile_missing()
    os._exit(0)


def _end_with_parent() -> None:
    with suppress(OSError, ValueError):
        sys.stdin.buffer.read()
    os._exit(1)


def _notes() -> Cache:
    return user_cache().part("kernels")


@cache
def _keeps(notes: Cache) -> bool:
    """Whether what is written can be read again: not where the cache is off or its folder cannot be written."""
    name = entry_name("note", "a first note")
    if notes.read(name) is None:
        notes.write(name, b"")
    return notes.read(name) is not None


def _note(kernels: Kernels) -> str:
    return entry_name("note", f"{kernels} {_surroundings()}")


@cache
def _surroundings() -> str:
    """All that compiled kernels depend on: source, compiler, processor."""
    from stratagem.native.jit.llvm import host

    source = source_digest("circuit", "engine", "kernels", "native").hex()
    return " ".join((source, sys.version, version("numba"), version("llvmlite"), str(host())))
