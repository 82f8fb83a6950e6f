"""An evaluation made from the rules alone: the logistic function of a weighted sum of what is true in a state.

The value is from 0 to 100, the sum in log odds (logistic regression), so that a state far ahead is still worth more than one just ahead. Its terms are
read off the circuit (`features`): propositions and counts of them, how near the goals are, how many moves
there are. Propositions and counts are one weight per bit of a packed state: a few nanoseconds. Every term has a weight for the
beginning of a match and one for its end; how far a match has come is itself a sum over the bits of the state.

`learning` finds the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.evaluation.features import AnyFeature, Curves, Feature, columns, curves_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl_game import GdlGame, State


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
    """An estimate of the value of a state for each role.

    *early* and *late* [roles, features + 1] are the weights at the beginning and at the end of a match, the constant last;
    *progress* [64 * words + 1] says how far a match has come, from 0 to 1, as a sum over the bits of its state.
    """

    game: GdlGame
    features: tuple[AnyFeature, ...]
    early: NDArray[np.float64]
    late: NDArray[np.float64]
    progress: NDArray[np.float64]
    accuracy: tuple[Accuracy, ...]
    states: int
    """How many it was learned from."""
    matches: int = 0
    """How many matches against itself these come from; 0 where they come from random play."""

    @property
    def source(self) -> str:
        """What it was learned from, in words."""
        if self.matches:
            return f"{self.states} states of {self.matches} matches of self-play"
        return f"{self.states} states of random play"

    def at(self, state: NDArray[np.uint64]) -> Evaluation:
        """The same with the weights of a packed *state* for all states, as a search from there uses them."""
        share = float(self.how_far(np.ascontiguousarray(state).reshape(1, -1))[0])
        weights = self.early + share * (self.late - self.early)
        return replace(self, early=weights, late=weights)

    def sharper(self, factor: float) -> Evaluation:
        """The same, *factor* times as sure of every difference."""
        return replace(self, early=factor * self.early, late=factor * self.late)

    def how_far(self, states: NDArray[np.uint64]) -> NDArray[np.float64]:
        """How far matches have come in packed states, from 0 to 1."""
        bits = np.unpackbits(np.ascontiguousarray(states).view(np.uint8), axis=1, bitorder="little")
        return np.asarray(np.clip(bits.astype(np.float64) @ self.progress[:-1] + self.progress[-1], 0.0, 1.0))

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """[2, roles, 64 * words + 1]: early and late, the weight of every bit of a packed state, the constant last."""
        found = np.zeros((2, len(self.early), 64 * self.game.compiled.words + 1))
        for phase, weights in enumerate((self.early, self.late)):
            found[phase, :, -1] = weights[:, -1]
            for place, feature in enumerate(self.features):
                if isinstance(feature, Feature):
                    counts = feature.amounts or (1.0,) * len(feature.bases)
                    found[phase, :, list(feature.bases)] += np.outer(counts, weights[:, place])
        return found

    @cached_property
    def curves(self) -> Curves:
        """What is no sum of bits, for kernels: open lines by how much of them is held, and numbers of moves."""
        return curves_of(self.game, self.features, np.stack([self.early, self.late]))

    def terms(self, role: int) -> list[tuple[float, float, AnyFeature]]:
        """Early weight, late weight and feature, those first that can move the value furthest."""
        own = [
            (float(early), float(late), feature)
            for early, late, feature in zip(self.early[role], self.late[role], self.features, strict=False)
            if max(abs(early), abs(late)) > 1e-4
        ]
        return sorted(own, key=lambda term: -max(abs(term[0]), abs(term[1])) * term[2].size ** 0.5)

    def formula(self, role: str | None = None, *, most: int = 12) -> str:
        """The sum in words, with at most *most* terms, the largest first; by default for the first role."""
        number = 0 if role is None else self.game.number(role)
        accuracy = self.accuracy[number]
        terms = self.terms(number)
        phases = bool(self.progress.any())
        shown = [(float(self.early[number, -1]), float(self.late[number, -1]), "")]
        shown += [(early, late, f"x {feature.name}") for early, late, feature in terms[:most]]
        lines = [
            f"value for {self.game.roles[number]} = 100 / (1 + exp(-sum)), the sum of"
            + (", at the beginning and at the end of a match," if phases else "")
        ]
        for early, late, name in shown:
            weights = f"{early:+8.2f} {late:+8.2f}" if phases else f"{early:+8.2f}"
            lines.append(f"  {weights} {name}".rstrip())
        if len(terms) > most:
            lines.append(f"  and {len(terms) - most} smaller terms")
        lines.append(
            f"learned from {self.source}; on {accuracy.states} other states it predicts the better side in "
            f"{100 * accuracy.right:.0f} % (guessing: {100 * accuracy.guessing:.0f} %) and explains "
            f"{100 * accuracy.explained:.0f} % of the variance"
        )
        return "\n".join(lines)

    def packed(self, states: NDArray[np.uint64]) -> NDArray[np.float64]:
        """The values [n, roles] of packed states [n, words], from 0 to 100."""
        return 100.0 / (1.0 + np.exp(-np.clip(self.sums(states), -30.0, 30.0)))

    def sums(self, states: NDArray[np.uint64]) -> NDArray[np.float64]:
        """The log odds [n, roles] of packed states."""
        counted = columns(self.game, list(self.features), states)
        share = self.how_far(states)[:, None]
        early = counted @ self.early[:, :-1].T + self.early[:, -1]
        late = counted @ self.late[:, :-1].T + self.late[:, -1]
        return np.asarray(early + share * (late - early))

    def __call__(self, state: State, role: str | None = None) -> float:
        """What *state* seems worth to *role*, the first one unless given."""
        number = 0 if role is None else self.game.number(role)
        return float(self.packed(state.packed.copy()[None])[0, number])

    def of(self, role: str) -> Callable[[State], float]:
        """The evaluation as the taught searches take it (``evaluate=``), for *role* as MAX."""
        self.game.number(role)
        return lambda state: self(state, role)


def accuracy_of(guesses: NDArray[np.float64], values: NDArray[np.float64], middle: float) -> Accuracy:
    """How good *guesses* at *values*, 0 to 100, are; *middle* is the guess of who knows nothing of the states."""
    clear = np.abs(values - 50.0) > 5.0
    above = values[clear] > 50.0
    right = float(((guesses[clear] > 50.0) == above).mean()) if clear.any() else 0.0
    share = float(above.mean()) if clear.any() else 0.0
    spread = float(((values - middle) ** 2).sum())
    explained = 1.0 - float(((guesses - values) ** 2).sum()) / spread if spread > 0 else 0.0
    return Accuracy(len(values), right, max(share, 1.0 - share), explained)
