"""The primitives of the drivers (`driver.primitives`) in assembly: scratch memory, bits moved, running a phase."""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.native.emit.interpreter import run_phase


def emit_take(symbol: str) -> str:
    """Memory on a cache line; the word before it says where the whole of it begins."""
    return f"""
declare ptr @malloc(i64)
define internal ptr @"{symbol}"(i64 %words) nounwind {{
  %bytes = shl i64 %words, 3
  %more = add i64 %bytes, 128
  %whole = call ptr @malloc(i64 %more)
  %start = ptrtoint ptr %whole to i64
  %above = add i64 %start, 127
  %line = and i64 %above, -64
  %room = inttoptr i64 %line to ptr
  %note = getelementptr i64, ptr %room, i64 -1
  store ptr %whole, ptr %note
  ret ptr %room
}}
"""


def emit_give(symbol: str) -> str:
    """The opposite of `emit_take`."""
    return f"""
declare void @free(ptr)
define internal void @"{symbol}"(ptr %room) nounwind {{
  %note = getelementptr i64, ptr %room, i64 -1
  %whole = load ptr, ptr %note
  call void @free(ptr %whole)
  ret void
}}
"""


def emit_run(symbol: str) -> str:
    """`run_phase` with its arguments as the drivers have them."""
    return f"""
define internal void @"{symbol}"(i64 %table, ptr %frame) nounwind {{
  %place = inttoptr i64 %table to ptr
  call void @run_phase(ptr %frame, ptr %place)
  ret void
}}
{run_phase("internal")}"""


def emit_transpose(symbol: str) -> str:
    """64 words as eight vectors of eight (Warren, Hacker's Delight, 7-3): exchange halves of ever smaller squares.

    Words 32, 16 and 8 apart lie in different vectors, words 4, 2 and 1 apart in the same one: there a vector
    meets itself with its elements exchanged, and a rotation moves the upper and the lower ones in opposite ways.
    """
    lines: list[str] = []
    count = 0

    def let(expression: str) -> str:
        nonlocal count
        count += 1
        lines.append(f"  %v{count} = {expression}")
        return f"%v{count}"

    places = [let(f"getelementptr <8 x i64>, ptr %block, i64 {number}") for number in range(8)]
    rows = [let(f"load <8 x i64>, ptr {place}, align 8") for place in places]

    def mixed(kept: str, mask: str, moved: str, rest: str) -> str:
        a, b = let(f"and <8 x i64> {kept}, {mask}"), let(f"and <8 x i64> {moved}, {rest}")
        return let(f"or <8 x i64> {a}, {b}")

    for shift in (32, 16, 8):
        mask = _low_halves(shift)
        low, high = _same(mask), _same(~mask)
        for first in range(8):
            second = first + shift // 8
            if first & (shift // 8):
                continue
            a, b = rows[first], rows[second]
            rows[first] = mixed(a, low, let(f"shl <8 x i64> {b}, {_same(shift)}"), high)
            rows[second] = mixed(b, high, let(f"lshr <8 x i64> {a}, {_same(shift)}"), low)
    for shift in (4, 2, 1):
        mask = _low_halves(shift)
        upper = [bool(number & shift) for number in range(8)]
        kept = _vector([~mask if up else mask for up in upper])
        rest = _vector([mask if up else ~mask for up in upper])
        turns = _vector([64 - shift if up else shift for up in upper])
        order = ", ".join(f"i32 {number ^ shift}" for number in range(8))
        for number, row in enumerate(rows):
            other = let(f"shufflevector <8 x i64> {row}, <8 x i64> poison, <8 x i32> <{order}>")
            turned = let(
                f"call <8 x i64> @llvm.fshl.v8i64(<8 x i64> {other}, <8 x i64> {other}, <8 x i64> {turns})"
            )
            rows[number] = mixed(row, kept, turned, rest)
    lines += [
        f"  store <8 x i64> {row}, ptr {place}, align 8" for row, place in zip(rows, places, strict=True)
    ]
    body = "\n".join(lines)
    rotation = "declare <8 x i64> @llvm.fshl.v8i64(<8 x i64>, <8 x i64>, <8 x i64>)"
    return f'{rotation}\ndefine internal void @"{symbol}"(ptr %block) nounwind noinline {{\n{body}\n  ret void\n}}\n'


def emit_look_up(symbol: str) -> str:
    """For each word of a block the OR of one vector from each table, which four bits of the word choose."""
    return f"""
define internal void @"{symbol}"(ptr %block, i64 %size, ptr %tables, i64 %count, ptr %rows) nounwind {{
entry:
  br label %row
row:
  %bit = phi i64 [0, %entry], [%next_bit, %done]
  %place = getelementptr i64, ptr %block, i64 %bit
  %word = load i64, ptr %place, align 8
  br label %table
table:
  %number = phi i64 [0, %row], [%next_number, %table]
  %left = phi i64 [%word, %row], [%rest, %table]
  %so_far = phi <8 x i64> [zeroinitializer, %row], [%value, %table]
  %four = and i64 %left, 15
  %first = shl i64 %number, 4
  %index = or i64 %first, %four
  %at = getelementptr <8 x i64>, ptr %tables, i64 %index
  %vector = load <8 x i64>, ptr %at, align 8
  %value = or <8 x i64> %so_far, %vector
  %rest = lshr i64 %left, 4
  %next_number = add i64 %number, 1
  %more = icmp ult i64 %next_number, %count
  br i1 %more, label %table, label %done
done:
  %target = getelementptr <8 x i64>, ptr %rows, i64 %bit
  store <8 x i64> %value, ptr %target, align 8
  %next_bit = add i64 %bit, 1
  %again = icmp ult i64 %next_bit, %size
  br i1 %again, label %row, label %out
out:
  ret void
}}
"""


def emit_spread(symbol: str) -> str:
    """The bits of a word as bytes, 8, 16, 32 or 64 of them at once."""
    cases = "".join(
        f"""
some{size}:
  %part{size} = trunc i64 %word to i{size}
  %bits{size} = bitcast i{size} %part{size} to <{size} x i1>
  %bytes{size} = zext <{size} x i1> %bits{size} to <{size} x i8>
  store <{size} x i8> %bytes{size}, ptr %target, align 1
  ret void"""
        for size in (8, 16, 32)
    )
    return f"""
define internal void @"{symbol}"(i64 %word, i64 %size, ptr %target) nounwind alwaysinline {{
  switch i64 %size, label %all [ i64 8, label %some8 i64 16, label %some16 i64 32, label %some32 ]{cases}
all:
  %bits = bitcast i64 %word to <64 x i1>
  %bytes = zext <64 x i1> %bits to <64 x i8>
  store <64 x i8> %bytes, ptr %target, align 1
  ret void
}}
"""


def _low_halves(shift: int) -> int:
    """A word in which *shift* ones and *shift* zeros alternate, ones first."""
    return sum(((1 << shift) - 1) << at for at in range(0, 64, 2 * shift))


def _vector(numbers: Sequence[int]) -> str:
    return "<" + ", ".join(f"i64 {_signed(number)}" for number in numbers) + ">"


def _same(number: int) -> str:
    return _vector([number] * 8)


def _signed(number: int) -> int:
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number
