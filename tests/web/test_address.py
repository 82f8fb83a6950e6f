"""Addresses: what goes in comes out, and what is damaged or swells up is refused with a sentence."""

from __future__ import annotations

import base64
import zlib
from collections import OrderedDict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagem.errors import LimitExceeded, StratagemError, UnknownGame, UsageError
from stratagem.web.app.address import (
    Sheet,
    address,
    checked,
    moves_from,
    moves_text,
    packed,
    title_of,
    unpacked,
)
from stratagem.web.app.limits import SHEET_CHARACTERS, STORED_SHEETS
from stratagem.web.app.setting import PlaySetting, clock_from
from stratagem.web.app.subject import Subject, edited

WORDS = st.text("abcxyz123?<>&\"'", min_size=1, max_size=6)
MOVES = st.one_of(WORDS, st.lists(WORDS, min_size=2, max_size=4).map(lambda words: f"({' '.join(words)})"))


@given(st.text(max_size=3_000))
def test_a_sheet_travels_in_an_address_unchanged(text: str) -> None:
    assert unpacked(packed(text)) == text


def test_a_sheet_too_long_for_an_address_waits_on_the_shelf_also_for_another_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATAGEM_DATA", str(tmp_path))
    monkeypatch.setattr("stratagem.web.app.address._recent_sheets", OrderedDict())
    text = "\r\n".join(f"(fact{number * 7919 % 10007} {number * 104729 % 99991})" for number in range(9_000))
    short = packed(text)
    assert len(short) < 40
    assert unpacked(short) == text
    monkeypatch.setattr("stratagem.web.app.address._recent_sheets", OrderedDict())
    assert unpacked(short) == text
    (file,) = (tmp_path / "sheets").iterdir()
    file.write_text("(role other)")
    for damaged in (short, "shelf.../../secret", "shelf."):
        with pytest.raises(UsageError, match="no longer has"):
            unpacked(damaged)


def test_the_shelf_holds_so_many_sheets_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAGEM_DATA", str(tmp_path))
    monkeypatch.setattr("stratagem.web.app.address.ADDRESS_CHARACTERS", 3)
    for number in range(STORED_SHEETS + 5):
        packed(f"(role r{number})")
    assert len(list((tmp_path / "sheets").iterdir())) == STORED_SHEETS


@given(st.text("abcdefgh-_=.éß", max_size=200))
def test_a_damaged_address_is_refused_with_a_sentence(short: str) -> None:
    with pytest.raises(StratagemError, match="open the sheet again"):
        unpacked(f"damaged{short}")


def test_an_address_that_swells_up_is_refused() -> None:
    bomb = base64.urlsafe_b64encode(zlib.compress(b"(" * 50_000_000, 9)).decode().rstrip("=")
    with pytest.raises(LimitExceeded, match="more than a sheet"):
        unpacked(bomb)


def test_a_sheet_of_five_megabytes_is_refused_before_anything_reads_it() -> None:
    with pytest.raises(LimitExceeded, match="5,000,000 characters"):
        checked("x" * 5_000_000)
    assert checked("x" * SHEET_CHARACTERS)


@given(st.lists(MOVES, max_size=8))
def test_moves_travel_in_an_address_unchanged(moves: list[str]) -> None:
    assert list(moves_from(moves_text(moves))) == moves


def test_a_game_in_an_address_is_a_bundled_one_and_never_a_file() -> None:
    for name in ("/etc/passwd", "../secret.kif", "", "nosuchgame", "<script>"):
        with pytest.raises(UnknownGame):
            Sheet.from_query({"game": name})


def test_sizes_that_a_game_has_are_kept_and_others_are_left_out() -> None:
    sheet = Sheet.from_query(
        {"game": "connectfour", "set-columns": "5", "set-nonsense": "3", "set-rows": "x"}
    )
    assert sheet == Sheet("connectfour", sizes=(("columns", 5),))
    assert Sheet.from_query(sheet.query()) == sheet


@given(st.dictionaries(st.sampled_from(["seats", "clock", "moves"]), st.text(max_size=30)))
def test_whatever_an_address_says_of_a_match_makes_a_setting(query: dict[str, str]) -> None:
    setting = PlaySetting.from_query(query)
    assert 0.1 <= setting.clock <= 60
    assert PlaySetting.from_query(setting.query()).seats == setting.seats


