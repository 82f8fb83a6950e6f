"""One state at a time: native code called from Python with as little between as possible.

States are ints. A call costs about a microsecond beside the gates themselves; memory for the answers is made once and
guarded by a lock, since the call releases the interpreter's.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Sequence

from stratagem.circuit.circuit import Circuit
from stratagem.native.driver.build import driver
from stratagem.native.driver.game_header import Header, sizes_of
from stratagem.native.phases.expand_tables import Lanes


class Single:
    """The phases of one circuit for single states."""

    def __init__(self, circuit: Circuit) -> None:
        sizes = sizes_of(circuit)
        self._lanes = Lanes(circuit)
        self._header = Header(self._lanes)
        shared = driver()
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        self._evaluate = ctypes.CFUNCTYPE(None, pointer, pointer, number, pointer, pointer, pointer)(
            shared["evaluate"]
        )
        self._advance = ctypes.CFUNCTYPE(None, pointer, pointer, number, pointer, pointer)(shared["advance"])
        self._game = self._header.address
        self._bytes = 8 * sizes.words
        roles, mask_words = sizes.roles, sizes.mask_words
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
