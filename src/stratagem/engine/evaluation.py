"""An evaluation made from the rules alone: a weighted sum of what is true in a state, learned from random matches.

States are sampled along random play and judged by lanes of random matches from them; a ridge regression then explains
these judgements by features read off the circuit: single propositions, and counts of propositions that share a relation
and one or two of their arguments (how many white pieces; how many white pieces in row 6). Counts are sums of
propositions, so that the finished evaluation is one weight per bit of a packed state: a few nanoseconds. A tenth of the
states is held out; what is reported is measured there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from stratagem.errors import UsageError
from stratagem.gdl.terms import Compound, Term

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.machines.gdl_game import GdlGame, State

MOST_FEATURES = 1500
"""Beside the propositions themselves; of more counts the largest groups are taken."""
RIDGE = 3.0
HELD_OUT = 10
"""The last tenth of the states is held out: whole matches, because neighbours would give the answer away."""


@dataclass(frozen=True, slots=True)
class Feature:
    """The number of true propositions among *bases*; a single one counts 0 or 1."""

    name: str
    bases: tuple[int, ...]


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
    terms: tuple[tuple[tuple[float, Feature], ...], ...]
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
                found[role, list(feature.bases)] += weight
        return found

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
        bits = np.unpackbits(np.ascontiguousarray(states).view(np.uint8), axis=1, bitorder="little")
        values: NDArray[np.float64] = bits.astype(np.float64) @ self.weights[:, :-1].T + self.weights[:, -1]
        return np.clip(values, 0.0, 100.0)

    def __call__(self, state: State, role: str | None = None) -> float:
        """What *state* seems worth to *role*, the first one unless given."""
        number = 0 if role is None else self.game.number(role)
        return float(self.packed(self.game.expander.pack(state.facts())[None])[0, number])

    def of(self, role: str) -> Callable[[State], float]:
        """The evaluation as the taught searches take it (``evaluate=``), for *role* as MAX."""
        self.game.number(role)
        return lambda state: self(state, role)


def features_of(bases: tuple[Term, ...]) -> list[Feature]:
    """Single propositions, and counts of those that share the relation and one or two arguments."""
    groups: dict[str, list[int]] = {}
    for number, base in enumerate(bases):
        if not isinstance(base, Compound):
            continue
        words = [str(argument) for argument in base.args]
        shown = [{place} for place in range(len(words))]
        shown += [{one, other} for one in range(len(words)) for other in range(one + 1, len(words))]
        for kept in shown:
            if len(kept) == len(words):
                continue
            pattern = [word if place in kept else "_" for place, word in enumerate(words)]
            groups.setdefault(f"({base.name} {' '.join(pattern)})", []).append(number)
    counts = [Feature(f"number of {name}", tuple(found)) for name, found in groups.items() if len(found) > 1]
    counts.sort(key=lambda feature: -len(feature.bases))
    singles = [Feature(str(base), (number,)) for number, base in enumerate(bases)]
    return counts[:MOST_FEATURES] + singles


def fit(
    game: GdlGame, states: NDArray[np.uint64], values: NDArray[np.float64], *, ridge: float = RIDGE
) -> Evaluation:
    """The evaluation that explains *values* [n, roles] of packed *states* best, without exaggerating."""
    if len(states) < 20:
        raise UsageError(
            f"{len(states)} states are too few to learn an evaluation from", hint="give more time or states"
        )
    features = features_of(game.circuit.bases)
    bits = np.unpackbits(np.ascontiguousarray(states).view(np.uint8), axis=1, bitorder="little")
    bits = bits[:, : len(game.circuit.bases)].astype(np.float64)
    columns = np.stack([bits[:, list(feature.bases)].sum(axis=1) for feature in features], axis=1)
    # A count has the same right to a weight as a single proposition: scaled by the root of its size, not by its spread.
    scale = np.array([np.sqrt(len(feature.bases)) for feature in features])
    held = np.arange(len(states)) >= len(states) - len(states) // HELD_OUT
    mean, middle = columns[~held].mean(axis=0), values[~held].mean(axis=0)
    centred = (columns - mean) / scale
    weights = _ridge(centred[~held], values[~held] - middle, ridge) / scale[:, None]
    constant = middle - mean @ weights
    guesses = np.clip(columns @ weights + constant, 0.0, 100.0)
    terms = []
    for role in range(values.shape[1]):
        own = [(float(weight), feature) for weight, feature in zip(weights[:, role], features, strict=True)]
        own = [(weight, feature) for weight, feature in own if abs(weight) > 1e-3]
        # What a term can move the value by, not its bare weight: a count has more to say than a single proposition.
        reach = {feature.name: abs(weight) * len(feature.bases) ** 0.5 for weight, feature in own}
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
