"""What players say about their searches is what the searches did."""

from __future__ import annotations

import re

from stratagem.engine.alpha_beta.search import AlphaBeta
from stratagem.engine.mcts.search import Mcts
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.play.match_state import Match
from stratagem.play.players.alpha_beta import AlphaBetaPlayer
from stratagem.play.players.mcts import why


def test_a_line_that_the_table_knows_already_is_no_shorter_than_the_search_is_deep():
    game = load("connectfour", columns=5, rows=5)
    engine = AlphaBeta(game, memory=8 << 20)
    first = engine.search(game.initial(), Limit(depth=6))
    again = engine.search(game.initial(), Limit(depth=6))
    assert first.counters.depth == again.counters.depth == 6
    assert again.counters.peak_open >= again.counters.depth


def test_forced_moves_are_spoken_of_only_where_they_were_followed_further():
    match = Match.of(load("connectfour", columns=5, rows=5), "red", id="m")
    player = AlphaBetaPlayer(seed=1, threads=1, memory=8 << 20)
    engine = AlphaBeta(match.rules, memory=8 << 20)
    for found in (engine.search(match.state, Limit(depth=6)), engine.search(match.state, Limit(depth=6))):
        said = player._choice(match, found).thought.why
        numbers = list(map(int, re.findall(r"\d+", said)))
        assert said.startswith("alpha-beta 6 plies deep")
        assert numbers == sorted(set(numbers)), said


def test_simulations_and_random_matches_are_both_those_of_this_search():
    game = load("connectfour", columns=5, rows=5)
    engine = Mcts(game, memory=8 << 20, seed=1)
    first = engine.search(game.initial(), Limit(nodes=50))
    again = engine.search(game.initial(), Limit(nodes=20))
    assert why(first).endswith(f"{first.counters.playouts:,} random matches in 50 simulations")
    assert why(again).endswith(
        f"{again.counters.playouts:,} random matches in 20 simulations, plus {again.counters.visits - 20:,} simulations from earlier searches"
    )
