"""Packed states: bit i % 64 of word i // 64 is proposition i of the circuit. The same bits as an int, or one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.circuit.circuit import Circuit
    from stratagem.native.logic.turn_cycle import Tokens


def words_of(circuit: Circuit) -> int:
    """How many words a packed state has."""
    return max(1, -(-len(circuit.bases) // 64))


def packed(number: int, words: int) -> NDArray[np.uint64]:
    """The packed state whose bits are those of *number*; read-only."""
    return np.frombuffer(number.to_bytes(8 * words, "little"), "<u8").view(np.uint64)


def number_of(state: NDArray[np.uint64]) -> int:
    """The bits of a packed state as an int."""
    return int.from_bytes(np.ascontiguousarray(state, "<u8").tobytes(), "little")


def packed_truth(truth: NDArray[np.bool_], words: int) -> NDArray[np.uint64]:
    """The packed state, or states, of which *truth* has one value for each proposition."""
    bits = np.zeros((*truth.shape[:-1], 64 * words), np.uint8)
    bits[..., : truth.shape[-1]] = truth
    return np.packbits(bits, axis=-1, bitorder="little").view(np.uint64)


def packed_tokens(tokens: Tokens, circuit: Circuit) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Which bits of a packed state are tokens, and what they are at each step of the cycle [period, words]."""
    bases, words = len(circuit.bases), words_of(circuit)
    mask, values = np.zeros(bases, np.bool_), np.zeros((tokens.period, bases), np.bool_)
    for base, course in tokens.courses.items():
        mask[base] = True
        values[:, base] = course
    return packed_truth(mask, words), packed_truth(values, words)


def truth_of(states: NDArray[np.uint64], bases: int) -> NDArray[np.bool_]:
    """One truth value for each proposition of a packed state, or of several."""
    words = np.ascontiguousarray(states, np.uint64)
    return np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little")[..., :bases].view(np.bool_)


def ones(bits: int) -> list[int]:
    """The places of the bits that are set, ascending."""
    places = []
    while bits:
        low = bits & -bits
        places.append(low.bit_length() - 1)
        bits ^= low
    return places
