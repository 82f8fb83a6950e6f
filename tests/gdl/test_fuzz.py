"""More than ten thousand texts, most of them nonsense: each gives a sheet or located findings, nothing else."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.data import corpus
from tests.support.sheets import SHEETS, words

from stratagem.errors import RulesError
from stratagem.gdl.findings import picture
from stratagem.gdl.parse import examine, parse, read_sheet
from stratagem.gdl.text.printer import to_hrf
from stratagem.gdl.text.syntax import Source, split_lines

SYNTAXES = ("kif", "hrf")
SIGNS = words('( ) (<= <= ; & | ~ , . :- _ X ? ?x " % \\ $ $i () (( )) é İ ẞ ∧')
WORDS = words("not or distinct true does role init next legal goal terminal base input each when and 100 -1")
OPENINGS = ["(not ", "(or ", "(distinct ", "(true (", ";;; [game]\n", ";;; [set.n]\n", '"a b"', "( p )"]
ODD = ["\n", "\r", "\t", " ", "", "\x00", "\x1b", "\ud800", "\xa0", "\ufeff"]
SNIPPETS = [*SIGNS, *WORDS, *OPENINGS, *ODD]


def judge(source: Source) -> bool:
    """Whether the sheet is accepted; fails if anything but a sheet or located findings comes back."""
    sheet, findings = examine(source)
    lines = split_lines(source.text)
    for found in findings:
        assert 1 <= found.place.line <= len(lines), found
        assert 1 <= found.place.column <= len(lines[found.place.line - 1]) + 1, found
        assert str(found).startswith(f"{source.name}:{found.place.line}:{found.place.column}: ")
        assert found.message
        assert found.expected
        assert found.hint
        assert picture(found, source)
    assert (sheet is None) == any(found.is_error for found in findings)
    return sheet is not None


def judge_twice(source: Source) -> None:
    """The same, and `parse` must agree with `examine`."""
    if judge(source):
        assert parse(source) == examine(source)[0]
    else:
        with pytest.raises(RulesError) as refused:
            parse(source)
        assert list(refused.value.findings) == [found for found in examine(source)[1] if found.is_error]


@settings(max_examples=800, derandomize=True)
@given(st.text(max_size=200), st.sampled_from(SYNTAXES))
def test_any_text_at_all(text, syntax):
    judge(Source(text, syntax=syntax))


@settings(max_examples=1_500, derandomize=True)
@given(st.lists(st.sampled_from(SNIPPETS), max_size=40).map(" ".join), st.sampled_from(SYNTAXES))
def test_texts_of_the_right_words(text, syntax):
    judge(Source(text, syntax=syntax))


@settings(max_examples=500, derandomize=True)
@given(SHEETS)
def test_sheets_that_can_be_read(text):
    judge_twice(Source(text))


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_real_sheets_with_slips_of_the_pen(syntax):
    real = [path for path in sorted(corpus().glob("**/*.kif")) if path.stat().st_size < 1_500]
    texts = [path.read_text(encoding="utf-8") for path in real]
    if syntax == "hrf":
        texts = [to_hrf(read_sheet(Source(text))[0]) for text in texts]
    chance = random.Random(2025)
    accepted = sum(judge(Source(_slip(chance.choice(texts), chance), syntax=syntax)) for _ in range(2_500))
    assert 100 < accepted < 2_400


def _slip(text: str, chance: random.Random) -> str:
    """*text* with one to three pieces taken out, doubled, moved or replaced."""
    for _ in range(chance.randint(1, 3)):
        start = chance.randint(0, len(text))
        end = min(len(text), start + chance.choice([0, 0, 1, 1, 2, 5, 20, 100]))
        other = chance.randint(0, len(text))
        piece = chance.choice(["", text[start:end] * 2, text[other : other + 20], chance.choice(SNIPPETS)])
        text = text[:start] + piece + text[end:]
    return text
