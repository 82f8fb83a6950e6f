"""The player that chooses its search: which one, and what it says about it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from stratagem.engine.mcts import Mcts
from stratagem.load import load
from stratagem.play.choice import Choice
from stratagem.play.clock import Deadline
from stratagem.play.match import Match
from stratagem.play.players import engine_alpha_beta, preparation
from stratagem.play.players import stratagem as module
from stratagem.play.players.engine_alpha_beta import LESSONS
from stratagem.play.players.stratagem import MEASURING, MEASURING_SHARE, QUICK, TAUGHT, Stratagem, moment
from stratagem.play.warming import call_kernels


@pytest.fixture(autouse=True, scope="module")
def _kernels() -> None:
    """Compiled, or found on disk, before any clock runs."""
    call_kernels()


@pytest.fixture(autouse=True)
def _few_lessons(monkeypatch) -> None:
    """So that a start clock that no machine is too slow for need not be sat out."""
    monkeypatch.setattr(engine_alpha_beta, "ENOUGH", 3 * TAUGHT)


def started(name: str, seconds: float, **sizes: int) -> tuple[Stratagem, Match]:
    """The player after a start clock of so many seconds, or as soon as it has tried both searches."""
    game = load(name, **sizes)
    game.expander.compile(wait=True)
    Mcts(game, memory=1 << 20).search(game.initial(), simulations=1)
    player = Stratagem(seed=1, threads=1)
    match = Match.of(game, game.roles[0], startclock=seconds)
    player.start(match, Deadline.after(seconds, interrupted=lambda: player.states_per_walk > 0))
    return player, match


def moved(player: Stratagem, match: Match, seconds: float = 0.5) -> Choice:
    return player.play(match, Deadline.after(seconds), lambda choice: None)


def test_where_matches_are_long_alpha_beta_plays_by_what_it_has_learned():
    player, match = started("breakthrough", 60.0)
    assert player.states_per_walk > QUICK
    assert player.trusts_evaluation
    choice = moved(player, match)
    assert choice.move in match.legals()
    assert choice.thought.why.startswith("alpha-beta ")
    assert "in the time of one walk of MCTS" in choice.thought.why
    player.stop(match)


def test_where_matches_are_short_mcts_plays():
    player, match = started("connectfour", 60.0, columns=5, rows=4)
    assert 0 < player.states_per_walk < QUICK
    choice = moved(player, match)
    assert "MCTS is quick here" in choice.thought.why
    player.stop(match)


@pytest.mark.parametrize(
    ("matches", "states_per_walk", "trusted"),
    [(TAUGHT, QUICK, True), (TAUGHT - 1, QUICK, False), (TAUGHT, QUICK - 1, False), (0, 10 * QUICK, False)],
)
def test_an_evaluation_is_trusted_if_it_has_seen_enough_and_the_search_is_quick(
    matches, states_per_walk, trusted
):
    player = Stratagem(seed=1, threads=1)
    assert not player.trusts_evaluation
    player.alpha_beta.evaluation = SimpleNamespace(matches=matches)
    player.states_per_walk = states_per_walk
    assert player.trusts_evaluation is trusted


def test_a_search_that_has_hardly_begun_tells_nothing_of_its_pace(monkeypatch):
    player, match = started("breakthrough", 0.0, columns=6, rows=6)
    forever = Deadline.after(60.0)
    assert player.alpha_beta.ready(match, forever)
    monkeypatch.setattr(preparation, "TELLING", 0.0)
    assert player.alpha_beta.pace(match, moment(forever)) > 0
    monkeypatch.setattr(preparation, "TELLING", 60.0)
    assert player.alpha_beta.pace(match, moment(forever)) is None
    player.stop(match)
    player, match = started("tictactoe", 0.0)
    assert player.alpha_beta.ready(match, forever)
    assert player.alpha_beta.pace(match, moment(forever)) > 0, "all is decided"
    player.stop(match)


def test_a_moment_is_of_the_processors_time_and_a_share_of_the_clocks(monkeypatch):
    worked, now = [0.0], [0.0]
    monkeypatch.setattr(module, "process_time", lambda: worked[0])
    soon = moment(Deadline.after(10.0, now=lambda: now[0]))
    now[0] = 10.0 * MEASURING_SHARE - 0.1  # others have had the processor
    assert not soon.over()
    now[0] += 0.2
    assert soon.over()
    now[0] = 0.0
    worked[0] = MEASURING
    assert soon.over()


def test_a_proved_draw_is_kept_by_the_move_that_mcts_likes_best(monkeypatch):
    player, match = started("tictactoe", 0.0)
    assert player.alpha_beta.ready(match, Deadline.after(60.0))
    assert player.mcts.ready(match, Deadline.after(60.0))
    corner = match.after(["(mark 1 1)", "noop"]).as_role("oplayer")
    liked = [match.rules.move("(mark 1 2)")]  # loses
    monkeypatch.setattr(player.mcts, "play", lambda match, clock, offer: Choice(liked[0]))
    careful = moved(player, corner, 5.0)
    assert str(careful.move) == "(mark 2 2)"  # the only move that does not
    assert (careful.final, careful.thought.value) == (True, 50)
    for square in ("(mark 2 2)", "(mark 1 1)", "(mark 1 2)"):
        liked[0] = match.rules.move(square)
        tempted = moved(player, match, 5.0)
        assert str(tempted.move) == square  # every first move keeps the draw
        assert tempted.thought.value == 50
    assert "leaves more room for mistakes" in tempted.thought.why
    player.stop(match)


def test_without_a_start_clock_it_plays_all_the_same():
    player, match = started("breakthrough", 0.0, columns=4, rows=5)
    assert not player.trusts_evaluation
    assert moved(player, match, 0.3).move in match.legals()
    player.stop(match)


def test_what_a_short_start_clock_left_out_is_learned_on_the_opponents_time():
    player, match = started("breakthrough", 0.0, columns=6, rows=6)
    choice = moved(player, match, 0.2)
    assert not player.trusts_evaluation
    match = match.after(
        [choice.move if role == match.role else match.legals(role)[0] for role in match.roles]
    )
    for _ in range(20):
        player.ponder(match, Deadline.after(3.0))
        if player.trusts_evaluation:
            break
    assert player.trusts_evaluation
    evaluation = player.alpha_beta.evaluation
    assert evaluation is not None and evaluation.matches >= LESSONS
    reply = match.after([match.legals(role)[0] for role in match.roles])
    assert "in the time of one walk" in moved(player, reply).thought.why
    player.stop(match)
