"""The HRF reader: the lecture's notation, the same rules as KIF, and faults in words."""

from __future__ import annotations

import re

import pytest
from tests.support.data import ROOT

from stratagem.gdl.parse import read_sheet
from stratagem.gdl.text.files import guess_syntax
from stratagem.gdl.text.infix import read
from stratagem.gdl.text.printer import to_kif
from stratagem.gdl.text.syntax import Place, SheetLimits, Source


def kif(text: str) -> str:
    sheet, faults = read_sheet(Source(text, syntax="hrf"))
    assert faults == []
    return " ".join(to_kif(sheet).split())


def faults(text: str, limits: SheetLimits | None = None) -> list[tuple[str, int, int]]:
    findings = read(Source(text, syntax="hrf"), limits or SheetLimits())[1]
    return [(found.code, found.place.line, found.place.column) for found in findings]


@pytest.mark.parametrize(
    ("hrf", "expected"),
    [
        ("cell(1,1,b)", "(cell 1 1 b)"),
        ("p :- q", "(<= p q)"),
        ("p <= q", "(<= p q)"),
        ("p ⇐ q", "(<= p q)"),
        ("p:-q&~r", "(<= p q (not r))"),
        ("p :- q, r ∧ ¬s", "(<= p q r (not s))"),
        ("p(X) :- q(X,Player) & (r(X) | s)", "(<= (p ?x) (q ?x ?player) (or (r ?x) s))"),
        ("p :- a | b ∨ c", "(<= p (or a b c))"),
        ("p :- a | (b | c)", "(<= p (or a (or b c)))"),
        ("p :- ((a & (b))) & c", "(<= p a b c)"),
        ("p :- ~~a & ~(b | c)", "(<= p (not (not a)) (not (or b c)))"),
        (
            "p :- not(a) & or(b,c) & or() & distinct(X,f(Y))",
            "(<= p (not a) (or b c) (or) (distinct ?x (f ?y)))",
        ),
        ("p(f()) :- q()", "(<= (p (f)) (q))"),
        ("p. q :- r. s", "p (<= q r) s"),
        ("p q r", "p q r"),
        ("p(-5,x-1,N-1,007,n_1)", "(p -5 x-1 ?n-1 007 n_1)"),
        ("p(_,_,_1,_x)", "(p ?_2 ?_3 ?_1 ?_x)"),
        ("PLAYER_1(a)", None),
        ('p("+","1.5","Cell","?n++","a\\"b\\\\")', '(p + 1.5 Cell ?n++ a"b\\)'),
        ("p(playerOne,PlayerTwo,THREE)", "(p playerOne ?playerTwo ?three)"),
        ("% a comment\np % another :- q\n", "p"),
        ("p( a\n,\tb )", "(p a b)"),
        ("", ""),
        ("\ufeffp", "p"),
    ],
)
def test_each_form_has_its_kif(hrf, expected):
    if expected is None:
        assert [code for code, _, _ in faults(hrf)] == []
        assert read_sheet(Source(hrf, syntax="hrf"))[1][0].code == "GDL006"
    else:
        assert kif(hrf) == expected


def test_the_rules_of_the_lecture_are_read_as_printed():
    text = """
        next(cell(M,N,b)) <=
          true(cell(M,N,b)) ∧
          does(P, mark(J,K)) ∧
          (distinct(M,J) ∨ distinct(N,K))
    """
    assert kif(text) == (
        "(<= (next (cell ?m ?n b)) (true (cell ?m ?n b)) (does ?p (mark ?j ?k))"
        " (or (distinct ?m ?j) (distinct ?n ?k)))"
    )


