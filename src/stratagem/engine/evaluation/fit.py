"""The weights of an evaluation from examples: logistic regression with L2 regularisation.

A count of propositions costs as much as one proposition, so that what is true of all pieces of a kind is said by their
number and only the rest cell by cell: that is what keeps a few thousand noisy examples from being learned by heart.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import ThreadpoolController

from stratagem.engine.evaluation.amounts import amounts_of
from stratagem.engine.evaluation.features import (
    AnyFeature,
    bits_of,
    columns,
    features_of,
    is_amount,
    lines_of,
    moves_of,
)
from stratagem.engine.evaluation.model import Accuracy, Evaluation, accuracy_of
from stratagem.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl_game import GdlGame

FEWEST = 20
"""States from which anything can be learned."""
RIDGE = 2.0
LEAST = 0.03
"""What an example counts at least, however sure its outcome seems."""
STEPS = 8
"""Of Newton's method; each roughly doubles the digits that are right."""
HELD_OUT = 10
"""The last tenth of the states is held out: whole matches, because neighbours would give the answer away."""
CLEARLY = 0.02
"""How much more of the variance lines or moves must explain to be worth their time."""
MOST_COLUMNS = 500
"""Features that a regression takes; of more those that differ most from state to state."""
MOST_BESIDE_AMOUNTS = 200
"""The same where there are amounts: what single numbers add to these is little, and takes long to learn."""


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra on one thread: more would take cores from searches that run at the same time."""
    with _blas().limit(limits=1):
        yield


class Regression:
    """Chances as a logistic function of columns, learned batch after batch; what came earlier fades."""

    def __init__(self, width: int, *, ridge: float = RIDGE) -> None:
        self.prices = np.full(width + 1, ridge)
        self.prices[-1] = 1e-3  # the constant
        self.weights: NDArray[np.floating] = np.zeros(width + 1)
        self._curvature = np.zeros((width + 1, width + 1))
        self._pull = np.zeros(width + 1)
        self._trusted = 0.0

    def resume(self, weights: NDArray[np.floating], rows: float) -> None:
        """Begins with *weights* that count as much as so many *rows* of examples, instead of with nothing.

        Which examples they came from is not known; they are taken to be like those of the next batch.
        """
        self.weights, self._trusted = np.array(weights, np.float64), rows

    def sums(self, counted: NDArray[np.float32]) -> NDArray[np.float64]:
        """The log odds of every row of *counted* [rows, width]."""
        return np.asarray(counted @ self.weights[:-1] + self.weights[-1])

    def chances(self, counted: NDArray[np.float32]) -> NDArray[np.float64]:
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(self.sums(counted), -30.0, 30.0))))

    def learn(self, counted: NDArray[np.float32], targets: NDArray[np.float64], *, keep: float = 0.0) -> None:
        """One step of Newton's method; *keep* is how much all earlier examples still count."""
        rows = np.hstack([counted, np.ones((len(counted), 1), np.float32)])
        sums, chances = self.sums(counted), self.chances(counted)
        importance = np.maximum(chances * (1.0 - chances), LEAST)
        pull = rows.T @ (importance * sums + targets - chances)
        curvature = (rows * importance[:, None].astype(np.float32)).T @ rows
        if self._trusted:
            self._curvature = self._trusted / len(rows) * curvature
            self._pull = (self._curvature + np.diag(self.prices)) @ self.weights
            self._trusted = 0.0
        self._curvature = keep * self._curvature + curvature
        self._pull = keep * self._pull + pull
        self.weights = np.asarray(np.linalg.solve(self._curvature + np.diag(self.prices), self._pull))


def line_through(
    columns: NDArray[np.float32], values: NDArray[np.float64], *, price: float
) -> NDArray[np.float64]:
    """Least squares with a price on large weights: the weights, the constant last. Solved on whichever side is smaller."""
    mean, middle = columns.mean(axis=0), values.mean()
    centred, wanted = columns - mean, values - middle
    rows, width = centred.shape
    if width <= rows:
        weights = np.linalg.solve(centred.T @ centred + price * np.eye(width), centred.T @ wanted)
    else:
        weights = centred.T @ np.linalg.solve(centred @ centred.T + price * np.eye(rows), wanted)
    return np.append(weights, middle - mean @ weights)


