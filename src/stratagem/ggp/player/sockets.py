"""TCP state of a connection: when its message came in, and whether the answer was delivered.

A server that is busy looks at a message later than it came, and the clock of its sender has been running since.
And a manager that died while we were thinking never heard our move, so that it may ask again. Linux tells both (its
``struct tcp_info``); elsewhere a message is as old as our first look at it.

`Shortcut` is for a move that must not wait in line: it is written to the connection by the thread that decided it, past
an event loop that may have hundreds of other connections to look at first.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import Final

from stratagem.platform import tcp_info
from stratagem.play.clock import REAL, Clock

CLOSED: Final = 7
STATE: Final = 0
UNCONFIRMED, LAST_RECEIVED = 8 + 4 * 4, 8 + 11 * 4
"""Places in the structure: eight bytes of flags, then whole numbers of four bytes."""
SETTLING: Final = 0.02
"""Seconds for the kernel at the other end to say that the other process is gone."""


def age_of_message(writer: asyncio.StreamWriter) -> float:
    """Seconds since something last came in, 0 where that is unknown."""
    known = _condition(writer)
    return 0.0 if known is None else _number(known, LAST_RECEIVED) / 1000


async def arrived(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Whether what was written was delivered: not so if the other side was gone before."""
    if not reader.at_eof():
        return True
    await asyncio.sleep(SETTLING)  # it may only have finished speaking: then it confirms what it hears
    known = _condition(writer)
    return known is not None and known[STATE] != CLOSED and _number(known, UNCONFIRMED) == 0


def _condition(writer: asyncio.StreamWriter) -> bytes | None:
    return tcp_info(writer.get_extra_info("socket"), LAST_RECEIVED + 4)


def _number(known: bytes, place: int) -> int:
    value: int = struct.unpack_from("=I", known, place)[0]
    return value


class Shortcut:
    """Another handle of a connection, for one small write from any thread; *written* is when that was done."""

    def __init__(self, writer: asyncio.StreamWriter, clock: Clock = REAL) -> None:
        self._clock = clock
        self.written: float | None = None
        connection = writer.get_extra_info("socket")
        try:
            self._handle: socket.socket | None = None if connection is None else connection.dup()
        except OSError:
            self._handle = None

    def send(self, data: bytes) -> None:
        """Writes *data*, all of it or nothing; *written* stays None where that could not be done at once."""
        if self._handle is None:
            return
        try:
            if self._handle.send(data) == len(data):
                self.written = self._clock.now()
        except OSError:
            return

    def close(self) -> None:
        if self._handle is not None:
            self._handle.close()
