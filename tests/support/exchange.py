"""Recorded and invented conversations between game managers and players, byte for byte."""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from tests.support.data import corpus
from tests.support.memory_network import MemoryNetwork

Answer = bytes | Callable[[bytes], Awaitable[bytes]]


def tap(name: str) -> list[tuple[bytes, bytes]]:
    """The recorded exchanges in a tap log: what the server sent, what the player answered."""
    lines = (corpus() / "protocol" / name).read_text(encoding="utf-8").splitlines()
    said = [ast.literal_eval(line) for line in lines if line.startswith(("b'", 'b"'))]
    return list(zip(said[::2], said[1::2], strict=True))


def requests_of(name: str) -> list[bytes]:
    """Everything that a server sent, one request a line."""
    path: Path = corpus() / "protocol" / name
    return [ast.literal_eval(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def body(message: bytes) -> str:
    return message.split(b"\r\n\r\n", 1)[1].decode()


def rules_in(start: str) -> str:
    """The rules inside a START message of the reference."""
    found = re.search(r"START \S+ \S+ \((.*) \) \S+ \S+\)$", start, re.DOTALL)
    assert found is not None
    return found.group(1)


async def send(port: int, data: bytes, *, finish: bool = False, patience: float = 120) -> bytes:
    """What the server at *port* answers to *data*, until it closes; *finish* closes our side first."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        await writer.drain()
        if finish:
            writer.write_eof()
        async with asyncio.timeout(patience):
            return await reader.read()
    finally:
        writer.close()


def post(message: str, version: str = "1.0") -> bytes:
    """A message as a manager would send it."""
    data = message.encode()
    return f"POST / HTTP/{version}\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data


async def say(port: int, message: str, *, patience: float = 120) -> str:
    """The body of the answer to *message*."""
    return body(await send(port, post(message), patience=patience))


class FakePlayer:
    """A player that answers each connection with the next of *answers*, and remembers what it was sent.

    It listens at a real port, or at one of a *network* without sockets.
    """

    def __init__(
        self, answers: Sequence[Answer], network: MemoryNetwork | None = None, port: int = 0
    ) -> None:
        self.answers = list(answers)
        self.requests: list[bytes] = []
        self.port = port
        self._network = network
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> FakePlayer:
        if self._network is not None:
            self._network.servers[self.port] = self._answer
            return self
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._network is not None:
            self._network.servers.pop(self.port, None)
        elif self._server is not None:
            self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(re.search(rb"Content-Length: (\d+)", head).group(1))  # type: ignore[union-attr]
            request = head + await reader.readexactly(length)
            self.requests.append(request)
            answer = self.answers.pop(0) if self.answers else b""
            data = answer if isinstance(answer, bytes) else await answer(request)
            writer.write(data)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


def http(text: str) -> bytes:
    """An ordinary answer of a player."""
    return f"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: {len(text)}\r\n\r\n{text}".encode()