def fit(
    game: GdlGame, states: NDArray[np.uint64], values: NDArray[np.float64], *, ridge: float = RIDGE
) -> Evaluation:
    """The evaluation that explains *values* [n, roles], 0 to 100, of packed *states* best, without exaggerating."""
    if len(states) < FEWEST:
        raise UsageError(
            f"{len(states)} states are too few to learn an evaluation from", hint="give more time or states"
        )
    with one_thread():
        return _fitted(game, states, values, ridge)


def _fitted(
    game: GdlGame, states: NDArray[np.uint64], values: NDArray[np.float64], ridge: float
) -> Evaluation:
    held = np.arange(len(states)) >= len(states) - len(states) // HELD_OUT
    features, counted = chosen(game, bit_sums(game, states), states)
    best = _explained(counted[~held], values[~held], ridge)
    for more in (lines_of(game, states[~held]), moves_of(game)):
        if not more or best > 1 - CLEARLY:
            continue
        wider = np.hstack([counted, columns(game, [*more], states)])
        found = _explained(wider[~held], values[~held], ridge)
        if found > best + CLEARLY:
            features, counted, best = [*features, *more], wider, found
    learned = _learned(counted[~held], values[~held], ridge)
    weights = np.stack([own.weights for own in learned])
    return Evaluation(
        game,
        tuple(features),
        weights,
        weights,
        np.zeros(64 * game.compiled.words + 1),
        tuple(_accuracy(own, counted, values[:, role], held) for role, own in enumerate(learned)),
        int((~held).sum()),
    )


def bit_sums(game: GdlGame, states: NDArray[np.uint64]) -> list[AnyFeature]:
    """The features of a game that are sums of bits; *states* are some that can be reached."""
    bases = game.circuit.bases
    return [*amounts_of(bases, bits_of(game, states) > 0), *features_of(bases)]


def chosen(
    game: GdlGame, features: list[AnyFeature], states: NDArray[np.uint64]
) -> tuple[list[AnyFeature], NDArray[np.float32]]:
    """Those of *features* that a regression has room for, and what they count in *states*."""
    counted = columns(game, features, states)
    most = MOST_BESIDE_AMOUNTS if any(is_amount(feature) for feature in features) else MOST_COLUMNS
    if len(features) > most:
        kept = np.sort(np.argsort(-counted.var(axis=0), kind="stable")[:most])
        features, counted = [features[place] for place in kept], counted[:, kept]
    return features, counted


def _learned(counted: NDArray[np.float32], values: NDArray[np.float64], ridge: float) -> list[Regression]:
    """One regression for every role."""
    found = []
    for role in range(values.shape[1]):
        own = Regression(counted.shape[1], ridge=ridge)
        for _ in range(STEPS):
            own.learn(counted, values[:, role] / 100.0)
        found.append(own)
    return found


def _explained(counted: NDArray[np.float32], values: NDArray[np.float64], ridge: float) -> float:
    """The share of the variance that is explained in the last tenth by what is learned from the rest."""
    first = len(counted) - max(1, len(counted) // HELD_OUT)
    learned = _learned(counted[:first], values[:first], ridge)
    guesses = 100.0 * np.stack([own.chances(counted[first:]) for own in learned], axis=1)
    spread = float(((values[first:] - values[:first].mean(axis=0)) ** 2).sum())
    return 1.0 - float(((guesses - values[first:]) ** 2).sum()) / spread if spread > 0 else 0.0


def _accuracy(
    learned: Regression, counted: NDArray[np.float32], values: NDArray[np.float64], held: NDArray[np.bool_]
) -> Accuracy:
    guesses = 100.0 * learned.chances(counted[held])
    return accuracy_of(guesses, values[held], float(values[~held].mean()))
