"""The page in a real browser: stepping, going back, folding, reading the value, and harming nobody."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.browser import DESKTOP, PHONE, complaints, loaded, resize
from tests.support.hostile import LABEL, HostileGame
from tests.support.puzzles import hanoi

from stratagem.explanation import Explanation, explain
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.machines.trees.models import lecture_tree, uniform
from stratagem.show.walkthrough.render.html import embedded, page_script, page_style
from stratagem.show.walkthrough.render.json import walkthrough_data


class Page:
    """One explanation, opened."""

    def __init__(self, chrome: Any, file: Path, found: Explanation) -> None:
        self.chrome = chrome
        file.write_text(found.html(), encoding="utf-8")
        complaints(chrome)  # those of the page before
        chrome.get("about:blank")
        chrome.get(file.as_uri())
        self.until(lambda: self.find("main").get_attribute("data-step") is not None)

    def find(self, selector: str) -> Any:
        return self.chrome.find_element("css selector", selector)

    def all(self, selector: str) -> list[Any]:
        return self.chrome.find_elements("css selector", selector)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.chrome.execute_script(
                "document.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))",
                key,
            )

    def click(self, what: str) -> None:
        self.find(f'[data-do="{what}"]').click()

    def click_node(self, number: int) -> None:
        self.chrome.execute_script(
            "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', {bubbles: true}))",
            f'.node[data-node="{number}"]',
        )

    @property
    def step(self) -> int:
        return int(self.find("main").get_attribute("data-step"))

    @property
    def sentence(self) -> str:
        return self.find(".sentence").text

    def statuses(self) -> dict[int, str]:
        """What each node in the drawing looks like."""
        pairs = self.chrome.execute_script(
            "return [...document.querySelectorAll('.nodes > .node[data-node]')]"
            ".map((node) => [node.dataset.node, [...node.classList].find((name) => name.startsWith('s-'))])"
        )
        return {int(node): status.removeprefix("s-") for node, status in pairs}

    def until(self, holds: Callable[[], bool], seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, "the page did not get there"
            time.sleep(0.02)


@pytest.fixture
def opened(browser, tmp_path):
    resize(browser, DESKTOP)

    def open_page(found: Explanation) -> Page:
        return Page(browser, tmp_path / "page.html", found)

    yield open_page
    resize(browser, DESKTOP)


def test_sss_star_stepped_to_its_end_on_the_lecture_tree_reads_12(opened):
    found = explain(lecture_tree(), "sss-star", label="the lecture's tree")
    page = opened(found)
    for number in range(1, len(found.walkthrough.steps)):
        page.click("next")
        assert page.step == number
        assert page.sentence == found.walkthrough.text(number)

    assert page.find(".result").text == "value 12"
    assert page.find('[data-node="0"] text.value').text == "12"
    assert page.find('[data-counter="leaves"]').text == "8"
    assert len(page.all(".edges .line-of-play")) == 4
    assert complaints(page.chrome) == []
    assert loaded(page.chrome) == []


def test_every_step_of_alpha_beta_looks_the_same_forwards_and_backwards(opened):
    found = explain(lecture_tree(), "alpha-beta")
    page = opened(found)
    forward = [page.statuses()]
    for _ in range(len(found.walkthrough.steps) - 1):
        page.press("ArrowRight")
        forward.append(page.statuses())
    backward = [page.statuses()]
    for _ in range(len(found.walkthrough.steps) - 1):
        page.press("ArrowLeft")
        backward.append(page.statuses())

    assert page.step == 0
    assert forward == backward[::-1]
    assert list(forward[-1].values()).count("leaf") == 13
    assert list(forward[-1].values()).count("cut") == 1 + 3  # a leaf, and a node with two leaves below it


def test_the_key_c_goes_from_cut_to_cut_and_the_reason_is_there(opened):
    found = explain(lecture_tree(), "alpha-beta")
    page = opened(found)
    page.press("c")

    assert page.step == found.walkthrough.find("cut")
    assert page.sentence.startswith("Cut in node 1.0.1: its last move is not searched.")
    assert "thanks to leaf 1.0.0.1" in page.sentence
    assert [row.text for row in page.all(".window tbody tr")][-1].split() == ["1.0.1", "MIN", "12", "5"]
    assert len(page.all(".edge.cut-here")) == 1
    page.press("C")
    assert page.step == 0


def test_open_is_listed_with_live_and_solved(opened):
    page = opened(explain(lecture_tree(), "sss-star"))
    page.press(*["ArrowRight"] * 13)

    assert [row.text.split() for row in page.all(".open tbody tr")] == [
        ["3", "0.0.1.0", "SOLVED", "15", "2"],
        ["2", "1.0.0.0", "SOLVED", "13", "2"],
        ["1", "0.0.0.0", "SOLVED", "10", "2"],
        ["4", "1.0.1.0", "SOLVED", "5", "2"],
    ]
    assert page.find(".open tr.fresh").text.startswith("4 1.0.1.0")
    assert len(page.all("svg .chip")) == 4


def test_a_click_folds_what_is_below_a_node_and_another_unfolds_it(opened):
    page = opened(explain(lecture_tree(), "alpha-beta"))
    page.press("End")
    assert len(page.statuses()) == 31

    page.click_node(1)  # the left half of the tree
    assert len(page.statuses()) == 31 - 14
    assert page.find('[data-node="1"] .count').text == "14"
    page.click_node(1)
    assert len(page.statuses()) == 31


def test_playing_goes_on_by_itself_and_stops_at_the_end(opened):
    found = explain(lecture_tree(), "sss-star")
    page = opened(found)
    page.chrome.execute_script(
        "const rate = document.querySelector('select'); rate.value = '40'; rate.dispatchEvent(new Event('change'))"
    )
    page.press(" ")
    page.until(lambda: page.step == len(found.walkthrough.steps) - 1)

    assert page.find('[data-do="play"]').text == "▶"


def test_the_address_remembers_the_step(opened):
    page = opened(explain(lecture_tree(), "alpha-beta"))
    page.press("c")
    page.until(lambda: page.chrome.current_url.endswith("#step=51"))
    page.chrome.refresh()
    page.until(lambda: page.find("main").get_attribute("data-step") == "50")


def test_a_tree_of_five_hundred_nodes_is_folded_and_opens_where_the_search_is(opened):
    found = explain(uniform(2, 8), "alpha-beta")
    page = opened(found)
    assert len(found.walkthrough.nodes) == 511

    for _ in range(12):
        page.press("c")
        shown = page.statuses()
        focus = found.walkthrough.steps[page.step].focus
        assert set(found.walkthrough.path(focus)) <= set(shown)
        assert len(shown) < 80


def test_a_step_among_four_thousand_nodes_draws_no_more_than_what_is_in_sight(opened):
    found = explain(uniform(2, 11), "alpha-beta")
    page = opened(found)
    page.press("End")
    most = page.chrome.execute_script(
        "const watch = new MutationObserver(() => {}); let most = 0;"
        "watch.observe(document.body, {childList: true, subtree: true, attributes: true, characterData: true});"
        "for (let i = 0; i < 40; i++) {"
        "  document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}));"
        "  most = Math.max(most, watch.takeRecords().length); }"
        "return most"
    )

    assert page.step == len(found.walkthrough.steps) - 41
    assert 0 < most < 2_000
    assert len(page.statuses()) < 300


def test_the_root_is_there_before_the_search_begins(opened):
    found = explain(load("connectfour", machine="reasoner"), "alpha-beta", limit=Limit(depth=5, nodes=40))
    page = opened(found)
    assert not found.walkthrough.outlined
    assert page.step == 0
    assert len(page.all(".nodes > *")) == 1


def test_the_two_halves_of_a_bidirectional_search_grow_towards_each_other(opened):
    found = explain(hanoi(3), "bidirectional")
    page = opened(found)
    page.press("End")

    assert page.all(".edge.backward")
    solved = page.all(".edges .line-of-play, .links .line-of-play")
    assert len(solved) == len(found.result.solution) == 7


def test_hostile_moves_roles_and_names_are_shown_and_do_nothing(opened):
    page = opened(explain(HostileGame(), "alpha-beta", label=LABEL))
    for _ in range(8):
        page.press("ArrowRight")

    assert page.find(".subtitle").text.startswith("</script><script>window.harmed=1</script>")
    assert page.chrome.execute_script("return window.harmed") is None
    assert page.all("main img") == []
    assert complaints(page.chrome) == []


def test_dark_and_light_follow_the_reader_and_the_button_turns_them(opened, browser):
    def ground() -> str:
        return browser.execute_script(
            "return getComputedStyle(document.querySelector('main')).backgroundColor"
        )

    page = opened(explain(lecture_tree(), "alpha-beta"))
    light = ground()
    resize(browser, DESKTOP, dark=True)
    dark = ground()
    page.click("theme")

    assert dark != light
    assert ground() == light


def test_the_position_of_the_node_in_focus_stands_beside_the_tree(opened):
    page = opened(explain(load("tictactoe"), "alpha-beta", limit=Limit(depth=2)))
    page.press(*["ArrowRight"] * 2)

    assert page.find(".position").text.splitlines()[2] == "1 │ x │   │   │"


def test_on_paper_the_whole_tree_is_there_without_buttons(opened, browser):
    page = opened(explain(lecture_tree(), "alpha-beta"))
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        page.until(lambda: page.find(".tree").get_dom_attribute("viewBox") is not None)
        assert not page.find(".controls").is_displayed()
        assert page.find(".tree").rect["height"] > 300
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    page.until(lambda: page.find(".tree").get_dom_attribute("viewBox") is None)


def test_two_searches_in_one_page_can_be_stepped_together(browser, tmp_path):
    walkthroughs = [
        walkthrough_data(explain(lecture_tree(), name).walkthrough) for name in ("alpha-beta", "sss-star")
    ]
    file = tmp_path / "both.html"
    file.write_text(
        f"<meta charset=utf-8><style>{page_style()} body > div {{ height: 700px; }}</style>"
        f"<div id=one></div><div id=two></div><script>(() => {{{page_script()}}})();"
        f"const walkthroughs = {embedded(walkthroughs)};"
        "const show = (name, walkthrough) => Stratagem.explain(document.getElementById(name), walkthrough, {keys: false});"
        "const one = show('one', walkthroughs[0]), two = show('two', walkthroughs[1]);"
        "one.onstep((at) => two.seek(Math.round(at * (two.length - 1) / (one.length - 1))));</script>",
        encoding="utf-8",
    )
    browser.get(file.as_uri())
    browser.find_element("css selector", "[data-do=last]").click()

    assert [found.text for found in browser.find_elements("css selector", ".result")] == [
        "value 12",
        "value 12",
    ]


def test_on_a_phone_nothing_is_wider_than_the_screen(opened, browser):
    resize(browser, PHONE)
    page = opened(explain(lecture_tree(), "sss-star"))
    page.press("End")

    assert browser.execute_script("return document.documentElement.scrollWidth") <= PHONE[0]
    assert page.find('[data-do="next"]').is_displayed()
    assert page.find(".controls").rect["y"] + page.find(".controls").rect["height"] <= PHONE[1]
