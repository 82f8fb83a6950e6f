"""What the kinds of features add to an evaluation learned from the rules: the share of variance explained, held out.

    python -m benchmarks.features [GAME ...]

Bits are propositions and counts; lines are open ways to the goals, moves the numbers of legal moves. `fit` decides what
it keeps; the last column says what.
"""

from __future__ import annotations

import sys

import numpy as np

from stratagem.engine.evaluation import _learned, fit
from stratagem.engine.evaluation_features import (
    AnyFeature,
    Lines,
    Moves,
    columns,
    features_of,
    lines_of,
    moves_of,
)
from stratagem.engine.evaluation_learning import sample
from stratagem.load import load

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
    print(f"{'game':<18}{'bits':>8}{'+ lines':>9}{'+ moves':>9}  kept")
    for name in games or GAMES:
        game = load(name)
        states, values = sample(game, states=STATES, seed=3, seconds=120)
        first = len(states) - len(states) // 10
        spread = ((values[first:, 0] - values[:first, 0].mean()) ** 2).sum()
        features: list[AnyFeature] = [*features_of(game.circuit.bases)]
        row = f"{name:<18}"
        for more in ([], lines_of(game, states[:first]), moves_of(game)):
            features += more
            counted = columns(game, features, states)
            weights, constant = _learned(features, counted[:first], values[:first], 3.0)
            wrong = counted[first:] @ weights + constant - values[first:]
            row += f"{1 - float((wrong[:, 0] ** 2).sum() / spread):>{8 if not more else 9}.2f}"
        kept = {type(feature) for own in fit(game, states, values).terms for _, feature in own}
        words = [word for kind, word in ((Lines, "lines"), (Moves, "moves")) if kind in kept]
        print(f"{row}  {', '.join(words) or 'bits alone'}", flush=True)


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    main(sys.argv[1:])
