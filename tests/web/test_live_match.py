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
from stratagem.web.match.live_match import LiveMatch
from stratagem.web.match.record import record_of
from stratagem.web.pages.play_words import turn_words
from stratagem.web.tasks.compile import Compilation
from stratagem.web.workers.compilations import Compilations
from stratagem.web.workers.scheduler import Scheduler

ENDLESS = """
(role me) (init (at 1)) (legal me go)
(<= (next (at 1)) (true (at 2))) (<= (next (at 2)) (true (at 1)))
(<= terminal (true (at 3))) (goal me 0)
"""
STUCK = "(role me) (init start) (<= (legal me go) (true never)) (next never) (<= terminal (true end)) (goal me 0)\n"


def at_table(
    sheet: Sheet,
    setting: PlaySetting,
    play: Callable[[LiveMatch], Awaitable[None]],
    *,
    scheduler: Scheduler | None = None,
) -> None:
    async def run() -> None:
        place = scheduler or Scheduler(cores=2)
        live = LiveMatch(place, sheet, setting, "test", lambda: None)
        try:
            await live.open()
            await play(live)
        finally:
            live.leave()
            place.close()

    asyncio.run(run())


def test_a_match_is_played_by_clicks_and_recorded() -> None:
    async def play(live: LiveMatch) -> None:
        assert live.mover == "xplayer"
        while not live.over:
            free = next(move for move in live.position.moves(live.mover) if move.steps)
            assert await live.click(live.position.squares[next(iter(free.steps[0]))]) == ()
        record = await record_of(live)
        assert record.goals == live.position.goals
        assert len(record.moves) == len(live.history)
        assert list(record.positions())[-1].over
        assert record.remarks

    at_table(Sheet("tictactoe"), PlaySetting(("you", "legal")), play)


def test_an_address_brings_back_the_very_position() -> None:
    async def play(live: LiveMatch) -> None:
        await live.click("0:2,2")
        again = LiveMatch(
            live.scheduler, live.sheet, PlaySetting.from_query(live.query()), "again", lambda: None
        )
        await again.open()
        await again.go_on()
        assert again.history == live.history
        assert again.seats == live.seats
        again.leave()

    at_table(Sheet("tictactoe"), PlaySetting(("you", "legal"), clock=0.2), play)


def test_a_click_that_is_no_move_is_explained_by_the_rule_that_forbids_it() -> None:
    async def play(live: LiveMatch) -> None:
        await live.click("0:2,2")
        reasons = await live.click("0:2,2")
        assert reasons[0]["query"] == "(legal xplayer (mark 2 2))"
        assert reasons[0]["attempts"][0]["failed"] == "(true (cell 2 2 b))"
        assert await live.click("9:9,9") == ()

    at_table(Sheet("tictactoe"), PlaySetting(("you", "legal"), clock=0.2), play)


def test_moves_of_two_squares_take_two_clicks_and_can_be_thought_better_of() -> None:
    async def play(live: LiveMatch) -> None:
        await live.click("0:7,3")
        assert len(live.candidates) == 3
        assert 'class="target"' in live.svg
        await live.click("0:7,5")
        assert live.position.squares[live.clicked[0]] == "0:7,5"
        await live.click("0:7,5")
        assert live.clicked == ()
        await live.click("0:7,3")
        await live.click("0:6,3")
        assert live.history[0] == ("(move 7 3 6 3)", "noop")

    at_table(Sheet("breakthrough"), PlaySetting(("you", "legal"), clock=0.2), play)


def test_undo_goes_back_to_the_last_choice_of_a_person() -> None:
    async def play(live: LiveMatch) -> None:
        await live.click("0:2,2")
        await live.click("0:3,3")
        assert len(live.history) == 4
        await live.undo()
        assert len(live.history) == 2
        await live.undo()
        await live.undo()
        assert live.history == ()
        assert live.mover == "xplayer"

    at_table(Sheet("tictactoe"), PlaySetting(("you", "legal"), clock=0.2), play)


def test_moves_made_at_once_wait_for_each_other() -> None:
    async def play(live: LiveMatch) -> None:
        assert live.mover == "left"
        await live.pick("left", "(show rock)")
        assert live.mover == "right"
        assert live.history == ()
        await live.pick("right", "(show paper)")
        assert live.history == (("(show rock)", "(show paper)"),)
        again = PlaySetting.from_query(live.query())
        assert again.moves == ("(show rock)", "(show paper)")
        with pytest.raises(IllegalMove):
            await live.pick("left", "(show everything)")

    at_table(Sheet("rockpaperscissors"), PlaySetting(("you", "you")), play)


def test_players_finish_the_match_when_asked_to() -> None:
    async def play(live: LiveMatch) -> None:
        live.play_out()
        await live.go_on()
        assert live.over
        assert live.mover is None

    at_table(Sheet("tictactoe"), PlaySetting(("you", "random"), clock=0.1), play)


def test_an_endless_game_stops_and_says_so() -> None:
    async def play(live: LiveMatch) -> None:
        await live.go_on()
        assert "no role had a choice" in live.trouble
        assert live.paused
        assert len(live.history) < 100

    at_table(Sheet(text=ENDLESS), PlaySetting(), play)


def test_rules_that_leave_a_role_without_a_move_say_so() -> None:
    async def play(live: LiveMatch) -> None:
        await live.go_on()
        assert "me has no legal move here" in live.trouble

    at_table(Sheet(text=STUCK), PlaySetting(), play)


