"""A hostile visitor: script in rules, names and moves, sheets that are too large, games that never end."""

from __future__ import annotations

import socket
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from tests.support.browser import complaints
from tests.support.workbench import PATIENCE, Visitor, until

from stratagem.web.app.address import Sheet, address

pytestmark = pytest.mark.realtime
SCRIPT = "<script>window.harm=1</script>"
IMAGE = "<img/src=x/onerror=window.harm=1>"
HOSTILE = f"""
(role {IMAGE}) (role {SCRIPT})
(init (cell 1 1 {SCRIPT})) (init (cell 1 2 {IMAGE})) (init (cell 2 1 b)) (init (cell 2 2 b)) (init (note {IMAGE}))
(<= (legal ?r (mark ?a ?b)) (role ?r) (true (cell ?a ?b b)))
(<= (legal ?r {SCRIPT}) (role ?r))
(<= (next (cell ?a ?b {IMAGE})) (does {IMAGE} (mark ?a ?b)))
(<= (next (cell ?a ?b ?c)) (true (cell ?a ?b ?c)))
(<= terminal (true (cell 2 2 {IMAGE})))
(goal {IMAGE} 100) (goal {SCRIPT} 0)
(<= (unused{SCRIPT} ?x) (role ?x))
"""
ENDLESS = """
(role me) (role you) (init (at 1)) (legal me go) (legal me stay) (legal you wait)
(<= (next (at 1)) (true (at 2))) (<= (next (at 2)) (true (at 1)))
(<= terminal (true (at 3))) (goal me 50) (goal you 50)
"""
EXPLODING = (
    "(role me) "
    + " ".join(f"(d {n})" for n in range(40))
    + """
(<= (init (p ?a ?b ?c ?d ?e)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e))
(legal me go) (<= terminal (true (p 1 1 1 1 1))) (goal me 0)
"""
)


def page(path: str, text: str, **more: str) -> str:
    return address(path, {**Sheet(text=text).query(), **more})


def harmless(visitor: Visitor) -> None:
    visitor.chrome.set_script_timeout(PATIENCE)
    visitor.chrome.execute_async_script(
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))"
    )  # all that was put on the page has been drawn, and its handlers have run
    assert visitor.js("return window.harm") is None
    assert visitor.js("return document.querySelectorAll('main script, main img[src=x]').length") == 0
    assert [words for words in complaints(visitor.chrome) if "favicon" not in words] == []


def test_script_in_rules_names_and_moves_is_only_text(visitor: Visitor) -> None:
    visitor.open(page("/rules", HOSTILE))
    visitor.sees("main", "No errors")
    visitor.sees(".facts, .log", SCRIPT)
    visitor.click(".log [data-chip]")
    until(lambda: visitor.text(".reason"))
    harmless(visitor)
    visitor.open(page("/play", HOSTILE, seats="you,you", clock="0.2"))
    visitor.sees("main", "Your move")
    visitor.sees(".moves", SCRIPT)
    visitor.click(".moves .pill")
    until(lambda: "moves=" in visitor.chrome.current_url or "Your move, <script" in visitor.text("main"))
    harmless(visitor)
    visitor.open(page("/search", HOSTILE, depth="2", a="alpha-beta"))
    until(lambda: visitor.text(".trouble") or visitor.text(".stratagem .step"))
    harmless(visitor)
    visitor.open(page("/matches", "x", match=IMAGE, tournament=SCRIPT, turn="<b>"))
    visitor.sees("main", "no such match")
    harmless(visitor)
    visitor.open(address("/search", {"tree": f'["{SCRIPT}"]', "a": SCRIPT, "b": IMAGE, "step": "x"}))
    visitor.sees(".trouble", "script")
    harmless(visitor)
    visitor.open(address("/play", {"game": IMAGE}))
    visitor.sees(".trouble", "There is no game called")
    harmless(visitor)


