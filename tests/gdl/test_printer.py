"""Printers: layout, spelling, and words that HRF cannot write bare."""

from __future__ import annotations

import pytest

from stratagem.gdl.parse import parse_term, read_sheet
from stratagem.gdl.terms import Compound, Symbol
from stratagem.gdl.text.printer import spell, term_to_hrf, term_to_kif, to_hrf, to_kif
from stratagem.gdl.text.syntax import Source

TEXT = """
(ROLE Robot) (init (step 0)) (<= (legal Robot (goLeft)) (true (step ?N)) (not (or (stuck) (true (f)))))
(<= terminal (true (step 3))) (<= (goal Robot 100) terminal (distinct ?x ?y) (p ?x ?y) (or (q ?x) (not (r ?x))))
(succ 0 1) (succ 1 2)
"""

KIF = """\
(role Robot)
(init (step 0))

(<= (legal Robot (goLeft))
    (true (step ?N))
    (not (or (stuck) (true (f)))))

(<= terminal
    (true (step 3)))

(<= (goal Robot 100)
    terminal
    (distinct ?x ?y)
    (p ?x ?y)
    (or (q ?x) (not (r ?x))))

(succ 0 1)
(succ 1 2)
"""

HRF = """\
role("Robot")
init(step(0))

legal("Robot",goLeft()) :-
  true(step(N)) &
  ~(stuck() | true(f()))

terminal :-
  true(step(3))

goal("Robot",100) :-
  terminal &
  distinct(X,Y) &
  p(X,Y) &
  (q(X) | ~r(X))

succ(0,1)
succ(1,2)
"""


def test_a_sheet_is_laid_out_in_kif_and_in_hrf():
    sheet, _ = read_sheet(Source(TEXT))
    assert to_kif(sheet) == KIF
    assert to_hrf(sheet) == HRF


def test_what_was_printed_prints_the_same_again():
    assert to_kif(read_sheet(Source(KIF))[0]) == KIF
    assert to_hrf(read_sheet(Source(HRF, syntax="hrf"))[0]) == HRF


def test_a_long_or_gets_a_line_for_each_alternative():
    long = " ".join(f"(true (cell {number} {number} something_rather_long))" for number in range(3))
    sheet, _ = read_sheet(Source(f"(<= p (or {long}))"))
    assert to_kif(sheet).count("\n") == 4
    assert to_hrf(sheet).count("\n") == 4
    assert read_sheet(Source(to_kif(sheet)))[0] == sheet
    assert read_sheet(Source(to_hrf(sheet), syntax="hrf"))[0] == sheet


def test_a_move_is_spelled_as_the_rules_spell_it():
    sheet, _ = read_sheet(Source("(legal r (Move A1 (noOp))) (init NOOP)"))
    move = parse_term("(move a1 noop)")
    assert spell(move, sheet.spelling) == "(Move A1 (noOp))"
    assert spell(parse_term("noop"), sheet.spelling) == "(noOp)"
    assert str(move) == "(move a1 noop)"


@pytest.mark.parametrize(
    ("kif", "hrf"),
    [
        ("a", "a"),
        ("a-b_1", "a-b_1"),
        ("-5", "-5"),
        ("--5", '"--5"'),
        ("1.0", '"1.0"'),
        ("+", '"+"'),
        ("_a", '"_a"'),
        ("Ab", '"Ab"'),
        ("é", '"é"'),
        ('a"b\\c', '"a\\"b\\\\c"'),
        ("?x", "X"),
        ("?playerOne", "PlayerOne"),
        ("?_x", "_x"),
        ("?_", '"?_"'),
        ("?", '"?"'),
        ("?n++", '"?n++"'),
        ("?1", '"?1"'),
        ("(+ (f) ?x)", '"+"(f(),X)'),
    ],
)
def test_words_that_hrf_cannot_write_bare_are_quoted(kif, hrf):
    sheet, _ = read_sheet(Source(f"(p {kif})"))
    (argument,) = sheet.rules[0].head[1:]
    assert term_to_hrf(argument, sheet.spelling) == hrf
    assert term_to_kif(argument, sheet.spelling) == kif


def test_terms_as_deep_as_a_long_match_makes_them_can_be_spelled():
    term = Symbol("0")
    for _ in range(5_000):
        term = Compound(("s", term))
    assert spell(term) == "(s " * 5_000 + "0" + ")" * 5_000
    assert term_to_hrf(term).startswith("s(s(s(")
