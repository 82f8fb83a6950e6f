"""The player that chooses its search: which one, and what it says about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from tests.support.virtual_time import Ticking

from stratagem.errors import LimitExceeded, UnsuitableGame
from stratagem.loading import load
from stratagem.play.choice import Choice
from stratagem.play.clock import Deadline, never
from stratagem.play.match_state import Match
from stratagem.play.players import alpha_beta
from stratagem.play.players import stratagem as module
from stratagem.play.players.alpha_beta import PONDER_MATCHES
from stratagem.play.players.choosing.trial import TrialScore
from stratagem.play.players.stratagem import ENOUGH_MATCHES, SHORT_START, Stratagem
from stratagem.play.process.first_kernels import compile_first_kernels

WON, LOST = TrialScore(4, 4), TrialScore(0, 4)


@pytest.fixture(autouse=True, scope="module")
def _kernels() -> None:
    """Compiled, or found on disk, before any clock runs."""
    compile_first_kernels("stratagem")


@pytest.fixture(autouse=True)
def _few_lessons(monkeypatch) -> None:
    """So that a start clock that no machine is too slow for need not be sat out."""
    monkeypatch.setattr(alpha_beta, "START_MATCHES", 3 * ENOUGH_MATCHES)


@dataclass
class Told:
    """A trial that ends as it was told to, or stays open."""

    result: TrialScore
    score: TrialScore = field(default_factory=TrialScore)

    def go_on(self, clock: Deadline) -> None:
        self.score = self.result


@pytest.fixture
def told(monkeypatch) -> Callable[[TrialScore], list[int]]:
    """Has every trial end with that score; the list counts the matches that the evaluations come from."""

    def tell(result: TrialScore) -> list[int]:
        tried: list[int] = []

        def trial_of(rules, evaluation, *, seconds, seed):
            tried.append(evaluation.matches)
            return Told(result)

        monkeypatch.setattr(module, "trial_of", trial_of)
        return tried

    return tell


def standing_still(until: Callable[[], bool] = never) -> Deadline:
    """A clock on which no time passes: what ends, ends because it is done or because of *until*."""
    return Deadline(60.0, now=lambda: 0.0, interrupted=until)


def ticking(looks: int) -> Deadline:
    """A clock that is over after so many looks, on every machine."""
    return Deadline(1.0, now=Ticking(1.0 / looks, start=0.0))


def started(name: str, *, left: float | None = None, **sizes: int) -> tuple[Stratagem, Match]:
    """The player after a start clock that ends once the searches were tried; *left*: one that stands still with that much left."""
    game = load(name, **sizes)
    game.compiled.compile(wait=True)
    player = Stratagem(seed=1, threads=1)
    match = Match.of(game, game.roles[0], startclock=60)
    if left is None:
        player.start(match, standing_still(lambda: player.score.matches > 0))
    else:
        looks = iter(range(1000))
        player.start(match, Deadline(left, now=lambda: 0.0, interrupted=lambda: next(looks) > 20))
    return player, match


def moved(player: Stratagem, match: Match, clock: Deadline | None = None) -> Choice:
    return player.play(match, ticking(100) if clock is None else clock, lambda choice: None)


def test_where_alpha_beta_wins_the_trial_it_plays_by_what_it_has_learned(told):
    tried = told(WON)
    player, match = started("breakthrough")
    assert player.prefers_alpha_beta and tried[0] >= ENOUGH_MATCHES
    choice = moved(player, match)
    assert choice.move in match.legals()
    assert choice.thought.why.startswith("alpha-beta ")
    assert "alpha-beta beat MCTS 4 to 0 in 4 fast matches" in choice.thought.why
    player.stop(match)
    assert not player.prefers_alpha_beta


def test_where_mcts_wins_the_trial_it_plays(told):
    told(LOST)
    player, match = started("connectfour", columns=5, rows=4)
    assert not player.prefers_alpha_beta
    assert "MCTS beat alpha-beta 4 to 0" in moved(player, match).thought.why
    player.stop(match)


def test_the_searches_that_are_tried_are_alpha_beta_and_mcts():
    game = load("hexapawn")
    player, match = Stratagem(seed=1, threads=1), Match.of(game, "white")
    player.start(match, standing_still(lambda: player.trial is not None and player.trial.played >= 2))
    assert player.trial is not None
    assert [type(each).__name__ for each in player.trial.candidates] == ["AlphaBeta", "Mcts"]
    assert player.score.matches == 2
    assert player.score.words("alpha-beta", "MCTS") in moved(player, match).thought.why
    player.stop(match)


@pytest.mark.parametrize("name", ["tictactoethree", "rockpaperscissors"])
def test_three_roles_and_moves_at_once_are_left_to_mcts(name, told):
    tried = told(WON)
    game = load(name)
    player, match = Stratagem(seed=1, threads=1), Match.of(game, game.roles[0])
    player.start(match, ticking(50))
    assert player.kind == "other" and not player.prefers_alpha_beta and tried == []
    player.stop(match)


def test_a_trial_that_meets_moves_at_once_leaves_the_game_to_mcts(monkeypatch):
    def refuse(rules, evaluation, *, seconds, seed):
        raise UnsuitableGame("both roles have a choice at once")

    monkeypatch.setattr(module, "trial_of", refuse)
    game = load("hexapawn")
    player, match = Stratagem(seed=1, threads=1), Match.of(game, game.roles[0])
    player.start(match, standing_still(lambda: player.kind == "other"))
    assert not player.prefers_alpha_beta
    player.stop(match)


def test_a_position_that_the_tree_of_mcts_cannot_hold_leaves_the_game_to_alpha_beta(monkeypatch):
    def refuse(rules, evaluation, *, seconds, seed):
        raise LimitExceeded("too many joint moves in one position")

    monkeypatch.setattr(module, "trial_of", refuse)
    game = load("hexapawn")
    player, match = Stratagem(seed=1, threads=1), Match.of(game, game.roles[0])
    player.start(match, standing_still(lambda: player.without_mcts))
    assert player.prefers_alpha_beta and "MCTS was not ready" in player._reason()
    player.stop(match)


@pytest.mark.parametrize("left", [0.0, 0.5, SHORT_START - 0.1])
def test_a_short_start_clock_is_left_to_mcts(left, told):
    tried = told(WON)
    player, match = started("breakthrough", left=left, columns=4, rows=5)
    assert tried == [] and player.alpha_beta.prepared is None
    assert not player.prefers_alpha_beta
    assert moved(player, match).move in match.legals()
    player.stop(match)


def test_a_proved_draw_is_kept_by_the_move_that_mcts_likes_best(monkeypatch):
    player, match = started("tictactoe", left=0.0)
    assert player.alpha_beta.ready(match, standing_still())
    assert player.mcts.ready(match, standing_still())
    corner = match.after(["(mark 1 1)", "noop"]).as_role("oplayer")
    liked = [match.rules.move("(mark 1 2)")]  # loses
    monkeypatch.setattr(player.mcts, "play", lambda match, clock, offer: Choice(liked[0]))
    careful = moved(player, corner, standing_still())
    assert str(careful.move) == "(mark 2 2)"  # the only move that does not
    assert (careful.final, careful.thought.value) == (True, 50)
    for square in ("(mark 2 2)", "(mark 1 1)", "(mark 1 2)"):
        liked[0] = match.rules.move(square)
        tempted = moved(player, match, standing_still())
        assert str(tempted.move) == square  # every first move keeps the draw
        assert tempted.thought.value == 50
    assert "leaves more room for mistakes" in tempted.thought.why
    player.stop(match)


def test_what_a_short_start_clock_left_out_is_learned_and_tried_on_the_opponents_time(told):
    tried = told(WON)
    player, match = started("breakthrough", left=0.0, columns=6, rows=6)
    choice = moved(player, match)
    assert not player.prefers_alpha_beta and "there was no time for the trial yet" in choice.thought.why
    match = match.after(
        [choice.move if role == match.role else match.legals(role)[0] for role in match.roles]
    )
    player.ponder(match, standing_still(lambda: player.prefers_alpha_beta))
    assert player.prefers_alpha_beta and tried[0] >= PONDER_MATCHES
    reply = match.after([match.legals(role)[0] for role in match.roles])
    assert "alpha-beta beat MCTS" in moved(player, reply).thought.why
    player.stop(match)
