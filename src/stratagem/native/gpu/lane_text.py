"""LLVM assembly for one thread of a GPU: a row is 32 matches, and two neighbouring threads share a word of 64.

The same text with rows of 64 matches is a function for processors, one call per word: what the tests run. Rows of a
frame live in *registers* (a slot each, which LLVM turns into values), in *near* memory (shared by a block of threads,
as fast as the first-level cache) or in *far* memory (the thread's own, behind the caches).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from stratagem.native.emit.segment import Segment
from stratagem.native.emit.text import Text, VectorShape
from stratagem.native.gpu.cut import cut

GLOBAL: Final = "ptr addrspace(1)"
FRAME: Final = "%frame"
NO_PLACES: Final[Mapping[str, int]] = MappingProxyType({})
PIECE_LINES: Final = 5000
"""A function is cut where it has so many lines: what an assembler needs grows faster than the function."""


@dataclass(frozen=True, slots=True)
class LaneShape(VectorShape):
    """Rows of *bits* matches, for a GPU in blocks of *threads* threads, or for a processor.

    A thread uses at most *registers* registers; 0 leaves that to the assembler.
    """

    bits: int
    gpu: bool
    threads: int
    registers: int

    @staticmethod
    def device(threads: int, registers: int = 0) -> LaneShape:
        return LaneShape(1, True, 32, True, threads, registers)

    @staticmethod
    def processor() -> LaneShape:
        return LaneShape(1, True, 64, False, 1, 0)

    @property
    def row(self) -> str:
        return f"i{self.bits}"

    @property
    def mask(self) -> str:
        return "i1"

    @property
    def row_bytes(self) -> int:
        return self.bits // 8

    @property
    def near(self) -> str:
        """The type of a pointer to near memory."""
        return "ptr addrspace(3)" if self.gpu else "ptr"

    @property
    def own(self) -> str:
        """The type of a pointer to the thread's own memory."""
        return "ptr addrspace(5)" if self.gpu else "ptr"

    @property
    def outer(self) -> str:
        """The type of a pointer to what the caller gave."""
        return GLOBAL if self.gpu else "ptr"


@dataclass(frozen=True, slots=True)
class FrameMemory:
    """Where the rows of a frame live: the first ones in registers, the next ones near; the others far.

    *outer*: far memory is the caller's, where rows lie ``%stride`` apart.
    """

    registers: int
    near: int
    outer: bool = False


