"""GAME-PLAY: the loop, and what the time while MIN thinks is good for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.support.random_games import trees
from tests.support.tic_tac_toe import TicTacToe, open_lines

from stratagem.errors import IllegalMove, UsageError
from stratagem.limit import Limit
from stratagem.machines.trees.models import lecture_tree
from stratagem.machines.trees.tree import Tree
from stratagem.search.adversarial.fail_soft import fail_soft
from stratagem.search.adversarial.game_play import game_play
from stratagem.search.adversarial.minimax import minimax


def last_cell(state):
    """An opponent that takes the last free cell."""
    return max(cell for cell in range(9) if state[cell] == ".")


def test_max_wins_against_a_weak_opponent():
    played = game_play(TicTacToe(), last_cell, depth=4, evaluate=open_lines)

    assert played.value == 100
    assert [turn.player for turn in played.turns] == ["max", "min"] * (len(played.turns) // 2) + ["max"]
    assert TicTacToe().terminal(played.final)


def test_min_may_begin():
    played = game_play(TicTacToe(), last_cell, depth=9, maximiser="o")

    assert played.turns[0].player == "min"
    assert played.value >= 50


def test_with_moves_reordered_while_min_thinks_every_value_is_the_same_and_the_work_less():
    for depth in (3, 4, 5):
        played = game_play(TicTacToe(), last_cell, depth=depth, evaluate=open_lines)
        work = {"reordered": 0, "plain": 0}
        for turn in played.turns[1:]:  # before its first move MAX has had no time to think
            if turn.search is not None:
                plain = fail_soft(
                    TicTacToe(), start=turn.state, limit=Limit(depth=depth), evaluate=open_lines
                )
                assert turn.search.value == plain.value
                work["reordered"] += turn.search.counters.nodes
                work["plain"] += plain.counters.nodes
        assert work["reordered"] < work["plain"]
        assert all((turn.waiting > 0) == (turn.player == "min") for turn in played.turns)


def test_without_reordering_nothing_is_searched_on_mins_time():
    played = game_play(TicTacToe(), last_cell, depth=3, evaluate=open_lines, reorder=False)

    assert all(turn.waiting == 0 for turn in played.turns)
    assert played.nodes == sum(turn.search.counters.nodes for turn in played.turns if turn.search is not None)


@settings(max_examples=60)
@given(trees(players=True, leaves=25))
def test_with_the_whole_tree_in_sight_max_gets_its_value_from_the_best_opponent(tree):
    def best_opponent(state):
        return minimax(tree, start=state).best_move

    played = game_play(tree, best_opponent, depth=len(tree))

    assert played.value == minimax(tree).value


def test_a_game_can_be_left_unfinished():
    played = game_play(lecture_tree(), lambda state: 0, depth=4, plies=2)

    assert len(played.turns) == 2
    assert played.value is None


def test_an_illegal_reply_is_refused():
    with pytest.raises(
        IllegalMove, match="the opponent's move 7 is not legal in this state; legal are: 0, 1"
    ):
        game_play(Tree.of([[1, 2]]), lambda state: 7, depth=2)


def test_k_is_at_least_one():
    with pytest.raises(UsageError, match="k-ply search needs at least one ply, not 0"):
        game_play(lecture_tree(), lambda state: 0, depth=0)
