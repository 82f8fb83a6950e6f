"""What the kinds of features add to an evaluation learned from the rules: the share of variance explained, held out.

    python -m benchmarks.features [GAME ...]

States of random play, judged by random matches. Bits are propositions and counts; lines are open ways to the goals, moves
the numbers of legal moves.
"""

from __future__ import annotations

import sys

import numpy as np

from stratagem.engine.evaluation.features import AnyFeature, columns, features_of, lines_of, moves_of
from stratagem.engine.evaluation.fit import STEPS, Regression, chosen
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
    print(f"{'game':<18}{'bits':>8}{'+ lines':>9}{'+ moves':>9}")
    for name in games or GAMES:
        game = load(name)
        states, values = sample(game, Limit(nodes=STATES, seconds=120), seed=3)
        first = len(states) - len(states) // 10
        chances = values[:, 0] / 100
        spread = ((chances[first:] - chances[:first].mean()) ** 2).sum()
        features: list[AnyFeature] = [*features_of(game.circuit.bases)]
        features, _ = chosen(game, features, states[:first])
        row = f"{name:<18}"
        for more in ([], lines_of(game, states[:first]), moves_of(game)):
            features += more
            counted = columns(game, features, states)
            learned = Regression(len(features))
            for _ in range(STEPS):
                learned.learn(counted[:first], chances[:first])
            wrong = ((learned.chances(counted[first:]) - chances[first:]) ** 2).sum()
            row += f"{1 - float(wrong / spread):>{8 if not more else 9}.2f}"
        print(row, flush=True)


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    main(sys.argv[1:])
