"""The driver: what all games share of `expand` and `batch`, as machine code.

Written in the kernel language, optimised by LLVM once for each machine, then loaded from disk
in a few milliseconds.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Final

from stratagem.kernels.translator import lower
from stratagem.native.driver import batch as drive_batch
from stratagem.native.driver import expand as drive_expand
from stratagem.native.driver import rows as drive_rows
from stratagem.native.emit.primitives import DECLARED, emit_primitives
from stratagem.native.jit.llvm import LoadedCode, compile_optimised
from stratagem.native.jit.object_cache import store, stored


@dataclass(frozen=True, slots=True)
class DriverPart:
    """Functions that are compiled together."""

    name: str
    sources: Sequence[ModuleType]
    functions: tuple[str, ...]


EXPAND: Final = DriverPart("expand", (drive_rows, drive_expand), ("expand", "evaluate", "advance"))
BATCH: Final = DriverPart(
    "batch",
    (drive_rows, drive_expand, drive_batch),
    (
        "batch_load",
        "batch_pack",
        "batch_legal",
        "batch_ends",
        "batch_final",
        "batch_check",
        "batch_step",
        "batch_reset",
        "batch_choose",
    ),
)


@cache
def driver(part: str = "expand") -> LoadedCode:
    """A part of the driver, compiled or from disk."""
    wanted = {each.name: each for each in (EXPAND, BATCH)}[part]
    what = f"driver of {part}"
    code = stored(what, 3)
    if code is None:
        code = compile_optimised(emit_driver(wanted))
        store(what, 3, code)
    return LoadedCode(code, (*wanted.functions, "run"))


def emit_driver(part: DriverPart) -> str:
    """A part of the driver in assembly."""
    source = "\n".join(map(inspect.getsource, part.sources))
    body = lower(source, exported=part.functions, declared=DECLARED)
    return (
        emit_primitives() + body + "\nattributes #0 = { nounwind }\nattributes #1 = { nounwind noinline }\n"
    )
