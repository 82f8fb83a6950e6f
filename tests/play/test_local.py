"""Matches and tournaments in this process, with players of ours and of one's own."""

from __future__ import annotations

import pytest

import stratagem as st
from stratagem.errors import UsageError

GAME = st.load("tictactoe", machine="reasoner")
LONG = 300.0
"""Seconds: a clock that matters to nobody."""


class Last(st.play.Player):
    """Always the last legal move."""

    name = "last"

    def choose(self, match, clock):
        return match.legals()[-1]


class Written(st.play.Player):
    """Answers with text, as people write moves."""

    name = "written"

    def choose(self, match, clock):
        return str(match.legals()[0])


class Wrong(st.play.Player):
    """Offers a legal move, and answers with one that is not."""

    name = "wrong"

    def play(self, match, clock, offer):
        offer(st.play.Choice(match.legals()[2]))
        return st.play.Choice(match.rules.move("(mark 9 9)"))


class Slow(Last):
    """Takes ten seconds for every move, by the clock that it advances."""

    name = "slow"

    def __init__(self, time: list[float]) -> None:
        self.time = time

    def choose(self, match, clock):
        self.time[0] += 10
        assert clock.over()
        return super().choose(match, clock)


def test_a_match_of_two_players_is_played_to_its_end_and_can_be_replayed() -> None:
    watched: list[int] = []
    record = st.play.match(
        GAME, ["legal", Last()], clock=LONG, watch=lambda match: watched.append(match.turn)
    )
    assert record.status == "completed"
    assert record.players == ("legal", "last")
    assert record.moves[0] == ("(mark 1 1)", "noop")
    assert record.moves[1] == ("noop", "(mark 3 3)")
    assert record.errors == 0
    assert list(record.positions(GAME))[-1].goals() == record.goals
    assert watched == list(range(len(record.moves) + 1))


def test_a_seed_repeats_a_match() -> None:
    one, other = (st.play.match(GAME, ["random", "random"], clock=LONG, seed=7) for _ in range(2))
    assert one.moves == other.moves


def test_an_illegal_move_is_recorded_and_the_last_offer_is_played() -> None:
    record = st.play.match(GAME, [Wrong(), "legal"], clock=LONG)
    assert record.steps[1].errors == ("IL (mark 9 9)", "")
    assert record.moves[0] == ("(mark 1 3)", "noop")
    assert record.remarks[0].move == "(mark 9 9)"


def test_a_late_move_is_recorded_and_replaced() -> None:
    time = [0.0]
    record = st.play.match(GAME, [Slow(time), Written()], clock=2.0, now=lambda: time[0], seed=1)
    assert record.steps[1].errors == ("TO", "")
    assert record.remarks[0].slack == -8.0


def test_the_role_of_chance_needs_no_player() -> None:
    rules = """
    (role me) (role random) (init (step 1)) (<= (next (step 2)) (true (step 1))) (<= terminal (true (step 9)))
    (coin heads) (coin tails) (<= (legal random ?c) (coin ?c)) (legal me wait) (legal me go)
    (<= (goal ?r 50) (role ?r))
    """
    record = st.play.match(st.load(rules, machine="reasoner"), ["legal"], clock=LONG, most_turns=3)
    assert (record.status, record.goals) == ("aborted", None)
    assert record.players == ("legal", "random")


def test_too_few_players_are_refused() -> None:
    with pytest.raises(UsageError, match="2 players are needed, for xplayer, oplayer; 1 was given"):
        st.play.match(GAME, ["legal"])
    with pytest.raises(UsageError, match="two players or more"):
        st.play.tournament([GAME], ["legal"])


def test_a_class_of_ones_own_plays_a_tournament() -> None:
    standings = st.play.tournament([GAME], ["legal", Last], rounds=2, clock=LONG)
    assert len(standings.results) == 4
    assert sum(standings.points.values()) == 4
    assert str(standings).startswith("1. ")
    swiss = st.play.tournament(
        [GAME], {"a": Last, "b": Last, "c": "legal"}, system="swiss", rounds=2, clock=LONG
    )
    assert len(swiss.results) == 2


def test_a_player_without_a_choice_of_its_own_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match="neither `choose` nor `play`"):
        st.play.match(GAME, [st.play.Player(), "legal"])
