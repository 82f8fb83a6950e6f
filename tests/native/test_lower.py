"""The small part of Python that the drivers are written in: machine code does what Python does."""

from __future__ import annotations

import ast
import ctypes

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from stratagem.errors import UsageError
from stratagem.kernels.checked_memory import Flags, Numbers, Scores, Words, count_ones, lowest_one, take
from stratagem.kernels.translator import lower
from stratagem.native.emit.primitives import DECLARED, emit_primitives
from stratagem.native.jit.llvm import LoadedCode, compile_optimised

WORD = (1 << 64) - 1
ATTRIBUTES = "\nattributes #0 = { nounwind }\nattributes #1 = { nounwind noinline }\n"

SOURCE = '''
LIMIT: Final = 5

def sorted_sum(words: Words, count: int) -> int:
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
    return total

def kinds(words: Words, numbers: Numbers, flags: Flags, scores: Scores) -> int:
    """Stores cut off what does not fit, loads bring back the sign."""
    value = words[0]
    numbers[1], flags[1], scores[1] = value, value, value
    rest = scores.at(1)
    return numbers[1] + flags[1] + (rest[0] if rest[0] > -7 else -rest[0])

def bits(word: int) -> int:
    found = 0
    while word != 0:
        found = found * 3 + lowest_one(word)
        word &= word - 1
    return min(found, 1000) + max(count_ones(found), 2)
'''


def machine_code(source: str, names: tuple[str, ...]) -> LoadedCode:
    text = emit_primitives() + lower(source, exported=names, declared=DECLARED) + ATTRIBUTES
    return LoadedCode(compile_optimised(text), names)


@pytest.fixture(scope="module")
def code() -> LoadedCode:
    return machine_code(SOURCE, ("sorted_sum", "kinds", "bits"))


def in_python() -> dict[str, object]:
    known: dict[str, object] = {
        "Final": int, "Words": Words, "Numbers": Numbers, "Flags": Flags, "Scores": Scores,
        "count_ones": count_ones, "lowest_one": lowest_one,
    }  # fmt: skip
    exec(compile(ast.parse(SOURCE), "<source>", "exec"), known)
    return known


PYTHON = in_python()


@given(some.lists(some.integers(0, 120), min_size=1, max_size=12))
def test_loops_branches_and_breaks_run_as_in_python(code: LoadedCode, numbers: list[int]) -> None:
    native, plain = np.array(numbers, np.uint64), np.array(numbers, np.uint64)
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)(code["sorted_sum"])
    assert function(native.ctypes.data, len(native)) == PYTHON["sorted_sum"](Words(plain), len(plain))
    assert native.tolist() == plain.tolist() == sorted(numbers)


@given(some.integers(0, WORD))
def test_cells_of_every_size_cut_off_and_extend_as_in_python(code: LoadedCode, word: int) -> None:
    def memory() -> list[np.ndarray]:
        return [np.array([word], np.uint64), *(np.zeros(3, kind) for kind in (np.int32, np.uint8, np.int16))]

    native, plain = memory(), memory()
    function = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 4)(code["kinds"])
    cells = [kind(array) for kind, array in zip((Words, Numbers, Flags, Scores), plain, strict=True)]
    assert function(*(array.ctypes.data for array in native)) == PYTHON["kinds"](*cells)
    assert all(one.tolist() == other.tolist() for one, other in zip(native, plain, strict=True))


@given(some.integers(0, (1 << 20) - 1))
def test_counting_bits_is_what_it_is_in_python(code: LoadedCode, word: int) -> None:
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(code["bits"])
    assert function(word) == PYTHON["bits"](word)


OPERATORS = ["+", "-", "*", "&", "|", "^"]


@some.composite
def expressions(draw, depth: int = 3) -> str:
    if depth == 0:
        return draw(some.one_of(some.sampled_from(["a", "b"]), some.integers(0, WORD).map(str)))
    inner = expressions(depth - 1)
    kind = draw(some.sampled_from(["binary", "shift", "unary", "choice"]))
    if kind == "binary":
        return f"({draw(inner)} {draw(some.sampled_from(OPERATORS))} {draw(inner)})"
    if kind == "shift":
        return (
            f"(({draw(inner)} & {WORD}) {draw(some.sampled_from(['<<', '>>']))} {draw(some.integers(0, 63))})"
        )
    if kind == "unary":
        return f"({draw(some.sampled_from(['-', '~']))}{draw(inner)})"
    return f"({draw(inner)} if {draw(some.sampled_from(['a', 'b']))} & 1 else {draw(inner)})"


@settings(max_examples=25)
@given(expressions(), some.integers(0, WORD), some.integers(0, WORD))
def test_any_expression_has_the_value_that_python_gives_it_modulo_two_to_the_64(
    text: str, a: int, b: int
) -> None:
    code = machine_code(f"def value(a: int, b: int) -> int:\n    return {text}\n", ("value",))
    function = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)(code["value"])
    assert function(a, b) == eval(text, {"a": a, "b": b}) & WORD


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("return [a]", "this cannot be translated: \\[a\\]"),
        ("return c", "c is not known"),
        ("with a:\n        pass", "this cannot be translated"),
        ("x = a\n    x = w\n    return x", "x is int and Words"),
        ("return other(a)", "this cannot be translated: other"),
    ],
)
def test_what_cannot_be_translated_is_named(body: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        lower(f"def f(a: int, w: Words) -> int:\n    {body}\n", exported=["f"])


def test_an_argument_without_a_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="an int, a kind of cell or None"):
        lower("def f(a) -> int:\n    return a\n", exported=["f"])


def test_checked_cells_refuse_what_lies_outside() -> None:
    words = take(4)
    words[3] = 7
    assert words.at(3)[0] == 7
    with pytest.raises(UsageError, match="place 4 lies outside of an array of 4"):
        words.at(2)[2] = 1
    with pytest.raises(UsageError, match="nothing is known to lie at"):
        Words(64)
