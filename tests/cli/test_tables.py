"""Tables on screens of every width: no number is ever cut, and every column is somewhere."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console
from tests.support.markdown import run_command

from stratagem.cli.common.tables import Column, Screen, print_table

WIDTHS = (120, 80, 60, 40)
COLUMNS = (
    Column("search", left=True),
    Column("best move"),
    Column("nodes"),
    Column("leaves"),
    Column("said of it", words=True),
    Column("seconds"),
)
ROWS = (
    ("alpha-beta", "(move 3 1 2 1)", "516,123,456", "31,234,567", "solved in 42; 10,461,394,944,000 states", "0.125"),
    ("sss-star", "noop", "7", "4", "", "1,234.500"),
)  # fmt: skip
TOTAL = ("all", "", "516,123,463", "31,234,571", "", "1,234.625")


def printed(width: int, **options) -> str:
    file = io.StringIO()
    print_table(Console(file=file, width=width), COLUMNS, ROWS, **options)
    return file.getvalue()


@pytest.mark.parametrize("width", [*WIDTHS, 30, 20, 10])
def test_every_cell_and_every_head_is_there_whole(width):
    text = printed(width, title="a title", total=TOTAL)
    words = re.sub(r"\s+", " ", text)
    assert "…" not in text
    for row in (*ROWS, TOTAL):
        for number, cell in enumerate(row):
            for word in cell.split() if COLUMNS[number].words else [cell]:
                assert word in words
    for column in COLUMNS:
        assert column.head.split()[0] in words


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_wider_than_the_screen(width):
    assert max(map(len, printed(width, total=TOTAL).splitlines())) <= width


def test_a_wide_screen_gets_one_table_and_a_narrow_one_several_with_the_first_column_in_each():
    assert printed(120).count("alpha-beta") == 1
    assert printed(60).count("alpha-beta") == printed(60).count("search") > 1


def test_columns_move_closer_before_they_move_below():
    loose = max(map(len, printed(200).rstrip().splitlines()))
    assert printed(loose - 3).count("alpha-beta") == 1


def test_square_brackets_are_no_markup():
    file = io.StringIO()
    print_table(Console(file=file, width=80), COLUMNS[:2], [("[red]", "[rock paper]")])
    assert "[red]" in file.getvalue()
    assert "[rock paper]" in file.getvalue()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "lecture"],
        ["compare", "--uniform", "3", "5"],
        ["compare", "--blind", "3", "7", "4"],
        ["collapse", "hexapawn"],
        ["games"],
        ["explain", "lecture", "-a", "sss-star"],
        ["explain", "tictactoe", "--depth", "1"],
    ],
    ids=" ".join,
)
def test_commands_print_the_same_numbers_at_every_width(arguments, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    narrow = run_command(arguments)
    monkeypatch.setenv("COLUMNS", "300")
    assert numbers(narrow) == numbers(run_command(arguments))
    assert "…" not in narrow.replace("more such steps", "")


def numbers(text: str) -> set[str]:
    """All numbers in *text* but times, which differ from run to run."""
    return set(re.findall(r"\d[\d,]*", re.sub(r"\b\d+\.\d{3}\b", "", text)))


def test_a_search_that_was_stopped_is_marked_by_a_word(monkeypatch):
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        text = run_command(["compare", "reversi", "--seconds", "0.001"], exit_code=1)
        assert re.search(r"\d+ \(stopped\)|\? \(stopped\)", text)
        assert "stopped after 0.001 s; --seconds changes that; values marked" in " ".join(text.split())


class Closed(io.StringIO):
    """A pipe whose reader has gone away."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_a_reader_that_goes_away_is_no_failure_of_the_command():
    with pytest.raises(BrokenPipeError):
        Screen(file=Closed()).print("a line")
