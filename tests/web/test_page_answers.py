"""What pages say in a real browser when something is missing, wrong or no longer true."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from selenium.webdriver.common.keys import Keys
from tests.support.browser import DESKTOP, PHONE, loaded, resize
from tests.support.workbench import Visitor, until

from stratagem.exercises.kinds import exercise
from stratagem.web.app.address import Sheet, address

pytestmark = pytest.mark.realtime
OPTION = """
    return [...document.querySelectorAll('.q-menu .q-item')].find((item) => item.innerText === arguments[0]) ?? null"""
FITS = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
SHOWN = "return (document.querySelector(arguments[0])?.getClientRects().length ?? 0) > 0"


def types_at_the_end(visitor: Visitor, words: str) -> None:
    visitor.click(".cm-content")
    editor = visitor.chrome.switch_to.active_element
    editor.send_keys(Keys.CONTROL, Keys.END)
    editor.send_keys(Keys.NULL)
    editor.send_keys(words)


def test_a_new_sheet_is_sound_has_a_board_and_gives_the_one_before_back(visitor: Visitor) -> None:
    visitor.open("/rules?game=hanoi")
    visitor.sees("main", "No errors")
    types_at_the_end(visitor, "; mine")
    visitor.press("New")
    visitor.hears("Ctrl-Z in the editor brings the one before back")
    visitor.sees(".findings", "Nothing to complain about")
    visitor.sees(".cm-content", "Walk along the row")
    until(lambda: visitor.js(SHOWN, 'svg.sb [data-cell="5"]'), what="the board of the new sheet")
    visitor.click(".cm-content")
    visitor.chrome.switch_to.active_element.send_keys(Keys.CONTROL, "z")
    visitor.sees(".cm-content", "Tower of Hanoi")


def test_a_position_of_older_rules_is_marked_as_that(visitor: Visitor) -> None:
    visitor.open("/rules?game=tictactoe")
    until(lambda: visitor.js(SHOWN, "svg.sb"), what="the board")
    assert not visitor.js(SHOWN, ".stale")
    types_at_the_end(visitor, "(legal")
    visitor.sees(".q-tab-panel", "This is the position of the rules before the errors.")
    until(lambda: visitor.js(SHOWN, ".board.stale"), what="the old board is pale")
    visitor.chrome.switch_to.active_element.send_keys(Keys.BACKSPACE * len("(legal"))
    until(lambda: not visitor.js(SHOWN, ".stale"), what="the board is that of the rules again")


def test_a_move_is_made_where_its_reason_is_shown(visitor: Visitor) -> None:
    visitor.open("/rules?game=tictactoe&tab=Why&why=(legal xplayer (mark 2 2))")
    visitor.sees(".reason", "holds")
    visitor.press("Make this move")
    visitor.sees(".q-tab-panel", "After 1 move")
    visitor.address_has("moves=mark%202%202")
    visitor.sees(".log", "cell 2 2 x")


def test_a_puzzle_is_searched_by_a_search_for_puzzles(visitor: Visitor) -> None:
    visitor.open("/search?game=missionaries")
    visitor.address_has("a=breadth-first")


def test_an_illegal_move_before_a_search_is_named_and_no_tree_of_before_is_left(visitor: Visitor) -> None:
    visitor.open("/search?game=tictactoe&depth=2&moves=mark 2 2")
    until(lambda: visitor.js(SHOWN, ".stratagem"), what="the tree")
    visitor.enters('[aria-label="After the moves"]', "mark 2 2, mark 2 2", Keys.TAB)
    words = visitor.sees(
        ".trouble", "(mark 2 2) is not legal for oplayer here; legal here: mark 1 1, mark 1 2"
    )
    assert "match" not in words
    assert not visitor.js(SHOWN, ".stratagem")
    visitor.enters('[aria-label="After the moves"]', "mark 2 2, (mark 1 1)", Keys.TAB)
    until(lambda: visitor.js(SHOWN, ".stratagem"), what="the tree of legal moves")
    visitor.address_has("moves=mark%202%202;mark%201%201")


def test_a_second_search_beside_the_first_begins_at_the_step_that_is_looked_at(visitor: Visitor) -> None:
    visitor.open("/search?tree=lecture&a=sss-star&step=20")
    until(lambda: visitor.js("return document.querySelector('.stratagem')?.dataset.step === '19'"))
    visitor.click('[aria-label="Side by side with"]')
    visitor.click_found(OPTION, "Alpha-beta")
    visitor.address_has("b=alpha-beta")
    until(lambda: visitor.js("return document.querySelectorAll('.stratagem[data-step=\"19\"]').length === 2"))


def test_an_exercise_gives_nothing_away_before_it_was_tried_and_then_its_search(visitor: Visitor) -> None:
    questions = exercise("alpha-beta", 7).questions
    visitor.open("/learn?page=alpha-beta&seed=7")
    visitor.sees(".exercise", "number 7")
    visitor.press("Check")
    words = visitor.sees(".exercise", f"0 of {len(questions)} right.")
    assert words.count("no answer") == len(questions)
    assert not any(question.why in words for question in questions)
    assert "Step through" not in words
    fields = visitor.chrome.find_elements("css selector", ".exercise input")
    for field, question in zip(fields, questions, strict=True):
        field.send_keys(" ".join(question.expected))
    fields[-1].send_keys(Keys.ENTER)  # at once: what was typed last counts
    visitor.sees(".exercise", "All right!")
    visitor.press("Step through this search")
    visitor.address_has("a=alpha-beta")
    until(lambda: visitor.js(SHOWN, ".stratagem"), what="the search of the exercise")


def test_very_long_names_do_not_make_the_page_wider_than_the_window(visitor: Visitor) -> None:
    role, thing = "averylongrole" * 8, "averylongthing" * 8
    rules = (
        f"(role {role}) (init (at {thing})) (legal {role} (go {thing})) (legal {role} (stay {thing}))"
        f"(<= (next (gone {thing})) (does {role} (go {thing}))) (<= (next (at {thing})) (does {role} (stay {thing})))"
        f"(<= terminal (true (gone {thing}))) (goal {role} 100)"
    )
    for size in (PHONE, DESKTOP):
        resize(visitor.chrome, size)
        visitor.open(address("/play", Sheet(text=rules).query()))
        visitor.sees(".engine", "100 of 100")
        until(lambda: visitor.js(FITS), what=f"the page fits {size}")
        seat = visitor.js(
            "return document.querySelector('.seat .q-field__native').getBoundingClientRect().width"
        )
        assert seat > 20, "who plays can be read"


def test_the_players_of_the_list_are_explained(visitor: Visitor) -> None:
    visitor.open("/play?game=tictactoe")
    visitor.click(".seats summary")
    visitor.sees(".seats", "Plain UCT with single playouts")


def test_scripts_and_style_sheets_that_browsers_keep_have_a_fingerprint_in_their_address(
    visitor: Visitor,
) -> None:
    visitor.open("/search")
    own = [one for one in loaded(visitor.chrome) if "/workbench-assets/" in one or "/walkthrough." in one]
    kept = [one for one in own if urlsplit(one).path.endswith((".js", ".css"))]
    assert len(kept) == 4
    assert all(urlsplit(one).query.startswith("v=") for one in kept)


def test_a_row_of_a_pile_is_clicked_anywhere_also_where_no_stone_is(visitor: Visitor) -> None:
    visitor.open("/play?game=waterjugs&think=0")
    visitor.sees(".turn-line", "Your move, robot")
    visitor.click('svg.sb [data-cell="small"]')  # in the middle of the row: between its name and its number
    visitor.sees(".log", "fill small")


def test_eight_buttons_of_moves_are_seen_without_scrolling(visitor: Visitor) -> None:
    visitor.open("/play?game=pentago&think=0&moves=place 3 3")
    visitor.sees(".moves", "turn southwest counterclockwise")
    box = "const box = document.querySelector('.moves'); return box.scrollHeight <= box.clientHeight"
    assert visitor.js(box)


def test_the_button_that_closes_a_notification_has_the_colour_of_its_text(visitor: Visitor) -> None:
    visitor.open("/rules?game=nim")
    visitor.sees("main", "No errors")
    visitor.press("New")
    visitor.hears("A new sheet")
    colours = """
        const colour = (selector) => getComputedStyle(document.querySelector(selector)).color;
        return [colour('.q-notification__message'), colour('.q-notification__actions .q-btn')]"""
    text, button = visitor.js(colours)
    assert text == button
