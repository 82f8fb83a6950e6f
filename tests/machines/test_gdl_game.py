"""Games and states at a prompt: values that answer for themselves."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import stratagem
from stratagem.errors import IllegalMove, RulesError, UnknownGame, UsageError
from stratagem.game import Game
from stratagem.gdl.terms import Compound, Symbol


def test_the_interface_is_the_one_of_the_design() -> None:
    game = stratagem.load("tictactoe")
    assert game.roles == ("xplayer", "oplayer")
    state = game.initial()
    move = game.legals(state, "xplayer")[0]
    (noop,) = game.legals(state, "oplayer")
    after = game.next(state, {"xplayer": move, "oplayer": noop})
    assert after == game.next(state, (move, noop)) == state.play(move)
    assert not game.terminal(after)
    assert isinstance(game, Game)
    assert state.to_move == ("xplayer",)
    assert after.to_move == ("oplayer",)
    assert game.parse_move("(mark 1 1)") in state.legals("xplayer")


def test_terms_are_canonical_kif_however_they_were_written() -> None:
    game = stratagem.load(
        "(ROLE Robot) (LEGAL Robot (Push  A)) (INIT (Cell\n1 B)) (GOAL Robot 100) (<= TERMINAL (TRUE done))"
    )
    state = game.initial()
    assert [str(fact) for fact in state.facts()] == ["(cell 1 b)"]
    assert str(state.legals("robot")[0]) == "(push a)"
    assert game.spell(state.legals("ROBOT")[0]) == "(Push A)"


def test_legal_moves_come_in_ascending_order_with_numbers_by_value() -> None:
    moves = "".join(f"(legal r (go {n}))" for n in (10, 9, 2, 1))
    game = stratagem.load(f"(role r) {moves} (legal r wait) (goal r 0) (<= terminal (true x))")
    assert list(map(str, game.initial().legals("r"))) == ["wait", "(go 1)", "(go 2)", "(go 9)", "(go 10)"]


def test_states_are_values() -> None:
    one = stratagem.load("tictactoe").initial().play("(mark 1 1)").play("(mark 2 2)").play("(mark 3 3)")
    two = stratagem.load("tictactoe").initial().play("(mark 3 3)").play("(mark 2 2)").play("(mark 1 1)")
    assert one == two
    assert hash(one) == hash(two)
    assert one != one.play("(mark 1 2)")
    assert len({one, two}) == 1


def test_states_travel() -> None:
    state = stratagem.load("connectfour", columns=5, rows=4).initial().play("(drop 3)")
    copy = pickle.loads(pickle.dumps(state))
    assert copy == state
    assert hash(copy) == hash(state)
    assert copy.play("(drop 3)") == state.play("(drop 3)")
    assert len(copy.legals("yellow")) == 5


def test_a_state_can_be_made_from_facts() -> None:
    game = stratagem.load("tictactoe")
    state = game.initial().play("(mark 1 1)")
    assert game.state_of(state.facts()) == state
    assert Compound((Symbol("cell"), Symbol("1"), Symbol("1"), Symbol("x"))) in state.facts()


def test_an_illegal_move_is_refused_with_the_legal_ones() -> None:
    state = stratagem.load("tictactoe").initial().play("(mark 1 1)")
    with pytest.raises(IllegalMove, match=r"\(mark 1 1\) is not legal here; legal: noop, \(mark 1 2\)"):
        state.play("(mark 1 1)")


def test_one_move_is_not_enough_where_several_choose() -> None:
    game = stratagem.load(
        "(role a) (role b) (<= (legal ?r ?m) (role ?r) (m ?m)) (m 1) (m 2) (goal a 1) (goal b 1) (<= terminal (true x))"
    )
    with pytest.raises(IllegalMove, match=r"a, b all have a choice"):
        game.initial().play("1")


def test_wrong_joint_moves_are_told_apart() -> None:
    state = stratagem.load("tictactoe").initial()
    with pytest.raises(UsageError, match=r"one move for each of xplayer, oplayer; this one has 1"):
        state.next(["noop"])
    with pytest.raises(UsageError, match="missing: oplayer"):
        state.next({"xplayer": "noop"})
    with pytest.raises(UsageError, match="no role nobody"):
        state.legals("nobody")


def test_games_come_by_name_path_and_text(tmp_path: Path) -> None:
    sheet = tmp_path / "tiny.kif"
    sheet.write_text("(role r) (legal r a) (goal r 1) (<= terminal (true x))")
    assert stratagem.load(sheet).roles == stratagem.load(str(sheet)).roles == ("r",)
    infix = tmp_path / "tiny.hrf"
    infix.write_text("role(r)\nlegal(r,a)\ngoal(r,1)\nterminal :- true(x)\n")
    assert stratagem.load(infix).roles == ("r",)


def test_what_is_not_a_game_is_said_in_one_sentence() -> None:
    with pytest.raises(UnknownGame, match=r"did you mean tictactoe"):
        stratagem.load("tic-tac-toe")
    with pytest.raises(UnknownGame, match="no such file"):
        stratagem.load("nowhere/game.kif")
    with pytest.raises(
        UsageError, match=r"connectfour.kif has no size called width; its sizes: columns, rows, line"
    ):
        stratagem.load("connectfour", width=5)
    for wrong in ("7", 7.0, None, True):
        with pytest.raises(UsageError, match="needs a whole number as columns; got"):
            stratagem.load("connectfour", columns=wrong)
    with pytest.raises(UsageError, match="needs columns from 2 to 20, not 99"):
        stratagem.load("connectfour", columns=99)
    with pytest.raises(UsageError, match="no machine called abacus"):
        stratagem.load("tictactoe", machine="abacus")  # type: ignore[arg-type]
    with pytest.raises(RulesError):
        stratagem.load("(role r")


class Countdown:
    """A user's own game: take one or two from a pile; whoever takes the last wins."""

    roles = ("left", "right")

    def initial(self) -> tuple[int, int]:
        return (5, 0)

    def legals(self, state: tuple[int, int], role: str) -> list[int]:
        return [n for n in (1, 2) if n <= state[0]] if self.roles[state[1]] == role else [0]

    def next(self, state: tuple[int, int], joint: tuple[int, int]) -> tuple[int, int]:
        return (state[0] - sum(joint), 1 - state[1])

    def terminal(self, state: tuple[int, int]) -> bool:
        return state[0] == 0

    def goal(self, state: tuple[int, int], role: str) -> int | None:
        return 100 if self.roles[1 - state[1]] == role else 0


