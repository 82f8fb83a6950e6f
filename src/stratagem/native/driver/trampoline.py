"""Trampolines: three functions at addresses of one game's own, which call the driver that all games share.

A kernel knows a game by the addresses of its functions; the driver takes the game as its first argument. Each copy of
this code in memory has a cell of its own for that argument, so one piece of object code serves all games.
"""

from __future__ import annotations

import ctypes

from stratagem.native.driver.expand import advance, evaluate, expand
from stratagem.native.jit.kernel_families import CompiledKernels
from stratagem.native.jit.llvm import LoadedCode
from stratagem.native.jit.object_cache import compiled

_TEXT = """
@bound = internal global [4 x ptr] zeroinitializer, align 32

define void @bind(ptr %game, ptr %expand, ptr %evaluate, ptr %advance) {
  store ptr %game, ptr @bound
  store ptr %expand, ptr getelementptr (ptr, ptr @bound, i64 1)
  store ptr %evaluate, ptr getelementptr (ptr, ptr @bound, i64 2)
  store ptr %advance, ptr getelementptr (ptr, ptr @bound, i64 3)
  ret void
}
define i64 @expand(ptr %a, i64 %b, ptr %c, ptr %d, ptr %e, ptr %f, ptr %g, i64 %h, ptr %i) {
  %game = load ptr, ptr @bound
  %function = load ptr, ptr getelementptr (ptr, ptr @bound, i64 1)
  %made = call i64 %function(ptr %game, ptr %a, i64 %b, ptr %c, ptr %d, ptr %e, ptr %f, ptr %g, i64 %h, ptr %i)
  ret i64 %made
}
define void @evaluate(ptr %a, i64 %b, ptr %c, ptr %d, ptr %e) {
  %game = load ptr, ptr @bound
  %function = load ptr, ptr getelementptr (ptr, ptr @bound, i64 2)
  tail call void %function(ptr %game, ptr %a, i64 %b, ptr %c, ptr %d, ptr %e)
  ret void
}
define void @advance(ptr %a, i64 %b, ptr %c, ptr %d) {
  %game = load ptr, ptr @bound
  %function = load ptr, ptr getelementptr (ptr, ptr @bound, i64 3)
  tail call void %function(ptr %game, ptr %a, i64 %b, ptr %c, ptr %d)
  ret void
}
"""


class EntryPoints:
    """One game's copy of the trampolines; *game* is the address of the header that the driver gets."""

    def __init__(self, game: int, driver: CompiledKernels) -> None:
        names = ("bind", "expand", "evaluate", "advance")
        self._code = LoadedCode(compiled("trampoline", 2, lambda: _TEXT), names)
        bind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(self._code["bind"])
        bind(game, *(driver.address(kernel) for kernel in (expand, evaluate, advance)))
        self._driver = driver
        self.expand_address = self._code["expand"]
        self.evaluate_address = self._code["evaluate"]
        self.advance_address = self._code["advance"]
