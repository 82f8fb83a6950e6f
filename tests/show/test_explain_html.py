"""The page: complete in itself, deaf to what is written in it, and true to the walkthrough."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest
from tests.support.hostile import LABEL, HostileGame

from stratagem.explanation import explain
from stratagem.machines.trees.graph import maze
from stratagem.machines.trees.models import lecture_tree, uniform
from stratagem.search import ADVERSARIAL
from stratagem.show.walkthrough.model import FIELDS
from stratagem.show.walkthrough.render.html import embedded, page_of, page_script, page_style

ADDRESS = re.compile(
    r"https?:|//[a-z0-9]|src\s*=|href\s*=|@import|url\(|\bfetch\b|XMLHttpRequest|\beval\b|Function\("
)
PAGES = {
    **{name: lambda name=name: explain(lecture_tree(), name) for name in ADVERSARIAL},
    "a-star": lambda: explain(maze({"a": "bc", "b": "d", "c": "de"}, start="a", goal="e"), "a-star"),
}


def without_comments(text: str) -> str:
    return re.sub(r"(?m)^\s*//.*$|/\*.*?\*/", "", text, flags=re.DOTALL)


def data_in(page: str):
    return json.loads(re.search(r'id="walkthrough">(.*?)</script>', page, re.DOTALL)[1])


@pytest.mark.parametrize("name", list(PAGES))
def test_no_page_has_an_address_in_it(name):
    assert not ADDRESS.search(without_comments(PAGES[name]().html()))


def test_the_page_allows_its_own_script_and_nothing_else():
    page = explain(lecture_tree(), "sss-star").html()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)

    def print_of(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    assert len(scripts) == len(styles) == 1
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{print_of(scripts[0])}'; "
        f"style-src 'sha256-{print_of(styles[0])}'; base-uri 'none'; form-action 'none'"
    )


def test_buttons_need_no_font_with_symbols_of_its_own():
    """Signs of players of media (⏮) are empty boxes where no such font is installed."""
    assert re.findall("[\u2300-\u23ff\u2600-\u27bf\U0001f000-\U0001faff]", page_script()) == []


def test_hostile_moves_roles_and_names_stay_text():
    page = explain(HostileGame(), "alpha-beta", label=LABEL).html()

    assert page.count("<script") == 2  # the walkthrough and the script
    assert page.count("</script") == 2
    assert "<img" not in page
    assert "<!--" not in page
    assert data_in(page)["label"] == LABEL


def test_json_in_a_page_survives_what_ends_scripts():
    hostile = "</script><!-- \u2028\u2029 &amp; <b>"
    text = embedded({hostile: [hostile]})

    assert not re.search("[<>&\u2028\u2029]", text)
    assert json.loads(text) == {hostile: [hostile]}


def test_the_page_carries_the_whole_walkthrough():
    found = explain(lecture_tree(), "alpha-beta")
    data = data_in(found.html())

    assert len(data["steps"]) == len(found.walkthrough.steps)
    assert len(data["nodes"]) == 31
    assert [node[4] for node in data["nodes"] if node[4] is not None][:4] == ["10", "9", "15", "11"]
    assert data["value"] == "12"
    assert data["range"] == [3, 15]
    status = FIELDS.index("status")
    last_word_on_each = {}
    for _, _, _, changes in data["steps"]:
        last_word_on_each.update({key: value for field, key, value in changes if field == status})
    assert last_word_on_each == dict(found.frame().status)


def test_a_page_of_four_thousand_nodes_stays_small_enough_to_send():
    assert len(page_of(explain(uniform(2, 11), "alpha-beta").walkthrough)) < 2_000_000


def test_script_and_style_can_be_had_alone_for_another_page():
    assert "globalThis.Stratagem" in page_script()
    rules = re.findall(r"(?m)^([^@\s/{}][^{}]*)\{", page_style())
    assert all(part.strip().startswith(".stratagem") for rule in rules for part in rule.split(","))
