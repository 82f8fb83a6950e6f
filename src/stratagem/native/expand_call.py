"""Callers for numba kernels: `call_expand(address, ...)`, `call_expand_at`, `call_evaluate`, and `prefetch`.

Intrinsics that take the function's address as an integer and arrays as they are, so that a kernel is compiled once
and cached for all games; usable inside ``@njit(nogil=True)``. The C functions' contract stands in `expand`.
Arrays must be C-contiguous and of the contract's types; a scalar result such as *consumed* is an array of one.

    @njit(nogil=True)
    def kernel(expand_address, states, children, parents, moves, terminal, goals, consumed):
        return call_expand(expand_address, states, len(states), children, parents, moves, terminal, goals,
                           len(parents), consumed)
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

_FLAGS = (types.uint8, types.boolean)


def _require(given: Any, dtype: Any, what: str) -> None:
    wanted = _FLAGS if dtype is types.uint8 else (dtype,)
    if not isinstance(given, types.Array) or given.layout != "C" or given.dtype not in wanted:
        raise TypingError(f"{what} must be a C-contiguous array of {dtype}, not {given}")


def _data(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    array = context.make_array(kind)(context, builder, value)
    return builder.bitcast(array.data, cgutils.voidptr_t)


def _number(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.cast(builder, value, kind, types.int64)


def _call(result: Any, context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    """Call the function at the address values[0]; arrays go as pointers, numbers as 64-bit integers."""
    arguments = [
        _data(context, builder, kind, value)
        if isinstance(kind, types.Array)
        else _number(context, builder, kind, value)
        for kind, value in zip(kinds[1:], values[1:], strict=True)
    ]
    function_type = ir.FunctionType(result, [argument.type for argument in arguments])
    address = _number(context, builder, kinds[0], values[0])
    function = builder.inttoptr(address, function_type.as_pointer())
    return builder.call(function, arguments)


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
    _require(states, types.uint64, "states")
    _require(children, types.uint64, "children")
    _require(parents, types.int32, "parents")
    _require(moves, types.int32, "moves")
    _require(terminal, types.uint8, "terminal")
    _require(goals, types.int16, "goals")
    _require(consumed, types.int64, "consumed")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _call(ir.IntType(64), context, builder, signature.args, values)

    arguments = (address, states, count, children, parents, moves, terminal, goals, capacity, consumed)
    return types.int64(*arguments), generate


@intrinsic  # type: ignore[untyped-decorator]
def call_evaluate(
    typing_context: Any, address: Any, states: Any, count: Any, legal: Any, terminal: Any, goals: Any
) -> Any:
    """``call_evaluate(address, states, count, legal, terminal, goals)``"""
    _require(states, types.uint64, "states")
    _require(legal, types.uint64, "legal")
    _require(terminal, types.uint8, "terminal")
    _require(goals, types.int16, "goals")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        _call(ir.VoidType(), context, builder, signature.args, values)
        return context.get_dummy_value()

    return types.void(address, states, count, legal, terminal, goals), generate


@intrinsic  # type: ignore[untyped-decorator]
def call_expand_at(
    typing_context: Any,
    address: Any,
    arena: Any,
    row: Any,
    count: Any,
    parents: Any,
    moves: Any,
    terminal: Any,
    goals: Any,
    top: Any,
    capacity: Any,
    consumed: Any,
) -> Any:
    """``call_expand_at(address, arena, row, count, parents, moves, terminal, goals, top, capacity, consumed)``

    Expands *count* states from *row* of the arena on into its rows from *top* on, and so for the other arrays. Slices
    would do the same, but each costs a count of references.
    """
    _require(arena, types.uint64, "arena")
    _require(parents, types.int32, "parents")
    _require(moves, types.int32, "moves")
    _require(terminal, types.uint8, "terminal")
    _require(goals, types.int16, "goals")
    _require(consumed, types.int64, "consumed")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        number = ir.IntType(64)

        def at(place: int, index: Any) -> Any:
            array = context.make_array(kinds[place])(context, builder, values[place])
            step = builder.extract_value(array.strides, 0)
            base = builder.bitcast(array.data, cgutils.voidptr_t)
            return builder.gep(base, [builder.mul(step, index)])

        row = _number(context, builder, kinds[2], values[2])
        top = _number(context, builder, kinds[8], values[8])
        arguments = [
            at(1, row),
            _number(context, builder, kinds[3], values[3]),
            at(1, top),
            *(at(place, top) for place in range(4, 8)),
            _number(context, builder, kinds[9], values[9]),
            _data(context, builder, kinds[10], values[10]),
        ]
        function_type = ir.FunctionType(number, [argument.type for argument in arguments])
        where = _number(context, builder, kinds[0], values[0])
        return builder.call(builder.inttoptr(where, function_type.as_pointer()), arguments)

    arguments = (address, arena, row, count, parents, moves, terminal, goals, top, capacity, consumed)
    return types.int64(*arguments), generate


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typing_context: Any, array: Any, row: Any) -> Any:
    """``prefetch(array, row)``: that row will be read soon; changes nothing but the time it takes."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        block = context.make_array(signature.args[0])(context, builder, values[0])
        index = _number(context, builder, signature.args[1], values[1])
        base = builder.bitcast(block.data, cgutils.voidptr_t)
        place = builder.gep(base, [builder.mul(builder.extract_value(block.strides, 0), index)])
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, flag, flag, flag])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [place, flag(0), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(array, row), generate
