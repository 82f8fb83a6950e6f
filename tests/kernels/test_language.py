"""Machine code does what the same function does as Python, on every type and construct of the kernel language."""

from __future__ import annotations

import math
import struct
import threading
from typing import Final

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some
from tests.kernels.sources import kernels_from, machine_code

from stratagem.errors import UsageError
from stratagem.kernels import (
    Array,
    Function,
    Record,
    byte_swap,
    compare_and_swap,
    count_ones,
    dims,
    exchange,
    exp,
    fetch_add,
    float32,
    highest_one,
    inlined,
    int8,
    int16,
    int32,
    kernel,
    load_acquire,
    load_relaxed,
    local,
    log,
    lowest_one,
    prefetch,
    record_rows,
    rotate_left,
    size,
    sqrt,
    store_relaxed,
    store_release,
    try_lock,
    uint8,
    uint16,
    uint32,
    uint64,
    unlock,
)
from stratagem.kernels.language.arrays import poisoned

WORD = (1 << 64) - 1
INTS = some.integers(-(1 << 62), (1 << 62) - 1)
SMALL = some.integers(-1000, 1000)
WORDS = some.integers(0, WORD)
LIMIT: Final = 5
FACTOR: Final = uint64(0x9E3779B97F4A7C15)


# numbers


