"""Callers for numba kernels that play random matches by address, and a lock for kernels that share memory.

    call_playout(address, room, root, block, log, tables)   the function of a `PlayoutKernel`; a fused one ignores *tables*
    call_phase(address, frame, table)                       one phase of a walked circuit on a frame
    take(lock), give(lock)                                  a spin lock: an array of one int64, 0 when it is free

As in `calls.expand`, addresses are integers, so that kernels are compiled once for all games.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from stratagem.native.calls.expand import call_at, require
from stratagem.native.jit.numba_cache import njit


@intrinsic  # type: ignore[untyped-decorator]
def call_playout(
    typing_context: Any, address: Any, room: Any, root: Any, block: Any, log: Any, tables: Any
) -> Any:
    """``call_playout(address, room, root, block, log, tables)``"""
    for given, what in ((room, "room"), (root, "root"), (block, "block"), (log, "log")):
        require(given, types.uint64, what)
    require(tables, types.int64, "tables")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        call_at(ir.VoidType(), context, builder, signature.args, values)
        return context.get_dummy_value()

    return types.void(address, room, root, block, log, tables), generate


@intrinsic  # type: ignore[untyped-decorator]
def call_phase(typing_context: Any, address: Any, frame: Any, table: Any) -> Any:
    """``call_phase(address, frame, table)``; *table* is an address too."""
    require(frame, types.uint64, "frame")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        call_at(ir.VoidType(), context, builder, signature.args, values)
        return context.get_dummy_value()

    return types.void(address, frame, table), generate


@intrinsic  # type: ignore[untyped-decorator]
def _exchange(typing_context: Any, lock: Any, value: Any) -> Any:
    """Puts *value* into the first element of *lock*; what was there before."""
    require(lock, types.int64, "lock")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, values[0])
        new = context.cast(builder, values[1], signature.args[1], types.int64)
        return builder.atomic_rmw("xchg", array.data, new, "seq_cst")

    return types.int64(lock, value), generate


@njit(nogil=True)
def take(lock):  # type: ignore[no-untyped-def]
    """Waits for the lock; held for a microsecond or two, so waiting is spinning."""
    while _exchange(lock, 1) != 0:
        pass


@njit(nogil=True)
def give(lock):  # type: ignore[no-untyped-def]
    """Sets the lock free."""
    _exchange(lock, 0)
