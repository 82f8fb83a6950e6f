"""The player on the network: HTTP around a `MessageHandler`.

Every connection carries one message. A client that sends too slowly, too much, or nothing that can be understood gets
an answer that says so and is disconnected; others are not affected.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from stratagem.errors import UsageError
from stratagem.ggp.player.handler import MessageHandler
from stratagem.ggp.player.sockets import Shortcut, age_of_message, arrived
from stratagem.ggp.protocol.http import Malformed, read_request, response

SLOWEST: Final = 10.0
"""Seconds that a client may take to send its message."""
LINGER: Final = 2.0
"""Seconds during which the rest of a message that was refused is thrown away, so that the refusal can be read."""
BACKLOG: Final = 512
LOOPBACK: Final = "127.0.0.1"


class PlayerServer:
    """Serves one handler at one port; port 0 takes any that is free.

    Unless it *opens* at once the port is taken, and connections are refused until `open`.
    """

    def __init__(
        self,
        handler: MessageHandler,
        *,
        host: str = LOOPBACK,
        port: int = 9147,
        slowest: float = SLOWEST,
        opens: bool = True,
        log: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.handler = handler
        self.host = host
        self.port = port
        self.slowest = slowest
        self.opens = opens
        self.log = log
        self.slacks: deque[float] = deque(maxlen=10_000)
        """Seconds that were left on the clock when an answer had been written, for every START and PLAY of late."""
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> PlayerServer:
        try:
            self._server = await asyncio.start_server(
                self._connected,
                self.host,
                self.port,
                backlog=BACKLOG,
                limit=1 << 16,
                start_serving=self.opens,
            )
        except (OSError, OverflowError) as failure:
            reason = getattr(failure, "strerror", None) or str(failure)
            raise UsageError(
                f"port {self.port} at {self.host} cannot be used: {reason}",
                hint="give another with --port, or stop what is using it",
            ) from failure
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        self.handler.close()

    async def open(self) -> None:
        """Lets connections in."""
        if self._server is not None:
            await self._server.start_serving()

    async def serve(self) -> None:
        """Serves until cancelled."""
        if self._server is not None:
            await self._server.serve_forever()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        received = self.handler.clock.now() - age_of_message(writer)
        try:
            await self._converse(reader, writer, received)
        except (ConnectionError, TimeoutError):
            self.log("a connection was lost")
        except asyncio.CancelledError:
            self.log("a connection was closed: the player stops")  # and this task with it
        finally:
            writer.close()
            with suppress(ConnectionError, TimeoutError):
                await writer.wait_closed()

    async def _converse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, received: float
    ) -> None:
        try:
            request = await asyncio.wait_for(read_request(reader), self.slowest)
        except TimeoutError:
            await self._send(
                writer, response(408, f"nil ; no complete message within {self.slowest:g} seconds")
            )
            return
        except Malformed as broken:
            self.log(f"refused: {broken}")
            await self._send(writer, response(broken.status, f"nil ; {broken}"))
            await self._throw_away(reader)
            return
        if request.method == "OPTIONS":
            await self._send(writer, response(200, ""))
        elif request.method == "HEAD":
            await self._send(writer, response(200, "( INFO )", head_only=True))
        elif request.method not in ("GET", "POST"):
            await self._send(
                writer, response(405, f"nil ; {request.method} is not supported here: POST, GET, OPTIONS")
            )
        else:
            await self._answer(request.message, reader, writer, received)

    async def _answer(
        self, message: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, received: float
    ) -> None:
        shortcut = Shortcut(writer, self.handler.clock)
        try:
            reply = await self.handler.answer(
                message, received, decided=lambda move: shortcut.send(response(200, move.text))
            )
            if shortcut.written is None:
                writer.write(response(200 if reply.understood else 400, reply.text))
                await asyncio.wait_for(writer.drain(), self.slowest)
            written = self.handler.clock.now() if shortcut.written is None else shortcut.written
        finally:
            shortcut.close()
        self.handler.margin.answering.note(written - reply.decided)
        if reply.deadline:
            self.slacks.append(reply.deadline - written)
        if reply.match and not await arrived(reader, writer):
            self.log(f"{reply.match}: {reply.text} could not be delivered")
            self.handler.unheard(reply.match)

    async def _send(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        writer.write(data)
        await asyncio.wait_for(writer.drain(), self.slowest)
        if writer.can_write_eof():
            writer.write_eof()

    async def _throw_away(self, reader: asyncio.StreamReader) -> None:
        with suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(LINGER):
                while await reader.read(1 << 16):
                    pass
