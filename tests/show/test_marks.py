"""Marks: short, unlike each other, and in the colour of whoever owns them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from stratagem.show.board.marks import MarkChooser, role_colours

CHESS = [f"{side}{piece}" for side in "wb" for piece in "kqrbnp"]


def written(roles: list[str], *contents: str, first: tuple[str, ...] = ()) -> dict[str, str]:
    return {
        content: mark.text
        for content, mark in MarkChooser(roles, {}).marks(contents, frozenset(), first).items()
    }


def test_pieces_of_chess_get_their_signs_however_they_are_spelled() -> None:
    codes = written(["white", "black"], *CHESS)
    assert "".join(codes.values()) == "♔♕♖♗♘♙♚♛♜♝♞♟"
    assert written(["white", "black"], "white pawn", "blackknight") == {"white pawn": "♙", "blackknight": "♞"}


def test_pawns_that_become_kings_are_men_of_draughts() -> None:
    assert written(["white", "black"], "wp", "wk", "bp", "bk") == {"wp": "⛀", "wk": "⛁", "bp": "⛂", "bk": "⛃"}
    assert written(["white", "black"], "wp", "wk", "bp", "bk", first=("wk",))["wk"] == "♔"


def test_two_sides_are_a_full_and_an_empty_disc_and_three_are_letters() -> None:
    assert written(["black", "white"], "black", "white") == {"black": "●", "white": "○"}
    assert written(["red", "green", "blue"], "red", "green", "blue") == {
        "red": "R",
        "green": "G",
        "blue": "B",
    }


def test_kinds_are_upper_case_for_the_first_side_and_lower_case_for_the_second() -> None:
    found = written(["red", "blue"], "redchecker", "bluechecker")
    assert found == {"redchecker": "C", "bluechecker": "c"}


def test_crosses_noughts_and_numbers_stay_what_they_are() -> None:
    assert written(["xplayer", "oplayer"], "x", "o", "7") == {"x": "x", "o": "o", "7": "7"}
    marks = MarkChooser(["xplayer", "oplayer"], {}).marks(["x", "o"], frozenset())
    assert [marks[name].owner for name in "xo"] == ["xplayer", "oplayer"]
    assert [marks[name].shape for name in "xo"] == ["cross", "ring"]


def test_what_the_rules_give_to_a_role_is_its_own() -> None:
    mark = MarkChooser(["ann", "bob"], {"gnu": "bob"}).marks(["gnu"], frozenset())["gnu"]
    assert mark.owner == "bob"


def test_roles_named_after_colours_have_them_and_others_get_what_is_left() -> None:
    assert role_colours(["red", "ann"]) == {"red": "red", "ann": "blue"}
    assert len(set(role_colours(["a", "b", "c", "d", "e", "f"]).values())) == 6


@given(some.lists(some.text("abBwx_ 1é", min_size=1, max_size=8), unique=True, max_size=40))
def test_no_two_contents_are_written_alike(contents: list[str]) -> None:
    marks = MarkChooser(["white", "black"], {}).marks(contents, frozenset({"b"}))
    drawn = [mark for content, mark in marks.items() if content != "b"]
    assert len({mark.text for mark in drawn}) == len({mark.plain for mark in drawn}) == len(drawn)
    assert all(mark.plain.isascii() for mark in drawn)
