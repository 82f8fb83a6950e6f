"""Random matches per second against OpenSpiel's C++ (its rollout evaluator), where that package is installed.

    pip install open_spiel

One simulation of its MCTS at the root is nothing but one evaluation of the root, by as many random matches as one
likes, all in C++. The signature is the value of the root. Aim: 50 times on the same games.
"""

from __future__ import annotations

from benchmarks.measure import rates, table, verdict
from stratagem.loading import load
from stratagem.native.compiled import CompiledGame
from stratagem.native.playouts.playouts import Playouts

GAMES = (
    ("tictactoe", "tic_tac_toe", 10_000_000),
    ("connectfour", "connect_four", 3_000_000),
    ("breakthrough", "breakthrough", 300_000),
)
ROLLOUTS = 2000


def main() -> None:
    try:
        import pyspiel
    except ImportError:
        print("OpenSpiel is not installed: nothing to compare with")
        return
    for ours, theirs, matches in GAMES:
        circuit = load(ours, machine="native").circuit
        assert circuit is not None
        playouts = CompiledGame(circuit).playouts
        game = pyspiel.load_game(theirs)

        def value(seed: int, matches: int, game=game) -> float:  # type: ignore[no-untyped-def]
            evaluator = pyspiel.RandomRolloutEvaluator(matches, seed)
            bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 1000, False, seed, False)
            return float(bot.mcts_search(game.new_initial_state()).total_reward)

        def rollouts(seed: int, value=value) -> float:  # type: ignore[no-untyped-def]
            value(seed, ROLLOUTS)
            return ROLLOUTS

        def play(seed: int, playouts: Playouts = playouts, matches: int = matches) -> float:
            return playouts.play(matches=matches, seed=seed, threads=1).matches

        report = playouts.play(matches=100_000, threads=1)
        first, second = report.goals
        assert first is not None and second is not None
        assert abs((first - second) / 100 - value(1, 20_000)) < 0.03, "the two play different games"
        found = rates({"OpenSpiel": rollouts, "from the rules": play})
        table(ours, found, "matches", "OpenSpiel")
        verdict("ratio", found["from the rules"] / found["OpenSpiel"], 50)


if __name__ == "__main__":
    main()
