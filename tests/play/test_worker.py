"""What a worker says to the commands it is given, without a process and without a clock."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from tests.support.virtual_time import Ticking

from stratagem import sheets as games
from stratagem.errors import LimitExceeded
from stratagem.machines.joins.machine import JoinsMachine
from stratagem.play.process.protocol import (
    BeginMatch,
    Command,
    Finished,
    FinishMatch,
    Follow,
    Notification,
    Offered,
    Ready,
    Report,
    ReportUpdate,
    TakeTurn,
    Trouble,
)
from stratagem.play.process.worker import Worker, WorkerConfig

RULES = games.source("tictactoe").text
BEGIN = BeginMatch("m", "xplayer", RULES, 10, 10, 110.0)
OPENED, REPLIED = Report(("(mark 2 2)", "noop")), Report(("noop", "(mark 1 1)"))
DEPUTY = WorkerConfig("uct", "joins", 1, ponders=False)


class NoMore(Exception):
    """All commands have been given."""


class Given:
    """CommandSource that come one after the other, none before the last was obeyed."""

    def __init__(self, commands: Iterable[Command]) -> None:
        self.commands = list(commands)

    def waiting(self) -> bool:
        return False

    def take(self) -> Command:
        if not self.commands:
            raise NoMore
        return self.commands.pop(0)


class AllAtOnce(Given):
    """CommandSource that are there already while the first is being obeyed."""

    def waiting(self) -> bool:
        return len(self.commands) > 0


def said(config: WorkerConfig, inbox: Given, kind: type[Any] = Offered, *, tick: float = 0.01) -> list[Any]:
    """The notifications of that kind, by a worker for whom each look at the clock takes *tick* seconds."""
    notifications: list[Notification] = []
    with pytest.raises(NoMore):
        Worker(config, inbox, notifications.append, now=Ticking(tick)).run()
    return [notification for notification in notifications if isinstance(notification, kind)]


def test_a_deputy_says_at_once_what_is_legal_in_the_first_position():
    (ready,) = said(DEPUTY, Given([BEGIN]), Ready)
    assert (ready.move, ready.only, ready.roles) == ("(mark 1 1)", False, ("xplayer", "oplayer"))


def test_a_deputy_runs_on_joins_and_on_the_reasoner_where_joins_cannot_take_the_rules(monkeypatch):
    assert said(DEPUTY, Given([BEGIN]), Ready)[0].machine == "joins"

    def refuse(*_: object) -> None:
        raise LimitExceeded("too many rows")

    monkeypatch.setattr(JoinsMachine, "legals", refuse)
    (ready,) = said(DEPUTY, Given([BEGIN]), Ready)
    assert (ready.machine, ready.move) == ("reasoner", "(mark 1 1)")
    slow = replace(DEPUTY, machine="reasoner")
    assert said(slow, Given([BEGIN]), Ready)[0].machine == "reasoner"


def test_a_deputy_that_follows_says_what_is_legal_where_the_match_is():
    one, two = said(
        DEPUTY, Given([BEGIN, Follow(1, ReportUpdate(0, (OPENED,))), Follow(2, ReportUpdate(1, (REPLIED,)))])
    )
    assert (one.number, one.move, one.only) == (1, "noop", True)
    assert (two.number, two.move, two.only, two.done) == (2, "(mark 1 2)", False, False)
    assert two.past.turn == 2


def test_who_is_overtaken_by_events_speaks_only_of_the_last():
    commands = [BEGIN, Follow(1, ReportUpdate(0, (OPENED,))), Follow(2, ReportUpdate(1, (REPLIED,)))]
    (last,) = said(DEPUTY, AllAtOnce(commands))
    assert (last.number, last.move) == (2, "(mark 1 2)")


def test_the_first_offer_of_a_turn_comes_before_any_thinking_and_the_last_is_done():
    offers = said(DEPUTY, Given([BEGIN, TakeTurn(1, ReportUpdate(0, ()), 105.0)]))
    assert (offers[0].move, offers[0].thought.nodes, offers[0].done) == ("(mark 1 1)", 0, False)
    assert offers[-1].done
    assert offers[-1].thought.nodes > 0
    assert all(not offer.done for offer in offers[:-1])


def test_an_only_move_is_done_with_the_first_offer():
    (offer,) = said(DEPUTY, Given([BEGIN, TakeTurn(1, ReportUpdate(0, (OPENED,)), 105.0)]))
    assert (offer.move, offer.done, offer.only) == ("noop", True, True)


STUCK = """
(role robot) (init (at 1)) (succ 1 2) (succ 2 3)
(<= (legal robot go) (true (at 1)))
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
(<= terminal (true (at 3))) (<= (goal robot 100) (true (at 3)))
"""


def test_a_thinker_that_can_make_no_move_says_so_and_lives_on():
    """The rules have no legal move here, and the match is not over."""
    begin = BeginMatch("m", "robot", STUCK, 10, 10, 110.0)
    turns = [TakeTurn(number, ReportUpdate(0, (Report(("go",)),)), 105.0) for number in (1, 2)]
    offers = said(WorkerConfig("legal", "reasoner", 1), Given([begin, *turns]))
    assert [(offer.number, offer.move, offer.done) for offer in offers] == [
        (1, "nil", True),
        (2, "nil", True),
    ]


def test_thinking_goes_on_in_the_others_time():
    """What a thinker has found before it is asked counts when it is asked."""
    thinker = WorkerConfig("uct", "reasoner", 1)
    waits, moves = (
        TakeTurn(1, ReportUpdate(0, (OPENED,)), 105.0),
        TakeTurn(2, ReportUpdate(1, (REPLIED,)), 300.0),
    )
    offers = said(thinker, Given([BEGIN, waits, moves]), tick=0.5)
    why = offers[-1].thought.why
    playouts, now = (
        int(notification.replace(",", "")) for notification in why.split() if notification[0].isdigit()
    )
    assert playouts > now > 0, "some of the tree was grown before the question came"


def test_an_end_has_goals_and_a_stop_on_the_way_has_none():
    moves = ["(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"]
    update = tuple(
        Report((move, "noop") if turn % 2 == 0 else ("noop", move)) for turn, move in enumerate(moves)
    )
    (end,) = said(DEPUTY, Given([BEGIN, FinishMatch(ReportUpdate(0, update))]), Finished)
    assert (end.goals, end.past.turn) == ((100, 0), 5)
    (stop,) = said(DEPUTY, Given([BEGIN, FinishMatch(ReportUpdate(0, update[:3]))]), Finished)
    assert (stop.goals, stop.past.turn) == (None, 3)


def test_rules_that_are_none_and_roles_that_are_not_there_are_refused_in_a_sentence():
    broken = BeginMatch("m", "xplayer", "(role xplayer) (<= (legal", 10, 10, 110.0)
    stranger = BeginMatch("m", "zplayer", RULES, 10, 10, 110.0)
    for begin, text in ((broken, "never closed"), (stranger, "no role zplayer")):
        (trouble,) = said(DEPUTY, Given([begin]), Trouble)
        assert trouble.fatal
        assert text in trouble.text


@pytest.mark.parametrize("player", ["legal", "random", "uct"])
def test_every_offer_of_a_whole_match_is_legal(player):
    """Against itself: each offer that is done is the move that is reported next."""
    import stratagem
    from stratagem.play.match_state import Match

    match = Match.of(stratagem.load(RULES, machine="reasoner"), "xplayer")
    reports: tuple[Report, ...] = ()
    while not match.over:
        joint = []
        for role in match.roles:
            begin = BeginMatch("m", role, RULES, 10, 10, 110.0)
            config = WorkerConfig(player, "reasoner", 1, ponders=False)
            offers = said(config, Given([begin, TakeTurn(1, ReportUpdate(0, reports), 103.0)]))
            assert all(match.rules.parse_move(offer.move) in match.legals(role) for offer in offers)
            joint.append(offers[-1].move)
        match = match.after(joint)
        reports += (Report(tuple(joint)),)
    assert match.turn >= 5
