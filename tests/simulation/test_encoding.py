"""Encodings: numbers that mean the same in every version, and go both ways."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.environments import DICE, EVERY
from tests.support.golden_encodings import FOLDER, SHOWN, fingerprint, fingerprints, written

import stratagem as st
from stratagem.errors import IllegalMove, UnsuitableGame, UsageError
from stratagem.gdl.terms import order


def first() -> st.State:
    """The start of tic-tac-toe."""
    return st.load("tictactoe").initial()


@pytest.mark.parametrize("name", SHOWN)
def test_the_encoding_of_a_game_does_not_change(name: str):
    assert written(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EVERY)
def test_no_bundled_encoding_changes(name: str):
    assert fingerprint(name) == fingerprints()[name]


@pytest.mark.parametrize("name", EVERY)
def test_actions_are_in_canonical_order_and_go_both_ways(name: str):
    encoding = st.load(name).encoding
    for role, moves in encoding.actions.items():
        assert list(moves) == sorted(moves, key=order)
        for action, move in enumerate(moves):
            assert encoding.action_to_move(role, action) == move
            assert encoding.move_to_action(role, str(move)) == action
    assert list(encoding.propositions) == sorted(encoding.propositions, key=order)


@pytest.mark.parametrize("name", EVERY)
def test_planes_show_every_proposition_and_nothing_else(name: str):
    encoding = st.load(name).encoding
    try:
        planes = encoding.planes
    except UnsuitableGame as refusal:
        assert "suggest no board" in str(refusal)
        return
    assert len(set(planes.channels)) == len(planes.channels) == planes.shape[0]
    assert set(planes.index[planes.index >= 0].tolist()) == set(range(len(encoding.propositions)))
    truth = np.random.default_rng(1).random((5, len(encoding.propositions))) < 0.5
    shown = planes(truth)
    assert shown.shape == (5, *planes.shape)
    assert np.array_equal(shown, np.where(planes.index >= 0, truth[:, planes.index], False))


def test_a_board_is_seen_as_it_is_drawn():
    game = st.load("connectfour")
    planes = game.encoding.planes
    seen = planes(game.encoding.observation(game.initial().play("(drop 3)")))
    shown = {channel: plane.tolist() for channel, plane in zip(planes.channels, seen, strict=True)}
    assert np.argwhere(shown["cell red"]).tolist() == [[5, 2]]
    assert np.sum(shown["cell yellow"]) == np.sum(shown["(control red)"]) == 0
    assert np.all(shown["(control yellow)"])


def test_states_and_actions_agree_with_the_game():
    game = st.load("tictactoe")
    encoding, state = game.encoding, game.initial()
    assert encoding.legal_actions(state, "oplayer") == [encoding.move_to_action("oplayer", "noop")]
    state = encoding.next(state, {"xplayer": 5})
    assert state == game.initial().play("(mark 2 2)")
    assert encoding.mask(state, "OPLAYER").sum() == 8
    assert {
        fact for fact, holds in zip(encoding.propositions, encoding.observation(state), strict=True) if holds
    } <= state.facts()
    with pytest.raises(
        IllegalMove, match=r"action 5 \(mark 2 2\) is not legal for oplayer; legal: 1 \(mark 1 1\), 2"
    ):
        encoding.next(state, {"oplayer": 5})
    with pytest.raises(IllegalMove, match="oplayer has 8 legal actions and was given none"):
        encoding.next(state, {})
    with pytest.raises(IllegalMove, match="-1 stands for an only move, but oplayer has 8"):
        encoding.next(state, {"oplayer": -1})
    assert encoding.next(state, {"xplayer": -1, "oplayer": 1}) == state.play("(mark 1 1)")


def test_chance_is_a_role_that_nobody_plays():
    encoding = st.load(DICE).encoding
    assert encoding.players == ("first", "second")
    assert encoding.actions["random"][0] == "noop"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda encoding: encoding.action_to_move("xplayer", 10),
            "xplayer has no action 10; its actions are 0 to 9",
        ),
        (lambda encoding: encoding.action_to_move("white", 0), "no role white in tictactoe"),
        (lambda encoding: encoding.reward(50, (1, 0)), "rewards from 1 to 0 are no range"),
        (lambda encoding: encoding.joint([[0.5, 1]], 1), "actions are whole numbers, not float64"),
        (lambda encoding: encoding.joint([[0]], 1), r"actions are an array of 1 by 2 indices, not \(1, 1\)"),
        (
            lambda encoding: encoding.joint([[0, 1], [1]], 2),
            "actions are an array; rows of different lengths",
        ),
        (lambda encoding: encoding.worth(("low", "high")), "rewards from low to high are no range"),
        (lambda encoding: encoding.reward(50, (None, 1)), "rewards from None to 1 are no range"),
        (lambda encoding: encoding.reward(50, (0, float("inf"))), "rewards from 0 to inf are no range"),
        (lambda encoding: encoding.worth((0, 10**400)), "rewards from 0 to 10"),
        (lambda encoding: encoding.worth((0, 1e39)), r"rewards from 0 to 1e\+39 are no range"),
        (
            lambda encoding: encoding.action_to_move("xplayer", "1"),
            "the action must be a whole number; got '1'",
        ),
        (
            lambda encoding: encoding.action_to_move("xplayer", 1.0),
            "the action must be a whole number; got 1.0",
        ),
        (lambda encoding: encoding.next(first(), [1, 0]), "a mapping from roles to actions is needed"),
        (lambda encoding: encoding.next(first(), {"white": 1}), "no role white in tictactoe"),
        (lambda encoding: encoding.next(first(), {"xplayer": "5"}), "actions are whole numbers, not <U1"),
        (lambda encoding: encoding.next(first(), {"xplayer": [1, 2]}), r"one action is needed; .* \(2,\)"),
        (
            lambda encoding: encoding.planes(np.zeros(3, bool)),
            r"an observation has 29 propositions; .* \(3,\)",
        ),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, text: str):
    with pytest.raises(UsageError, match=text):
        call(st.load("tictactoe").encoding)


def test_a_move_that_is_never_legal_is_refused():
    with pytest.raises(IllegalMove, match=r"\(mark 4 4\) is never a legal move of xplayer"):
        st.load("tictactoe").encoding.move_to_action("xplayer", "(mark 4 4)")


def test_a_larger_goal_takes_the_place_of_a_hundred():
    text = "(role you) (init a) (legal you noop) (<= (next b) (true a)) (<= terminal (true b)) (goal you 400)"
    assert st.load(text).encoding.worth((0, 1)).tolist() == [1.0, 0.0]
