"""An evaluation made from the rules alone: a weighted sum of what is true in a state, learned from random matches.

States are sampled along random play and judged by lanes of random matches from them; a ridge regression then explains
these judgements by features read off the circuit (`evaluation_features`): propositions and counts of them, how near the
goals are, how many moves there are. Propositions and counts are one weight per bit of a packed state: a few nanoseconds.
The others are taken in only where they explain clearly more of states that were kept back for the choice. A further
tenth is held out; what is reported is measured there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.evaluation_features import (
    AnyFeature,
    Curves,
    Feature,
    columns,
    curves_of,
    features_of,
    lines_of,
    moves_of,
)
from stratagem.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.machines.gdl_game import GdlGame, State

RIDGE = 3.0
HELD_OUT = 10
"""The last tenth of the states is held out: whole matches, because neighbours would give the answer away."""
CLEARLY = 0.02
"""How much more of the variance lines or moves must explain to be worth their time."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How good an evaluation is on states that it was not made from."""

    states: int
    right: float
    """The share of states in which it names the role that is better off, among those where one clearly is."""
    guessing: float
    """What naming always the same role would get."""
    explained: float
    """The share of the variance of values that it explains (R squared)."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a state seems worth to each role, as a sum over its true propositions.

    *terms[role]* are (weight, feature), the largest weight first; *constant[role]* is what an empty state is worth.
    """

    game: GdlGame
    terms: tuple[tuple[tuple[float, AnyFeature], ...], ...]
    constant: tuple[float, ...]
    accuracy: tuple[Accuracy, ...]
    states: int

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """[roles, 64 * words + 1]: the weight of every bit of a packed state, the constant last."""
        words = self.game.expander.words
        found = np.zeros((len(self.terms), 64 * words + 1), np.float64)
        found[:, -1] = self.constant
        for role, own in enumerate(self.terms):
            for weight, feature in own:
                if isinstance(feature, Feature):
                    found[role, list(feature.bases)] += weight
        return found

    @cached_property
    def curves(self) -> Curves:
        """What is no sum of bits, for kernels: open lines by how much of them is held, and numbers of moves."""
        return curves_of(self.game, self.terms)

    def formula(self, role: str | None = None, *, most: int = 12) -> str:
        """The sum in words, the *most* weighty terms of it; for the first role unless told."""
        number = 0 if role is None else self.game.number(role)
        accuracy = self.accuracy[number]
        lines = [
            f"value for {self.game.roles[number]} = {self.constant[number]:.1f}",
            *(f"  {weight:+8.2f} x {feature.name}" for weight, feature in self.terms[number][:most]),
        ]
        rest = len(self.terms[number]) - most
        if rest > 0:
            lines.append(f"  and {rest} smaller terms")
        lines.append(
            f"learned from {self.states} states; on {accuracy.states} others it names the better side in "
            f"{100 * accuracy.right:.0f} % (guessing: {100 * accuracy.guessing:.0f} %) and explains "
            f"{100 * accuracy.explained:.0f} % of the differences"
        )
        return "\n".join(lines)

    def packed(self, states: NDArray[np.uint64]) -> NDArray[np.float64]:
        """The values [n, roles] of packed states [n, words], from 0 to 100."""
        return np.clip(self.sums(states), 0.0, 100.0)

    def sums(self, states: NDArray[np.uint64]) -> NDArray[np.float64]:
        """The values as the sum gives them, which may lie outside of 0 to 100."""
        bits = np.unpackbits(np.ascontiguousarray(states).view(np.uint8), axis=1, bitorder="little")
        values: NDArray[np.float64] = bits.astype(np.float64) @ self.weights[:, :-1].T + self.weights[:, -1]
        for role, own in enumerate(self.terms):
            others = [(weight, feature) for weight, feature in own if not isinstance(feature, Feature)]
            if others:
                counted = columns(self.game, [feature for _, feature in others], states)
                values[:, role] += counted @ np.array([weight for weight, _ in others])
        return values

    def __call__(self, state: State, role: str | None = None) -> float:
        """What *state* seems worth to *role*, the first one unless given."""
        number = 0 if role is None else self.game.number(role)
        return float(self.packed(self.game.expander.pack(state.facts())[None])[0, number])

    def of(self, role: str) -> Callable[[State], float]:
        """The evaluation as the taught searches take it (``evaluate=``), for *role* as MAX."""
        self.game.number(role)
        return lambda state: self(state, role)