def test_places_point_into_the_infix_text():
    (node,) = read(Source("p(X) :-\n  q(X) &\n  ~r", syntax="hrf"))[0]
    arrow, head, first, second = node.items
    assert (node.place, head.place, arrow.place) == (Place(1, 1, 1), Place(1, 1, 1), Place(1, 6, 2))
    assert [item.place for item in head.items] == [Place(1, 1, 1), Place(1, 3, 1)]
    assert [item.place for item in first.items] == [Place(2, 3, 1), Place(2, 5, 1)]
    assert [item.place for item in second.items] == [Place(3, 3, 1), Place(3, 4, 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p(X :- q", [("GDL001", 1, 2)]),
        ("p) :- q", [("GDL002", 1, 2)]),
        ("p(?x)", [("GDL009", 1, 3)]),
        ("p :- q ; r", [("GDL009", 1, 8)]),
        (
            'p("a b") q("") r("(") s("\x00")',
            [("GDL009", 1, 3), ("GDL009", 1, 12), ("GDL009", 1, 18), ("GDL009", 1, 25)],
        ),
        ('p("a', [("GDL009", 1, 3)]),
        ("p :- (a & b) | c", [("GDL023", 1, 9)]),
        ("p :- a & b | c", [("GDL023", 1, 8)]),
        ("p :- ~(a & b)", [("GDL023", 1, 10)]),
        ("p :-", [("GDL024", 1, 3)]),
        ("p :- & q", [("GDL024", 1, 6)]),
        ("p(,)", [("GDL024", 1, 3)]),
        ("p(1.5)", [("GDL024", 1, 4)]),
        ("~p", [("GDL024", 1, 1)]),
        ("(p a)", [("GDL024", 1, 1)]),
        ("p(a :- b)\nq :- & r\ns(?y)\nt(1)", [("GDL009", 3, 3), ("GDL024", 1, 5), ("GDL024", 2, 6)]),
    ],
)
def test_each_fault_is_shown_where_it_is(text, expected):
    assert faults(text) == expected


def test_sound_statements_around_a_fault_are_still_read():
    nodes, _ = read(Source("a(1)\nb( :- c\nd(2). e( . f(3)\ng(4)", syntax="hrf"))
    assert [node.items[0].text for node in nodes] == ["a", "d", "g"]


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (SheetLimits(characters=5), "p :- q"),
        (SheetLimits(words=3), "p(a)"),
        (SheetLimits(nesting=3), "p(f(g(h(a))))"),
        (SheetLimits(nesting=3), "p :- ~~~~a"),
        (SheetLimits(nesting=3), "p :- ~(~(~a))"),
        (SheetLimits(word_length=3), "abcd"),
    ],
)
def test_each_limit_ends_the_reading_with_one_finding(limits, text):
    assert [code for code, _, _ in faults(text, limits)] == ["GDL008"]


def test_negations_side_by_side_are_not_nested():
    assert faults("p :- ~a & ~(b | ~c) & ~d & ~e", SheetLimits(nesting=3)) == []


@pytest.mark.parametrize(
    ("text", "syntax"),
    [
        ("(role a)", "kif"),
        ("; 50% (sic)\n\n (role a)", "kif"),
        ("role(a)", "hrf"),
        ("% about (this)\nrole(a)", "hrf"),
        ("terminal", "kif"),
        ("", "kif"),
    ],
)
def test_the_syntax_of_a_text_can_be_guessed(text, syntax):
    assert guess_syntax(text) == syntax


def test_the_examples_of_the_page_are_hrf():
    page = (ROOT / "docs" / "hrf.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```hrf\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        assert faults(block) == []


def test_the_table_of_the_page_is_right():
    page = (ROOT / "docs" / "hrf.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]*)` \| `([^`]*)` \|", page, re.MULTILINE)
    pairs = {hrf.replace("\\|", "|"): prefix for hrf, prefix in rows}
    assert len(pairs) >= 6
    for hrf, prefix in pairs.items():
        if not hrf.startswith("%"):
            in_body = not hrf.startswith(("head", "cell", "_", "f("))
            text, expected = (f"p :- {hrf}", f"(<= p {prefix})") if in_body else (hrf, prefix)
            text, expected = (
                (f"p({hrf})", f"(p {prefix})") if hrf.startswith(("_", "f(")) else (text, expected)
            )
            assert kif(text) == expected
