"""What the drivers need in assembly does what the Python beside it says, and conversions lose nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.circuits import random_circuit

from stratagem.kernels import Array, int16, int32, kernel, uint8, uint64
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.compiled import CompiledGame
from stratagem.native.driver import parent_rows, primitives, rows
from stratagem.native.jit.kernel_families import compiled_family

SEEDS = some.integers(0, 2**32)
WORDS = some.one_of(some.sampled_from([0, 1, 2**63, 2**64 - 1]), some.integers(0, 2**64 - 1))


@kernel
def transpose(block: Array[uint64]) -> None:
    primitives.transpose(block)


@kernel
def exchange(source: Array[uint64], source_step: int, target: Array[uint64], target_step: int) -> None:
    primitives.exchange(source, source_step, target, target_step)


@kernel
def pair_words(first: Array[uint64], second: Array[uint64], target: Array[uint64]) -> None:
    primitives.pair_words(first, second, target)


@kernel
def pair_scores(first: Array[int16], second: Array[int16], target: Array[int16]) -> None:
    primitives.pair_scores(first, second, target)


@kernel
def add_where(word: uint64, value: int, numbers: Array[int16]) -> None:
    primitives.add_where(word, value, numbers)


@kernel
def equal(numbers: Array[uint8], number: int) -> uint64:
    return primitives.equal(numbers, number)


@kernel
def list_ones(byte: uint64, first: uint64, target: Array[int32]) -> None:
    primitives.list_ones(byte, first, 0, target)


@kernel
def list_pairs(byte: uint64, first: uint64, shift: int, target: Array[int32]) -> None:
    primitives.list_pairs(byte, first, shift, target)


FAMILY = KernelFamily(
    "the drivers' primitives",
    (transpose, exchange, pair_words, pair_scores, add_where, equal, list_ones, list_pairs),
)
CONVERSIONS = KernelFamily(
    "conversions",
    (rows.states_to_rows, rows.children_to_packed, parent_rows.parents_to_rows),
)


def words(source: np.random.Generator, size: int) -> np.ndarray:
    return source.integers(0, 2**64, size, dtype=np.uint64)


def both(called: Any, size: int, dtype: type, kind: type, *arguments: Any) -> tuple[np.ndarray, np.ndarray]:
    """What *called* leaves in an array that is its last argument, as Python and as machine code."""
    found = []
    for run in (called, compiled_family(FAMILY)[called]):
        target = np.zeros(size, dtype)
        run(*arguments, Array(kind, target))
        found.append(target)
    return found[0], found[1]


@given(SEEDS)
@settings(max_examples=10)
def test_vectors_are_exchanged_and_paired_as_in_python(seed: int) -> None:
    source = np.random.default_rng(seed)
    block = words(source, 64)
    for run in (transpose, compiled_family(FAMILY)[transpose]):
        square = block.copy()
        run(Array(uint64, square))
        bits = np.unpackbits(block.view(np.uint8).reshape(64, 8), axis=1, bitorder="little")
        assert np.array_equal(
            np.unpackbits(square.view(np.uint8).reshape(64, 8), axis=1, bitorder="little"), bits.T
        )
    strided = words(source, 7 * 13 + 8)
    target = np.zeros(7 * 9 + 8, np.uint64)
    for run in (exchange, compiled_family(FAMILY)[exchange]):
        target[:] = 0
        run(Array(uint64, strided), 13, Array(uint64, target), 9)
        expected = np.array([strided[13 * row : 13 * row + 8] for row in range(8)]).T
        assert np.array_equal([target[9 * row : 9 * row + 8] for row in range(8)], expected)
    other = words(source, 64)
    for found in both(pair_words, 128, np.uint64, uint64, Array(uint64, block), Array(uint64, other)):
        assert np.array_equal(found.reshape(64, 2), np.stack([block, other], 1))
    few, more = (source.integers(-1, 101, 64).astype(np.int16) for _ in range(2))
    for found in both(pair_scores, 128, np.int16, int16, Array(int16, few), Array(int16, more)):
        assert np.array_equal(found.reshape(64, 2), np.stack([few, more], 1))


@given(WORDS, some.integers(0, 101), SEEDS)
@settings(max_examples=20)
def test_lanes_are_marked_and_compared_as_in_python(word: int, value: int, seed: int) -> None:
    places = [at for at in range(64) if word >> at & 1]
    for found in both(add_where, 64, np.int16, int16, uint64(word), value):
        assert np.flatnonzero(found).tolist() == (places if value else [])
        assert set(found.tolist()) <= {0, value}
    numbers = np.random.default_rng(seed).integers(0, 4, 64).astype(np.uint8)
    expected = sum(1 << at for at in range(64) if numbers[at] == value % 5)
    for run in (equal, compiled_family(FAMILY)[equal]):
        assert run(Array(uint8, numbers), value % 5) == expected


@given(some.integers(0, 255), some.integers(0, 1000), some.sampled_from([0, 32]), some.integers(0, 500))
def test_the_ones_of_a_byte_are_listed_as_in_python(byte: int, first: int, shift: int, other: int) -> None:
    ones = [first + at for at in range(8) if byte >> at & 1]
    for found in both(list_ones, 8, np.int32, int32, uint64(byte), uint64(first)):
        assert found[: len(ones)].tolist() == ones
    start = (first << shift) + (other << (32 - shift))
    for found in both(list_pairs, 16, np.int32, int32, uint64(byte), uint64(start), shift):
        pairs = found.reshape(8, 2)[: len(ones)]
        assert pairs[:, shift // 32].tolist() == ones
        assert set(pairs[:, 1 - shift // 32].tolist()) <= {other}


@given(
    bases=some.sampled_from([1, 8, 29, 64, 65, 86, 130, 256, 300, 520, 600]),
    sizes=some.lists(some.integers(0, 90), min_size=1, max_size=60),
    first=some.integers(0, 5),
    stride=some.sampled_from([1, 8]),
    seed=SEEDS,
)
@settings(max_examples=60, deadline=None)
def test_children_get_their_parents_bits_and_give_them_back(
    bases: int, sizes: list[int], first: int, stride: int, seed: int
) -> None:
    """*sizes* are the numbers of children; the frame begins after the *first* of them."""
    code = compiled_family(CONVERSIONS)
    width = -(-bases // 64)
    parents = words(np.random.default_rng(seed), len(sizes) * width).reshape(-1, width)
    parents[:, -1] &= np.uint64(2 ** ((bases - 1) % 64 + 1) - 1)
    children = np.repeat(np.arange(len(sizes)), sizes)[first:][: 64 * stride]
    if not len(children):
        return
    here = slice(int(children[0]), int(children[-1]) + 1)
    ends = np.cumsum(sizes).astype(np.uint64)[here]
    count = len(children)
    expected = parents[children]
    frame = np.zeros((bases, stride), np.uint64)
    block = np.zeros(rows.BLOCK_WORDS, np.uint64)
    code[parent_rows.parents_to_rows](
        Array(uint64, np.ascontiguousarray(parents[here]).reshape(-1)),
        Array(uint64, ends),
        len(ends),
        width,
        bases,
        first,
        count,
        Array(uint64, frame.reshape(-1)),
        stride,
        Array(uint64, block),
    )
    lanes = np.unpackbits(frame.view(np.uint8), axis=1, bitorder="little")[:, :count]
    bits = np.unpackbits(expected.view(np.uint8), axis=1, bitorder="little")[:, :bases]
    assert np.array_equal(lanes, bits.T)
    padded = np.vstack([frame, np.full((8, stride), 2**64 - 1, np.uint64)])
    packed = np.zeros((count, width), np.uint64)
    code[rows.children_to_packed](
        Array(uint64, padded.reshape(-1)),
        bases,
        stride,
        count,
        Array(uint64, packed.reshape(-1)),
        width,
        Array(uint64, block),
    )
    assert np.array_equal(packed, expected)
    again = np.zeros((bases, stride), np.uint64)
    code[rows.states_to_rows](
        Array(uint64, np.ascontiguousarray(expected).reshape(-1)),
        width,
        bases,
        count,
        Array(uint64, again.reshape(-1)),
        stride,
        Array(uint64, block),
    )
    assert np.array_equal(np.unpackbits(again.view(np.uint8), axis=1, bitorder="little")[:, :count], lanes)


@pytest.mark.parametrize("spare", [0, 3, 8, 50])
@pytest.mark.parametrize("roles", [1, 2, 3])
def test_children_are_the_same_however_little_room_is_left(roles: int, spare: int) -> None:
    game = CompiledGame(random_circuit(9, roles=roles, bases=20, moves=9, gates=60), background=False)
    states = game.initial[None]
    children = game.expand(states)
    for _ in range(2):
        states = np.unique(children.states, axis=0)[:40]
        children = game.expand(states, room=5000)
        tight = game.expand(states, room=max(1, len(children) + spare))
        assert np.array_equal(children.moves, tight.moves)
        assert np.array_equal(children.parents, tight.parents)
        assert np.array_equal(children.states, tight.states)
