from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.exchange import tap

from stratagem.ggp.protocol import http as wire
from stratagem.ggp.protocol.http import Malformed, Request, read_request, read_response, request, response


def fed(data: bytes, *, end: bool = True) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    if end:
        reader.feed_eof()
    return reader


def taken(data: bytes, *, end: bool = True) -> Request:
    async def read() -> Request:
        return await read_request(fed(data, end=end))

    return asyncio.run(read())


def body_of(data: bytes) -> str:
    async def read() -> str:
        return await read_response(fed(data))

    return asyncio.run(read())


@pytest.mark.parametrize("name", ["tap_x.log", "tap_o.log"])
def test_requests_are_the_reference_s_to_the_byte(name):
    for sent, _ in tap(name):
        text = taken(sent).message
        receiver = "player1" if name == "tap_x.log" else "player2"
        assert request("localhost", receiver, text) == sent


@pytest.mark.parametrize("name", ["tap_x.log", "tap_o.log"])
def test_answers_of_the_reference_s_players_are_read(name):
    for _, answered in tap(name):
        assert body_of(answered) == answered.split(b"\r\n\r\n", 1)[1].decode()


def test_our_answer_has_every_header_that_the_reference_s_has():
    _, answered = tap("tap_x.log")[0]
    theirs = answered.split(b"\r\n\r\n")[0].split(b"\r\n")
    ours = response(200, answered.split(b"\r\n\r\n")[1].decode()).split(b"\r\n\r\n")[0].split(b"\r\n")
    assert set(theirs) <= set(ours)


@pytest.mark.parametrize(
    "data",
    [
        b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )",
        b"POST / HTTP/1.1\r\nHost: here\r\ncontent-length:8\r\n\r\n( INFO )",
        b"POST / HTTP/1.0\nContent-Length: 8\n\n( INFO )",
        b"\r\n\r\nPOST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )",
        b"post / HTTP/1.0\r\nContent-Length: 99\r\n\r\n( INFO )",
        b"POST / HTTP/1.0\r\nContent-Length: wrong\r\n\r\n( INFO )",
        b"POST / HTTP/1.0\r\nContent-Length: -5\r\n\r\n( INFO )",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n( IN\r\n4;x=y\r\nFO )\r\n0\r\n\r\n",
        b"POST / HTTP/1.0\r\n\r\n( INFO )",
        b"POST /\r\n\r\n( INFO )",
        b"GET /%28%20INFO%20%29 HTTP/1.0\r\n\r\n",
        b"GET /(+INFO+) HTTP/1.1\r\nHost: here\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_one_message_in_many_envelopes(data):
    assert taken(data).message == "( INFO )"


def test_a_message_without_a_length_ends_with_its_last_bracket_though_the_connection_stays_open():
    assert taken(b"POST / HTTP/1.0\r\n\r\n( INFO )", end=False).message == "( INFO )"


def test_a_length_counted_in_characters_does_not_cut_the_last_bytes_off(monkeypatch):
    text = "(PLAY m ((grüße 1) noop))"
    head = f"POST / HTTP/1.0\r\nContent-Length: {len(text)}\r\n\r\n".encode()
    assert taken(head + text.encode(), end=False).message == text


def test_half_a_message_is_what_there_is_of_it(monkeypatch):
    monkeypatch.setattr(wire, "AFTERTHOUGHT", 0.01)
    assert taken(b"POST / HTTP/1.0\r\nContent-Length: 80\r\n\r\n( PLAY m1 ((ma").message == "( PLAY m1 ((ma"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"", 400),
        (b"\x00\x01\x02\x03\xff\xfe garbage", 400),
        (b"( INFO )", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: 10000000\r\n\r\n", 413),
        (
            b"POST / HTTP/1.0\r\n"
            + b"X-Long: "
            + b"x" * 60_000
            + b"\r\nX-More: "
            + b"y" * 60_000
            + b"\r\n\r\n",
            413,
        ),
        (b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n", 400),
        (b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n", 413),
        (b"A" * 200_000, 400),
    ],
)
def test_what_is_no_request_is_refused_with_a_status(data, status):
    with pytest.raises(Malformed) as refused:
        taken(data)
    assert refused.value.status == status


@settings(max_examples=60)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_request_or_are_refused(data):
    try:
        taken(data)
    except Malformed as refused:
        assert refused.status in wire.REASONS


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n(go x)", "(go x)"),
        (b"HTTP/1.1 500 Oh\r\nContent-Length: 6\r\n\r\n(go x)", "(go x)"),
        (b"HTTP/1.0 200 OK\r\n\r\n(go x)", "(go x)"),
        (b"\r\n(go x)", "(go x)"),
        (b"HTTP/1.0 200 OK\nContent-Length: 6\n\n(go x)", "(go x)"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n(go x)\r\n0\r\n\r\n", "(go x)"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\n(go x)", "(go "),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 60\r\n\r\n(go x)", "(go x)"),
    ],
)
def test_odd_answers_are_read_as_far_as_they_go(data, text):
    assert body_of(data) == text


def test_an_answer_without_an_empty_line_is_none():
    with pytest.raises(Malformed):
        body_of(b"(go x)")
