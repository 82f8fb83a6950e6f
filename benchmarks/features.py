"""What the kinds of features add to an evaluation learned from the rules: the share of variance explained, held out.

    python -m benchmarks.features [GAME ...]

States of random play, judged by random matches. Bits are propositions and counts; amounts are numbers in propositions; lines are open ways to the goals, moves
the numbers of legal moves.
"""

from __future__ import annotations

import sys

import numpy as np

from stratagem.engine.evaluation.features import AnyFeature, columns, features_of, lines_of, moves_of
from stratagem.engine.evaluation.fit import STEPS, Regression, bit_sums, chosen
from stratagem.engine.evaluation.learning import sample
from stratagem.limit import Limit
from stratagem.loading import load

GAMES = [
    "tictactoe",
    "connectfour",
    "breakthrough",
    "hexapawn",
    "dotsandboxes",
    "ninemensmorris",
    "kalah",
    "reversi",
    "checkers",
]
STATES = 8000


def main(games: list[str]) -> None:
    print(f"{'game':<18}{'bits':>11}{'+ amounts':>11}{'+ lines':>11}{'+ moves':>11}")
    for name in games or GAMES:
        game = load(name)
        states, values = sample(game, Limit(nodes=STATES, seconds=120), seed=3)
        first = len(states) - len(states) // 10
        chances = values[:, 0] / 100
        spread = ((chances[first:] - chances[:first].mean()) ** 2).sum()
        plain: list[AnyFeature] = [*features_of(game.circuit.bases)]
        plain, _ = chosen(game, plain, states[:first])
        sums, _ = chosen(game, bit_sums(game, states[:first]), states[:first])
        lines, moves = lines_of(game, states[:first]), moves_of(game)
        row = f"{name:<18}"
        for features in (plain, sums, [*sums, *lines], [*sums, *lines, *moves]):
            counted = columns(game, features, states)
            learned = Regression(len(features))
            for _ in range(STEPS):
                learned.learn(counted[:first], chances[:first])
            wrong = ((learned.chances(counted[first:]) - chances[first:]) ** 2).sum()
            row += f"{1 - float(wrong / spread):>11.2f}"
        print(row, flush=True)


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    main(sys.argv[1:])
