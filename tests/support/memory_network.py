"""Connections without a network: for coroutines in virtual time, where a real socket would be late at random."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class _Pipe(asyncio.Transport):
    """One direction of a connection: what is written is read at the other end, at once."""

    def __init__(self, far: asyncio.StreamReader, protocol: asyncio.StreamReaderProtocol) -> None:
        super().__init__()
        self._far = far
        self._protocol = protocol
        self._closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self._closing:
            self._far.feed_data(bytes(data))

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        if not self._closing:
            self._far.feed_eof()

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self._far.feed_eof()
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, None)

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


def connection(limit: int = 1 << 20) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """The two ends of a new connection, each a reader and a writer."""
    loop = asyncio.get_running_loop()
    readers = [asyncio.StreamReader(limit=limit, loop=loop) for _ in range(2)]
    ends = []
    for near, far in (readers, readers[::-1]):
        protocol = asyncio.StreamReaderProtocol(near, loop=loop)
        pipe = _Pipe(far, protocol)
        protocol.connection_made(pipe)
        ends.append((near, asyncio.StreamWriter(pipe, protocol, near, loop)))
    return ends[0], ends[1]


class MemoryNetwork:
    """Hosts by port; everybody else refuses connections. `connect` stands for `asyncio.open_connection`."""

    def __init__(self) -> None:
        self.servers: dict[int, Serve] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> MemoryNetwork:
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def connect(
        self, host: str, port: int, *, limit: int = 1 << 20
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        serve = self.servers.get(port)
        if serve is None:
            raise ConnectionRefusedError(111, f"Connect call failed ('{host}', {port})")
        near, far = connection(limit)
        task = asyncio.ensure_future(serve(*far))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return near
