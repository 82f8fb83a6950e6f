"""Compilation of rules ahead of their use: players and the engine bar find the circuit in the cache.

Here it can be watched, cancelled and repeated with a larger limit; during a match it would cost the time of a move.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from stratagem.circuit.compiler.budget import BUDGET
from stratagem.errors import GroundingError
from stratagem.loading import MachineName, sheet_of
from stratagem.platform import available_memory
from stratagem.web.app.address import Sheet
from stratagem.web.tasks.loaded import FASTEST
from stratagem.web.workers.worker_process import Heard

STAGES: Final = {
    "look up": "looking in the cache",
    "prepare": "preparing",
    "compile in a child process": "in the background",
    "libraries": "loading libraries",
    "ground": "grounding",
    "build": "building the circuit",
    "simplify": "simplifying the circuit",
    "share": "sharing gates",
    "keep": "writing to the cache",
}
"""The names of the stages on the page."""
LONG: Final = "compile in a child process"
"""The stage that may take as long as the budget allows."""


@dataclass(frozen=True, slots=True)
class Compilation:
    """The *machine* of a sheet, and the *reason* if that is a slower one than native code."""

    machine: MachineName | None = FASTEST
    seconds: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """The *machine* of a sheet until it is compiled, where that takes long; told as soon as that is known."""

    machine: MachineName


def memory_for(seconds: float, available: int | None) -> int:
    """The bytes that a compilation of *seconds* may take: more for another try, up to half of what is *available*.

    >>> memory_for(60.0, None) == BUDGET.memory, memory_for(240.0, 24 << 30) >> 30
    (True, 12)
    """
    longer = int(BUDGET.memory * max(1.0, seconds / BUDGET.seconds))
    return max(BUDGET.memory, min(longer, (available or 0) // 2))


def compile_rules(sheet: Sheet, seconds: float, *, tell: Heard) -> Compilation:
    """Compiles *sheet* within *seconds* of CPU time; otherwise joins run it, or the reasoner."""
    from stratagem.circuit.compiler.compile import compile_sheet
    from stratagem.circuit.compiler.store import user_store
    from stratagem.machines.making import slower_name

    start = monotonic()
    # A line break keeps the text of a visitor from being taken for the name of a file.
    rules = sheet_of(sheet.name or f"{sheet.text}\n", dict(sheet.sizes))

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        if name == LONG:  # said first, so that whoever sees the stage and cancels goes on on that machine
            tell(Meanwhile(slower_name(rules)))
        tell(STAGES.get(name, name))
        yield

    budget = replace(BUDGET, seconds=seconds, memory=memory_for(seconds, available_memory()))
    try:
        compile_sheet(rules, budget=budget, store=user_store(), stage=stage)
    except GroundingError as refused:
        return Compilation(slower_name(rules), monotonic() - start, refused.message)
    return Compilation(FASTEST, monotonic() - start)
