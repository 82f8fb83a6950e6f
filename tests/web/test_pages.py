"""The pages in a real browser: what a visitor does, and what is then to be seen."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from tests.support.browser import DESKTOP, PHONE, complaints, loaded, resize
from tests.support.wide_sheet import WIDE
from tests.support.workbench import Visitor, until

from stratagem import sheets
from stratagem.web.app.address import Sheet, address

PAGES = (
    "/",
    "/play",
    "/search",
    "/rules",
    "/matches",
    "/learn",
    "/learn?page=sss-star",
    "/play?game=rockpaperscissors",
)
FREE = """
    return [...document.querySelectorAll('svg.sb [data-cell]')].find(
        (cell) => cell.querySelector('title').textContent.endsWith(': b')) ?? null"""
FITS = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
TURN = ".turn-line"
pytestmark = pytest.mark.realtime


def play_to_the_end(visitor: Visitor) -> str:
    """Clicks on a free cell whenever it is our move; how the match ended."""

    def ended() -> str:
        words = visitor.text(TURN)
        if (
            "Your move" in words
        ):  # it may have been drawn a moment ago, and the cell taken since: then look again
            visitor.clicked(FREE)
        return words if "win" in words or "draw" in words else ""

    return str(until(ended, what="the end of the match"))


def test_tic_tac_toe_is_played_to_the_end_by_clicks_and_then_replayed(visitor: Visitor) -> None:
    visitor.open("/play?game=tictactoe&clock=0.2")
    words = play_to_the_end(visitor)
    assert "win" in words or "draw" in words
    number = visitor.hears("Recorded as match").split("match ")[1].split(".")[0]

    visitor.open("/matches")
    visitor.sees("main", "Tic-tac-toe")
    visitor.click(f'a[href="/matches?match={number}"]')
    visitor.sees(TURN, "The match is over")
    last = int(visitor.text(TURN).split()[1])
    visitor.chrome.find_element("css selector", "body").send_keys(Keys.HOME)
    visitor.sees(TURN, f"After 0 of {last} moves.")
    until(lambda: visitor.js("return document.querySelectorAll('.board .lit').length") == 0)
    visitor.click('[aria-label^="One move on"]')
    visitor.sees(TURN, f"After 1 of {last} moves.")
    visitor.click('[aria-label^="One move on"]')
    visitor.sees(TURN, f"After 2 of {last} moves.")
    visitor.sees("main", "oplayer: stratagem")
    visitor.address_has("turn=2")
    visitor.chrome.refresh()
    visitor.sees(TURN, f"After 2 of {last} moves.")
    visitor.chrome.find_element("css selector", "body").send_keys(Keys.END)
    visitor.sees(TURN, f"After {last} of {last} moves.")
    assert visitor.js("return scrollY") == 0, "End goes to the last move, not to the foot of the page"
    visitor.click('[aria-label^="One move back"]')
    visitor.sees(TURN, f"After {last - 1} of")
    visitor.click('[aria-label^="Play the match"]')
    visitor.sees(TURN, f"After {last} of {last} moves.")
    visitor.click('[aria-label^="One move back"]')
    visitor.sees(TURN, f"After {last - 1} of")
    visitor.press("Play on from here")
    until(lambda: urlsplit(visitor.chrome.current_url).path == "/play")
    until(lambda: visitor.js("return document.querySelectorAll('.log tr').length") >= last)


def test_a_match_is_watched_while_it_is_played_and_found_again_when_it_is_over(visitor: Visitor) -> None:
    visitor.open("/play?game=tictactoe&seats=you,you&think=0")
    table = visitor.chrome.current_window_handle
    visitor.click('svg.sb [data-cell="1,1"]')
    visitor.sees(TURN, "Your move, oplayer")
    page = visitor.js("return window.clientId")
    visitor.js("window.open('about:blank')")
    window = next(one for one in visitor.chrome.window_handles if one != table)
    try:
        visitor.chrome.switch_to.window(window)
        visitor.open("/matches")
        visitor.click(f'a[href="/matches?match=live-{page}"]')
        visitor.sees(TURN, "After 1 of 1 move.")
        live = visitor.chrome.current_url
        visitor.chrome.switch_to.window(table)
        for cell, mover in (("2,1", "x"), ("1,2", "o"), ("2,2", "x")):
            visitor.click(f'svg.sb [data-cell="{cell}"]')
            visitor.sees(TURN, f"Your move, {mover}player")
        visitor.chrome.switch_to.window(window)
        visitor.sees(TURN, "After 4 of 4 moves.")
        visitor.chrome.switch_to.window(table)
        visitor.click('svg.sb [data-cell="1,3"]')
        visitor.sees(TURN, "xplayer wins")
        visitor.hears("Recorded as match")
        visitor.open("/")  # the table is left; its address still leads to the match
        visitor.chrome.switch_to.window(window)
        visitor.chrome.get(live)
        visitor.sees(TURN, "After 5 of 5 moves.")
    finally:
        visitor.chrome.switch_to.window(window)
        visitor.chrome.close()
        visitor.chrome.switch_to.window(table)


def test_a_first_time_visitor_reaches_a_finished_match_within_three_clicks(visitor: Visitor) -> None:
    visitor.open("/")
    visitor.click('a.face[href="/play?game=tictactoe"]')
    visitor.sees(TURN, "Your move")
    visitor.click('[aria-label="Let players finish the match"]')
    until(lambda: "win" in visitor.text(TURN) or "draw" in visitor.text(TURN))


def test_a_search_for_a_game_that_there_is_not_says_so(visitor: Visitor) -> None:
    visitor.open("/")
    assert "No bundled game fits" not in visitor.text("main")
    visitor.enters('input[aria-label="Find a game"]', "parcheesi", Keys.ENTER)
    visitor.sees("main", "No bundled game fits")
    visitor.enters('input[aria-label="Find a game"]', "nim", Keys.ENTER)
    until(lambda: "No bundled game fits" not in visitor.text("main"))


def test_a_click_that_is_no_move_is_explained(visitor: Visitor) -> None:
    visitor.open("/play?game=tictactoe&clock=0.2&moves=mark 2 2;mark 1 1")
    visitor.sees(TURN, "Your move")
    visitor.click('svg.sb [data-cell="2,2"]')
    visitor.sees(".trouble", "(true (cell 2 2 b))")
    visitor.click(".trouble button[data-line]")
    visitor.sees("main", "No errors")
    visitor.address_has("line=")


def moves_linked(visitor: Visitor, path: str) -> list[str]:
    """The moves in the one link of the page that leads to *path*."""
    links = visitor.js("return [...document.querySelectorAll('main a')].map((link) => link.href)")
    (link,) = (link for link in links if urlsplit(link).path == path)
    return parse_qs(urlsplit(link).query).get("moves", [])


def test_a_move_of_two_squares_is_made_by_two_clicks_and_the_links_lead_to_the_same_position(
    visitor: Visitor,
) -> None:
    visitor.open("/play?game=breakthrough&seats=you,you&think=0")
    visitor.sees(TURN, "Your move, white")
    visitor.click('svg.sb [data-cell="7,2"]')
    visitor.sees(TURN, "Now the target")
    visitor.click('svg.sb [data-cell="6,3"]')
    visitor.sees(TURN, "Your move, black")
    visitor.address_has("move%207%202%206%203")
    for path in ("/search", "/rules"):
        until(lambda path=path: moves_linked(visitor, path) == ["move 7 2 6 3"])


def test_boards_are_played_with_the_keyboard_alone(visitor: Visitor) -> None:
    visitor.open("/play?game=tictactoe&clock=0.2&seats=you,you")
    visitor.sees(TURN, "Your move, xplayer")
    visitor.js("document.querySelector('svg.sb [data-cell=\"1,1\"]').focus()")
    for key, cell in ((Keys.ARROW_RIGHT, "1,2"), (Keys.ARROW_DOWN, "2,2")):
        ActionChains(visitor.chrome).send_keys(key).perform()
        until(lambda cell=cell: visitor.js("return document.activeElement.dataset.cell") == cell, what=cell)
    ActionChains(visitor.chrome).send_keys(Keys.ENTER).perform()
    visitor.sees(TURN, "Your move, oplayer")
    visitor.address_has("mark%202%202")
    visitor.chrome.find_element("css selector", "body").send_keys("u")
    visitor.sees(TURN, "Your move, xplayer")


def test_sss_star_is_stepped_to_the_end_on_the_lectures_tree(visitor: Visitor) -> None:
    visitor.open("/search?tree=lecture&a=sss-star")
    until(lambda: visitor.js("return document.querySelector('.stratagem .step') !== null"))
    visitor.sees(".stratagem .open", "LIVE")
    steps = int(visitor.text(".stratagem .step").split()[-1])
    body = visitor.chrome.find_element("css selector", "body")
    for number in range(2, steps + 1):
        body.send_keys(Keys.ARROW_RIGHT)
        visitor.sees(".stratagem .step", f"step {number} of")
    visitor.sees(".stratagem .result", "value 12")
    visitor.sees("main table.plain", "SSS*")
    until(lambda: f"step={steps}" in visitor.chrome.current_url)
    visitor.chrome.refresh()
    visitor.sees(".stratagem .result", "value 12")


def test_editing_a_leaf_changes_the_cuts(visitor: Visitor) -> None:
    def cut() -> list[str]:
        visitor.js("document.querySelector('[data-do=last]').click()")
        return list(
            visitor.js(
                "return [...document.querySelectorAll('g.node.s-cut')].map((node) => node.dataset.node)"
            )
        )

    visitor.open("/search?tree=[[3,12,8],[2,4,6],[14,5,2]]&a=alpha-beta")
    until(lambda: visitor.js("return document.querySelector('.stratagem') !== null"))
    before = cut()
    assert before
    leaf = visitor.js("""
        return [...document.querySelectorAll('g.node.k-leaf')].find(
            (leaf) => leaf.querySelector('.value').textContent === '2')""")
    visitor.js("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", leaf)
    field = visitor.chrome.find_element("css selector", ".leaf-field")
    field.send_keys("9", Keys.ENTER)  # what was there is selected
    until(lambda: "9" in parse_qs(urlsplit(visitor.chrome.current_url).query)["tree"][0])
    until(lambda: visitor.js("return document.querySelector('.stratagem')?.dataset.step === '0'"))
    assert cut() != before


def test_two_searches_go_through_the_same_tree_in_step(visitor: Visitor) -> None:
    visitor.open("/search?tree=lecture&a=alpha-beta&b=sss-star")
    until(lambda: visitor.js("return document.querySelectorAll('.stratagem').length === 2"))
    visitor.js("document.querySelectorAll('[data-do=next]')[0].click()")
    steps = "return [...document.querySelectorAll('.stratagem')].map((each) => each.dataset.step)"
    until(lambda: visitor.js(steps) == ["1", "1"], what="both at their second step")


def test_a_search_is_downloaded_as_a_picture_a_page_and_its_events(visitor: Visitor, tmp_path: Path) -> None:
    visitor.chrome.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    visitor.open("/search?tree=lecture&a=sss-star&step=9")
    until(lambda: visitor.js("return document.querySelector('.stratagem .step') !== null"))
    for kind, name, beginning in (
        ("svg", "lecture-sss-star.svg", b"<svg"),
        ("html", "lecture-sss-star.html", b"<!DOCTYPE"),
        ("json", "lecture-sss-star.jsonl", b"{"),
    ):
        visitor.press("Export")
        visitor.click(f'[data-export="{kind}"]')
        file = tmp_path / name
        until(lambda file=file: file.exists() and file.stat().st_size > 0)
        assert file.read_bytes().startswith(beginning)
    visitor.chrome.get((tmp_path / "lecture-sss-star.html").as_uri())
    until(lambda: "SSS*" in visitor.text("body"))


def test_of_two_searches_side_by_side_both_pictures_are_downloaded_as_they_are_on_the_page(
    visitor: Visitor, tmp_path: Path
) -> None:
    visitor.chrome.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    visitor.open("/search?tree=uniform:4:5&a=alpha-beta&b=sss-star&step=9")
    until(lambda: visitor.js("return document.querySelectorAll('.stratagem .step').length === 2"))
    visitor.press("Export")
    visitor.click('[data-export="svg"]')
    for algorithm in ("alpha-beta", "sss-star"):
        file = tmp_path / f"random-{algorithm}.svg"
        until(lambda file=file: file.exists() and file.stat().st_size > 0)
        picture = file.read_text(encoding="utf-8")
        assert float(picture.partition(' width="')[2].partition('"')[0]) < 5_000


def test_of_a_tree_of_five_thousand_nodes_only_what_is_looked_at_is_drawn(visitor: Visitor) -> None:
    visitor.open("/search?tree=uniform:4:6&a=alpha-beta")
    until(lambda: visitor.js("return document.querySelector('.stratagem .step') !== null"))
    drawn = "return document.querySelectorAll('.stratagem g.node').length"
    for _ in range(50):
        visitor.js("document.querySelector('[data-do=next]').click()")
        assert 0 < visitor.js(drawn) < 300
    visitor.js("document.querySelector('[data-do=last]').click()")
    assert 0 < visitor.js(drawn) < 300
    visitor.sees(".stratagem .step", "of 3334")


def test_a_broken_rule_is_reported_at_its_line_as_it_is_typed(visitor: Visitor) -> None:
    visitor.open("/rules?game=tictactoe")
    visitor.sees("main", "No errors")
    visitor.click(".cm-content")
    until(
        lambda: visitor.js("return document.activeElement.matches('.cm-content')"),
        what="the editor has the focus",
    )
    editor = visitor.chrome.switch_to.active_element
    editor.send_keys(Keys.CONTROL, Keys.END)
    editor.send_keys(Keys.NULL)
    lines = len(sheets.source("tictactoe").text.split("\n"))
    number = "return [...document.querySelectorAll('.cm-lineNumbers .cm-gutterElement')].at(-1).textContent"
    until(lambda: visitor.js(number) == str(lines), what="the last line in sight")
    editor.send_keys(Keys.ENTER, "(<= (goal xplayer ?n) (not (true nonsense)))")
    visitor.sees(".findings", f"line {lines + 1}")
    visitor.sees(".findings", "variable ?n has no values to take")
    visitor.sees("main", "1 error")
    until(lambda: visitor.js("return document.querySelector('.sheet-error')?.textContent === '?n'"))
    visitor.address_has("rules=")
    visitor.chrome.refresh()
    visitor.sees(".findings", "variable ?n has no values to take")


def test_why_is_answered_for_a_fact_that_is_clicked(visitor: Visitor) -> None:
    visitor.open("/rules?game=tictactoe")
    visitor.click('[data-chip="(legal xplayer (mark 1 1))"]')
    visitor.sees(".reason", "(legal xplayer (mark 1 1)) holds")
    visitor.sees(".reason", "(true (cell 1 1 b))")


def test_the_rules_room_keeps_position_panel_and_question_and_answers_clicks_on_the_board(
    visitor: Visitor,
) -> None:
    visitor.open("/rules?game=tictactoe&moves=mark 2 2;mark 1 1")
    visitor.sees("main", "After 2 moves")
    visitor.click('svg.sb [data-cell="2,2"]')
    visitor.sees(".reason", "(legal xplayer (mark 2 2)) does not hold")
    visitor.address_has("why=")
    visitor.chrome.refresh()
    visitor.sees(".reason", "(legal xplayer (mark 2 2)) does not hold")
    visitor.press("Position")
    visitor.sees(".log", "Not legal for xplayer")
    visitor.click('.barred [data-chip="(legal xplayer (mark 1 1))"]')
    visitor.sees(".reason", "(legal xplayer (mark 1 1)) does not hold")
    visitor.press("Position")
    visitor.press("Back to the start")
    until(lambda: "moves=" not in visitor.chrome.current_url)
    visitor.click('svg.sb [data-cell="2,2"]')
    visitor.sees(".reason", "(legal xplayer (mark 2 2)) holds")


def test_the_verdict_buttons_judge_play_and_solve(visitor: Visitor) -> None:
    visitor.open("/rules?game=tictactoe")
    visitor.sees("main", "No errors")
    visitor.press("Verdict")
    for button, words in (
        ("Judge", "does every match end?"),
        ("Playouts", "matches a second"),
        ("Solve", "value for xplayer"),
        ("Circuit", "gates"),
    ):
        visitor.press(button)
        visitor.sees(".q-tab-panel table.plain", words)


def test_an_exercise_is_graded_and_the_browser_remembers_it(visitor: Visitor) -> None:
    from stratagem.exercises.kinds import exercise

    visitor.open("/learn?page=minimax&seed=11")
    visitor.sees(".exercise", "number 11")
    fields = visitor.chrome.find_elements("css selector", ".exercise input")
    questions = exercise("minimax", 11).questions
    assert len(fields) == len(questions)
    for field, question in zip(fields, questions, strict=True):
        field.send_keys(" ".join(question.expected) if question is not questions[0] else "4711")
    visitor.press("Check")
    visitor.sees(".exercise", f"{len(questions) - 1} of {len(questions)} right.")
    fields[0].send_keys(Keys.BACKSPACE * 4, " ".join(questions[0].expected))
    visitor.press("Check")
    visitor.sees(".exercise", "All right!")
    visitor.address_has("checked=1")
    visitor.chrome.refresh()
    visitor.sees(".exercise", "All right!")
    visitor.open("/learn")
    visitor.sees(".chapters", "1 solved")


@pytest.mark.parametrize("path", PAGES)
def test_nothing_comes_from_elsewhere_nothing_complains_and_nothing_sticks_out(
    visitor: Visitor, path: str
) -> None:
    visitor.open(path)
    for size in (PHONE, DESKTOP):
        resize(visitor.chrome, size)
        until(lambda: visitor.js(FITS), what=f"{path} fits {size}")
        assert [
            address
            for address in loaded(visitor.chrome)
            if not address.startswith((visitor.address, "data:", "blob:"))
        ] == []
    assert complaints(visitor.chrome) == []


def test_a_sheet_that_is_dropped_is_played_and_one_too_large_is_refused(
    visitor: Visitor, tmp_path: Path
) -> None:
    own, large = tmp_path / "own.kif", tmp_path / "large.kif"
    own.write_text(
        "(role me) (init (at 1)) (legal me go) (legal me stay) (<= (next (at 2)) (does me go)) "
        "(<= (next (at 1)) (does me stay)) (<= terminal (true (at 2))) (goal me 100)"
    )
    large.write_text("(fact x)\n" * 600_000)
    visitor.open("/play?game=nim")
    visitor.chrome.find_element("css selector", "input[type=file]").send_keys(str(large))
    visitor.hears("A sheet may have")
    visitor.chrome.find_element("css selector", "input[type=file]").send_keys(str(own))
    visitor.sees("main", "your rules")
    visitor.sees(TURN, "Your move, me")
    visitor.click('.moves [data-chip="go"]')
    visitor.sees(TURN, "Solved.")


def test_the_theme_is_remembered(visitor: Visitor) -> None:
    visitor.open("/play?game=hex")
    visitor.click(".bar .theme")
    until(lambda: visitor.js("return document.body.classList.contains('body--dark')"))
    visitor.open("/rules")
    until(lambda: visitor.js("return document.body.classList.contains('body--dark')"))
    until(
        lambda: (
            visitor.js("return getComputedStyle(document.querySelector('.cm-editor')).backgroundColor")
            != "rgb(255, 255, 255)"
        )
    )


def test_a_lost_connection_comes_back_to_the_same_place(visitor: Visitor) -> None:
    visitor.open("/play?game=tictactoe&seats=you,you")
    visitor.click('svg.sb [data-cell="2,2"]')
    visitor.sees(TURN, "Your move, oplayer")
    client = visitor.js("return window.clientId")
    visitor.js("window.socket.io.engine.close()")
    until(lambda: visitor.js("return window.socket.connected"))
    visitor.click('svg.sb [data-cell="1,1"]')
    visitor.sees(TURN, "Your move, xplayer")
    assert visitor.js("return window.clientId") == client
    visitor.address_has("mark%202%202;mark%201%201")


def test_rules_that_take_long_to_compile_are_shown_cancelled_played_on_joins_and_tried_again(
    visitor: Visitor,
) -> None:
    visitor.open(address("/play", {**Sheet(text=f";; Five wheels\n{WIDE}").query(), "clock": "0.2"}))
    visitor.sees("h1", "Five wheels")
    visitor.sees(".job", "Compiling the rules (in the background)")
    visitor.sees(".engine", "Waiting for the rules to be compiled")
    visitor.click('.moves [data-chip="stay"]')
    until(lambda: visitor.js("return document.querySelectorAll('.log tbody tr').length") == 1)
    visitor.sees(".engine", "Waiting for the rules to be compiled")
    visitor.press("Cancel")
    visitor.sees(".job", "Compiling the rules was cancelled. The match is played on joins")
    visitor.click('.moves [data-chip="stay"]')
    until(lambda: visitor.js("return document.querySelectorAll('.log tbody tr').length") == 2)
    visitor.sees(TURN, "Your move, me")
    until(lambda: not any(word in visitor.text(".engine") for word in ("Thinking", "Waiting")))
    visitor.press("Try again")
    visitor.sees(".job", "Compiling the rules (in the background)")
    visitor.press("Cancel")
    visitor.sees(".job", "cancelled")


def test_the_seconds_a_move_are_taken_when_they_are_whole_and_refused_with_a_sentence(
    visitor: Visitor,
) -> None:
    visitor.open("/play?game=tictactoe&seats=you,you&think=0")
    visitor.sees(TURN, "Your move")

    def write(text: str) -> None:
        visitor.enters('input[aria-label="Seconds a move"]', text, Keys.ENTER)

    write("12")
    visitor.address_has("clock=12")
    for text in ("61", "0", "-3", "abc", "0.05"):
        write(text)
        visitor.sees(".seats", "The clock takes 0.1 to 60 seconds a move. It stays at 12.")
        visitor.address_has("clock=12")
    write("0.2")
    visitor.address_has("clock=0.2")
    until(lambda: "The clock takes" not in visitor.text(".seats"))


def test_a_new_match_after_finish_gives_the_seat_back_and_the_record_says_who_moved(
    visitor: Visitor,
) -> None:
    visitor.open("/play?game=tictactoe&seats=you,legal&clock=0.1&think=0")
    visitor.sees(TURN, "Your move")
    visitor.click('svg.sb [data-cell="2,2"]')
    visitor.sees(".log", "mark 2 2")
    visitor.sees(TURN, "Your move")
    visitor.click('[aria-label="Let players finish the match"]')
    number = visitor.hears("Recorded as match").split("match ")[1].split(".")[0]
    visitor.sees(".seats .seat", "stratagem")
    visitor.press("New match")
    visitor.sees(TURN, "Your move, xplayer")
    visitor.open(f"/matches?match={number}")
    visitor.sees("main", "xplayer: you (stratagem from move 3), oplayer: legal")


def test_a_tournament_says_which_clocks_it_takes(visitor: Visitor) -> None:
    visitor.open("/matches")
    visitor.click(".q-expansion-item .q-item")
    visitor.enters('input[aria-label="Seconds a move"]', "0.2", Keys.TAB)
    visitor.sees("main", "The clock takes 0.5 to 10 seconds a move. It stays at 1.")