def fit(
    game: GdlGame, states: NDArray[np.uint64], values: NDArray[np.float64], *, ridge: float = RIDGE
) -> Evaluation:
    """The evaluation that explains *values* [n, roles] of packed *states* best, without exaggerating."""
    if len(states) < 20:
        raise UsageError(
            f"{len(states)} states are too few to learn an evaluation from", hint="give more time or states"
        )
    held = np.arange(len(states)) >= len(states) - len(states) // HELD_OUT
    features: list[AnyFeature] = [*features_of(game.circuit.bases)]
    counted = columns(game, features, states)
    best = _explained(features, counted[~held], values[~held], ridge)
    for more in (lines_of(game, states[~held]), moves_of(game)):
        if not more or best > 1 - CLEARLY:
            continue
        wider = np.hstack([counted, columns(game, [*more], states)])
        found = _explained([*features, *more], wider[~held], values[~held], ridge)
        if found > best + CLEARLY:
            features, counted, best = [*features, *more], wider, found
    weights, constant = _learned(features, counted[~held], values[~held], ridge)
    guesses = np.clip(counted @ weights + constant, 0.0, 100.0)
    middle = values[~held].mean(axis=0)
    terms = []
    for role in range(values.shape[1]):
        own = [(float(weight), feature) for weight, feature in zip(weights[:, role], features, strict=True)]
        own = [(weight, feature) for weight, feature in own if abs(weight) > 1e-3]
        # What a term can move the value by, not its bare weight: a count has more to say than a single proposition.
        reach = {feature.name: abs(weight) * feature.size**0.5 for weight, feature in own}
        terms.append(tuple(sorted(own, key=lambda term: -reach[term[1].name])))
    return Evaluation(
        game,
        tuple(terms),
        tuple(float(value) for value in constant),
        tuple(
            _accuracy(guesses[held, role], values[held, role], float(middle[role]))
            for role in range(values.shape[1])
        ),
        int((~held).sum()),
    )


def _learned(
    features: list[AnyFeature], counted: NDArray[np.float64], values: NDArray[np.float64], ridge: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The weights [features, roles] and the constants [roles]."""
    # A count has the same right to a weight as a single proposition: scaled by the root of its size, not by its spread.
    scale = np.array([feature.size**0.5 for feature in features])
    mean, middle = counted.mean(axis=0), values.mean(axis=0)
    weights = _ridge((counted - mean) / scale, values - middle, ridge) / scale[:, None]
    return weights, middle - mean @ weights


def _explained(
    features: list[AnyFeature], counted: NDArray[np.float64], values: NDArray[np.float64], ridge: float
) -> float:
    """The share of the variance that is explained in the last tenth by what is learned from the rest."""
    first = len(counted) - max(1, len(counted) // HELD_OUT)
    weights, constant = _learned(features, counted[:first], values[:first], ridge)
    wrong = counted[first:] @ weights + constant - values[first:]
    spread = float(((values[first:] - values[:first].mean(axis=0)) ** 2).sum())
    return 1.0 - float((wrong**2).sum()) / spread if spread > 0 else 0.0


def _ridge(columns: NDArray[np.float64], values: NDArray[np.float64], ridge: float) -> NDArray[np.float64]:
    """Least squares with a price on large weights; solved on whichever side is smaller."""
    rows, width = columns.shape
    if width <= rows:
        return np.asarray(np.linalg.solve(columns.T @ columns + ridge * np.eye(width), columns.T @ values))
    return np.asarray(columns.T @ np.linalg.solve(columns @ columns.T + ridge * np.eye(rows), values))


def _accuracy(guesses: NDArray[np.float64], values: NDArray[np.float64], middle: float) -> Accuracy:
    clear = np.abs(values - 50.0) > 5.0
    above = values[clear] > 50.0
    right = float(((guesses[clear] > 50.0) == above).mean()) if clear.any() else 0.0
    share = float(above.mean()) if clear.any() else 0.0
    spread = float(((values - middle) ** 2).sum())
    explained = 1.0 - float(((guesses - values) ** 2).sum()) / spread if spread > 0 else 0.0
    return Accuracy(len(values), right, max(share, 1.0 - share), explained)
