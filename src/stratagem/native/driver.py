"""The driver: what all games share of `expand`, `evaluate` and `advance`, as machine code.

Written in the part of Python that `lower` translates, optimised by LLVM once for each machine, then loaded from disk
in a millisecond.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import cache
from types import ModuleType

from stratagem.native import drive_expand, drive_rows
from stratagem.native.emit_primitives import DECLARED, emit_primitives
from stratagem.native.jit import Loaded, compile_optimised
from stratagem.native.lower import lower
from stratagem.native.objects import place, read, write

SOURCES: Sequence[ModuleType] = (drive_rows, drive_expand)
FUNCTIONS = ("expand", "evaluate", "advance")


@cache
def driver() -> Loaded:
    """The driver of this machine, compiled or from disk."""
    path = place("driver", 3)
    code = read(path)
    if code is None:
        code = compile_optimised(emit_driver())
        write(path, code)
    return Loaded(code, (*FUNCTIONS, "run"))


def emit_driver() -> str:
    """The driver in assembly."""
    source = "\n".join(map(inspect.getsource, SOURCES))
    body = lower(source, exported=FUNCTIONS, declared=DECLARED)
    return emit_primitives() + body + "\nattributes #0 = { nounwind }\n"
