"""The KIF reader: words, brackets, comments, places, and faults it can see past."""

from __future__ import annotations

import pytest

from stratagem.gdl.text.kif import read
from stratagem.gdl.text.syntax import Node, Place, SheetLimits, Source


def shape(node: Node) -> object:
    return node.text if node.is_word else [shape(item) for item in node.items]


def shapes(text: str) -> list[object]:
    nodes, findings = read(Source(text))
    assert findings == []
    return [shape(node) for node in nodes]


def codes(text: str, limits: SheetLimits | None = None) -> list[tuple[str, int, int]]:
    findings = read(Source(text), limits or SheetLimits())[1]
    return [(found.code, found.place.line, found.place.column) for found in findings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(role x) (<= (legal x a) (true b))", [["role", "x"], ["<=", ["legal", "x", "a"], ["true", "b"]]]),
        ("(a b) ; (c d)\n(e f);x", [["a", "b"], ["e", "f"]]),
        ("(a b) ; comment\r(c d)", [["a", "b"], ["c", "d"]]),
        ("(a b;c)\n)", [["a", "b"]]),
        ("#|x|# (a b)", ["#|x|#", ["a", "b"]]),
        ("(<=(legal x a)(true b))", [["<=", ["legal", "x", "a"], ["true", "b"]]]),
        ('(a 1 01 +1 -1 1.0 "x y" \'q |b)', [["a", "1", "01", "+1", "-1", "1.0", '"x', 'y"', "'q", "|b"]]),
        ("(a\tb\x0bc\x0cd)", [["a", "b", "c", "d"]]),
        ("(a é)", [["a", "é"]]),
        ("\ufeff(role a)", [["role", "a"]]),
        ("", []),
    ],
)
def test_text_is_read_as_the_field_reads_it(text, expected):
    assert shapes(text) == expected


def test_every_word_knows_its_line_and_column():
    nodes, _ = read(Source("(role x)\r\n  (succ 1\t22)"))
    words = [item.place for node in nodes for item in node.items]
    assert words == [Place(1, 2, 4), Place(1, 7, 1), Place(2, 4, 4), Place(2, 9, 1), Place(2, 11, 2)]


def test_a_surplus_bracket_is_reported_and_the_rest_is_still_read():
    nodes, findings = read(Source("(a b)) (c d)"))
    assert [shape(node) for node in nodes] == [["a", "b"], ["c", "d"]]
    assert [(found.code, found.place.column) for found in findings] == [("GDL002", 6)]


def test_an_open_bracket_is_shown_where_it_opens_and_later_rules_are_saved():
    nodes, findings = read(Source("(a b\n(c d)\n(<= e\n    f)\n(g h)"))
    assert [(found.code, found.place.line) for found in findings] == [("GDL001", 1)]
    assert [shape(node) for node in nodes] == [["c", "d"], ["<=", "e", "f"], ["g", "h"]]


def test_conditions_at_the_margin_are_no_new_rules():
    assert shapes("(<= a\n(b)\n(c))") == [["<=", "a", ["b"], ["c"]]]


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\x7f", "\x9b", "\ud800", "\uffff"])
def test_what_cannot_be_text_is_refused_where_it_stands(character):
    assert codes(f"(a b{character}c)") == [("GDL009", 1, 5)]
    assert codes(f"(a b) ; {character}") == []


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (SheetLimits(characters=10), "(a b c d e)"),
        (SheetLimits(words=4), "(a b c)"),
        (SheetLimits(nesting=2), "(a (b (c)))"),
        (SheetLimits(word_length=3), "(abcd)"),
    ],
    ids=["characters", "words", "nesting", "letters"],
)
def test_each_limit_ends_the_reading_with_one_finding(limits, text):
    assert [code for code, _, _ in codes(text, limits)] == ["GDL008"]
    assert read(Source(text), limits)[0] == []
