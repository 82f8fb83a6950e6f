"""Intrinsics for hot loops in numba: expansion of rows named by their numbers, prefetch, population count.

`expand_row` is `call_expand` for one state of an arena whose children go into the same arena: the pointers are computed
from row numbers, where slices would make and count references to six arrays for every node.

`prefetch` fetches the beginning of a row into the cache. A table of states is larger than every cache, so that a look into
it waits for memory; asked for early, the row is there when it is needed. The hint changes nothing else.

`count_ones` is the processor's own count of the bits that are set.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from stratagem.native.calls.expand import call, number


def _row(context: Any, builder: Any, kind: Any, value: Any, row: Any) -> Any:
    """The address of a row of an array in C order."""
    made = context.make_array(kind)(context, builder, value)
    width = builder.extract_value(made.strides, 0)
    start = builder.bitcast(made.data, cgutils.voidptr_t)
    return builder.gep(start, [builder.mul(row, width)])


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typing_context: Any, array: Any, row: Any) -> Any:
    """``prefetch(array, row)``: the first line of a row of a two-dimensional array in C order."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place = number(context, builder, signature.args[1], values[1])
        address = _row(context, builder, signature.args[0], values[0], place)
        small = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, small, small, small])
        hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        reading, keep, data = small(0), small(3), small(1)
        builder.call(hint, [address, reading, keep, data])
        return context.get_dummy_value()

    return types.void(array, row), generate


@intrinsic  # type: ignore[untyped-decorator]
def expand_row(
    typing_context: Any,
    address: Any,
    arena: Any,
    row: Any,
    top: Any,
    parents: Any,
    moves: Any,
    terminal: Any,
    goals: Any,
    capacity: Any,
    consumed: Any,
) -> Any:
    """``expand_row(address, arena, row, top, parents, moves, terminal, goals, capacity, consumed)``

    The children of the state in *row* go into rows *top* and on of all arrays but *parents*.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args
        zero = ir.IntType(64)(0)
        source, target = (number(context, builder, kinds[place], values[place]) for place in (2, 3))
        arguments = [
            _row(context, builder, kinds[1], values[1], source),
            ir.IntType(64)(1),
            _row(context, builder, kinds[1], values[1], target),
            _row(context, builder, kinds[4], values[4], zero),
            _row(context, builder, kinds[5], values[5], target),
            _row(context, builder, kinds[6], values[6], target),
            _row(context, builder, kinds[7], values[7], target),
            number(context, builder, kinds[8], values[8]),
            _row(context, builder, kinds[9], values[9], zero),
        ]
        return call(ir.IntType(64), builder, number(context, builder, kinds[0], values[0]), arguments)

    return (
        types.int64(address, arena, row, top, parents, moves, terminal, goals, capacity, consumed),
        generate,
    )


@intrinsic  # type: ignore[untyped-decorator]
def count_ones(typing_context: Any, word: Any) -> Any:
    """``count_ones(word)``: how many bits of a 64-bit word are set."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.ctpop(values[0])

    return types.uint64(types.uint64), generate
