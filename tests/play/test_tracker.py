from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from stratagem.loading import load
from stratagem.play.match_state import Match
from stratagem.play.process.protocol import Report
from stratagem.play.process.tracker import Tracker

TICTACTOE = load("tictactoe", machine="reasoner")
SIMULTANEOUS = load(
    """
    (role a) (role b) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal ?r (pick ?n)) (role ?r) (number ?n)) (number 1) (number 2) (number 3)
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= (next (took ?r ?n)) (does ?r (pick ?n)))
    (<= (goal ?r 50) (role ?r)) (<= terminal (true (step 3)))
    """,
    machine="reasoner",
)
COUNTED = load(
    """
    (role a) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (<= (legal a (go ?n left)) (true (step ?n))) (<= (legal a (go ?n right)) (true (step ?n)))
    (<= (next (went ?n ?where)) (does a (go ?n ?where))) (<= (next (went ?n ?where)) (true (went ?n ?where)))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (goal a 100) (<= terminal (true (step 4)))
    """,
    machine="reasoner",
)
SECRET = load(
    """
    (role guesser) (role hider) (init (step 0)) (succ 0 1) (succ 1 2)
    (<= (legal hider (hide ?n)) (true (step 0)) (number ?n)) (number 1) (number 2) (number 3)
    (<= (legal hider wait) (true (step 1)))
    (<= (legal guesser wait) (true (step 0)))
    (<= (legal guesser (guess ?n)) (true (step 1)) (number ?n))
    (<= (sees guesser odd) (does hider (hide 1)))
    (<= (sees guesser odd) (does hider (hide 3)))
    (<= (next (hidden ?n)) (does hider (hide ?n)))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= (goal ?r 50) (role ?r)) (<= terminal (true (step 2)))
    """,
    machine="reasoner",
)


def reports(*joints: tuple[str, ...]) -> tuple[Report, ...]:
    return tuple(Report(joint) for joint in joints)


def random_match(random, game, role) -> Match:
    match = Match.of(game, role)
    while not match.over:
        match = match.after([random.choice(match.legals(one)) for one in match.roles])
    return match


@settings(max_examples=25)
@given(st.randoms(use_true_random=False), st.sampled_from([TICTACTOE, SIMULTANEOUS]))
def test_every_report_of_a_whole_match_is_followed(random, game):
    match = random_match(random, game, game.roles[0])
    told = tuple(Report(tuple(str(move).upper() for move in joint)) for joint in match.history)
    tracker = Tracker(Match.of(game, game.roles[0]))
    for count in range(len(told) + 1):
        assert tracker.to(told[:count]).history == match.history[:count]
        assert tracker.certain
    assert tracker.match.state == match.state


def test_nothing_reported_is_the_beginning():
    assert Tracker(Match.of(TICTACTOE)).to((Report(),)).turn == 0


def test_a_report_that_comes_twice_is_taken_once():
    tracker = Tracker(Match.of(TICTACTOE))
    told = reports(("(mark 1 1)", "noop"), ("(mark 1 1)", "noop"), ("noop", "(mark 2 2)"))
    assert tracker.to(told[:2]).turn == 1
    assert tracker.doubt == "the last moves were reported again"
    assert tracker.to(told).turn == 2
    assert tracker.doubt == ""


def test_a_lost_report_of_our_own_move_is_made_up_for():
    """We moved, the report of it was lost, and now we hear what the other side did after it."""
    tracker = Tracker(Match.of(TICTACTOE, "xplayer"))
    lost = Report(("noop", "(mark 2 2)"), answered="(mark 1 1)")
    match = tracker.to((lost,))
    assert tracker.certain
    assert [tuple(map(str, joint)) for joint in match.history] == [
        ("(mark 1 1)", "noop"),
        ("noop", "(mark 2 2)"),
    ]


def test_a_lost_report_of_another_s_move_leaves_several_positions_and_a_move_that_is_legal_in_all():
    tracker = Tracker(Match.of(TICTACTOE, "oplayer"))
    lost = Report(("noop", "(mark 2 2)"), answered="noop")
    tracker.to((lost,))
    assert len(tracker.candidates) == 8
    assert "a report was lost" in tracker.doubt
    tracker.to((lost, Report(("(mark 3 3)", "noop"), answered="noop")))
    assert len(tracker.candidates) == 7, "one of the eight is told apart: the square was free"
    chosen = tracker.choose(tracker.match.legals()[0])
    legal_in = sum(chosen in candidate.legals() for candidate in tracker.candidates)
    assert legal_in >= 6


def test_two_lost_reports_are_made_up_for_where_the_moves_tell():
    tracker = Tracker(Match.of(COUNTED, "a"))
    match = tracker.to((Report(("(go 2 left)",), answered="(go 0 left)"),))
    assert "2 reports were lost" in tracker.doubt
    assert match.turn == 3
    assert {str(one.history[0][0]) for one in tracker.candidates} == {"(go 0 left)"}, (
        "our own answer is known"
    )
    assert {str(one.history[1][0]) for one in tracker.candidates} == {"(go 1 left)", "(go 1 right)"}


def test_a_report_that_makes_no_sense_changes_nothing():
    tracker = Tracker(Match.of(TICTACTOE))
    first = Report(("(mark 1 1)", "noop"))
    assert tracker.to((first, Report(("(fly 1 1)", "noop")))).turn == 1
    assert "is not legal here" in tracker.doubt
    assert tracker.to((first, Report(("(fly 1 1)", "noop")), Report(("(((", "noop")))).turn == 1
    assert "cannot be read" in tracker.doubt


def test_other_reports_than_before_begin_again():
    tracker = Tracker(Match.of(TICTACTOE))
    tracker.to(reports(("(mark 1 1)", "noop"), ("noop", "(mark 2 2)")))
    match = tracker.to(reports(("(mark 3 3)", "noop")))
    assert str(match.history[-1][0]) == "(mark 3 3)"


def test_moves_told_as_percepts_are_moves():
    tracker = Tracker(Match.of(TICTACTOE))
    does = Report(own="(MARK 1 1)", percepts=("(DOES XPLAYER (MARK 1 1))", "(DOES OPLAYER NOOP)"))
    plain = Report(own="NOOP", percepts=("NOOP", "(MARK 2 2)"))
    assert tracker.to((does, plain)).turn == 2
    assert tracker.certain


def test_what_is_seen_tells_positions_apart():
    tracker = Tracker(Match.of(SECRET, "guesser"))
    tracker.to((Report(own="wait", percepts=("odd",)),))
    assert {
        str(fact) for match in tracker.candidates for fact in match.state.facts() if "hidden" in str(fact)
    } == {
        "(hidden 1)",
        "(hidden 3)",
    }
    blind = Tracker(Match.of(SECRET, "guesser"))
    blind.to((Report(own="wait", percepts=()),))
    assert blind.certain
    lost = Tracker(Match.of(SECRET, "guesser"))
    lost.to((Report(own="wait"),))
    assert len(lost.candidates) == 3
