"""What is obviously wrong is refused in one sentence: no call of the public interface ends in an error of Python's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as st

TICTACTOE = st.load("tictactoe")
START = TICTACTOE.initial()
HANOI = st.load("hanoi", discs=3)
TREE = st.Tree.of([[3, 12, 8], [2, 4, 6]])
LIMIT = st.Limit(nodes=20)
WRONG: tuple[Any, ...] = (None, 3, "nothing of the kind", [], object(), np.zeros(3))

# One argument is left open: it is given each of the values above that is not right there.
CALLS: dict[str, Callable[[Any], object]] = {
    "load": st.load,
    "load a size": lambda it: st.load("connectfour", columns=it),
    "load settings": lambda it: st.load("connectfour", settings=it),
    "check": st.check,
    "legals of a state": lambda it: TICTACTOE.legals(it, "xplayer"),
    "legals of a role": START.legals,
    "next": START.next,
    "next of a state": lambda it: TICTACTOE.next(it, ["(mark 1 1)", "noop"]),
    "play": START.play,
    "terminal": TICTACTOE.terminal,
    "goal of a state": lambda it: TICTACTOE.goal(it, "xplayer"),
    "goal of a role": START.goal,
    "state_of": TICTACTOE.state_of,
    "state_from_packed": TICTACTOE.state_from_packed,
    "pack": TICTACTOE.pack,
    "parse_move": TICTACTOE.parse_move,
    "playouts from a state": lambda it: TICTACTOE.playouts(it, 10),
    "playouts by a number": lambda it: TICTACTOE.playouts(n=it),
    "playouts by a seed": lambda it: TICTACTOE.playouts(n=10, seed=it),
    "playouts on a device": lambda it: TICTACTOE.playouts(n=10, device=it),
    "playouts on an executor": lambda it: TICTACTOE.playouts(n=10, on=it),
    "batch": TICTACTOE.batch,
    "batch with threads": lambda it: TICTACTOE.batch(2, threads=it),
    "a seed of a batch": lambda it: TICTACTOE.batch(2).step_random(it),
    "states of a batch": lambda it: TICTACTOE.batch(2).set_states(it),
    "observation": TICTACTOE.encoding.observation,
    "legal actions": lambda it: TICTACTOE.encoding.legal_actions(it, "xplayer"),
    "solve": st.solve,
    "solve a state": lambda it: st.solve(TICTACTOE, it),
    "solve with a limit": lambda it: st.solve(TICTACTOE, limit=it),
    "solve by a method": lambda it: st.solve(TICTACTOE, method=it),
    "solve with progress": lambda it: st.solve(TICTACTOE, progress=it),
    "Limit that stops": lambda it: st.Limit(stop=it),
    "greedy actions by scores": lambda it: TICTACTOE.batch(2).greedy_actions(1, it),
    "match by a seed": lambda it: st.play.match(TICTACTOE, ["legal", "random"], seed=it),
    "judge": st.judge,
    "judge with a limit": lambda it: st.judge(TICTACTOE, it),
    "count_states": st.count_states,
    "count_states with a limit": lambda it: st.count_states(TICTACTOE, limit=it),
    "count_states from a state": lambda it: st.count_states(TICTACTOE, it),
    "Database": st.Database,
    "Database.build": lambda it: st.Database.build("never written", it),
    "Database.build at a path": lambda it: st.Database.build(it, TICTACTOE, limit=st.Limit(seconds=0)),
    "Mcts": st.engine.Mcts,
    "Mcts with threads": lambda it: st.engine.Mcts(TICTACTOE, threads=it),
    "Mcts with a limit": lambda it: st.engine.Mcts(TICTACTOE, memory=1 << 22).search(START, it),
    "Mcts of a state": lambda it: st.engine.Mcts(TICTACTOE, memory=1 << 22).search(it, LIMIT),
    "AlphaBeta": st.engine.AlphaBeta,
    "AlphaBeta by an evaluation": lambda it: st.engine.AlphaBeta(TICTACTOE, it),
    "AlphaBeta with a limit": lambda it: st.engine.AlphaBeta(TICTACTOE).search(START, it),
    "AlphaBeta of a state": lambda it: st.engine.AlphaBeta(TICTACTOE).search(it, LIMIT),
    "learn_evaluation": lambda it: st.engine.learn_evaluation(it, LIMIT),
    "learn_evaluation with a limit": lambda it: st.engine.learn_evaluation(TICTACTOE, it),
    "pattern_database": st.engine.pattern_database,
    "pattern_database with a limit": lambda it: st.engine.pattern_database(HANOI, limit=it),
    "relaxation": st.engine.relaxation,
    "estimate": lambda it: st.engine.estimate(it, HANOI),
    "minimax": st.search.minimax,
    "minimax with a limit": lambda it: st.search.minimax(TREE, limit=it),
    "breadth_first": st.search.breadth_first,
    "explain": st.explain,
    "explain a method": lambda it: st.explain(TREE, it),
    "explain with a limit": lambda it: st.explain(TREE, limit=it),
    "Tree.of": st.Tree.of,
    "uniform": lambda it: st.trees.uniform(2, it),
    "maze": lambda it: st.trees.maze(it, "a", "b"),
    "BackwardGame": st.BackwardGame,
    "exercise": lambda it: st.exercises.exercise(it, 1),
    "grade": lambda it: st.exercises.grade(it, {}),
    "player": st.play.player,
    "match": lambda it: st.play.match(it, ["legal", "random"]),
    "match of players": lambda it: st.play.match(TICTACTOE, it),
    "match with a clock": lambda it: st.play.match(TICTACTOE, ["legal", "random"], it),
    "tournament": lambda it: st.play.tournament(it, ["legal", "random"]),
    "tournament of players": lambda it: st.play.tournament([TICTACTOE], it),
    "tournament on an executor": lambda it: st.play.tournament([TICTACTOE], ["legal", "random"], on=it),
    "connect": st.cluster.connect,
}
RIGHT: dict[str, tuple[Any, ...]] = {
    "load settings": (None,),
    "load a size": (3,),
    "state_of": ([],),
    "state_from_packed": (3,),
    "playouts from a state": (None,),
    "playouts by a number": (None, 3),
    "playouts by a seed": (3,),
    "playouts on an executor": (None,),
    "batch": (3,),
    "batch with threads": (None, 3),
    "a seed of a batch": (3,),
    "solve a state": (None,),
    "solve with progress": (None,),
    "Limit that stops": (None,),
    "greedy actions by scores": (None,),
    "match by a seed": (None, 3),
    "count_states from a state": (None,),
    "Database.build at a path": ("nothing of the kind",),
    "Mcts with threads": (3,),
    "Tree.of": (3,),
    "uniform": (3,),
    "match with a clock": (3,),
    "tournament on an executor": (None,),
}
"""Values that are no mistake there."""


def is_right(call: str, value: object) -> bool:
    return any(type(value) is type(right) and value == right for right in RIGHT.get(call, ()))


@pytest.mark.parametrize("call", CALLS)
def test_a_wrong_argument_is_refused_in_a_sentence(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for value in WRONG:
        if not is_right(call, value):
            with pytest.raises(st.StratagemError) as refused:
                CALLS[call](value)
            assert "\n" not in str(refused.value), call
    assert list(tmp_path.iterdir()) == [], "nothing is begun before the arguments are looked at"


@pytest.mark.parametrize("call", RIGHT)
def test_the_same_calls_take_what_is_right(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for value in RIGHT[call]:
        if call != "Database.build at a path":
            CALLS[call](value)


def test_a_long_text_that_is_no_name_is_refused_like_a_short_one() -> None:
    with pytest.raises(st.errors.UnknownGame, match="no game, file or rules called 'xxxx"):
        st.load("x" * 5000)


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_text_is_no_folder(text: str) -> None:
    with pytest.raises(st.errors.UnknownGame, match="an empty text is not a game"):
        st.load(text)


def test_one_player_is_no_list_of_players() -> None:
    with pytest.raises(st.StratagemError, match="'random' is one player; give a list with one for each role"):
        st.play.match(TICTACTOE, "random")


def test_a_refusal_says_what_was_needed_and_what_came() -> None:
    with pytest.raises(st.StratagemError) as refused:
        st.search.minimax(3)  # type: ignore[arg-type]
    assert str(refused.value).startswith(
        "a game is needed; this is of the type int, which has no roles, initial, legals, next, terminal, goal; "
    )
    with pytest.raises(
        st.StratagemError, match=r"a Limit is needed; .* int; write one as in .*Limit\(seconds=10\)"
    ):
        st.solve(TICTACTOE, limit=10)  # type: ignore[arg-type]
    with pytest.raises(st.StratagemError, match="this is a state of hanoi, where one of tictactoe is needed"):
        st.solve(TICTACTOE, HANOI.initial())
    facts = [str(fact) for fact in START.facts()]
    assert TICTACTOE.state_of(facts) == START, "facts may be written as text"
    assert TICTACTOE.state_from_packed(START.packed.tolist()) == START, "and packed words as a list"


SEEDED: dict[str, Callable[[int], Any]] = {
    "mcts": lambda seed: st.engine.Mcts(TICTACTOE, seed=seed).search(START, st.Limit(nodes=20)).best,
    "learning": lambda seed: st.engine.learn_evaluation(TICTACTOE, st.Limit(nodes=300), seed=seed).matches,
    "match": lambda seed: st.play.match(TICTACTOE, ["random", "random"], seed=seed).goals,
    "exercise": lambda seed: st.exercises.exercise("minimax", seed).questions,
    "judge": lambda seed: st.judge(TICTACTOE, st.Limit(nodes=50), seed=seed).rulings,
}


@pytest.mark.parametrize("work", [pytest.param(work, id=name) for name, work in SEEDED.items()])
def test_a_whole_number_of_numpy_is_the_seed_that_it_says(work: Callable[[int], Any]) -> None:
    assert repr(work(np.int64(3))) == repr(work(3))


@pytest.mark.parametrize(
    "call",
    [
        *(lambda it, name=name: st.search.ALGORITHMS.find(name)(TICTACTOE, it) for name in ("minimax", "alpha-beta", "sss-star")),
        *(lambda it, name=name: st.search.ALGORITHMS.find(name)(HANOI, it) for name in ("breadth-first", "a-star", "bidirectional")),
        lambda it: st.explain(TICTACTOE, start=it),
        lambda it: st.count_states(TICTACTOE, it),
    ],
)  # fmt: skip
def test_a_state_of_another_game_is_refused(call: Callable[[Any], object]) -> None:
    with pytest.raises(st.errors.UsageError, match="this is a state of hexapawn"):
        call(st.load("hexapawn").initial())
