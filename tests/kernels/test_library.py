"""What kernels share, as Python on checked memory and as machine code, against plain models."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.kernels.sources import machine_code

from stratagem.kernels import Array, int32, kernel, uint64
from stratagem.kernels.language.arrays import poisoned
from stratagem.kernels.language.functions import KernelFunction
from stratagem.kernels.library.exact_set import ExactSet, add_state, add_states, find_states, refill
from stratagem.kernels.library.hashing import hash_state
from stratagem.kernels.library.lossy_table import LossyTable, keep, look_up
from stratagem.kernels.library.random_numbers import below, mixed, next_random, next_xoroshiro, share
from stratagem.kernels.library.sorting import insert_by_key

WORD = (1 << 64) - 1
WORDS = some.integers(0, WORD)
# Few different words, so that states meet each other again.
STATES = some.lists(some.tuples(some.integers(0, 3), some.sampled_from([0, 1, WORD])), max_size=40)


@kernel
def hammer(table: LossyTable, states: Array[uint64], count: int, rounds: int, start: int) -> int:
    """Writes and reads states that others write at the same time; how many answers were about another state."""
    wrong = 0
    for round in range(rounds):
        state = states.at(2 * ((start + round * 7) % count))
        hashed = hash_state(state, 2)
        known = look_up(table, state, hashed)
        if known != 0 and (known & 0xFFFFFFFF) != (mixed(state[0] ^ state[1]) & 0xFFFFFFFF | 1):
            wrong += 1
        keep(
            table,
            state,
            hashed,
            (uint64(round & 0xFFFF) << 48) | (mixed(state[0] ^ state[1]) & 0xFFFFFFFF) | 1,
        )
    return wrong


KERNELS: tuple[KernelFunction[..., Any], ...] = (
    mixed, next_random, next_xoroshiro, below, share, hash_state, add_state, add_states, find_states, refill, look_up,
    keep, insert_by_key, hammer,
)  # fmt: skip
NATIVE = machine_code(*KERNELS)


class AsPython:
    """The kernels themselves."""

    def __getitem__(self, function: KernelFunction[..., Any]) -> KernelFunction[..., Any]:
        return function


@pytest.fixture(params=["python", "native"], scope="module")
def run(request: pytest.FixtureRequest) -> Any:
    return NATIVE if request.param == "native" else AsPython()


def words(states: list[tuple[int, int]]) -> Array[uint64]:
    return Array(uint64, np.array(states, np.uint64).reshape(-1))


# random numbers


def test_the_generators_give_the_published_numbers(run: Any) -> None:
    seeds = Array(uint64, np.array([1234567], np.uint64))
    assert [run[next_random](seeds) for _ in range(3)] == [
        6457827717110365317, 3203168211198807973, 9817491932198370423,
    ]  # fmt: skip
    # The first numbers of the authors' C program for the state (1, 2).
    seeds = Array(uint64, np.array([1, 2], np.uint64))
    assert [run[next_xoroshiro](seeds) for _ in range(3)] == [393217, 669327710093319, 1732421326133921491]


@given(WORDS, some.integers(1, 1 << 32))
def test_words_become_numbers_in_a_range(run: Any, word: int, bound: int) -> None:
    assert run[below](uint64(word), bound) == (word >> 32) * bound >> 32
    assert run[share](uint64(word)) == (word >> 11) / (1 << 53)


def hash_model(state: tuple[int, ...]) -> int:
    value = 0x9E3779B97F4A7C15
    for word in state:
        value ^= word
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & WORD
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB & WORD
        value ^= value >> 31
    return value


@given(some.lists(WORDS, max_size=4))
def test_the_hash_is_the_engines(run: Any, state: list[int]) -> None:
    assert run[hash_state](Array(uint64, np.array(state, np.uint64)), len(state)) == hash_model(tuple(state))


# exact set


@given(STATES, STATES)
def test_the_exact_set_numbers_states_in_the_order_of_arrival(run: Any, first: list, more: list) -> None:
    states = ExactSet(table=np.zeros(64, np.int64), pool=poisoned((40, 2), np.uint64))
    numbers, fresh = Array(int, np.zeros(40, np.int64)), Array(int, np.zeros(40, np.int64))
    new = run[add_states](states, words(first), len(first), numbers, fresh)
    model: dict[tuple[int, int], int] = {}
    assert [model.setdefault(state, len(model)) for state in first] == numbers.numpy[: len(first)].tolist()
    assert states.used == new == len(model)
    assert [first[row] for row in fresh.numpy[:new]] == list(model)
    states.put(table=np.zeros(128, np.int64))
    run[refill](states)
    run[find_states](states, words(more), len(more), numbers)
    assert [model.get(state, -1) for state in more] == numbers.numpy[: len(more)].tolist()


# lossy table


def new_table(entries: int, bucket: int = 2) -> LossyTable:
    return LossyTable(rows=np.zeros((entries, 4), np.uint64), words=2, bucket=bucket)


@given(some.lists(some.tuples(some.tuples(some.integers(0, 30), WORDS), some.integers(1, WORD)), max_size=40))
def test_the_lossy_table_tells_of_a_state_what_was_last_kept_or_nothing(run: Any, entries: list) -> None:
    table = new_table(8)
    model: dict[tuple[int, int], int] = {}
    for state, known in entries:
        hashed = uint64(hash_model(state))
        run[keep](table, words([state]), hashed, uint64(known))
        model[state] = known
        assert run[look_up](table, words([state]), hashed) == known
    for state, known in model.items():
        assert run[look_up](table, words([state]), uint64(hash_model(state))) in (0, known)


def test_of_a_full_bucket_the_row_that_is_worth_least_gives_way(run: Any) -> None:
    table = new_table(4, bucket=4)
    states = [(number, 9) for number in range(5)]
    for number, state in enumerate(states[:4]):
        run[keep](table, words([state]), uint64(hash_model(state)), uint64((5 - number) << 48 | 1))
    run[keep](table, words([states[4]]), uint64(hash_model(states[4])), uint64(9 << 48 | 1))
    found = [run[look_up](table, words([state]), uint64(hash_model(state))) >> 48 for state in states]
    assert found == [5, 4, 3, 0, 9]


def test_a_row_that_was_written_in_halves_is_not_believed(run: Any) -> None:
    table = new_table(8)
    state = words([(5, 6)])
    hashed = uint64(hash_model((5, 6)))
    run[keep](table, state, hashed, uint64(77))
    rows = table.rows.numpy
    rows[rows[:, 2] == 77, 2] = 78
    assert run[look_up](table, state, hashed) == 0


def test_threads_that_share_a_lossy_table_are_never_told_of_another_state() -> None:
    table = new_table(16)
    states = Array(uint64, np.random.default_rng(1).integers(0, 4, 200, np.uint64))
    wrong: list[int] = []
    threads = [
        threading.Thread(target=lambda at=at: wrong.append(NATIVE[hammer](table, states, 100, 100_000, at)))
        for at in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [0, 0, 0]


# sorting


@given(some.lists(some.integers(-5, 5), max_size=40))
def test_elements_are_sorted_as_they_come(run: Any, keys: list[int]) -> None:
    order, kept = poisoned(len(keys), np.int32), poisoned(len(keys), np.int64)
    for count, key in enumerate(keys):
        run[insert_by_key](Array(int32, order), Array(int, kept), count, count, key)
    assert order.tolist() == sorted(range(len(keys)), key=lambda element: -keys[element])
    assert kept.tolist() == sorted(keys, reverse=True)
