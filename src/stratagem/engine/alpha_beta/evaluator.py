"""A learned evaluation as alpha-beta's kernel reads it: sums per byte of a state, for the beginning and the end of a match.

A search uses the weights of its root throughout: `settle` mixes the two ends as far as the match has come there. So the
phases of a match cost nothing per state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.alpha_beta.memory import EvaluationTables, SharedMemory, ThreadMemory
from stratagem.kernels import Array, count_ones, float32, inlined, kernel, sqrt, uint64

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.evaluation.model import Evaluation

HIGHEST_VALUE: Final = 5000.0
SOFTNESS: Final = 4.0
"""A sum s is worth s / sqrt(SOFTNESS + s * s) of the highest value: nearly the odds it stands for, and never quite 1."""


def tables_for(evaluation: Evaluation | None, words: int) -> EvaluationTables:
    """An evaluation of the first role's chances for kernels, with the weights of the beginning; empty for None."""
    if evaluation is None:
        weights, progress = np.zeros((2, 0, 256), np.float32), np.zeros((0, 256), np.float32)
        worth, moves = np.zeros((2, 0, 1), np.float32), np.zeros((2, 0), np.float32)
        needed = barred = np.zeros((0, words), np.uint64)
        kinds = np.zeros(0, np.int32)
    else:
        curves = evaluation.curves
        weights = np.stack([by_bytes(end) for end in evaluation.weights[:, 0]])
        progress = by_bytes(evaluation.progress)
        worth = np.ascontiguousarray(curves.worth[:, 0].astype(np.float32))
        counted = curves.moves[:, 0] if curves.moves.any() else np.zeros((2, 0))
        moves = np.ascontiguousarray(counted.astype(np.float32))
        needed, barred, kinds = curves.needed, curves.barred, curves.kinds
    return EvaluationTables(
        weights=weights[0].copy(),
        worth=worth[0].copy(),
        moves=moves[0].copy(),
        weights_by_phase=weights,
        worth_by_phase=worth,
        moves_by_phase=moves,
        progress=progress,
        needed=needed,
        barred=barred,
        kinds=kinds,
    )


def by_bytes(weights: NDArray[np.float64]) -> NDArray[np.float32]:
    """Weights per bit as sums per byte: [1 + bytes, 256], the constant, which comes last, in the first row."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(
        np.float64
    )
    sums = weights[:-1].reshape(-1, 8) @ bits.T
    first = np.full((1, 256), weights[-1])
    return np.ascontiguousarray(np.concatenate([first, sums]).astype(np.float32))


def worth_of(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """What alpha-beta makes of sums in log odds, from 0 to 100, as exactly as its kernel does."""
    return np.asarray(50 + np.trunc(HIGHEST_VALUE * sums / np.sqrt(SOFTNESS + sums * sums)) / 100)


@inlined
def bytes_sum(table: Array[float32], state: Array[uint64], words: int) -> float32:
    """The sum over a state's bytes of what *table*, 256 numbers for every byte, says of them; the constant comes first."""
    value = table[0]
    for word in range(words):
        bits = state[word]
        for part in range(8):
            value += table[256 * (1 + 8 * word + part) + int(bits & 255)]
            bits >>= 8
    return value


@inlined
def log_odds(tables: EvaluationTables, state: Array[uint64]) -> float32:
    """The first role's chances in a state, as the evaluation's sum, but for what the number of moves is worth."""
    value = bytes_sum(tables.weights.at(0), state, tables.words)
    for line in range(tables.lines):
        barred = uint64(0)
        held = 0
        for word in range(tables.words):
            barred |= state[word] & tables.barred[line, word]
            held += count_ones(state[word] & tables.needed[line, word])
        if barred == 0:
            value += tables.worth[tables.kinds[line], held]
    return value


@inlined
def count_moves(shared: SharedMemory, thread: ThreadMemory, first: int, count: int) -> None:
    """Notes the legal moves of *count* states from row *first* on, where the evaluation asks for them."""
    if shared.evaluation.movers > 0:
        shared.evaluate(
            thread.arena.at(first),
            count,
            thread.legal.at(first),
            thread.terminal.at(first),
            thread.goals.at(first),
        )


@inlined
def evaluated(tables: EvaluationTables, thread: ThreadMemory, row: int) -> int:
    """What a state seems worth, between -5000 and 5000; its legal moves must have been noted."""
    if tables.places == 0:
        return 0
    value = log_odds(tables, thread.arena.row(row))
    for role in range(tables.movers):
        found = 0
        for word in range(thread.masks):
            found += count_ones(thread.legal[row, role, word])
        if found > 1:
            value += tables.moves[role] * float32(found)
    return int(float32(HIGHEST_VALUE) * value / sqrt(float32(SOFTNESS) + value * value))


@inlined
def mix(by_phase: Array[float32], share: float32, target: Array[float32], count: int) -> None:
    """*count* numbers of the beginning, moved towards those of the end, which come after them."""
    for place in range(count):
        target[place] = by_phase[place] + share * (by_phase[count + place] - by_phase[place])


@kernel
def settle(tables: EvaluationTables, state: Array[uint64]) -> None:
    """Makes the weights those of a state, by how far the match has come there."""
    if tables.places == 0:
        return
    progress = bytes_sum(tables.progress.at(0), state, tables.words)
    share = min(float32(1.0), max(float32(0.0), progress))
    mix(tables.weights_by_phase.at(0), share, tables.weights.at(0), 256 * tables.places)
    mix(tables.worth_by_phase.at(0), share, tables.worth.at(0), tables.most * tables.line_kinds)
    mix(tables.moves_by_phase.at(0), share, tables.moves, tables.movers)