class LaneText(Text):
    """The body of a function for one thread."""

    def __init__(
        self, shape: LaneShape, memory: FrameMemory, scratch: int, places: Mapping[str, int] = NO_PLACES
    ) -> None:
        """*places*: pointers to the caller's memory, and how far apart rows lie there."""
        super().__init__(shape)
        self.lanes, self.memory, self.places = shape, memory, places
        self.first_scratch = self.rows = scratch
        """Frame rows from *first_scratch* on pass values between functions; *rows* is one more than the last in use."""
        self.own, self.stride = "%own", "%stride"
        self.allocas: list[str] = []
        self.functions: list[str] = []
        self._apart = False
        self._slots: set[str] = set()
        self._pointers: dict[str, tuple[str, int | str]] = {
            "%near": (shape.near, shape.threads if shape.gpu else 1),
            "%far": (shape.outer, "%stride") if memory.outer else (shape.own, 1),
            "%root": (shape.outer, 1),
            **{name: (shape.outer, distance) for name, distance in places.items()},
        }

    @property
    def far(self) -> str:
        """The type of a pointer to far memory."""
        return self._pointers["%far"][0]

    @property
    def memory_parameters(self) -> str:
        given = [f"{self.lanes.outer} {name}" for name in self.places]
        return ", ".join([f"{self.lanes.near} %near", f"{self.far} %far", *given])

    @property
    def memory_names(self) -> tuple[str, ...]:
        """The names of `memory_parameters`."""
        return ("%near", "%far", *self.places)

    def inner(self) -> LaneText:
        """The text of a function that works on the same memory."""
        text = LaneText(self.lanes, self.memory, self.first_scratch, self.places)
        text.functions = self.functions
        text._names = self._names
        return text

    # values

    def splat(self, value: int) -> str:
        return str(value)

    def every_word(self) -> str:
        return "true"

    def named(self, name: str, value: str) -> None:
        self.line(f"{name} = or {self.row} {value}, 0")

    def call(self, intrinsic: str, *operands: str) -> str:
        arguments = ", ".join(f"{self.row} {operand}" for operand in operands)
        return self.let(f"call {self.row} @{intrinsic}.{self.row}({arguments})")

    def three_inputs(self, table: int, a: str, b: str, c: str) -> str:
        if not self.lanes.gpu:
            return self.sum_of_products(table, a, b, c)
        return self.let(
            f'call i32 asm "lop3.b32 $0, $1, $2, $3, {table};", "=r,r,r,r"(i32 {a}, i32 {b}, i32 {c})'
        )

    # warps: the 32 threads that run in step on a GPU, 16 words; a processor has one word at a time
    # An exchange between the two threads of a word alone is sixteen exchanges, one after another, for the hardware.

    def exchanged(self, a: str, *, among: str = "-1") -> str:
        """The row (or number) *a* of the other thread of the word; all threads *among* a mask come here together."""
        return self.let(f"call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 {among}, i32 {a}, i32 1, i32 31)")

    def votes(self, a: str) -> str:
        """A number other than 0 if any bit of the warp is set; `own_vote` says whether it is one of the word."""
        if not self.lanes.gpu:
            return a
        return self.let(f"call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 {self.here(a)})")

    def own_vote(self, votes: str) -> str:
        """Whether any bit of the word was set."""
        return self.here(self.both(votes, "%pair") if self.lanes.gpu else votes)

    def some(self, a: str) -> str:
        """Whether any bit of the warp is set: its threads go the same way."""
        return self.here(self.votes(a))

    def here(self, a: str) -> str:
        """Whether any bit of this thread's row is set."""
        return self.let(f"icmp ne {self.row} {a}, 0")

    def nonzero_words(self, a: str) -> str:
        return self.own_vote(self.votes(a))

    def named_words(self, name: str, a: str) -> None:
        self.line(f"{name} = and i1 {self.nonzero_words(a)}, true")

    # blocks: where code is larger than the cache of instructions, the threads of a block run it together

    @property
    def together(self) -> bool:
        """Whether the threads of a block go through the plies in step."""
        return self.lanes.gpu and not self.memory.registers

    @property
    def inlining(self) -> str:
        """For functions behind rare branches: where states are in registers a call would push them out."""
        return "alwaysinline" if self.memory.registers else "noinline"

    def meet(self) -> None:
        """Wait for the other threads of the block."""
        if self.together and not self._apart:
            self.line("call void @llvm.nvvm.barrier0()")

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Code that not all threads of a block come to."""
        self._apart = True
        yield
        self._apart = False

    def some_in_step(self, a: str) -> str:
        """Whether any of the threads that go through the plies in step has a number other than 0."""
        if not self.together:
            return self.some(a)
        return self.let(f"icmp ne i32 {self.let(f'call i32 @llvm.nvvm.barrier0.or(i32 {a})')}, 0")

    # memory

    def slot(self, name: str, kind: str | None = None) -> str:
        """A variable of the function, which LLVM keeps in a register."""
        pointer = f"%{name}.slot"
        if pointer not in self._slots:
            self._slots.add(pointer)
            self.allocas.append(f"  {pointer} = alloca {kind or self.row}")
        return pointer

    def value_of(self, name: str, kind: str | None = None) -> str:
        kind = kind or self.row
        return self.let(f"load {kind}, ptr {self.slot(name, kind)}")

    def set(self, name: str, value: str, kind: str | None = None) -> None:
        kind = kind or self.row
        self.line(f"store {kind} {value}, ptr {self.slot(name, kind)}")

    def at(self, pointer: str, row: int | str) -> str:
        if pointer == FRAME:
            if not isinstance(row, int):
                raise TypeError("a row of the frame is a number")
            return self._frame_row(row)
        if row == 0:
            return pointer
        kind, stride = self._pointers[pointer]
        if isinstance(row, int) and isinstance(stride, int):
            distance = str(row * stride)
        else:
            distance = str(row) if stride == 1 else self.let(f"mul i64 {row}, {stride}")
        place = self.let(f"getelementptr inbounds {self.row}, {kind} {pointer}, i64 {distance}")
        self._pointers[place] = (kind, stride)
        return place

    def _frame_row(self, row: int) -> str:
        registers, near = self.memory.registers, self.memory.near
        self.rows = max(self.rows, row + 1)
        if row < registers:
            slot = self.slot(f"row{row}")
            self._pointers[slot] = ("ptr", 1)
            return slot
        if row < registers + near:
            return self.at("%near", row - registers)
        return self.at("%far", row - registers - near)

    def load(self, pointer: str, row: int | str = 0) -> str:
        place = self.at(pointer, row)
        return self.let(f"load {self.row}, {self._pointers[place][0]} {place}, align {self.shape.row_bytes}")

    def store(self, value: str, pointer: str, row: int | str = 0) -> None:
        place = self.at(pointer, row)
        kind = self._pointers[place][0]
        self.line(f"store {self.row} {value}, {kind} {place}, align {self.shape.row_bytes}")

    # the caller's memory: rows that lie %stride apart, from this thread's place on

    def renew(self) -> None:
        """Forget the addresses of the caller's rows: kept for a later use they would fill the registers."""
        if self.lanes.gpu:
            self.own = self.let(f'call {GLOBAL} asm sideeffect "mov.b64 $0, $1;", "=l,l"({GLOBAL} %own)')
            self.stride = self.let('call i64 asm sideeffect "mov.b64 $0, $1;", "=l,l"(i64 %stride)')

    def outer_place(self, row: int | str) -> str:
        distance = self.let(f"mul i64 {self.stride}, {row}")
        return self.let(f"getelementptr inbounds {self.row}, {self.lanes.outer} {self.own}, i64 {distance}")

    def outer_load(self, row: int | str) -> str:
        return self.let(f"load {self.row}, {self.lanes.outer} {self.outer_place(row)}")

    def outer_store(self, value: str, row: int | str) -> None:
        self.line(f"store {self.row} {value}, {self.lanes.outer} {self.outer_place(row)}")

    def body(self) -> str:
        """The lines of the function, its variables first."""
        return "\n".join(["entry:", *self.allocas, *self.lines])


class LaneSegment(Segment):
    """Straight-line code that becomes several functions where it is long."""

    def __init__(self, text: LaneText, patience: int) -> None:
        super().__init__(text, patience=patience)
        self.lane_text = text

    def emit(self, wanted: Sequence[int] = ()) -> list[str]:
        start = len(self.lane_text.lines)
        names = super().emit(wanted)
        if len(self.lane_text.lines) - start <= PIECE_LINES or self.lane_text.memory.registers:
            return names
        return cut(self.lane_text, start, names, PIECE_LINES)


def declarations(shape: LaneShape) -> str:
    """The intrinsics that are called."""
    lines = [f"declare {row} @llvm.ctpop.{row}({row})" for row in ("i32", "i64")]
    lines += [
        "declare i64 @llvm.cttz.i64(i64, i1)",
        "declare i64 @llvm.fshl.i64(i64, i64, i64)",
    ]
    if shape.gpu:
        lines += [f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}.x()" for name in ("tid", "ctaid")] + [
            "declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)",
            "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)",
            "declare void @llvm.nvvm.barrier0()",
            "declare i32 @llvm.nvvm.barrier0.or(i32)",
        ]
    return "\n".join(lines) + "\n"