def test_an_address_has_no_empty_parts() -> None:
    assert address("/play", {"game": "hex", "moves": ""}) == "/play?game=hex"
    assert address("/play", {"moves": ""}) == "/play"


@pytest.mark.parametrize(
    "query",
    [
        {"tree": "lecture"},
        {"tree": "uniform:3:4:7:iid10"},
        {"tree": "shape:3-2-2-3:7:worst"},
        {"tree": "[[3,12,8],[2,4,6]]"},
        {"game": "tictactoe", "moves": "mark 2 2;mark 1 1", "depth": "3", "evaluation": "mobility"},
    ],
)
def test_what_is_searched_travels_in_an_address(query: dict[str, str]) -> None:
    subject = Subject.from_query(query)
    assert {name: value for name, value in subject.query().items() if value} == query


def test_a_long_tree_is_packed() -> None:
    subject = Subject(str(list(range(2_000))).replace(" ", ""))
    assert len(subject.query()["tree"]) < 12_000
    assert Subject.from_query(subject.query()) == subject


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ("uniform:9:9", "cannot be shown"),
        ("shape:3-0-2", "every inner node needs a move"),
        ("shape:9-9-9-9-9-9", "at most"),
        ("nonsense", "is not a tree"),
        ("[" * 70_000, "characters"),
    ],
)
def test_trees_that_are_too_large_or_none_are_refused(tree: str, words: str) -> None:
    with pytest.raises((LimitExceeded, UsageError), match=words):
        Subject.from_query({"tree": tree})


def test_only_a_leaf_can_be_given_another_value() -> None:
    assert edited([[3, 12], {"player": "min", "children": [8, 2]}], [1, 0], 5) == [
        [3, 12],
        {"player": "min", "children": [5, 2]},
    ]
    for path in ([], [0], [0, 7], [0, 0, 0], [-1, 0]):
        with pytest.raises(UsageError):
            edited([[3, 12], 8], path, 1)


def test_a_random_tree_has_the_shape_that_was_asked_for() -> None:
    from stratagem.web.tasks.searches import _tree

    spec = _tree(Subject("shape:3-1-2:4")).spec()
    assert [len(spec), len(spec[0]), len(spec[0][0])] == [3, 1, 2]
    assert sorted(leaf for one in spec for two in one for leaf in two) == [0, 1, 2, 3, 4, 5]
    assert _tree(Subject("shape:3-1-2:5")).spec() != spec


def test_only_algorithms_that_fit_are_offered() -> None:
    from stratagem.web.pages.search import fitting

    assert "breadth-first" not in fitting(False)
    assert next(iter(fitting(True))) == "breadth-first"
    assert {*fitting(False), *fitting(True)} == set(fitting(None))
    for names in (fitting(False), fitting(True)):
        assert all(name[0].isupper() for name in names.values())


@pytest.mark.parametrize("typed", [0, -3, "abc", 0.05, "", None, "nan", "inf", 61])
def test_a_clock_that_no_player_could_keep_to_is_refused_with_its_range(typed: object) -> None:
    with pytest.raises(UsageError, match=r"the clock takes 0\.1 to 60 seconds a move"):
        clock_from(typed)


@pytest.mark.parametrize(("typed", "seconds"), [(0.1, 0.1), ("0.2", 0.2), (" 2,5 ", 2.5), (60, 60.0)])
def test_a_clock_is_taken_as_it_is_written(typed: object, seconds: float) -> None:
    assert clock_from(typed) == seconds


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (';;; [game]\n;;; title = "Two Kings"\n(role me)', "Two Kings"),
        ('%%% [game]\n%%% title = "Two Kings"\nrole(me).\nlegal(me, go) :- true(p).', "Two Kings"),
        (";;; -*-Lisp-*-\n;*******\n;* chess.kif            *\n;* First Draft\n(role white)", "chess"),
        ("\n\n; Nine Men's Morris\n(role white)", "Nine Men's Morris"),
        ("(role white) ; not a title", ""),
        (";;; [game]\n;;; title = 3 = 4\n(role me)", ""),
        (";" + "x" * 200, ""),
        ("", ""),
    ],
)
def test_a_sheet_is_called_by_its_header_or_its_first_comment(text: str, title: str) -> None:
    assert title_of(text) == title
    assert Sheet(text=text).title == (title or "your rules")


@given(st.text(max_size=300))
def test_any_text_has_a_title_short_enough_for_a_heading(text: str) -> None:
    assert len(title_of(text)) <= 60
