"""Kernels from text, and the same call both ways: as Python on checked memory and as machine code."""

from __future__ import annotations

import itertools
import linecache
from typing import Any

from stratagem.kernels.language.functions import KernelFunction
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import CompiledKernels
from stratagem.native.jit.llvm import compile_optimised

numbers = itertools.count()
PRELUDE = "from stratagem.kernels import *\n"


def kernels_from(source: str, **names: Any) -> dict[str, Any]:
    """What the module *source* defines; *names* are known in it."""
    file = f"<kernel {next(numbers)}>"
    text = PRELUDE + source
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    known: dict[str, Any] = {"__name__": file, **names}
    exec(compile(text, file, "exec", dont_inherit=True), known)
    return known


def machine_code(*kernels: KernelFunction[..., Any], level: int = 1) -> CompiledKernels:
    """Freshly compiled, not from disk."""
    family = KernelFamily("test", kernels)
    return CompiledKernels(family, compile_optimised(family.assembly(), level))
