"""Games outside what a method covers, and rules with mistakes: nothing is proved that is not so."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.test_values import CIRCLE
from tests.support.inline_executor import InlineExecutor

from stratagem.engine.alpha_beta.search import AlphaBeta
from stratagem.engine.proof.df_pn import ProofNumbers, bounds_of
from stratagem.engine.proof.prover import Prover
from stratagem.engine.shards.build import build_sharded
from stratagem.engine.solve import solve
from stratagem.engine.space.database import Database
from stratagem.errors import UnsuitableGame
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.result import Interval

PROOFS = ["prove", "df-pn"]

TAKING = """
(role a) (role b)
(init (pile 3)) (init (control a))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?r take) (true (control ?r)) (true (pile ?n)) (succ ?m ?n))
(<= (legal a noop) (true (control b)))
(<= (legal b noop) (true (control a)))
(<= (next (pile ?m)) (true (pile ?n)) (succ ?m ?n))
(<= (next (control a)) (true (control b)))
(<= (next (control b)) (true (control a)))
(<= terminal (true (pile 9)))
(<= (goal a 100) (true (control a)))
(<= (goal b 0) (true (control a)))
(<= (goal a 0) (true (control b)))
(<= (goal b {best}) (true (control b)))
"""
"""The rule for terminal names a pile that there never is: with the pile empty, b must move and cannot."""

SHARED = """
(role a) (role b)
(init (at start))
(<= (legal a ?x) (true (at start)) (way ?x))
(way left) (way right)
(<= (legal a noop) (true (at left)))
(<= (legal b noop) (true (at start)))
(<= (legal b ?x) (true (at left)) (gift ?x))
(gift much) (gift little)
(<= (next (at ?x)) (true (at start)) (does a ?x))
(<= (next (at ?x)) (true (at left)) (does b ?x))
(<= terminal (true (at ?x)) (worth ?x ?a ?b))
(worth much 100 60) (worth little 100 0) (worth right 0 0)
(<= (goal a ?a) (true (at ?x)) (worth ?x ?a ?b))
(<= (goal b ?b) (true (at ?x)) (worth ?x ?a ?b))
"""

ENDLESS = """
(role a)
(init (at 0))
(legal a stay)
(<= (next (at 0)) (does a stay))
(<= terminal (true (at 1)))
(<= (goal a 100) (true (at 1)))
(<= (goal a 0) (true (at 0)))
"""


@pytest.mark.parametrize("method", PROOFS)
@pytest.mark.parametrize("name", ["rockpaperscissors", "tron", "biddingtictactoe"])
def test_simultaneous_moves_are_refused_by_proofs(name: str, method: str) -> None:
    with pytest.raises(UnsuitableGame, match="both roles have a choice in the same state"):
        solve(load(name), method=method)


def test_threads_that_share_a_table_refuse_simultaneous_moves_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stratagem.engine.proof.prover.ALONE", 1)
    game = load("biddingtictactoe")
    prover = Prover(game.compiled, memory=1 << 20, threads=2)
    with pytest.raises(UnsuitableGame, match="both roles"):
        prover.force(game.compiled.initial, 0, 100, at_least=True, depth=20)


def test_a_large_game_with_simultaneous_moves_is_not_solved_by_a_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("stratagem.engine.solve.SMALL", 100)
    found = solve(load("tron", columns=4, rows=4))
    assert found.method == "pure strategies"
    assert "both roles have a choice in the same state" in found.why
    assert found.values == {"red": Interval(50, 50), "blue": Interval(50, 50)}
    stopped = solve(load("tron"), limit=Limit(memory=1 << 20))
    assert not stopped.proved
    assert stopped.values == {"red": Interval(0, 100), "blue": Interval(0, 100)}


@pytest.mark.parametrize("method", PROOFS)
def test_goals_that_do_not_add_up_prove_nothing_about_the_other_role(method: str) -> None:
    """Left is worth 100 to a, whatever b does; b does not get -40 for it."""
    game = load(SHARED)
    try:
        found = solve(game, method=method)
    except UnsuitableGame as refused:
        assert "do not add up to the same" in refused.message
    else:
        assert found.values["a"] == Interval(100, 100)
        assert found.values["b"].low >= 0
        assert not found.proved
    assert solve(game).values == {"a": Interval(100, 100), "b": Interval(60, 60)}


@pytest.mark.parametrize("method", ["auto", "space", *PROOFS])
@pytest.mark.parametrize("best", [100, 60])
def test_a_state_without_a_legal_move_is_worth_nothing_known(method: str, best: int) -> None:
    found = solve(load(TAKING.format(best=best)), method=method)
    assert not found.proved
    assert found.values["a"] == Interval(0, 100)
    assert 0 <= found.values["b"].low < found.values["b"].high
    if method != "df-pn":
        assert "legal move" in found.note


def test_proofs_say_so_where_a_role_never_has_a_goal() -> None:
    game = load(
        "(role a) (role b) (init (s 0)) (legal a x) (legal b x) (goal b 0) (<= terminal (true (s 1)))"
    )
    for method in PROOFS:
        with pytest.raises(UnsuitableGame, match="the rules never give a a goal"):
            solve(game, method=method)


@pytest.mark.parametrize("method", ["auto", "space", "plan", "a-star", "bidirectional", "any"])
def test_a_puzzle_without_an_end_has_no_value_by_any_method(method: str) -> None:
    found = solve(load(ENDLESS), method=method)
    assert not found.proved
    assert found.values == {"a": Interval(0, 100)}
    assert "play never ends" in found.note or "no terminal state that has a goal is reachable" in found.note


def test_a_table_of_proof_numbers_keeps_its_bounds_where_somebody_cannot_move() -> None:
    game = load(TAKING.format(best=100))
    found = bounds_of(ProofNumbers(game.compiled, memory=1 << 20), game.compiled.initial)
    assert (found.low, found.high) == (0, 100)


def test_alpha_beta_refuses_a_position_in_which_somebody_cannot_move() -> None:
    state = load(TAKING.format(best=100)).initial()
    for _ in range(3):
        state = state.play("take")
    with pytest.raises(UnsuitableGame, match="b cannot move in this position"):
        AlphaBeta(state.game).search(state, Limit(seconds=1))


def test_a_value_that_only_endless_play_could_keep_from_being_reached_has_no_distance() -> None:
    """After left a gets nothing at any end, and b need not let the match end."""
    game = load(CIRCLE)
    left = game.initial().play("(go left)")
    found = solve(game, left, method="space")
    assert (
        found.values
        == solve(game, left, method="prove").values
        == {"a": Interval(0, 0), "b": Interval(100, 100)}
    )
    assert found.distance is None


DIE = """
(role you) (role random)
(init (phase bet))
(face 1) (face 2) (face 3) (face 4)
(<= (legal you (bet ?x)) (true (phase bet)) (face ?x))
(<= (legal random noop) (true (phase bet)))
(<= (legal you noop) (true (phase roll)))
(<= (legal random (roll ?x)) (true (phase roll)) (face ?x))
(<= (next (chosen ?x)) (does you (bet ?x)))
(<= (next (chosen ?x)) (true (chosen ?x)))
(<= (next (phase roll)) (true (phase bet)))
(<= (next (rolled ?x)) (does random (roll ?x)))
(<= terminal (true (rolled ?x)))
(<= hit (true (rolled ?x)) (true (chosen ?x)))
(<= (goal you 100) hit)
(<= (goal you 0) (not hit))
(goal random 100)
"""


@pytest.mark.parametrize("method", ["auto", "space", *PROOFS])
@pytest.mark.parametrize("machine", ["native", "joins"])
def test_a_die_plays_neither_for_nor_against_a_player(method: str, machine: str) -> None:
    """One bet in four is right; 0 is what a hostile die would leave, 100 what a friendly one would give."""
    game = load(DIE, machine=machine)
    with pytest.raises(UnsuitableGame, match="a game without chance is needed; this one has the role random"):
        solve(game, method=method)


def test_a_database_of_a_game_of_chance_is_refused_before_it_is_built(tmp_path: Path) -> None:
    game = load(DIE)
    with pytest.raises(UnsuitableGame, match="without chance"):
        Database.build(tmp_path / "die.db", game)
    with pytest.raises(UnsuitableGame, match="without chance"):
        build_sharded(game, game.initial(), tmp_path / "die.db", InlineExecutor())
    assert list(tmp_path.iterdir()) == []


PENNIES_AFTER_A_MOVE = """
(role a) (role b)
(init (phase first))
(<= (legal a go) (true (phase first)))
(<= (legal a stop) (true (phase first)))
(<= (legal b noop) (true (phase first)))
(<= (legal ?r (show ?c)) (role ?r) (coin ?c) (true (phase show)))
(coin heads) (coin tails)
(<= (next (phase show)) (does a go))
(<= (next (phase draw)) (does a stop))
(<= same (does a (show ?c)) (does b (show ?c)))
(<= (next (phase won)) (does a (show ?c)) same)
(<= (next (phase lost)) (does a (show ?c)) (not same))
(<= terminal (true (phase ?p)) (worth ?p ?a ?b))
(worth draw 50 50) (worth won 100 0) (worth lost 0 100)
(<= (goal a ?a) (true (phase ?p)) (worth ?p ?a ?b))
(<= (goal b ?b) (true (phase ?p)) (worth ?p ?a ?b))
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rules", [PENNIES_AFTER_A_MOVE, SHARED, DIE.replace("(goal random 100)", "")])
def test_alpha_beta_proves_nothing_in_games_that_it_does_not_cover(rules: str, threads: int) -> None:
    game = load(rules)
    found = AlphaBeta(game, threads=threads).search(game.initial(), Limit(depth=8))
    assert not found.proved
    assert found.stopped is None
    assert found.distance is None
    assert set(found.values.values()) == {Interval(0, 100)}


def test_ida_star_without_a_database_names_the_method_that_needs_none() -> None:
    with pytest.raises(UnsuitableGame) as refused:
        solve(load(ENDLESS), method="ida-star")
    assert refused.value.hint == "use --method a-star, which does without databases"
