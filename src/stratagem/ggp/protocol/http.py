"""HTTP as general game players speak it: bytes in, bytes out, generous in what is taken.

Game managers of fifteen years send HTTP/1.0 with a Content-Length counted in characters, or without one and with the
connection left open; players answer with bare line feeds, without a status line, or with a length that is wrong. A
strict library refuses most of that (docs/decisions/0007-ggp-server.md), so this small reader takes what can be
understood. Limits keep it safe: so many bytes, so much time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote_plus

MOST_HEAD: Final = 65_536
MOST_BODY: Final = 4_000_000
AFTERTHOUGHT: Final = 0.5
"""Seconds to wait for the rest of a body whose length was given too short."""
REASONS: Final = {
    200: "OK",
    400: "Bad Request",
    405: "Method Not Allowed",
    408: "Request Timeout",
    413: "Content Too Large",
    503: "Service Unavailable",
}
CORS: Final = (
    "Access-Control-Allow-Origin: *\r\n"
    "Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
    "Access-Control-Allow-Headers: Content-Type\r\n"
    "Access-Control-Allow-Age: 86400\r\n"
    "Access-Control-Max-Age: 86400\r\n"
)


class Malformed(Exception):
    """Bytes that are not an HTTP message; *status* says how to answer them."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """What a manager sent: the message is the body, or the path of a GET."""

    method: str
    target: str
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """The text to be answered; a browser that just looks in asks who is there."""
        if self.method != "GET":
            return self.body
        return unquote_plus(self.target.removeprefix("/")).strip() or "( INFO )"


async def read_request(reader: asyncio.StreamReader) -> Request:
    """The request at the front of *reader*; raises `Malformed` for what is none."""
    head = await _head(reader)
    lines = head.decode("latin-1").splitlines()
    words = lines[0].split() if lines else []
    if len(words) < 2 or not words[0].isalpha():
        raise Malformed(400, "this is not an HTTP request")
    headers = _headers(lines[1:])
    method = words[0].upper()
    body = b"" if method in ("GET", "HEAD", "OPTIONS") else await _body(reader, headers)
    return Request(method, words[1], _text(body), headers)


def response(status: int, body: str, *, head_only: bool = False) -> bytes:
    """An answer as the reference gives it, headers and all; the connection closes after it."""
    data = body.encode()
    head = (
        f"HTTP/1.0 {status} {REASONS.get(status, 'Answer')}\r\nContent-type: text/acl\r\n"
        f"Content-length: {len(data)}\r\n{CORS}Connection: close\r\n\r\n"
    )
    return head.encode("ascii") + (b"" if head_only else data)


def request(host: str, receiver: str, body: str, *, path: str = "/") -> bytes:
    """A message as the reference's game manager sends it, byte for byte."""
    data = body.encode()
    return (
        f"POST {quote(path, safe='/%?=&')} HTTP/1.0\r\nAccept: text/delim\r\nHost: {host}\r\nSender: GAMESERVER\r\n"
        f"Receiver: {receiver}\r\nContent-Type: text/acl\r\nContent-Length: {len(data)}\r\n\r\n"
    ).encode() + data


async def read_response(reader: asyncio.StreamReader) -> str:
    """The body of a player's answer. Status and headers do not matter, but for the length.

    There must be an empty line before the body; `Malformed` where none comes before the connection ends.
    """
    try:
        head = await _head(reader, strict=True)
    except Malformed as broken:
        raise Malformed(0, f"the answer is not HTTP: {broken}") from broken
    return _text(await _body(reader, _headers(head.decode("latin-1").splitlines()), until_end=True))


async def _head(reader: asyncio.StreamReader, *, strict: bool = False) -> bytes:
    """All lines up to the first empty one, whatever ends the lines."""
    head = b""
    while True:
        try:
            line = await reader.readline()
        except ValueError as long:
            raise Malformed(400, "a line without end") from long
        if not line:
            if strict or not head.strip():
                raise Malformed(400, "the connection ended before the message")
            return head
        if line in (b"\r\n", b"\n"):
            if head or strict:
                return head
            continue  # empty lines before a request are passed over
        head += line
        if len(head) > MOST_HEAD:
            raise Malformed(413, "the headers are too long")


def _headers(lines: list[str]) -> dict[str, str]:
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    return {name.strip().lower(): value.strip() for name, value in pairs}


async def _body(
    reader: asyncio.StreamReader, headers: Mapping[str, str], *, until_end: bool = False
) -> bytes:
    if "chunked" in headers.get("transfer-encoding", "").lower():
        return await _chunks(reader)
    length = headers.get("content-length", "")
    if length.isascii() and length.isdecimal():
        if int(length[:12]) > MOST_BODY:
            raise Malformed(413, f"at most {MOST_BODY:,} bytes are read")
        body = await _at_most(reader, int(length[:12]))
        if until_end or _complete(body):
            return body
        return body + await _rest(reader, body)
    return await _until(reader, b"", until_end)


async def _rest(reader: asyncio.StreamReader, body: bytes) -> bytes:
    """What still belongs to a body whose length was counted in characters, not bytes."""
    try:
        whole = await asyncio.wait_for(_until(reader, body, until_end=False), AFTERTHOUGHT)
    except TimeoutError:
        return b""
    return whole[len(body) :]


async def _at_most(reader: asyncio.StreamReader, count: int) -> bytes:
    try:
        return await reader.readexactly(count)
    except asyncio.IncompleteReadError as short:
        return short.partial


async def _until(reader: asyncio.StreamReader, body: bytes, until_end: bool) -> bytes:
    """Reads until the expression is complete or, if *until_end*, until the connection ends."""
    pieces, size = [body], len(body)
    open_brackets = body.count(b"(") - body.count(b")")
    while until_end or size == 0 or open_brackets > 0 or b"(" not in b"".join(pieces):
        piece = await reader.read(65_536)
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
        open_brackets += piece.count(b"(") - piece.count(b")")
        if size > MOST_BODY:
            raise Malformed(413, f"at most {MOST_BODY:,} bytes are read")
    return b"".join(pieces)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        try:
            line = (await reader.readline()).split(b";")[0].strip()
            count = int(line, 16)
        except ValueError as broken:
            raise Malformed(400, "a chunk without a length") from broken
        if count <= 0:
            return b"".join(pieces)
        size += count
        if size > MOST_BODY:
            raise Malformed(413, f"at most {MOST_BODY:,} bytes are read")
        pieces.append(await _at_most(reader, count))
        await reader.readline()


def _complete(body: bytes) -> bool:
    return body.count(b"(") <= body.count(b")")


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("latin-1")
