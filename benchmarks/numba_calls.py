"""`call_expand` for programs in numba, which are yardsticks: a game's `expand` by its address.

An intrinsic that takes the address as an integer and arrays as they are; the contract stands in `native.compiled`.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

_FLAGS = (types.uint8, types.boolean)


def require(given: Any, dtype: Any, what: str) -> None:
    wanted = _FLAGS if dtype is types.uint8 else (dtype,)
    if not isinstance(given, types.Array) or given.layout != "C" or given.dtype not in wanted:
        raise TypingError(f"{what} must be a C-contiguous array of {dtype}, not {given}")


def _data(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    array = context.make_array(kind)(context, builder, value)
    return builder.bitcast(array.data, cgutils.voidptr_t)


def number(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.cast(builder, value, kind, types.int64)


def call_at(result: Any, context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    """Call the function at the address values[0]; arrays go as pointers, numbers as 64-bit integers."""
    arguments = [
        _data(context, builder, kind, value)
        if isinstance(kind, types.Array)
        else number(context, builder, kind, value)
        for kind, value in zip(kinds[1:], values[1:], strict=True)
    ]
    return call(result, builder, number(context, builder, kinds[0], values[0]), arguments)


def call(result: Any, builder: Any, address: Any, arguments: list[Any]) -> Any:
    """Call the function at *address*, which returns a *result*."""
    function_type = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(builder.inttoptr(address, function_type.as_pointer()), arguments)


@intrinsic  # type: ignore[untyped-decorator]
def call_expand(
    typing_context: Any,
    address: Any,
    states: Any,
    count: Any,
    children: Any,
    parents: Any,
    moves: Any,
    terminal: Any,
    goals: Any,
    capacity: Any,
    consumed: Any,
) -> Any:
    """``call_expand(address, states, count, children, parents, moves, terminal, goals, capacity, consumed)``"""
    require(states, types.uint64, "states")
    require(children, types.uint64, "children")
    require(parents, types.int32, "parents")
    require(moves, types.int32, "moves")
    require(terminal, types.uint8, "terminal")
    require(goals, types.int16, "goals")
    require(consumed, types.int64, "consumed")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return call_at(ir.IntType(64), context, builder, signature.args, values)

    arguments = (address, states, count, children, parents, moves, terminal, goals, capacity, consumed)
    return types.int64(*arguments), generate
