"""Alpha-beta that looks for a proof on one core while MCTS searches on the others."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep

import pytest
from tests.support.virtual_time import Ticking

from stratagem.loading import load
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline, never
from stratagem.play.match_state import Match
from stratagem.play.players import stratagem as module
from stratagem.play.players.alpha_beta import AlphaBetaPlayer
from stratagem.play.players.choosing.proof_beside import ProofBeside, play_beside
from stratagem.play.players.mcts import MctsPlayer
from stratagem.play.players.stratagem import Stratagem
from stratagem.play.process.first_kernels import compile_first_kernels

WON = ["(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)"]
"""The first player completes a line."""
LOST = ["(mark 1 2)", "(mark 2 2)", "(mark 1 1)", "(mark 1 3)", "(mark 3 3)", "(mark 2 1)"]
"""The second player has two lines of two; the first can stop one."""


@pytest.fixture(autouse=True, scope="module")
def _kernels() -> None:
    """Compiled, or found on disk, before any clock runs."""
    compile_first_kernels("stratagem")


def standing_still(until: Callable[[], bool] = never) -> Deadline:
    return Deadline(60.0, now=lambda: 0.0, interrupted=until)


def after(moves: list[str]) -> Match:
    """A match of tic-tac-toe after *moves*, for whoever is to move."""
    match = Match.of(load("tictactoe"), "xplayer", startclock=1)
    for number, move in enumerate(moves):
        match = match.after([move, "noop"] if number % 2 == 0 else ["noop", move])
    return match.as_role(match.state.choosing[0])


def prover(match: Match) -> AlphaBetaPlayer:
    made = AlphaBetaPlayer(seed=1, threads=2)
    assert made.ready(match, standing_still())
    return made


class Waiting(MctsPlayer):
    """Chooses the first legal move, when the clock is over."""

    def crew(self, match: Match, clock: Deadline) -> int:
        return 2

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        while not clock.over():
            sleep(0.001)
        return Choice(match.legals()[0], Thought(self.name, "waited"))


@pytest.mark.parametrize(("moves", "value"), [(WON, 100), ([], 50)])
def test_a_win_or_a_draw_that_is_proved_ends_the_search_beside(moves, value):
    match = after(moves)
    found, proof = play_beside(Waiting(), prover(match), match, standing_still(), lambda better: None)
    assert found.thought.why == "waited"
    assert proof is not None and proof.final and proof.thought.value == value
    if value == 100:
        assert match.rules.spell(proof.move) == "(mark 1 3)"


def test_a_loss_that_is_proved_leaves_the_other_search_its_time():
    match = after(LOST)
    with ProofBeside(prover(match), match, standing_still()) as beside:
        beside._thread.join()
        assert beside._found is not None and beside._found.final and beside._found.thought.value == 0
        assert beside.proof is None and not beside.clock.over()


def test_the_proof_ends_with_the_search_beside():
    game = load("connectfour", columns=6, rows=5)
    match = Match.of(game, "red", startclock=1)
    looks = iter(range(200))
    found, proof = play_beside(
        Waiting(),
        prover(match),
        match,
        standing_still(lambda: next(looks, None) is None),
        lambda better: None,
    )
    assert found.thought.why == "waited" and proof is None


def test_one_thread_proves_and_all_others_search():
    match = after([])
    mcts, alpha_beta = MctsPlayer(seed=1, threads=3), prover(match)
    assert mcts.crew(match, standing_still()) == 3
    play_beside(mcts, alpha_beta, match, standing_still(), lambda better: None)
    assert mcts.prepared is not None and alpha_beta.prepared is not None
    engines = mcts.prepared[1].ready(), alpha_beta.prepared[1].ready()
    assert [each.taking_part for each in engines if each is not None] == [2, 1]
    assert (mcts.spared, alpha_beta.spared) == (0, 0)
    for player in (mcts, alpha_beta):
        player.ponder(match, standing_still())
    assert [each.taking_part for each in engines if each is not None] == [3, 2]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_player_proves_beside_mcts_where_it_has_two_threads(threads, monkeypatch):
    game = load("connectfour", columns=6, rows=5)
    player = Stratagem(seed=1, threads=threads)
    match = Match.of(game, "red", startclock=1)
    player.start(match, Deadline(1.0, now=Ticking(1.0 / 50, start=0.0)))
    assert player.alpha_beta.ready(match, standing_still()) and player.mcts.ready(match, standing_still())
    beside = []

    def noted(mcts, alpha_beta, match, clock, offer):
        beside.append(mcts.crew(match, clock))
        return play_beside(mcts, alpha_beta, match, clock, offer)

    monkeypatch.setattr(module, "play_beside", noted)
    choice = player.play(match, Deadline(1.0, now=Ticking(1.0 / 400, start=0.0)), lambda better: None)
    assert choice.move in match.legals()
    assert beside == ([2] if threads == 2 else [])
    player.stop(match)
