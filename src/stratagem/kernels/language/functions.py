"""Functions of the kernel language: kernels, and functions that are called by their address."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Final, Generic, ParamSpec, TypeVar, get_args, get_origin

from stratagem.errors import UsageError
from stratagem.kernels.language.arrays import Array
from stratagem.kernels.language.numbers import HIGHEST, LOWEST, float32, uint64

P = ParamSpec("P")
R = TypeVar("R")
ADAPTED: Final[dict[str, type[uint64] | type[float32]]] = {
    str(name): kind for kind in (uint64, float32) for name in (kind, kind.__name__)
}
"""Types that Python's own numbers become when they are passed, by their annotation."""


class KernelFunction(Generic[P, R]):
    """A function in the kernel language. Called, it runs as Python; a family of kernels can be compiled."""

    def __init__(
        self,
        function: Callable[P, R],
        *,
        inline: bool | None = None,
        emit: Callable[[str], str] | None = None,
    ) -> None:
        """*inline*: always, never, or (None) where LLVM finds it worth while; *emit*: see `in_assembly`."""
        self.function, self.inline, self.emit = function, inline, emit
        update_wrapper(self, function)
        kinds = {name: ADAPTED.get(str(kind)) for name, kind in function.__annotations__.items()}
        kinds.pop("return", None)
        self._adapted = [(place, kind) for place, kind in enumerate(kinds.values()) if kind is not None]

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        # A literal takes the type of the parameter, as it does in machine code.
        given: Any = list(arguments)
        for place, kind in self._adapted:
            if place < len(given) and type(given[place]) is not kind:
                given[place] = kind(given[place])
        result = self.function(*given, **named)
        if isinstance(result, int) and type(result) is int and not LOWEST <= result <= HIGHEST:
            raise UsageError(f"{self.function.__name__} returns {result}, which does not fit into 64 bits")
        return result

    @property
    def symbol(self) -> str:
        """The name of its machine code."""
        return f"{self.function.__module__}.{self.function.__qualname__}"

    def __repr__(self) -> str:
        return f"<kernel {self.symbol}>"


def kernel(function: Callable[P, R]) -> KernelFunction[P, R]:
    """Declares a function of the kernel language; LLVM decides where it is inlined."""
    return KernelFunction(function)


def inlined(function: Callable[P, R]) -> KernelFunction[P, R]:
    """Declares a function that is inlined wherever it is called: a named step of a larger one."""
    return KernelFunction(function, inline=True)


def called(function: Callable[P, R]) -> KernelFunction[P, R]:
    """Declares a function that is never inlined: a loop that many kernels call, each copy of which LLVM would optimise."""
    return KernelFunction(function, inline=False)


def in_assembly(emit: Callable[[str], str]) -> Callable[[Callable[P, R]], KernelFunction[P, R]]:
    """Declares a function that the language cannot express: *emit* makes its LLVM assembly, under the symbol it is given.

    The decorated function does the same in Python.
    """

    def declared(function: Callable[P, R]) -> KernelFunction[P, R]:
        return KernelFunction(function, emit=emit)

    return declared


class Function(Generic[P, R]):
    """A function that is called by its address, such as a game's `expand`; in tests it may be Python.

    ``Function[[Array[uint64], int], int]`` is the type of one with two arguments. With ``Expand`` for that,
    ``Expand(address)`` is a function whose address is known as a number only.
    """

    __orig_class__: object = None
    """The type with which it was made, where it was made as ``Expand(address)``: `typing` notes it here."""

    def __init__(self, target: int | Callable[P, R], signature: object = None) -> None:
        self.address = target if isinstance(target, int) else 0
        self.call: Callable[P, R] | None = None if isinstance(target, int) else target
        self.signature = signature

    @property
    def _as_parameter_(self) -> int:
        """What ctypes passes for it."""
        return self.address

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        if self.call is None:
            self.call = self._foreign()
        return self.call(*arguments, **named)

    def _foreign(self) -> Callable[P, R]:
        signature = self.signature or self.__orig_class__
        if not self.address or signature is None:
            raise UsageError("this function has no address")
        parameters, result = get_args(signature)
        made: Any = ctypes.CFUNCTYPE(c_type(result), *map(c_type, parameters))(self.address)
        call: Callable[P, R] = made
        return call


C_TYPES: Final[dict[object, Any]] = {
    int: ctypes.c_int64,
    uint64: ctypes.c_uint64,
    float: ctypes.c_double,
    float32: ctypes.c_float,
    bool: ctypes.c_bool,
    None: None,
    type(None): None,
}


def c_type(annotation: object) -> Any:
    """How an argument or result of this type is passed; arrays and records go by their address."""
    if annotation in C_TYPES:
        return C_TYPES[annotation]
    if get_origin(annotation) is Array or isinstance(annotation, type):
        return ctypes.c_void_p
    raise UsageError(f"{annotation} cannot be passed to or from Python")
