"""A learned evaluation as alpha-beta's kernel reads it: sums per byte of a state, for the beginning and the end of a match.

A search uses the weights of its root throughout: `settle` mixes the two ends as far as the match has come there. So the
phases of a match cost nothing per state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from stratagem.native.calls.expand import call_evaluate
from stratagem.native.calls.rows import count_ones
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.evaluation.model import Evaluation

HIGHEST_VALUE: Final = 5000.0
SOFTNESS: Final = 4.0
"""A sum s is worth s / sqrt(SOFTNESS + s * s) of the highest value: nearly the odds it stands for, and never quite 1."""


def weights_for(evaluation: Evaluation | None, words: int) -> dict[str, Any]:
    """The fields of `SharedMemory` that hold an evaluation of the first role's chances; without one they have no rows."""
    if evaluation is None:
        empty = np.zeros((0, 256), np.float32)
        lines: NDArray[np.uint64] = np.zeros((0, words), np.uint64)
        ends = {"weights": empty, "worth": np.zeros((0, 1), np.float32), "moves": np.zeros(0, np.float32)}
        return {
            **ends,
            **{f"{name}_by_phase": np.stack([end, end]) for name, end in ends.items()},
            "progress": empty,
            "needed": lines,
            "barred": lines,
            "kinds": np.zeros(0, np.int32),
        }
    curves = evaluation.curves
    moves = curves.moves[:, 0] if curves.moves.any() else np.zeros((2, 0))
    found: dict[str, Any] = {
        "weights_by_phase": np.stack([by_bytes(end) for end in evaluation.weights[:, 0]]),
        "worth_by_phase": np.ascontiguousarray(curves.worth[:, 0].astype(np.float32)),
        "moves_by_phase": np.ascontiguousarray(moves.astype(np.float32)),
        "progress": by_bytes(evaluation.progress),
        "needed": curves.needed,
        "barred": curves.barred,
        "kinds": curves.kinds,
    }
    for name in ("weights", "worth", "moves"):
        found[name] = found[f"{name}_by_phase"][0].copy()
    return found


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


@njit(nogil=True, inline="always")
def bytes_sum(table, states, row):  # type: ignore[no-untyped-def]
    """The sum over a state's bytes of what *table* says of them."""
    value = table[0, 0]
    for word in range(states.shape[1]):
        bits = states[row, word]
        for part in range(8):
            value += table[1 + 8 * word + part, bits & np.uint64(255)]
            bits >>= np.uint64(8)
    return value


@njit(nogil=True, inline="always")
def count_moves(task, room, top, count):  # type: ignore[no-untyped-def]
    """Notes the legal moves of *count* states from *top* on, where the evaluation asks for them."""
    if len(task.moves) > 0:
        call_evaluate(
            task.evaluate,
            room.arena[top:],
            count,
            room.legal[top:],
            room.terminal[top:],
            room.goals[top:],
        )


@njit(nogil=True, inline="always")
def log_odds(task, room, row):  # type: ignore[no-untyped-def]
    """The first role's chances in a state, as the evaluation's sum; its legal moves must have been noted."""
    value = bytes_sum(task.weights, room.arena, row)
    for line in range(len(task.kinds)):
        barred = False
        held = np.uint64(0)
        for word in range(room.arena.shape[1]):
            barred |= room.arena[row, word] & task.barred[line, word] != np.uint64(0)
            held += count_ones(room.arena[row, word] & task.needed[line, word])
        if not barred:
            value += task.worth[task.kinds[line], held]
    for role in range(len(task.moves)):
        found = np.uint64(0)
        for word in range(room.legal.shape[2]):
            found += count_ones(room.legal[row, role, word])
        if found > np.uint64(1):
            value += task.moves[role] * np.float32(found)
    return value


@njit(nogil=True, inline="always")
def evaluated(task, room, row):  # type: ignore[no-untyped-def]
    """What a state seems worth, between -5000 and 5000."""
    value = log_odds(task, room, row)
    return np.int64(np.float32(HIGHEST_VALUE) * value / np.sqrt(np.float32(SOFTNESS) + value * value))


@njit(nogil=True)
def settle(task, states, row):  # type: ignore[no-untyped-def]
    """Makes the weights of a state those of the task."""
    if len(task.weights) == 0:
        return
    share = min(np.float32(1.0), max(np.float32(0.0), bytes_sum(task.progress, states, row)))
    early, late = task.weights_by_phase[0], task.weights_by_phase[1]
    for place in range(len(task.weights)):
        for byte in range(256):
            task.weights[place, byte] = early[place, byte] + share * (late[place, byte] - early[place, byte])
    for kind in range(len(task.worth)):
        for held in range(task.worth.shape[1]):
            one, other = task.worth_by_phase[0, kind, held], task.worth_by_phase[1, kind, held]
            task.worth[kind, held] = one + share * (other - one)
    for role in range(len(task.moves)):
        one, other = task.moves_by_phase[0, role], task.moves_by_phase[1, role]
        task.moves[role] = one + share * (other - one)
