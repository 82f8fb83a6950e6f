"""KIF to HRF to KIF is the identity, on every sheet of the corpus and on sheets nobody would write."""

from __future__ import annotations

from hypothesis import given, settings
from tests.support.data import corpus
from tests.support.sheets import SHEETS

from stratagem import sheets as games
from stratagem.gdl.parse import read_sheet
from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.text.files import read_file
from stratagem.gdl.text.printer import to_hrf, to_kif
from stratagem.gdl.text.syntax import Source


def spelling_of_words(sheet: RuleSheet) -> dict[str, str]:
    return {word: written for word, written in sheet.spelling.items() if not word.startswith("?")}


def check_round_trip(sheet: RuleSheet) -> None:
    in_hrf, faults = read_sheet(Source(to_hrf(sheet), syntax="hrf"))
    assert faults == []
    again, faults = read_sheet(Source(to_kif(in_hrf)))
    assert faults == []
    assert sheet.rules == in_hrf.rules == again.rules
    assert spelling_of_words(sheet) == spelling_of_words(in_hrf) == spelling_of_words(again)


def test_the_identity_on_every_sheet_of_the_corpus():
    paths = sorted(corpus().glob("**/*.kif"))
    assert len(paths) > 200
    for path in paths:
        check_round_trip(read_sheet(read_file(path))[0])


def test_the_identity_on_every_game_of_ours():
    for name in games.names():
        sheet, faults = read_sheet(games.source(name))
        assert faults == []
        check_round_trip(sheet)


@settings(max_examples=250, derandomize=True)
@given(SHEETS)
def test_the_identity_on_random_sheets(text):
    sheet, faults = read_sheet(Source(text))
    assert faults == []
    check_round_trip(sheet)
