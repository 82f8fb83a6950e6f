"""A person's match, with the lines written beforehand and players that need no time."""

from __future__ import annotations

import json
import re

import pytest
from tests.support.in_process import InProcess

from stratagem.loading import load
from stratagem.play.records.store import Records
from stratagem.play.terminal import TerminalIO, TerminalMatch, TerminalSettings

TICTACTOE = load("tictactoe", machine="reasoner")


class Lines:
    """A room in which everything is heard: lines to be said are given beforehand."""

    def __init__(self, *lines: str, records: Records | None = None) -> None:
        self.lines = list(lines)
        self.said: list[str] = []
        self.shown = 0
        self.room = TerminalIO(
            self.said.append, self.ask, self.show, lambda: 1_700_000_000_000, records, spawn=InProcess
        )

    def ask(self, prompt: str) -> str | None:
        return self.lines.pop(0) if self.lines else None

    def show(self, match) -> None:
        self.shown += 1

    @property
    def text(self) -> str:
        return "\n".join(self.said)


def sit(lines: Lines, role: str = "xplayer", game=TICTACTOE, **setting):
    how = {"clock": 60.0, "startclock": 60.0, "seed": 1, "machine": "reasoner", **setting}
    return TerminalMatch(game, TerminalSettings(role, "legal", **how), lines.room).run()


def test_a_match_by_numbers_and_by_text_is_won_and_kept(tmp_path):
    with Records(tmp_path / "m.sqlite") as records:
        lines = Lines("7", "(MARK 3 2)", "mark 3 3", records=records)
        record = sit(lines)
        assert record.status == "completed"
        assert record.goals == (100, 0)
        assert record.moves[0] == ("(mark 3 1)", "noop")
        assert "oplayer plays (mark 1 1)   the first legal move" in lines.text
        assert "the match is over: xplayer 100, oplayer 0" in lines.text
        assert lines.shown == 6
        kept = records.get(record.number)
        assert kept.moves == record.moves
        assert [remark.role for remark in kept.remarks] == ["oplayer"] * 5
        assert (kept.keeper, kept.players) == ("terminal", ("you", "legal"))


def test_an_illegal_try_is_explained_and_asked_again():
    lines = Lines("mark 2 2", "mark 2 2", "quit")
    sit(lines)
    assert "mark 2 2 is not legal here" in lines.text
    assert "✗ (true (cell 2 2 b))" in lines.text


def test_why_and_help_and_moves_and_nonsense():
    lines = Lines("help", "why mark 1 1", "why", "moves", "board", "", "(((", "resign")
    record = sit(lines)
    assert "take back your last move" in lines.text
    assert "(legal xplayer (mark 1 1)) holds" in lines.text
    assert "why what?" in lines.text
    assert lines.text.count("1 (mark 1 1)   2 (mark 1 2)") == 2
    assert "this bracket is never closed" in lines.text
    assert "you resign" in lines.text
    assert record.status == "resigned"


def test_moves_are_taken_back_to_the_last_decision():
    lines = Lines("mark 2 2", "undo", "mark 3 3", "quit")
    record = sit(lines)
    assert record.moves[0] == ("(mark 3 3)", "noop")
    assert record.moves[1] == ("noop", "(mark 1 1)")
    again = Lines("undo", "quit")
    sit(again)
    assert "there is no move to take back" in again.text


def test_advice_names_a_value_for_every_move():
    lines = Lines("?", "quit")
    sit(lines, adviser="uct")
    values = [line for line in lines.said if re.match(r" +\d  \(mark \d \d\) +\d+\.\d", line)]
    assert len(values) == 9


def test_a_match_can_be_saved_on_the_way(tmp_path):
    path = tmp_path / "match.json"
    (tmp_path / "letter").write_text("mine", encoding="utf-8")
    said = [f"save {path}", "save /nowhere/at/all.json", f"save {tmp_path / 'letter'}"]
    lines = Lines("mark 2 2", *said, "quit")
    sit(lines)
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert saved["moves"] == [["( mark 2 2 )", "noop"], ["noop", "( mark 1 1 )"]]
    assert not saved["isCompleted"]
    assert "cannot be written" in lines.text
    assert "letter exists already; give another name" in lines.text
    assert (tmp_path / "letter").read_text(encoding="utf-8") == "mine"


def test_the_end_of_the_lines_is_a_way_to_leave():
    assert sit(Lines()).status == "aborted"


def test_the_second_player_waits_for_the_first():
    lines = Lines("mark 2 2", "quit")
    record = sit(lines, role="oplayer")
    assert record.moves[:2] == (("(mark 1 1)", "noop"), ("noop", "(mark 2 2)"))


@pytest.mark.parametrize("game", ["buttonsandlights", "tictactoethree"])
def test_puzzles_and_games_for_three_are_played_too(game):
    loaded = load(game, machine="reasoner")
    lines = Lines("1", "1", "quit")
    record = sit(lines, role=loaded.roles[0], game=loaded)
    assert len(record.moves) >= 2
