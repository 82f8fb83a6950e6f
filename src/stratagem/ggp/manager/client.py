"""The way from a manager to a player: one connection, one message, one answer, within so many seconds."""

from __future__ import annotations

import asyncio
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from socket import gaierror
from typing import Final, Protocol
from urllib.parse import urlsplit

from stratagem.errors import UsageError
from stratagem.ggp.protocol.http import Malformed, read_response, request

CONNECTING: Final = 5.0
"""Seconds for a connection to come about."""
TOO_LATE: Final = "TO"
NO_CONNECTION: Final = "CE"
DEFAULT_PORT: Final = 9147
ERROR_NUMBER: Final = re.compile(r"\[Errno (\d+)\]")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer: ``TO`` or ``CE``, as the field's records abbreviate it, and in words."""

    code: str
    why: str
    reached: bool = True
    """Whether there was a connection, at least."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a player listens."""

    host: str
    port: int = DEFAULT_PORT
    path: str = "/"

    @classmethod
    def of(cls, text: str) -> Address:
        """``host:port``, ``host`` or an URL.

        >>> Address.of("localhost:9147"), Address.of("http://[::1]:80/play")
        (Address(host='localhost', port=9147, path='/'), Address(host='::1', port=80, path='/play'))
        """
        try:
            parts = urlsplit(text if "//" in text else f"//{text}")
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        if not parts.hostname or parts.scheme not in ("", "http"):
            raise UsageError(
                f"{text!r} is no address of a player", hint="write host:port, as in localhost:9147"
            )
        return cls(parts.hostname, DEFAULT_PORT if port is None else port, parts.path or "/")

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}{'' if self.path == '/' else self.path}"


class Connect(Protocol):
    """Opens a connection, as `asyncio.open_connection` does."""

    async def __call__(
        self, host: str, port: int, *, limit: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]: ...


async def ask(
    address: Address,
    receiver: str,
    message: str,
    seconds: float,
    *,
    connect: Connect = asyncio.open_connection,
) -> str | Failure:
    """What the player at *address*, whom we call *receiver*, answers to *message*, or why it does not."""
    try:
        async with asyncio.timeout(CONNECTING):
            reader, writer = await connect(address.host, address.port, limit=1 << 20)
    except (OSError, TimeoutError) as failure:
        return Failure(NO_CONNECTION, f"{address} cannot be reached: {_reason(failure)}", reached=False)
    try:
        async with asyncio.timeout(seconds):
            writer.write(request(address.host, receiver, message, path=address.path))
            await writer.drain()
            return await read_response(reader)
    except TimeoutError:
        return Failure(TOO_LATE, f"{address} did not answer within {seconds:g} s")
    except (OSError, Malformed) as failure:
        return Failure(NO_CONNECTION, f"{address} broke off: {_reason(failure)}")
    finally:
        writer.close()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(1):
                await writer.wait_closed()


def _reason(failure: BaseException) -> str:
    """Why it failed, in the words of the system: asyncio puts numbers, addresses and lists of tries around them."""
    code = failure.errno if isinstance(failure, OSError) and not isinstance(failure, gaierror) else None
    tried = ERROR_NUMBER.search(str(failure))
    if code is None and tried is not None:
        code = int(tried.group(1))
    if code is not None:
        return os.strerror(code)
    return getattr(failure, "strerror", None) or str(failure) or "no answer in time"
