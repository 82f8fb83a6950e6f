"""Matches without a page: clicks, players, second thoughts, and coming back by an address."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from stratagem.errors import IllegalMove
from stratagem.web.app.address import Sheet
from stratagem.web.app.setting import PlaySetting
from stratagem.web.match import player_processes
from stratagem.web.match.archive import record_of
from stratagem.web.match.live_match import Table
from stratagem.web.pages.play_words import turn_words
from stratagem.web.tasks.compile import Compilation
from stratagem.web.workers.compilations import Compilations
from stratagem.web.workers.scheduler import House

ENDLESS = """
(role me) (init (at 1)) (legal me go)
(<= (next (at 1)) (true (at 2))) (<= (next (at 2)) (true (at 1)))
(<= terminal (true (at 3))) (goal me 0)
"""
STUCK = "(role me) (init start) (<= (legal me go) (true never)) (next never) (<= terminal (true end)) (goal me 0)\n"


def at_table(
    sheet: Sheet,
    setting: PlaySetting,
    play: Callable[[Table], Awaitable[None]],
    *,
    house: House | None = None,
) -> None:
    async def run() -> None:
        place = house or House(cores=2)
        table = Table(place, sheet, setting, "test", lambda: None)
        try:
            await table.open()
            await play(table)
        finally:
            table.leave()
            place.close()

    asyncio.run(run())


def test_a_match_is_played_by_clicks_and_recorded() -> None:
    async def play(table: Table) -> None:
        assert table.mover == "xplayer"
        while not table.over:
            free = next(move for move in table.position.moves(table.mover) if move.steps)
            assert await table.click(table.position.squares[next(iter(free.steps[0]))]) == ()
        record = await record_of(table)
        assert record.goals == table.position.goals
        assert len(record.moves) == len(table.history)
        assert list(record.positions())[-1].over
        assert record.remarks

    at_table(Sheet("tictactoe"), PlaySetting(("you", "legal")), play)


def test_an_address_brings_back_the_very_position() -> None:
    async def play(table: Table) -> None:
        await table.click("0:2,2")
        again = Table(table.house, table.sheet, PlaySetting.from_query(table.query()), "again", lambda: None)
        await again.open()
        await again.go_on()
        assert again.history == table.history
        assert again.seats == table.seats
        again.leave()

    at_table(Sheet("tictactoe"), PlaySetting(("you", "legal"), clock=0.2), play)


def test_a_click_that_is_no_move_is_explained_by_the_rule_that_forbids_it() -> None:
    async def play(table: Table) -> None:
        await table.click("0:2,2")
        reasons = await table.click("0:2,2")
        assert reasons[0]["query"] == "(legal xplayer (mark 2 2))"
        assert reasons[0]["attempts"][0]["failed"] == "(true (cell 2 2 b))"
        assert await table.click("9:9,9") == ()

    at_table(Sheet("tictactoe"), PlaySetting(("you", "legal"), clock=0.2), play)


def test_moves_of_two_squares_take_two_clicks_and_can_be_thought_better_of() -> None:
    async def play(table: Table) -> None:
        await table.click("0:7,3")
        assert len(table.candidates) == 3
        assert 'class="target"' in table.svg
        await table.click("0:7,5")
        assert table.position.squares[table.clicked[0]] == "0:7,5"
        await table.click("0:7,5")
        assert table.clicked == ()
        await table.click("0:7,3")
        await table.click("0:6,3")
        assert table.history[0] == ("(move 7 3 6 3)", "noop")

    at_table(Sheet("breakthrough"), PlaySetting(("you", "legal"), clock=0.2), play)


def test_undo_goes_back_to_the_last_choice_of_a_person() -> None:
    async def play(table: Table) -> None:
        await table.click("0:2,2")
        await table.click("0:3,3")
        assert len(table.history) == 4
        await table.undo()
        assert len(table.history) == 2
        await table.undo()
        await table.undo()
        assert table.history == ()
        assert table.mover == "xplayer"

    at_table(Sheet("tictactoe"), PlaySetting(("you", "legal"), clock=0.2), play)


def test_moves_made_at_once_wait_for_each_other() -> None:
    async def play(table: Table) -> None:
        assert table.mover == "left"
        await table.pick("left", "(show rock)")
        assert table.mover == "right"
        assert table.history == ()
        await table.pick("right", "(show paper)")
        assert table.history == (("(show rock)", "(show paper)"),)
        again = PlaySetting.from_query(table.query())
        assert again.moves == ("(show rock)", "(show paper)")
        with pytest.raises(IllegalMove):
            await table.pick("left", "(show everything)")

    at_table(Sheet("rockpaperscissors"), PlaySetting(("you", "you")), play)


def test_players_finish_the_match_when_asked_to() -> None:
    async def play(table: Table) -> None:
        table.play_out()
        await table.go_on()
        assert table.over
        assert table.mover is None

    at_table(Sheet("tictactoe"), PlaySetting(("you", "random"), clock=0.1), play)


def test_an_endless_game_stops_and_says_so() -> None:
    async def play(table: Table) -> None:
        await table.go_on()
        assert "nobody had a choice" in table.trouble
        assert table.paused
        assert len(table.history) < 100

    at_table(Sheet(text=ENDLESS), PlaySetting(), play)


def test_rules_that_leave_a_role_without_a_move_say_so() -> None:
    async def play(table: Table) -> None:
        await table.go_on()
        assert "me has no legal move here" in table.trouble

    at_table(Sheet(text=STUCK), PlaySetting(), play)


def test_a_match_in_an_address_that_cannot_be_begins_anew_and_says_why() -> None:
    async def play(table: Table) -> None:
        assert table.history == ()
        assert "(mark 9 9) is not legal for oplayer there" in table.trouble

    at_table(Sheet("tictactoe"), PlaySetting(moves=("(mark 1 1)", "(mark 9 9)")), play)


def test_a_click_that_is_no_move_is_put_into_words_and_a_hint_is_drawn_on_the_board() -> None:
    async def play(table: Table) -> None:
        assert table.position is not None
        assert await table.click("0:2,2")
        assert table.tried == "white has no move at 2 2."
        assert await table.click("0:7,2") == ()
        assert await table.click("0:3,3")
        assert table.tried == "white has no move from 7 2 to 3 3."
        plain = table.svg
        await table.point("white", table.position.moves("white")[0])
        assert table.svg != plain
        assert table.svg.count('class="lit') >= 1

    at_table(Sheet("breakthrough"), PlaySetting(("you", "you")), play)


def test_a_position_is_drawn_once_for_all_who_look_at_it() -> None:
    async def play(table: Table) -> None:
        house = table.house
        first = await house.position(table.sheet, ())
        await table.click("0:2,2")
        assert await house.position(table.sheet, ()) is first
        house.games.drop_all()  # nobody is left to draw it again
        again = Table(house, table.sheet, PlaySetting.from_query(table.query()), "again", lambda: None)
        await again.open()
        assert again.svg == table.svg

    at_table(Sheet("tictactoe"), PlaySetting(("you", "you")), play)


def refusing(reason: str) -> Callable[..., Any]:
    async def compile(*asked: Any) -> Compilation:
        return Compilation("reasoner", 1.0, reason)

    return compile


async def never(*asked: Any) -> Compilation:
    await asyncio.Event().wait()
    raise AssertionError("an event that nobody sets")


def test_a_match_whose_rules_cannot_be_compiled_is_played_on_the_reasoner() -> None:
    async def play(table: Table) -> None:
        table.house.compilations = table.readiness.compilations = Compilations(refusing("too large"))
        await table.click("0:2,2")
        assert len(table.history) == 2
        assert (table.trouble, table.busy) == ("", "")
        assert table.readiness.words().startswith("Too large.")
        assert table.readiness.machine == "reasoner"

    at_table(Sheet("tictactoe"), PlaySetting(("you", "uct"), clock=0.1), play)


def test_a_move_does_not_wait_for_ever_for_rules_that_are_being_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(player_processes, "PATIENCE", 0.0)

    async def play(table: Table) -> None:
        table.readiness.compilations = Compilations(never)
        await table.click("0:2,2")
        assert len(table.history) == 2
        assert table.readiness.words().startswith("Compiling the rules")

    at_table(Sheet("tictactoe"), PlaySetting(("you", "legal"), clock=0.1), play)


def test_a_player_that_is_stopped_says_why_and_can_be_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_processes.PlayerProcesses, "_limit", lambda *_: 0.0)

    async def play(table: Table) -> None:
        await table.click("0:2,2")
        assert "the player of oplayer was stopped: this took longer than 0 seconds" in turn_words(table)
        assert table.paused
        monkeypatch.undo()
        await table.try_again()
        assert len(table.history) == 2
        assert turn_words(table) == "Your move, xplayer."

    at_table(Sheet("tictactoe"), PlaySetting(("you", "legal"), clock=0.1), play)


def test_a_record_says_who_made_which_moves_and_a_new_match_gives_the_seat_back() -> None:
    async def play(table: Table) -> None:
        await table.click("0:2,2")
        table.play_out()
        back = PlaySetting.from_query(table.query())
        assert back.seats == ("you.2.stratagem", "random"), "a reload keeps it"
        await table.go_on()
        assert table.over
        record = await record_of(table)
        assert record.players == ("you (stratagem from move 3)", "random")
        assert record.role == "xplayer"
        assert PlaySetting.from_query(table.query_anew()).seats == ("you", "random")
        assert PlaySetting.from_query(table.query_anew()).moves == ()

    at_table(Sheet("tictactoe"), PlaySetting(("you", "random"), clock=0.1), play)


def test_taking_back_a_move_keeps_who_sits_where_and_forgets_who_would_have() -> None:
    async def play(table: Table) -> None:
        await table.click("0:2,2")
        await table.click("0:3,3")
        table.sit("xplayer", "legal")
        assert table.places.words == ("you (legal from move 5)", "legal")
        await table.undo()
        table.sit("xplayer", "you")
        assert table.places.words == ("you", "legal")

    at_table(Sheet("tictactoe"), PlaySetting(("you", "legal"), clock=0.1), play)


def test_a_sheet_with_a_title_is_recorded_under_it() -> None:
    text = (
        ";; Two steps\n(role me) (init (at 1)) (legal me go) (legal me stay) (<= (next (at 2)) (does me go)) "
    )
    text += "(<= (next (at 1)) (does me stay)) (<= terminal (true (at 2))) (goal me 100)\n"

    async def play(table: Table) -> None:
        assert table.sheet.title == "Two steps"
        await table.pick("me", "go")
        assert (await record_of(table)).game == "Two steps"

    at_table(Sheet(text=text), PlaySetting(("you",)), play)
