"""The door: two functions at fixed addresses that lead to whatever code is best at the moment.

A kernel holds a game's `expand` as an address, and the code behind it is to be replaced while kernels run. So the
address is that of a few instructions that read a cell in memory: which function, and with which context as
its first argument. Leading elsewhere is one store of eight bytes, seen whole or not at all.
"""

from __future__ import annotations

import ctypes

import numpy as np

from stratagem.native.jit import Loaded, compile_object

_TEXT = """
define i64 @expand(ptr %a, i64 %b, ptr %c, ptr %d, ptr %e, ptr %f, ptr %g, i64 %h, ptr %i) {
  %cell = inttoptr i64 CELL to ptr
  %room = load atomic ptr, ptr %cell acquire, align 8
  %function = load ptr, ptr %room
  %place = getelementptr i64, ptr %room, i64 2
  %context = load ptr, ptr %place
  %made = tail call i64 %function(ptr %context, ptr %a, i64 %b, ptr %c, ptr %d, ptr %e, ptr %f, ptr %g, i64 %h, ptr %i)
  ret i64 %made
}
define void @evaluate(ptr %a, i64 %b, ptr %c, ptr %d, ptr %e) {
  %cell = inttoptr i64 CELL to ptr
  %room = load atomic ptr, ptr %cell acquire, align 8
  %next = getelementptr i64, ptr %room, i64 1
  %function = load ptr, ptr %next
  %place = getelementptr i64, ptr %room, i64 2
  %context = load ptr, ptr %place
  tail call void %function(ptr %context, ptr %a, i64 %b, ptr %c, ptr %d, ptr %e)
  ret void
}
"""


class Door:
    """Owns the two functions and the cell that they read."""

    def __init__(self) -> None:
        self._cell = np.zeros(1, np.uint64)
        self._rooms: list[object] = []
        text = _TEXT.replace("CELL", str(self._cell.ctypes.data))
        self._code = Loaded(compile_object(text, 1), ("expand", "evaluate"))
        self.expand_address = self._code["expand"]
        self.evaluate_address = self._code["evaluate"]

    def lead_to(self, expand: int, evaluate: int, context: int) -> None:
        """From now on lead to the functions at these addresses; callers inside the old ones may finish."""
        room = np.array([expand, evaluate, context], np.uint64)
        self._rooms.append(room)
        ctypes.c_uint64.from_address(self._cell.ctypes.data).value = room.ctypes.data
