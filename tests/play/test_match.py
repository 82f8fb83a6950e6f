from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratagem.errors import IllegalMove, UsageError
from stratagem.loading import load
from stratagem.play.match_state import Match

GAME = load("tictactoe", machine="reasoner")
STEPS = ("(mark 1 1)", "(mark 2 2)", "(mark 1 2)", "(mark 3 3)")


def played(*moves: str) -> Match:
    match = Match.of(GAME, "oplayer", id="m")
    for number, move in enumerate(moves):
        match = match.after([move, "noop"] if number % 2 == 0 else ["noop", move])
    return match


def test_a_match_knows_role_roles_rules_clocks_id_and_history():
    match = Match.of(GAME, "OPLAYER", id="demo1", startclock=5, playclock=3)
    assert (match.role, match.roles, match.seat) == ("oplayer", ("xplayer", "oplayer"), 1)
    assert (match.id, match.startclock, match.playclock) == ("demo1", 5, 3)
    assert match.rules is GAME
    assert match.history == ()
    assert match.node.parent is None


def test_nodes_lead_back_to_the_root():
    match = played(*STEPS)
    way = match.node.way()
    assert [node.turn for node in way] == [0, 1, 2, 3, 4]
    assert way[0].data == GAME.initial()
    assert [node.turn for node in match.node.way(2)] == [3, 4]
    assert match.history == tuple(node.moves for node in way[1:])


def test_taking_moves_back_gives_the_match_as_it_was_and_leaves_the_other_alone():
    match = played(*STEPS)
    assert match.before(3).history == match.history[:1]
    assert match.turn == 4
    with pytest.raises(UsageError, match="only 4 moves to take back"):
        match.before(5)


@pytest.mark.parametrize("joint", [["(mark 1 1)", "(mark 2 2)"], ["noop", "noop"], ["(mark 4 4)", "noop"]])
def test_an_illegal_joint_move_is_refused(joint):
    with pytest.raises(IllegalMove, match="is not legal for"):
        Match.of(GAME).after(joint)


def test_a_finished_match_does_not_go_on():
    match = played("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)")
    assert match.over
    assert match.goals() == (100, 0)
    assert match.legals() == ()
    with pytest.raises(IllegalMove, match="the match is over"):
        match.after(["noop", "noop"])


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_a_match_moved_to_another_machine_is_the_same_match(random):
    match = Match.of(GAME, "xplayer", id="m")
    while not match.over:
        match = match.after([random.choice(match.legals(role)) for role in match.roles])
    other = match.by(load("tictactoe", machine="reasoner"))
    assert other.history == match.history
    assert other.state == match.state
    assert other.goals() == match.goals()
