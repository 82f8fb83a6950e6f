"""Compiled rules for one state at a time, with the least overhead per call from Python.

States are ints whose bits are the packed state. A call costs about a microsecond beside the gates themselves; memory
for the answers is made once and guarded by a lock, since the call releases the interpreter's.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Sequence

from stratagem.native.driver.build import EXPAND
from stratagem.native.driver.expand import advance, evaluate
from stratagem.native.driver.game_header import GameHeader
from stratagem.native.jit.kernel_families import compiled_family


class Single:
    """The questions about single states of one game."""

    def __init__(self, header: GameHeader) -> None:
        self._header = header
        self._driver = compiled_family(EXPAND)
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        self._evaluate = ctypes.CFUNCTYPE(None, pointer, pointer, number, pointer, pointer, pointer)(
            self._driver.address(evaluate)
        )
        self._advance = ctypes.CFUNCTYPE(None, pointer, pointer, number, pointer, pointer)(
            self._driver.address(advance)
        )
        self._game = header.address
        self._bytes = 8 * header.words
        roles, mask_words = len(header.circuit.roles), header.mask_words
        self._legal = ctypes.create_string_buffer(8 * roles * mask_words)
        self._terminal = ctypes.create_string_buffer(1)
        self._goals = ctypes.create_string_buffer(2 * roles)
        self._child = ctypes.create_string_buffer(self._bytes)
        self._goal_format = struct.Struct(f"<{roles}h")
        self._move_format = struct.Struct(f"<{roles}i")
        self._masks = [slice(8 * mask_words * role, 8 * mask_words * (role + 1)) for role in range(roles)]
        self._lock = threading.Lock()

    def evaluate(self, state: int) -> tuple[list[int], bool, tuple[int, ...]]:
        """For each role the mask of its legal moves; whether it is over; for each role its goal, -1 for none."""
        with self._lock:
            self._evaluate(
                self._game,
                state.to_bytes(self._bytes, "little"),
                1,
                self._legal,
                self._terminal,
                self._goals,
            )
            legal, over, goals = self._legal.raw, self._terminal.raw, self._goals.raw
        masks = [int.from_bytes(legal[place], "little") for place in self._masks]
        return masks, over != b"\0", self._goal_format.unpack(goals)

    def advance(self, state: int, moves: Sequence[int]) -> int:
        """The state after the moves with these numbers, one for every role."""
        with self._lock:
            self._advance(
                self._game,
                state.to_bytes(self._bytes, "little"),
                1,
                self._move_format.pack(*moves),
                self._child,
            )
            return int.from_bytes(self._child.raw, "little")