def test_addresses_and_messages_that_nobody_would_write_are_answered_with_a_sentence(
    visitor: Visitor,
) -> None:
    for tree, words in (
        ("[" * 5_000 + "]" * 5_000, "nested too deeply"),
        ("[" * 900 + "1" + "]" * 900, "nested too deeply"),
        ("[1, NaN]", "cannot be compared"),
        ("shape:0", "cannot be shown"),
    ):
        visitor.open(address("/search", {"tree": tree}))
        visitor.sees(".trouble", words)
    visitor.open(address("/play", {"game": "tictactoe", "moves": "mark 2 2;" * 2_000, "clock": "nan"}))
    visitor.sees(".turn-line", "not legal")
    answer = {"page": "minimax", "seed": "7", "checked": "1", "answer-A": IMAGE}
    visitor.open(address("/learn", answer))
    visitor.sees(".exercise", "0 of")
    harmless(visitor)
    visitor.open("/search?tree=[[3,12,8],[2,4,6]]&a=alpha-beta")
    until(lambda: visitor.js("return document.querySelector('.stratagem') !== null"))
    for detail in (
        "null",
        "{path: ['a'], value: 1}",
        "{path: [[0]], value: 1}",
        "{path: [0, 0], value: 'x'}",
    ):
        visitor.js(
            f"document.querySelector('.walkthrough').dispatchEvent(new CustomEvent('leaf', {{detail: {detail}}}))"
        )
    visitor.js(
        "document.querySelector('.walkthrough').dispatchEvent("
        "new CustomEvent('leaf', {detail: {path: [0, 0], value: 7}}))"
    )
    visitor.address_has("%5B7")  # it still listens
    assert "went wrong" not in visitor.text(".q-notifications")


def test_five_megabytes_in_the_editor_stay_in_the_browser_and_the_page_lives_on(visitor: Visitor) -> None:
    visitor.open("/rules?game=nim")
    visitor.sees("main", "No errors")
    visitor.js("""
        const data = new DataTransfer();
        data.setData("text", "(fact x)\\n".repeat(600000));
        document.querySelector(".cm-content").dispatchEvent(
            new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}))""")
    visitor.hears("more than a sheet may have")
    visitor.click('[data-chip^="(legal"]')
    until(lambda: "holds" in visitor.text(".reason"))


def test_a_tournament_cannot_be_named_after_a_file(visitor: Visitor) -> None:
    for name in ("../../etc", "..", "/tmp", "x" * 60, SCRIPT):
        visitor.open(address("/matches", {"tournament": name}))
        visitor.sees(".trouble", "No tournament is called")
    harmless(visitor)


def test_an_endless_game_and_one_that_explodes_disturb_nobody_else(visitor: Visitor, server: str) -> None:
    visitor.open(page("/play", EXPLODING))
    visitor.open(page("/play", ENDLESS, seats="legal,legal", clock="0.1"))
    first = visitor.chrome.current_window_handle
    visitor.js("window.open('about:blank')")
    visitor.chrome.switch_to.window(next(one for one in visitor.chrome.window_handles if one != first))
    try:
        visitor.open("/play?game=tictactoe&seats=you,you")
        for cell in ("1,1", "2,2", "3,3"):
            before = visitor.chrome.current_url
            visitor.click(f'svg.sb [data-cell="{cell}"]')
            until(lambda before=before: visitor.chrome.current_url != before)
    finally:
        visitor.chrome.close()
        visitor.chrome.switch_to.window(first)


def test_a_body_of_five_megabytes_is_refused_unread(server: str) -> None:
    connection = HTTPConnection(urlsplit(server).netloc, timeout=PATIENCE)
    connection.request("POST", "/_nicegui/client/x/upload/1", headers={"Content-Length": "5000000"})
    assert connection.getresponse().status == 413
    connection.close()


def test_other_names_for_this_machine_are_refused(server: str) -> None:
    place = urlsplit(server)
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=PATIENCE) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
        assert line.recv(200).startswith(b"HTTP/1.1 400")


def test_pages_forbid_everything_that_is_not_our_own(server: str) -> None:
    connection = HTTPConnection(urlsplit(server).netloc, timeout=PATIENCE)
    connection.request("GET", "/")
    policy = connection.getresponse().headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "http" not in policy
    connection.close()
