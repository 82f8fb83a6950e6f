"""Families of kernels as machine code: translated and compiled on first use, then from disk.

>>> from stratagem.kernels.library.random_numbers import mixed
>>> from stratagem.kernels.translate.family import KernelFamily
>>> code = compiled_family(KernelFamily("doctest of mixed", (mixed,)))
>>> code[mixed](1) == mixed(1)
True
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar, cast

from stratagem.kernels.language.functions import KernelFunction, c_type
from stratagem.kernels.translate.family import KernelFamily
from stratagem.kernels.translate.types import evaluated
from stratagem.native.jit.compile_queue import later as compile_later
from stratagem.native.jit.llvm import LoadedCode, compile_optimised
from stratagem.native.jit.object_cache import store, stored

P = ParamSpec("P")
R = TypeVar("R")
LEVEL: Final = 2
"""LLVM's level of optimisation: decision 22 has the measurements."""


class CompiledKernels:
    """The machine code of a family; ``code[kernel]`` is called like *kernel*, without holding Python's lock."""

    def __init__(self, family: KernelFamily, code: bytes) -> None:
        self._loaded = LoadedCode(code, [kernel.symbol for kernel in family.kernels])
        self._functions = {kernel.symbol: self._function(kernel) for kernel in family.kernels}

    def __getitem__(self, kernel: KernelFunction[P, R]) -> Callable[P, R]:
        return cast("Callable[P, R]", self._functions[kernel.symbol])

    def address(self, kernel: KernelFunction[..., Any]) -> int:
        """Where the code of *kernel* begins, for kernels that call it by its address."""
        return self._loaded[kernel.symbol]

    def _function(self, kernel: KernelFunction[..., Any]) -> Any:
        names = kernel.function.__globals__
        types = {name: evaluated(each, names) for name, each in kernel.function.__annotations__.items()}
        result = types.pop("return", None)
        prototype = ctypes.CFUNCTYPE(c_type(result), *map(c_type, types.values()))
        function: Any = prototype(self._loaded[kernel.symbol])
        function.code = self._loaded  # which must live as long as the function
        return function


_compiled: dict[tuple[KernelFamily, int], CompiledKernels] = {}
_turns: dict[tuple[KernelFamily, int], threading.Lock] = {}
_turn_of_turns = threading.Lock()


def compiled_family(family: KernelFamily, level: int = LEVEL) -> CompiledKernels:
    """The code of a family, compiled now or found on disk. A family that is being compiled is waited for."""
    with _turn_of_turns:
        turn = _turns.setdefault((family, level), threading.Lock())
    with turn:
        code = _compiled.get((family, level))
        if code is None:
            code = _compiled[family, level] = CompiledKernels(family, _object_code(family, level))
    return code


def compile_ahead(*families: KernelFamily) -> None:
    """Compiles families in the background, in this order: what a first move needs comes first."""
    for family in families:
        compile_later(partial(_ensure, family))


def _ensure(family: KernelFamily) -> None:
    compiled_family(family)


def _object_code(family: KernelFamily, level: int) -> bytes:
    what = f"kernels {family.name} {family.fingerprint()}"
    code = stored(what, level)
    if code is None:
        code = compile_optimised(family.assembly(), level)
        store(what, level, code)
    return code
