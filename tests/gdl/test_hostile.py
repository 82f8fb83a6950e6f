"""Sheets made to hurt: each ends soon, in a sheet or in findings, and never in a crash."""

from __future__ import annotations

import pytest

from stratagem.gdl.parse import examine
from stratagem.gdl.text.syntax import LIMITS, Source

DEEP = 100_000
NESTED_OR = "x"
for _ in range(45):
    NESTED_OR = f"(or {NESTED_OR} (not {NESTED_OR if len(NESTED_OR) < 20_000 else 'y'}))"

KIF = {
    "opening brackets": "(" * DEEP,
    "closing brackets": ")" * DEEP,
    "nested terms": "(p " + "(f " * DEEP + "a" + ")" * DEEP + ")",
    "nested negations": "(<= p " + "(not " * DEEP + "q" + ")" * DEEP + ")",
    "five megabytes": "(p a)\n" * 900_000,
    "one long word": "a" * (LIMITS.characters - 1),
    "one long number": "(goal r " + "9" * 5_000 + ")",
    "nothing but NUL": "\x00" * 100_000,
    "NUL in every word": "(p\x00 a)\n" * 20_000,
    "too many rules": "(p a)" * (LIMITS.rules + 1),
    "as many facts as allowed": "".join(f"(p {number})" for number in range(LIMITS.rules)),
    "a ring of rules": "".join(f"(<= p{number} p{number + 1})" for number in range(20_000))
    + "(<= p20000 p0)",
    "a ring through not": "".join(f"(<= p{number} (not p{number + 1}))" for number in range(9_999))
    + "(<= p9999 (not p0))",
    "one relation against itself": "".join(
        f"(<= (p {number}) (not (p {number + 1})))" for number in range(3_000)
    ),
    "a rule of twenty thousand conditions": "(<= (p ?x) "
    + "".join(f"(q{n} ?x)" for n in range(20_000))
    + ")",
    "a rule of five thousand variables": "(<= p " + "".join(f"(q ?x{n})" for n in range(5_000)) + ")",
    "a rule of five thousand unsafe variables": "(<= p "
    + "".join(f"(distinct ?x{n} a) (or (q ?x{n}) r)" for n in range(5_000))
    + ")",
    "alternatives inside alternatives": f"(<= p {NESTED_OR})",
    "many undefined names": "".join(f"(<= a{n} undefined{n})" for n in range(5_000)),
    "blanks": " " * 3_000_000,
    "comments": ";" * 3_000_000,
    "empty lines": "\n" * 1_000_000,
    "a header of brackets": ";;; [game]\n;;; x = " + "[" * 10_000,
    "an endless header": ";;; [game]\n" + ";;; a.b.c = 1\n" * 20_000,
    "a header with an infinite size": ";;; [game]\n;;; [set.n]\n;;; default = inf\n;;; least = 1\n;;; most = 9\n",
    "a loop without an end": ";;; [game]\n;;; [set.n]\n;;; default = 9\n;;; least = 1\n;;; most = 9\n"
    "(each $i 1 999999999 (each $j 1 999999999))",
    "a number without an end": ";;; [game]\n;;; [set.n]\n;;; default = 9\n;;; least = 1\n;;; most = 9\n"
    "(p $" + "999999999*" * 90 + "9)",
}
HRF = {
    "opening brackets": "p" + "(" * DEEP,
    "negations": "p :- " + "~" * DEEP + "q",
    "negations and brackets": "p :- " + "~(" * DEEP,
    "nested terms": "f(" * DEEP + "a" + ")" * DEEP,
    "groups": "p :- " + "(" * 90 + "a" + ")" * 90,
    "five megabytes": "p(a)\n" * 1_000_000,
    "one long word": '"' + "a" * 2_000_000 + '"',
    "many quotation marks": '"' * 100_000,
    "nothing but NUL": "\x00" * 100_000,
    "many facts": "".join(f"p({n})\n" for n in range(20_000)),
    "many faults": "p :- & q\n" * 5_000,
    "a long conjunction": "p :- " + " & ".join(["q"] * 20_000),
    "a long disjunction": "p :- " + " | ".join(["q"] * 20_000),
    "anonymous variables": "p(" + ",".join(["_"] * 20_000) + ")",
}


@pytest.mark.parametrize(
    ("text", "syntax"),
    [(text, "kif") for text in KIF.values()] + [(text, "hrf") for text in HRF.values()],
    ids=[f"kif: {name}" for name in KIF] + [f"hrf: {name}" for name in HRF],
)
def test_a_hostile_sheet_ends_in_a_sheet_or_in_findings(text, syntax):
    sheet, findings = examine(Source(text, syntax=syntax))
    assert sheet is not None or any(found.is_error for found in findings)
    assert len(findings) <= 4 * LIMITS.findings
    assert all(len(str(found)) < 5_000 for found in findings[:100])
