"""The functions of a compiled game that kernels call by their address: types of the fields that hold them.

`native/compiled.py` says what they do.
"""

from __future__ import annotations

from typing import TypeAlias

from stratagem.kernels import Array, Function, int16, int32, uint64

Expand: TypeAlias = Function[
    [
        Array[uint64], int, Array[uint64], Array[int32], Array[int32], Array[bool], Array[int16], int, Array[int],
    ],
    int,
]  # fmt: skip
"""states, count, children, parents, moves, terminal, goals, capacity, consumed -> the number of children"""

Evaluate: TypeAlias = Function[[Array[uint64], int, Array[uint64], Array[bool], Array[int16]], None]
"""states, count, legal, terminal, goals"""

Advance: TypeAlias = Function[[Array[uint64], int, Array[int32], Array[uint64]], None]
"""states, count, moves, children"""
