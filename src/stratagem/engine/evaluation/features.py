"""Features of an evaluation, read off the circuit.

    propositions    (cell 1 1 x)
    counts          how many propositions share a relation and one or two arguments: number of (cell _ _ x)
    amounts         the number that a proposition names (`amounts`): amount of (store north #)
    lines           how many ways to a goal are open and have so much in place: lines of x with 2 of 3
    moves           how many moves a role has, where it has a choice

The first three are sums of bits; lines and moves are not, and cost time for every state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from stratagem.engine.evaluation.goal_lines import LONGEST, Line, goal_lines
from stratagem.gdl.terms import Compound, Term

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl_game import GdlGame

MOST_FEATURES: Final = 1500
"""Beside the propositions themselves; of more counts the largest groups are taken."""


@dataclass(frozen=True, slots=True)
class Feature:
    """The number of true propositions among *bases*; a single one counts 0 or 1.

    Where there are *amounts*, one for each of the bases, a true proposition counts as much as its amount.
    """

    name: str
    bases: tuple[int, ...]
    amounts: tuple[float, ...] = ()

    @property
    def size(self) -> float:
        """About how far it can count."""
        return max(self.amounts) if self.amounts else len(self.bases)

    def counted(self, by_base: NDArray[np.float32]) -> NDArray[np.float32]:
        """What it counts in states whose propositions are the columns of *by_base*."""
        held = by_base[list(self.bases)]
        return np.asarray(np.array(self.amounts, np.float32) @ held if self.amounts else held.sum(axis=0))


@dataclass(frozen=True, slots=True)
class Lines:
    """The number of open ways to a goal of which exactly *held* propositions hold."""

    name: str
    lines: tuple[Line, ...]
    held: int

    @property
    def size(self) -> int:
        return len(self.lines)


@dataclass(frozen=True, slots=True)
class Moves:
    """The number of moves that a role has, 0 where it has no choice."""

    name: str
    role: int

    @property
    def size(self) -> int:
        return 10


AnyFeature: TypeAlias = "Feature | Lines | Moves"


def is_amount(feature: AnyFeature) -> bool:
    """Whether a feature speaks of numbers that propositions name."""
    return isinstance(feature, Feature) and bool(feature.amounts)


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


def lines_of(game: GdlGame, states: NDArray[np.uint64]) -> list[Lines]:
    """For every role and length of line how many have 1, 2, … of it in place."""
    groups: dict[tuple[int, int], list[Line]] = {}
    for line in goal_lines(game.circuit, states):
        groups.setdefault((line.role, len(line.needed)), []).append(line)
    return [
        Lines(f"lines of {game.roles[role]} with {held} of {length}", tuple(lines), held)
        for (role, length), lines in sorted(groups.items())
        for held in range(1, length)
    ]


def moves_of(game: GdlGame) -> list[Moves]:
    return [Moves(f"moves of {role}", number) for number, role in enumerate(game.roles)]


def bits_of(game: GdlGame, states: NDArray[np.uint64]) -> NDArray[np.float32]:
    """Which propositions hold in packed states: [states, bases]."""
    bits = np.unpackbits(np.ascontiguousarray(states).view(np.uint8), axis=1, bitorder="little")
    return bits[:, : len(game.circuit.bases)].astype(np.float32)


def columns(game: GdlGame, features: list[AnyFeature], states: NDArray[np.uint64]) -> NDArray[np.float32]:
    """What every feature counts in every state: [states, features]."""
    bits = bits_of(game, states)
    by_base = np.ascontiguousarray(bits.T)
    found = np.empty((len(features), len(states)), np.float32)
    open_and_held: dict[tuple[Line, ...], tuple[NDArray[np.bool_], NDArray[np.float32]]] = {}
    moves: NDArray[np.float32] | None = None
    for place, feature in enumerate(features):
        if isinstance(feature, Feature):
            found[place] = feature.counted(by_base)
        elif isinstance(feature, Lines):
            if feature.lines not in open_and_held:
                held = [bits[:, list(line.needed)].sum(axis=1) for line in feature.lines]
                barred = [bits[:, list(line.barred)].any(axis=1) for line in feature.lines]
                open_and_held[feature.lines] = ~np.stack(barred, axis=1), np.stack(held, axis=1)
            is_open, held_of = open_and_held[feature.lines]
            found[place] = (is_open & (held_of == feature.held)).sum(axis=1)
        else:
            if moves is None:
                legal = game.compiled.evaluate(states).legal
                moves = np.bitwise_count(legal).sum(axis=2).astype(np.float32)
            own = moves[:, feature.role]
            found[place] = np.where(own > 1, own, 0.0)
    return np.ascontiguousarray(found.T)


@dataclass(frozen=True, eq=False, slots=True)
class Curves:
    """The lines and moves of an evaluation as arrays for kernels; weights are early, then late."""

    needed: NDArray[np.uint64]
    """[lines, words]"""
    barred: NDArray[np.uint64]
    kinds: NDArray[np.int32]
    """[lines]: the row of `worth` for each line."""
    worth: NDArray[np.float64]
    """[2, roles, kinds, LONGEST + 1]: what an open line with so many held is worth."""
    moves: NDArray[np.float64]
    """[2, roles, roles]: what a move of each role is worth to each."""


def curves_of(game: GdlGame, features: tuple[AnyFeature, ...], weights: NDArray[np.float64]) -> Curves:
    """The curves for *weights* [2, roles, features + 1]."""
    words, roles = game.compiled.words, weights.shape[1]
    kinds: dict[tuple[Line, ...], int] = {}
    for feature in features:
        if isinstance(feature, Lines):
            kinds.setdefault(feature.lines, len(kinds))
    worth = np.zeros((2, roles, len(kinds), LONGEST + 1))
    moves = np.zeros((2, roles, len(game.roles)))
    for place, feature in enumerate(features):
        if isinstance(feature, Lines):
            worth[:, :, kinds[feature.lines], feature.held] += weights[:, :, place]
        elif isinstance(feature, Moves):
            moves[:, :, feature.role] += weights[:, :, place]
    every = [(line, kind) for lines, kind in kinds.items() for line in lines]
    return Curves(
        _masks([line.needed for line, _ in every], words),
        _masks([line.barred for line, _ in every], words),
        np.array([kind for _, kind in every], np.int32),
        worth,
        moves,
    )


def _masks(sets: list[tuple[int, ...]], words: int) -> NDArray[np.uint64]:
    bits = np.zeros((len(sets), 64 * words), np.uint8)
    for row, members in enumerate(sets):
        bits[row, list(members)] = 1
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64).reshape(len(sets), words)
