"""The HTTP client of a manager: one connection, one message, one answer, within a time limit."""

from __future__ import annotations

import asyncio
import difflib
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from socket import gaierror
from typing import Final, Protocol
from urllib.parse import urlsplit

from stratagem.errors import UsageError
from stratagem.ggp.protocol.http import Malformed, read_response, request
from stratagem.play.players import PLAYERS, is_player

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
                f"{text!r} is not an address of a player", hint="write host:port, as in localhost:9147"
            )
        return cls(parts.hostname, DEFAULT_PORT if port is None else port, parts.path or "/")

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}{'' if self.path == '/' else self.path}"


def player_or_address(text: str) -> Address | None:
    """The address in *text*, None for the name of a player of ours; everything else is refused.

    A host alone must be written as a URL (``http://localhost``), since a misspelt player would be one too.

    >>> player_or_address("uct"), player_or_address("localhost:9147")
    (None, Address(host='localhost', port=9147, path='/'))
    """
    if is_player(text):
        return None
    if ":" in text:
        return Address.of(text)
    close = difflib.get_close_matches(text.lower(), PLAYERS, n=1)
    meant = f"did you mean {close[0]}? " if close else f"choose one of {', '.join(PLAYERS)}; "
    raise UsageError(
        f"no player called {text!r}",
        hint=f"{meant}a player on the network is written host:port, as in {text or 'localhost'}:{DEFAULT_PORT}",
    )


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
        return Failure(NO_CONNECTION, f"{address} closed the connection: {_reason(failure)}")
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