def test_any_class_with_the_six_members_is_a_game() -> None:
    assert isinstance(Countdown(), Game)
    assert not isinstance(object(), Game)


FORCED = """
(role left) (role right) (init (step 1)) {init}
(<= (legal left {left}) (true (step 1))) (<= (legal right {right}) (true (step 1)))
(<= (next (step 2)) (does left ?move)) (<= terminal (true (step 2)))
(<= (goal ?role 50) (role ?role))
"""


@pytest.mark.parametrize(
    ("left", "right", "init", "turn"),
    [
        ("go", "noop", "", ("left",)),
        ("noop", "go", "", ("right",)),
        ("pass", "go", "(init (control right))", ("right",)),
        ("go", "pass", "(init (control right))", ("right",)),
        ("go", "go", "", ("left", "right")),
        ("noop", "noop", "", ("left", "right")),
    ],
)
def test_a_forced_state_says_whose_turn_it_is(
    left: str, right: str, init: str, turn: tuple[str, ...]
) -> None:
    state = stratagem.load(FORCED.format(left=left, right=right, init=init), machine="reasoner").initial()
    assert state.choosing == ()
    assert state.to_move == turn
    assert state.play(left if "left" in turn else right).to_move == ()


def test_the_last_square_of_tic_tac_toe_is_somebodys_turn() -> None:
    state = stratagem.load("tictactoe", machine="circuit").initial()
    for square in ("1 1", "1 2", "1 3", "2 2", "2 1", "2 3", "3 2", "3 1"):
        assert state.to_move == state.choosing
        state = state.play(f"(mark {square})")
    assert state.choosing == ()
    assert state.to_move == ("xplayer",)


def test_the_circuit_of_a_game_is_shown_in_one_line() -> None:
    shown = repr(stratagem.load("tictactoe", machine="circuit").circuit)
    assert shown.startswith("<circuit: 29 propositions, 20 moves, ")


@pytest.mark.parametrize("machine", ["native", "circuit", "joins", "reasoner"])
def test_a_state_has_the_bits_that_compiled_rules_take(machine):
    game = stratagem.load("tictactoe", machine=machine)
    state = game.initial().play("(mark 2 2)")
    assert state.packed.tolist() == game.compiled.pack(state.facts()).tolist()
    assert not state.packed.flags.writeable
    assert game.state_from_packed(state.packed) == state
    with pytest.raises(UsageError, match="1 words"):
        game.state_from_packed(np.zeros(3, np.uint64))


def test_a_state_of_another_game_is_refused_by_name():
    game, other = stratagem.load("tictactoe"), stratagem.load("connectfour", columns=4, rows=4)
    limit = stratagem.Limit(nodes=10)
    for search in (
        lambda: stratagem.solve(game, other.initial()),
        lambda: stratagem.engine.Mcts(game, memory=1 << 20).search(other.initial(), limit),
        lambda: game.playouts(other.initial(), n=10),
    ):
        with pytest.raises(UsageError, match="a state of connectfour, where one of tictactoe is needed"):
            search()
    same = stratagem.load("tictactoe", machine="reasoner")
    assert game.playouts(same.initial(), n=64, seed=1).goals == game.playouts(n=64, seed=1).goals
