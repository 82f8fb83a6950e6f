"""The player that chooses its search: which one, and what it says about it."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest
from tests.support.virtual_time import Ticking

from stratagem.loading import load
from stratagem.play.choice import Choice
from stratagem.play.clock import Deadline, never
from stratagem.play.match_state import Match
from stratagem.play.players import alpha_beta, preparation
from stratagem.play.players import stratagem as module
from stratagem.play.players.alpha_beta import PONDER_MATCHES
from stratagem.play.players.stratagem import (
    ENOUGH_MATCHES,
    MEASURING,
    MEASURING_SHARE,
    PREFERRED_RATIO,
    Stratagem,
    moment,
)
from stratagem.play.process.first_kernels import compile_first_kernels


@pytest.fixture(autouse=True, scope="module")
def _kernels() -> None:
    """Compiled, or found on disk, before any clock runs."""
    compile_first_kernels("stratagem")


@pytest.fixture(autouse=True)
def _few_lessons(monkeypatch) -> None:
    """So that a start clock that no machine is too slow for need not be sat out."""
    monkeypatch.setattr(alpha_beta, "START_MATCHES", 3 * ENOUGH_MATCHES)


def standing_still(until: Callable[[], bool] = never) -> Deadline:
    """A clock on which no time passes: what ends, ends because it is done or because of *until*."""
    return Deadline(1.0, now=lambda: 0.0, interrupted=until)


def ticking(looks: int) -> Deadline:
    """A clock that is over after so many looks, on every machine."""
    return Deadline(1.0, now=Ticking(1.0 / looks, start=0.0))


def started(
    name: str, *, states_per_simulation: float | None = None, seconds: float = 60.0, **sizes: int
) -> tuple[Stratagem, Match]:
    """The player once it has tried both searches, which were told to be that fast; None: without a start clock."""
    game = load(name, **sizes)
    game.compiled.compile(wait=True)
    player = Stratagem(seed=1, threads=1)
    match = Match.of(game, game.roles[0], startclock=seconds)
    if states_per_simulation is None:
        player.start(match, Deadline(0.0, now=lambda: 0.0))
    else:
        told(player, states_per_simulation)
        player.start(match, standing_still(lambda: player.states_per_simulation > 0))
    return player, match


def told(player: Stratagem, states_per_simulation: float) -> None:
    """Has the player believe that its searches are that fast, whatever this machine is like."""
    player.alpha_beta.pace = lambda match, clock: 1000.0 * states_per_simulation  # type: ignore[method-assign]
    player.mcts.pace = lambda match, clock: 1000.0  # type: ignore[method-assign]


def moved(player: Stratagem, match: Match, clock: Deadline | None = None) -> Choice:
    return player.play(match, ticking(100) if clock is None else clock, lambda choice: None)


def test_where_alpha_beta_is_fast_it_plays_by_what_it_has_learned():
    player, match = started("breakthrough", states_per_simulation=PREFERRED_RATIO + 1)
    assert player.states_per_simulation == pytest.approx(PREFERRED_RATIO + 1)
    assert player.prefers_alpha_beta
    choice = moved(player, match)
    assert choice.move in match.legals()
    assert choice.thought.why.startswith("alpha-beta ")
    assert "in the time of one simulation of MCTS" in choice.thought.why
    player.stop(match)


def test_where_mcts_is_fast_it_plays():
    player, match = started("connectfour", states_per_simulation=PREFERRED_RATIO - 1, columns=5, rows=4)
    assert not player.prefers_alpha_beta
    choice = moved(player, match)
    assert "MCTS is quick here" in choice.thought.why
    player.stop(match)


@pytest.mark.parametrize(
    ("matches", "states_per_simulation", "trusted"),
    [
        (ENOUGH_MATCHES, PREFERRED_RATIO, True),
        (ENOUGH_MATCHES - 1, PREFERRED_RATIO, False),
        (ENOUGH_MATCHES, PREFERRED_RATIO - 1, False),
        (0, 10 * PREFERRED_RATIO, False),
    ],
)
def test_an_evaluation_is_trusted_if_it_has_seen_enough_and_the_search_is_quick(
    matches, states_per_simulation, trusted
):
    player = Stratagem(seed=1, threads=1)
    assert not player.prefers_alpha_beta
    player.alpha_beta.evaluation = SimpleNamespace(matches=matches)
    player.states_per_simulation = states_per_simulation
    assert player.prefers_alpha_beta is trusted


def test_a_search_that_has_hardly_begun_tells_nothing_of_its_pace(monkeypatch):
    player, match = started("breakthrough", columns=6, rows=6)
    forever = standing_still()
    assert player.alpha_beta.ready(match, forever)
    monkeypatch.setattr(preparation, "LEAST_MEASURED", 0.0)
    assert player.alpha_beta.pace(match, moment(forever)) > 0
    monkeypatch.setattr(preparation, "LEAST_MEASURED", 60.0)
    assert player.alpha_beta.pace(match, moment(forever)) is None
    player.stop(match)
    player, match = started("tictactoe")
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
    player, match = started("tictactoe")
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


def test_without_a_start_clock_it_plays_all_the_same():
    player, match = started("breakthrough", columns=4, rows=5)
    assert not player.prefers_alpha_beta
    assert moved(player, match).move in match.legals()
    player.stop(match)


def test_what_a_short_start_clock_left_out_is_learned_on_the_opponents_time():
    player, match = started("breakthrough", columns=6, rows=6)
    told(player, PREFERRED_RATIO + 1)
    choice = moved(player, match)
    assert not player.prefers_alpha_beta
    match = match.after(
        [choice.move if role == match.role else match.legals(role)[0] for role in match.roles]
    )
    player.ponder(match, standing_still(lambda: player.prefers_alpha_beta))
    assert player.prefers_alpha_beta
    evaluation = player.alpha_beta.evaluation
    assert evaluation is not None and evaluation.matches >= PONDER_MATCHES
    reply = match.after([match.legals(role)[0] for role in match.roles])
    assert "in the time of one simulation" in moved(player, reply).thought.why
    player.stop(match)
