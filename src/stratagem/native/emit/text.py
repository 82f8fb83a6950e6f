"""LLVM assembly as text: the few forms of it that are needed here, with fresh names for values.

A *row* is a vector of 64-bit words: every bit belongs to another match.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from stratagem.native.logic.lut_mapping import TABLES


@dataclass(frozen=True, slots=True)
class VectorShape:
    """What the code is for.

    Rows have *words* words. *ternary*: the target computes any function of three rows in one instruction (AVX-512).
    """

    words: int
    ternary: bool

    @property
    def row(self) -> str:
        return f"<{self.words} x i64>"

    @property
    def mask(self) -> str:
        """One bit per word."""
        return f"<{self.words} x i1>"

    @property
    def row_bytes(self) -> int:
        return 8 * self.words


class Text:
    """The body of a function, line by line."""

    def __init__(self, shape: VectorShape) -> None:
        self.shape = shape
        self.row = shape.row
        self.lines: list[str] = []
        self.block = ""
        """The label of the basic block that is being written."""
        self._names = 0

    def name(self, stem: str = "v") -> str:
        self._names += 1
        return f"{stem}{self._names}"

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def let(self, expression: str) -> str:
        value = f"%{self.name()}"
        self.lines.append(f"  {value} = {expression}")
        return value

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self.block = name

    def phi(self, kind: str, *sources: tuple[str, str], name: str | None = None) -> str:
        """A value that depends on the block one comes from: pairs of (value, label)."""
        value = name or f"%{self.name()}"
        pairs = ", ".join(f"[{incoming}, %{label}]" for incoming, label in sources)
        self.lines.append(f"  {value} = phi {kind} {pairs}")
        return value

    def named(self, name: str, value: str) -> None:
        """Give a row a name that was promised to a phi."""
        self.lines.append(f"  {name} = or {self.row} {value}, zeroinitializer")

    def go(self, label: str) -> None:
        self.line(f"br label %{label}")

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        self.line(f"br i1 {condition}, label %{then}, label %{otherwise}")

    @contextmanager
    def repeat(self, times: int | str) -> Iterator[str]:
        """A loop that runs at least once; the name of the counter, from 0."""
        loop, latch, done = self.name("loop"), self.name("latch"), self.name("done")
        before, following = self.block, f"%{self.name('index')}"
        self.go(loop)
        self.label(loop)
        index = self.phi("i64", ("0", before), (following, latch))
        yield index
        self.go(latch)
        self.label(latch)
        self.line(f"{following} = add i64 {index}, 1")
        self.branch(self.let(f"icmp eq i64 {following}, {times}"), done, loop)
        self.label(done)

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """Code that runs only where *condition* (one bit) holds; its values do not leave it."""
        inside, after = self.name("then"), self.name("after")
        self.branch(condition, inside, after)
        self.label(inside)
        yield
        self.go(after)
        self.label(after)

    # words

    def word_at(self, pointer: str, row: int | str, word: str) -> str:
        """The address of one word of a row."""
        return self.let(f"getelementptr inbounds i64, ptr {self.at(pointer, row)}, i64 {word}")

    def get(self, address: str) -> str:
        return self.let(f"load i64, ptr {address}, align 8")

    def put(self, value: str | int, address: str) -> None:
        self.line(f"store i64 {value}, ptr {address}, align 8")

    # rows

    def splat(self, value: int) -> str:
        return f"splat (i64 {value})" if value else "zeroinitializer"

    def at(self, pointer: str, row: int | str) -> str:
        """The address of a row counted from *pointer*."""
        if row == 0:
            return pointer
        return self.let(f"getelementptr inbounds {self.row}, ptr {pointer}, i64 {row}")

    def load(self, pointer: str, row: int | str = 0) -> str:
        return self.let(f"load {self.row}, ptr {self.at(pointer, row)}, align {self.shape.row_bytes}")

    def store(self, value: str, pointer: str, row: int | str = 0) -> None:
        self.line(f"store {self.row} {value}, ptr {self.at(pointer, row)}, align {self.shape.row_bytes}")

    def both(self, a: str, b: str) -> str:
        return self.let(f"and {self.row} {a}, {b}")

    def either(self, a: str, b: str) -> str:
        return self.let(f"or {self.row} {a}, {b}")

    def differ(self, a: str, b: str) -> str:
        return self.let(f"xor {self.row} {a}, {b}")

    def opposite(self, a: str) -> str:
        return self.let(f"xor {self.row} {a}, {self.splat(-1)}")

    def but_not(self, a: str, b: str) -> str:
        return self.both(a, self.opposite(b))

    def add(self, a: str, b: str) -> str:
        return self.let(f"add {self.row} {a}, {b}")

    def rotate(self, a: str, places: int) -> str:
        return self.call("llvm.fshl", a, a, self.splat(places))

    def population(self, a: str) -> str:
        return self.call("llvm.ctpop", a)

    def shift_left(self, a: str, places: int) -> str:
        return self.let(f"shl {self.row} {a}, {self.splat(places)}")

    def subtract(self, a: str, b: str) -> str:
        return self.let(f"sub {self.row} {a}, {b}")

    def words_of(self, condition: str, then: str, otherwise: str) -> str:
        """Word by word: *then* where *condition* (one bit per word) holds."""
        return self.let(f"select {self.shape.mask} {condition}, {self.row} {then}, {self.row} {otherwise}")

    def every_word(self) -> str:
        """One bit per word, all set."""
        return "splat (i1 true)"

    def nonzero_words(self, a: str) -> str:
        """One bit per word: whether any of its bits is set."""
        return self.let(f"icmp ne {self.row} {a}, zeroinitializer")

    def named_words(self, name: str, a: str) -> None:
        """Give what `nonzero_words` says a name that was promised to a phi."""
        self.line(f"{name} = icmp ne {self.row} {a}, zeroinitializer")

    def call(self, intrinsic: str, *operands: str) -> str:
        arguments = ", ".join(f"{self.row} {operand}" for operand in operands)
        return self.let(f"call {self.row} @{intrinsic}.v{self.shape.words}i64({arguments})")

    def some(self, a: str) -> str:
        """Whether any bit of the row is set."""
        wide = self.let(f"bitcast {self.row} {a} to i{64 * self.shape.words}")
        return self.let(f"icmp ne i{64 * self.shape.words} {wide}, 0")

    def logic(self, table: int, *operands: str) -> str:
        """The function *table* (in the bit order of `mapping.TABLES`) of up to three rows."""
        if len(operands) == 2:
            simple = _simple(table, *operands, self)
            if simple is not None:
                return simple
        if len(operands) == 1:
            return self.opposite(operands[0])
        a, b = operands[:2]
        c = operands[2] if len(operands) == 3 else b
        return self.three_inputs(table, a, b, c)

    def three_inputs(self, table: int, a: str, b: str, c: str) -> str:
        """Any function of three rows: one instruction where the target has it."""
        if self.shape.ternary:
            bits = 64 * self.shape.words
            return self.let(
                f"call {self.row} @llvm.x86.avx512.pternlog.q.{bits}"
                f"({self.row} {a}, {self.row} {b}, {self.row} {c}, i32 {table})"
            )
        return self.sum_of_products(table, a, b, c)

    def sum_of_products(self, table: int, a: str, b: str, c: str) -> str:
        """Any function, by Shannon expansion; for targets without three-input logic."""
        high, low = table >> 4, table & 15
        return self.either(
            self.both(a, self.two_inputs(high, b, c)), self.but_not(self.two_inputs(low, b, c), a)
        )

    def two_inputs(self, table: int, b: str, c: str) -> str:
        """A function of two rows as four bits: b is 12, c is 10."""
        terms = self.splat(0)
        for place in range(4):
            if table >> place & 1:
                first = b if place & 2 else self.opposite(b)
                second = c if place & 1 else self.opposite(c)
                terms = self.either(terms, self.both(first, second))
        return terms


def _simple(table: int, a: str, b: str, text: Text) -> str | None:
    first, second = TABLES[:2]
    if table == first & second:
        return text.both(a, b)
    if table == first | second:
        return text.either(a, b)
    if table == first ^ second:
        return text.differ(a, b)
    if table == first & ~second:
        return text.but_not(a, b)
    if table == ~first & second:
        return text.but_not(b, a)
    return None


def function(head: str, text: Text) -> str:
    """The definition of a function whose body is *text*."""
    return f"define {head} {{\n" + "\n".join(text.lines) + "\n}\n"


def declarations(shape: VectorShape) -> str:
    """The intrinsics that `Text` calls."""
    row, words = shape.row, shape.words
    lines = [
        f"declare {row} @llvm.fshl.v{words}i64({row}, {row}, {row})",
        f"declare {row} @llvm.ctpop.v{words}i64({row})",
        "declare i64 @llvm.ctpop.i64(i64)",
        "declare i64 @llvm.cttz.i64(i64, i1)",
        "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
    ]
    if shape.ternary:
        lines.append(f"declare {row} @llvm.x86.avx512.pternlog.q.{64 * words}({row}, {row}, {row}, i32)")
    return "\n".join(lines) + "\n"
