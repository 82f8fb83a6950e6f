"""Whatever comes from rules, names and moves is text on a page and never markup."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from stratagem.loading import load
from stratagem.play.tournaments.ratings import Rating
from stratagem.show.board.svg.board import draw_svg
from stratagem.web.widgets import figures, markup

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
NASTY = st.text(st.sampled_from("<>&\"'`=/abc "), max_size=20)


@given(NASTY, NASTY)
def test_pills_tables_facts_and_headings_are_escaped(one: str, two: str) -> None:
    made = [
        markup.heading(one),
        markup.chips([(one, two)], classes={one: two}),
        markup.table((one,), [(two,)]),
        markup.facts([f"{one} {two}"]),
    ]
    for text in made:
        inner = re.sub(
            r"</?(h2|button|table|thead|tbody|tr|th|td|span)( [a-z-]+(=\"[^\"<>]*\"|=number))*>", "", text
        )
        assert "<" not in inner
        assert ">" not in inner


def test_reasons_are_escaped_at_every_depth() -> None:
    inner = {"query": HOSTILE, "holds": False, "derivation": None, "attempts": [], "note": HOSTILE}
    attempt = {
        "rule": HOSTILE, "file": HOSTILE, "line": 3, "bindings": {HOSTILE: HOSTILE}, "met": [HOSTILE],
        "failed": HOSTILE, "reason": inner,
    }  # fmt: skip
    derivation = {
        "what": HOSTILE, "kind": "rule", "file": HOSTILE, "line": 1, "bindings": {HOSTILE: HOSTILE},
        "because": [{"what": HOSTILE, "kind": "fact", "file": HOSTILE, "line": 2, "bindings": {}, "because": []}],
    }  # fmt: skip
    for answer in (
        {**inner, "attempts": [attempt]},
        {"query": HOSTILE, "holds": True, "derivation": derivation, "attempts": [], "note": ""},
    ):
        text = markup.reason(answer)
        assert "<script" not in text
        assert "<img" not in text


def test_a_board_made_of_hostile_words_has_no_script_in_it() -> None:
    word = "<script>alert(1)</script>"
    game = load(
        f"(role <b>x</b>) (init (cell 1 1 {word})) (init (cell 1 2 {word})) (init ({word} y)) "
        f"(<= (legal <b>x</b> (mark ?a ?b)) (true (cell ?a ?b {word}))) (<= (next (cell ?a ?b z)) (does ?r (mark ?a ?b)))"
        "(<= terminal (true (cell 1 1 z))) (goal <b>x</b> 100)\n"
    )
    drawn = draw_svg(game.initial(), clickable=True)
    assert "<script" not in drawn
    assert "<b>" not in drawn


def test_charts_are_escaped() -> None:
    assert "<script" not in figures.value_curve({HOSTILE: [(1, 50.0)]}, 3, 1)
    assert "<script" not in figures.rating_plot([Rating(HOSTILE, 1500, 1400, 1600, 3, 0.5)])