@kernel
def divisions(a: int, b: int) -> int:
    return (a // b) * 3 + a % b + a // 8 + a % 8 + a // 7 - a % -7 + (a >> 3)


@given(SMALL, SMALL.filter(bool))
@example(-7, 2)
@example(7, -2)
def test_division_rounds_down_as_in_python(a: int, b: int) -> None:
    assert CODE[divisions](a, b) == divisions(a, b)


@kernel
def unsigned(a: uint64, b: uint64, places: int) -> uint64:
    mixed = (a + b * FACTOR) ^ (a - b) ^ ~a ^ -b
    shifted = (a << places) | (b >> places) | uint64(1) << places
    return mixed ^ shifted ^ (a // (b | 1)) ^ (a % (b | 1)) ^ uint64(a < b) ^ rotate_left(a, places)


@given(WORDS, WORDS, some.integers(0, 63))
def test_words_wrap_and_compare_without_a_sign(a: int, b: int, places: int) -> None:
    assert CODE[unsigned](uint64(a), uint64(b), places) == unsigned(uint64(a), uint64(b), places)


@kernel
def bits(word: uint64) -> int:
    found = 0
    rest = word
    while rest:
        found = found * 3 % 1_000_003 + lowest_one(rest)
        rest &= rest - 1
    swapped = int(byte_swap(word) >> 60)
    return found + swapped + count_ones(word) * 100 + highest_one(word) + lowest_one(uint64(0))


@given(WORDS)
def test_bits_are_counted_as_in_python(word: int) -> None:
    assert CODE[bits](uint64(word)) == bits(uint64(word))


@kernel
def conversions(a: int, b: float) -> int:
    narrow = int8(a) + int16(a) * 3 + int32(a) * 5 + uint8(a) * 7 + uint16(a) * 11 + int(uint32(a) > 5)
    real = int(b) + int(float32(b)) + int(bool(a)) + int(float(a) / 3.0) + int(float(uint64(a)) / 1e6)
    return narrow + real + int(uint64(a) >> 40) + int(float(a > 3))


@given(some.integers(-(1 << 40), 1 << 40), some.floats(-1e6, 1e6))
def test_conversions_cut_off_and_extend_as_in_python(a: int, b: float) -> None:
    assert CODE[conversions](a, b) == conversions(a, b)


@kernel
def reals(a: float, b: float, n: int) -> float:
    total = a * 0.5 - b / 3.0 + n
    total += sqrt(abs(a)) + exp(-abs(b)) + log(1.0 + abs(a))
    total = max(total, 0.25 * b, 1.0)
    return -min(total, 1e9) if a < b <= 2.5 or n > 3 else total


@given(some.floats(-100, 100), some.floats(-100, 100), SMALL)
def test_floats_are_the_same_to_the_last_bit(a: float, b: float, n: int) -> None:
    assert CODE[reals](a, b, n) == reals(a, b, n)


@kernel
def singles(values: Array[float32], count: int, factor: float32) -> float32:
    total = float32(0)
    for at in range(count):
        total += values[at] * factor
        values[at] = total / (1 + abs(values[at]))
    return total * 0.1 + sqrt(max(total, float32(0)))


@given(some.lists(some.floats(-100, 100, width=32), min_size=1, max_size=20), some.floats(-2, 2, width=32))
def test_single_precision_is_rounded_after_every_operation(values: list[float], factor: float) -> None:
    native, plain = np.array(values, np.float32), np.array(values, np.float32)
    found = CODE[singles](Array(float32, native), len(values), float32(factor))
    assert struct.pack("f", found) == struct.pack(
        "f", singles(Array(float32, plain), len(values), float32(factor))
    )
    assert native.tobytes() == plain.tobytes()


def test_a_min_and_a_max_of_equals_and_of_nan_are_pythons() -> None:
    assert math.copysign(1, CODE[first_of](0.0, -0.0)) == math.copysign(1, max(0.0, -0.0)) == 1
    assert CODE[first_of](math.nan, 1.0) != CODE[first_of](math.nan, 1.0)
    assert CODE[first_of](1.0, math.nan) == max(1.0, math.nan) == 1


@kernel
def first_of(a: float, b: float) -> float:
    return max(a, b)


# statements


@kernel
def sorted_sum(words: Array[int], count: int) -> int:
    """Sorts by insertion, then adds every second number below LIMIT or above 100."""
    for at in range(1, count):
        back = at
        while back > 0 and words[back - 1] > words[back]:
            words[back - 1], words[back] = words[back], words[back - 1]
            back -= 1
    total = 0
    for at in range(0, count, 2):
        if words[at] < LIMIT or not words[at] <= 100:
            total += words[at]
        elif words[at] == 50:
            break
        else:
            continue
        assert total >= 0
    for at in range(count - 1, -1, -3):
        total = total * 2 + words[at]
        at += 7  # a loop goes on where it was
    return total


@given(some.lists(some.integers(0, 120), min_size=1, max_size=12))
def test_loops_branches_and_breaks_run_as_in_python(numbers: list[int]) -> None:
    native, plain = np.array(numbers), np.array(numbers)
    expected = sorted_sum(Array(int, plain), len(plain))
    assert CODE[sorted_sum](Array(int, native), len(native)) == expected
    assert native.tolist() == plain.tolist() == sorted(numbers)


@kernel
def strides(first: int, last: int, step: int) -> int:
    found = 1
    for at in range(first, last, step):
        if at in (3, first + 2 * step):
            continue
        found = found * 31 + at if at not in (5, 7) else found + 1
        found %= 1_000_003
    return found


@given(some.integers(-20, 20), some.integers(-20, 20), some.integers(-5, 5).filter(bool))
def test_a_range_may_have_any_step(first: int, last: int, step: int) -> None:
    assert CODE[strides](first, last, step) == strides(first, last, step)


@inlined
def both_ends(values: Array[int], count: int) -> tuple[int, float, bool]:
    """Three results at once."""
    if count == 0:
        return -1, 0.0, False
    return values[0], float(values[count - 1]) / 2.0, values[0] == values[count - 1]


@kernel
def scratch(values: Array[int], count: int) -> int:
    table = local(int32, 16)
    for at in range(16):
        table[at] = 0
    for at in range(count):
        table[values[at] & 15] += 1
    first, half, same = both_ends(values, count)
    best = 0
    while True:
        if best == 15 or table[best] > 0:
            break
        best += 1
    return best * 1000 + first + int(half) + (7 if same else 0)


@given(some.lists(some.integers(0, 1000), max_size=12))
def test_local_arrays_and_several_results(numbers: list[int]) -> None:
    values = Array(int, np.array(numbers, np.int64))
    assert CODE[scratch](values, len(numbers)) == scratch(values, len(numbers))


# memory


@kernel
def every_width(word: int, a: Array[int8], b: Array[int16], c: Array[int32], d: Array[uint8]) -> int:
    a[1], b[1], c[1], d[1] = int8(word), int16(word), int32(word), uint8(word)
    c[2] += d[1]
    return a[1] + b[1] * 3 + c[1] * 5 + d[1] * 7


@given(INTS)
def test_narrow_elements_keep_their_low_bits_and_their_sign(word: int) -> None:
    kinds = (int8, np.int8), (int16, np.int16), (int32, np.int32), (uint8, np.uint8)
    native = [Array(kind, np.zeros(3, dtype)) for kind, dtype in kinds]
    plain = [Array(kind, np.zeros(3, dtype)) for kind, dtype in kinds]
    assert CODE[every_width](word, *native) == every_width(word, *plain)
    assert all(one.numpy.tolist() == other.numpy.tolist() for one, other in zip(native, plain, strict=True))


class Frame(Record):
    """An element of an array of records."""

    node: int
    kind: int16
    share: float32
    open: bool


class Model(Record):
    """A record that another one points to."""

    inputs: int = size()
    weights: Array[float] = dims("inputs")
    bias: float = 0.5


class Graph(Record):
    """One of every kind of field."""

    nodes: int = size()
    words: int = size()
    plies: int = size()
    states: Array[uint64] = dims("nodes", "words")
    images: Array[uint64] = dims(2, "nodes", "words")
    visits: Array[int32] = dims("nodes")
    proved: Array[bool] = dims("nodes")
    frames: Array[Frame] = dims("plies")
    model: Model
    advance: Function[[Array[uint64], int], int]
    root: int = 0
    total: float = 0.0


def new_graph(advance: object = 0) -> Graph:
    random = np.random.default_rng(1)
    return Graph(
        states=random.integers(0, 1 << 63, (6, 2), np.uint64),
        images=random.integers(0, 1 << 63, (2, 6, 2), np.uint64),
        visits=np.zeros(6, np.int32),
        proved=np.zeros(6, np.uint8),
        frames=record_rows(Frame, 4),
        model=Model(weights=np.array([0.5, -2.0, 1.0])),
        advance=advance,
        root=3,
    )


@inlined
def evaluate(model: Model, at: int) -> float:
    return model.bias + model.weights[at]


@kernel
def explore(graph: Graph, steps: int) -> int:
    found = uint64(0)
    model = graph.model
    for ply in range(graph.plies):
        frame = graph.frames[ply]
        frame.node = (graph.root + ply * steps) % graph.nodes
        frame.kind = int16(frame.node * 3)
        frame.share = float32(evaluate(model, ply % model.inputs))
        frame.open = frame.node > 2
        graph.visits[frame.node] += 1
        graph.proved[frame.node] = frame.open and not graph.proved[frame.node]
        row = graph.states.row(frame.node)
        for word in range(graph.words):
            found ^= row[word] + graph.states[frame.node, word] * 3 + graph.images[ply & 1, frame.node, word]
            found += (
                graph.images.at(1)[word] + graph.images.row(1, frame.node)[word] + graph.states.at(1, 1)[0]
            )
        graph.total += float(frame.share) * 2 + frame.kind
        prefetch(graph.visits, frame.node)
    graph.root = int(found >> 1)
    return int(found >> 2) + graph.visits[0]


@given(some.integers(0, 50))
def test_records_are_read_and_written_alike(steps: int) -> None:
    native, plain = new_graph(), new_graph()
    assert CODE[explore](native, steps) == explore(plain, steps)
    assert (native.root, native.total) == (plain.root, plain.total)
    for name in ("visits", "proved", "frames"):
        assert np.array_equal(getattr(native, name).numpy, getattr(plain, name).numpy)


@kernel
def far(graph: Graph, node: int) -> int:
    return graph.advance(graph.states.row(node), graph.words) * 2


Digest = Function[[Array[uint64], int], int]


@kernel
def by_number(addresses: Array[int], which: int, state: Array[uint64]) -> int:
    """Calls a function out of a list of addresses."""
    function = Digest(addresses[which])
    return function(state, 1) + Digest(addresses[0])(state, 2)


@kernel
def digest(state: Array[uint64], words: int) -> int:
    found = uint64(7)
    for word in range(words):
        found = (found ^ state[word]) * FACTOR
    return int(found >> 3)


def test_functions_are_called_by_address_or_as_python() -> None:
    by_address, in_python = new_graph(CODE.address(digest)), new_graph(digest)
    expected = 2 * digest(in_python.states.row(4), 2)
    assert far(in_python, 4) == far(by_address, 4) == CODE[far](by_address, 4) == expected


def test_an_address_that_is_a_number_becomes_a_function() -> None:
    addresses = Array(int, np.array([CODE.address(digest)] * 2))
    state = Array(uint64, np.array([3, 4], np.uint64))
    expected = digest(state, 1) + digest(state, 2)
    assert by_number(addresses, 1, state) == CODE[by_number](addresses, 1, state) == expected


# threads


@kernel
def count_up(lock: Array[int], counters: Array[int32], real: Array[float], turns: int) -> int:
    """Counts with a lock, with an atomic addition, and by comparing and swapping."""
    for _ in range(turns):
        fetch_add(counters, 0, 1)
        fetch_add(real, 0, 0.5)
        old = load_acquire(counters, 1)
        while not compare_and_swap(counters, 1, old, old + 1):
            old = load_acquire(counters, 1)
        while not try_lock(lock, 0):
            pass
        counters[2] += 1
        unlock(lock, 0)
    store_relaxed(counters, 3, 9)
    store_release(lock, 1, 5)
    return exchange(lock, 1, 6)


@kernel
def wait(stop: Array[int]) -> int:
    turns = 0
    while load_relaxed(stop, 0) == 0:
        turns += 1
    return turns


def test_atomics_do_in_one_thread_what_python_does() -> None:
    def memory() -> tuple[Array[int], Array[int32], Array[float]]:
        return (
            Array(int, np.zeros(2, np.int64)),
            Array(int32, np.zeros(4, np.int32)),
            Array(float, np.zeros(1)),
        )

    native, plain = memory(), memory()
    assert CODE[count_up](*native, 10) == count_up(*plain, 10) == 5
    assert [each.numpy.tolist() for each in native] == [each.numpy.tolist() for each in plain]
    assert native[1].numpy.tolist() == [10, 10, 10, 9]


def test_threads_lose_no_count() -> None:
    lock, counters, real = (
        Array(int, np.zeros(2, np.int64)), Array(int32, np.zeros(4, np.int32)), Array(float, np.zeros(1)),
    )  # fmt: skip
    threads = [threading.Thread(target=CODE[count_up], args=(lock, counters, real, 20_000)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counters.numpy[:3].tolist() == [60_000, 60_000, 60_000]
    assert real.numpy[0] == 30_000


def test_a_kernel_sees_the_flag_that_stops_it_and_lets_python_run() -> None:
    stop = Array(int, np.zeros(1, np.int64))
    thread = threading.Thread(target=CODE[wait], args=(stop,))
    thread.start()
    stop.numpy[0] = 1
    thread.join(timeout=60)
    assert not thread.is_alive()


CODE = machine_code(
    divisions, unsigned, bits, conversions, reals, singles, first_of, sorted_sum, scratch, every_width,
    explore, far, digest, count_up, wait, strides, by_number,
)  # fmt: skip


# any expression

OPERATORS = ["+", "-", "*", "&", "|", "^"]


@some.composite
def expressions(draw, depth: int = 3) -> str:
    if depth == 0:
        return draw(some.one_of(some.sampled_from(["a", "b"]), WORDS.map(lambda word: f"uint64({word})")))
    inner = expressions(depth - 1)
    form = draw(some.sampled_from(["binary", "shift", "unary", "choice", "extreme"]))
    if form == "binary":
        return f"({draw(inner)} {draw(some.sampled_from(OPERATORS))} {draw(inner)})"
    if form == "shift":
        return f"({draw(inner)} {draw(some.sampled_from(['<<', '>>']))} {draw(some.integers(0, 63))})"
    if form == "unary":
        return f"({draw(some.sampled_from(['-', '~']))}{draw(inner)})"
    if form == "extreme":
        return f"{draw(some.sampled_from(['min', 'max']))}({draw(inner)}, {draw(inner)})"
    return f"({draw(inner)} if a & 1 and b < {draw(inner)} else {draw(inner)})"


@settings(max_examples=25)
@given(expressions(), WORDS, WORDS)
def test_any_expression_has_the_same_value_both_ways(text: str, a: int, b: int) -> None:
    value = kernels_from(f"@kernel\ndef value(a: uint64, b: uint64) -> uint64:\n    return {text}\n")["value"]
    assert machine_code(value)[value](uint64(a), uint64(b)) == value(uint64(a), uint64(b))


# checked memory


def test_checked_memory_refuses_what_lies_outside_or_does_not_fit() -> None:
    graph = new_graph()
    with pytest.raises(UsageError, match="index 6 is outside an array of 6"):
        graph.visits[6]
    with pytest.raises(UsageError, match="index -1 is outside an array of 6"):
        graph.visits[-1] = 1
    with pytest.raises(UsageError, match="index 2, 2 is outside an array of 6 x 2"):
        graph.states[2, 2]
    with pytest.raises(UsageError, match="index 2 is outside an array of 2"):
        graph.states.row(3)[2]
    with pytest.raises(UsageError, match="index 3 is outside an array of 3"):
        graph.visits.at(3)[3]
    with pytest.raises(UsageError, match="3000000000 does not fit into int32"):
        graph.visits[0] = 3_000_000_000
    with pytest.raises(UsageError, match="-1 does not fit into uint64"):
        graph.states[0, 0] = -1
    with pytest.raises(UsageError, match="a bool is expected here, not 1"):
        graph.proved[0] = 1
    with pytest.raises(UsageError, match="index 1 of a local array is read before it is written"):
        local(int, 2)[1]
    with pytest.raises(UsageError, match=r"returns 9223372036854775808, which does not fit"):
        kernels_from("@kernel\ndef grow(a: int) -> int:\n    return a + 1\n")["grow"]((1 << 63) - 1)
    with pytest.raises(UsageError, match="released that is not held"):
        unlock(Array(int, np.zeros(1, np.int64)), 0)
    assert poisoned((2, 2), np.uint64)[1, 1] == 0xDEDEDEDEDEDEDEDE


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"visits": np.zeros(6, np.int64)}, "Graph.visits needs an array of int32, not of int64"),
        ({"visits": np.zeros(5, np.int32)}, "Graph.visits has 5 nodes, but states has 6"),
        ({"visits": np.zeros((6, 1), np.int32)}, "Graph.visits needs 1 dimensions, not 2"),
        ({"visits": [1, 2]}, "Graph.visits needs an array, not list"),
        ({"visits": np.zeros(12, np.int32)[::2]}, "Graph.visits needs an array in C order"),
        ({"images": np.zeros((3, 6, 2), np.uint64)}, "Graph.images needs the size 2 where it has 3"),
        ({"model": 3}, "Graph.model needs a Model, not int"),
        ({"advance": "x"}, "Graph.advance needs an address or a Python function, not str"),
        ({"frames": np.zeros(3, np.int64)}, "Graph.frames needs an array of Frame"),
        ({"root": 1.5}, "Graph.root: a whole number is expected here, not 1.5"),
        ({"roots": 1}, "Graph has no field roots; it has nodes, words"),
        ({"nodes": 7}, "Graph.nodes is a size: it follows from the arrays"),
    ],
)
def test_a_record_is_checked_when_it_is_made(changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        new_graph().put(**changes)


def test_a_record_needs_all_its_fields_and_grows_with_put() -> None:
    with pytest.raises(UsageError, match="Model needs weights"):
        Model()
    model = Model(weights=np.zeros(3))
    model.put(weights=np.ones(5))
    assert model.inputs == 5
    model.bias = 2.0
    assert model.bias == 2.0
    with pytest.raises(UsageError, match=r"Model\.inputs is changed with put"):
        model.inputs = 4
    with pytest.raises(UsageError, match="Graph has pointers"):
        record_rows(Graph, 3)