def test_a_match_in_an_address_that_cannot_be_begins_anew_and_says_why() -> None:
    async def play(live: LiveMatch) -> None:
        assert live.history == ()
        assert "(mark 9 9) is not legal for oplayer there" in live.trouble

    at_table(Sheet("tictactoe"), PlaySetting(moves=("(mark 1 1)", "(mark 9 9)")), play)


def test_a_click_that_is_no_move_is_put_into_words_and_a_hint_is_drawn_on_the_board() -> None:
    async def play(live: LiveMatch) -> None:
        assert live.position is not None
        assert await live.click("0:2,2")
        assert live.tried == "white has no move at 2 2."
        assert await live.click("0:7,2") == ()
        assert await live.click("0:3,3")
        assert live.tried == "white has no move from 7 2 to 3 3."
        plain = live.svg
        await live.point("white", live.position.moves("white")[0])
        assert live.svg != plain
        assert live.svg.count('class="target"') >= 1

    at_table(Sheet("breakthrough"), PlaySetting(("you", "you")), play)


def test_a_position_is_drawn_once_for_all_who_look_at_it() -> None:
    async def play(live: LiveMatch) -> None:
        scheduler = live.scheduler
        first = await scheduler.position(live.sheet, ())
        await live.click("0:2,2")
        assert await scheduler.position(live.sheet, ()) is first
        scheduler.games.drop_all()  # nobody is left to draw it again
        again = LiveMatch(scheduler, live.sheet, PlaySetting.from_query(live.query()), "again", lambda: None)
        await again.open()
        assert again.svg == live.svg

    at_table(Sheet("tictactoe"), PlaySetting(("you", "you")), play)


def refusing(reason: str) -> Callable[..., Any]:
    async def compile(*asked: Any) -> Compilation:
        return Compilation("reasoner", 1.0, reason)

    return compile


async def never(*asked: Any) -> Compilation:
    await asyncio.Event().wait()
    raise AssertionError("an event that nobody sets")


def test_a_match_whose_rules_cannot_be_compiled_is_played_on_the_reasoner() -> None:
    async def play(live: LiveMatch) -> None:
        live.scheduler.compilations = live.readiness.compilations = Compilations(refusing("too large"))
        await live.click("0:2,2")
        assert len(live.history) == 2
        assert (live.trouble, live.busy) == ("", "")
        assert live.readiness.words().startswith("Too large.")
        assert live.readiness.machine == "reasoner"

    at_table(Sheet("tictactoe"), PlaySetting(("you", "uct"), clock=0.1), play)


def test_a_move_does_not_wait_for_ever_for_rules_that_are_being_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(player_processes, "PATIENCE", 0.0)

    async def play(live: LiveMatch) -> None:
        live.readiness.compilations = Compilations(never)
        await live.click("0:2,2")
        assert len(live.history) == 2
        assert live.readiness.words().startswith("Compiling the rules")

    at_table(Sheet("tictactoe"), PlaySetting(("you", "legal"), clock=0.1), play)


def test_a_player_that_is_stopped_says_why_and_can_be_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_processes.PlayerProcesses, "_limit", lambda *_: 0.0)

    async def play(live: LiveMatch) -> None:
        await live.click("0:2,2")
        assert "the player of oplayer was stopped: it took longer than 0 seconds; try again" in turn_words(
            live
        )
        assert live.paused
        monkeypatch.undo()
        await live.try_again()
        assert len(live.history) == 2
        assert turn_words(live) == "Your move, xplayer."

    at_table(Sheet("tictactoe"), PlaySetting(("you", "legal"), clock=0.1), play)


def test_a_record_says_who_made_which_moves_and_a_new_match_gives_the_seat_back() -> None:
    async def play(live: LiveMatch) -> None:
        await live.click("0:2,2")
        live.play_out()
        back = PlaySetting.from_query(live.query())
        assert back.seats == ("you.2.stratagem", "random"), "a reload keeps it"
        await live.go_on()
        assert live.over
        record = await record_of(live)
        assert record.players == ("you (stratagem from move 3)", "random")
        assert record.role == "xplayer"
        assert PlaySetting.from_query(live.query_anew()).seats == ("you", "random")
        assert PlaySetting.from_query(live.query_anew()).moves == ()

    at_table(Sheet("tictactoe"), PlaySetting(("you", "random"), clock=0.1), play)


def test_taking_back_a_move_keeps_who_sits_where_and_forgets_who_would_have() -> None:
    async def play(live: LiveMatch) -> None:
        await live.click("0:2,2")
        await live.click("0:3,3")
        live.assign("xplayer", "legal")
        assert live.places.words == ("you (legal from move 5)", "legal")
        await live.undo()
        live.assign("xplayer", "you")
        assert live.places.words == ("you", "legal")

    at_table(Sheet("tictactoe"), PlaySetting(("you", "legal"), clock=0.1), play)


def test_a_sheet_with_a_title_is_recorded_under_it() -> None:
    text = (
        ";; Two steps\n(role me) (init (at 1)) (legal me go) (legal me stay) (<= (next (at 2)) (does me go)) "
    )
    text += "(<= (next (at 1)) (does me stay)) (<= terminal (true (at 2))) (goal me 100)\n"

    async def play(live: LiveMatch) -> None:
        assert live.sheet.title == "Two steps"
        await live.pick("me", "go")
        assert (await record_of(live)).game == "Two steps"

    at_table(Sheet(text=text), PlaySetting(("you",)), play)
