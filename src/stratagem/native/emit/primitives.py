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


def emit_exchange(symbol: str) -> str:
    """Eight vectors of eight words, each of which goes to another vector."""
    lines: list[str] = []

    def place(base: str, number: int) -> str:
        lines.append(f"  %{base}.at{number} = mul i64 %{base}_step, {number}")
        lines.append(f"  %{base}.place{number} = getelementptr i64, ptr %{base}, i64 %{base}.at{number}")
        return f"%{base}.place{number}"

    rows = [f"%row{number}" for number in range(8)]
    for number, row in enumerate(rows):
        lines.append(f"  {row} = load <8 x i64>, ptr {place('source', number)}, align 8")
    for number, row in enumerate(_exchanged(lines, rows)):
        lines.append(f"  store <8 x i64> {row}, ptr {place('target', number)}, align 8")
    body = "\n".join(lines)
    head = "(ptr %source, i64 %source_step, ptr %target, i64 %target_step)"
    return f'define internal void @"{symbol}"{head} nounwind {{\n{body}\n  ret void\n}}\n'


def emit_pairs(symbol: str, element: str) -> str:
    """64 elements of one array and 64 of another, alternating."""
    aligned = int(element[1:]) // 8
    order = ", ".join(f"i32 {number // 2 + number % 2 * 64}" for number in range(128))
    return f"""
define internal void @"{symbol}"(ptr %first, ptr %second, ptr %target) nounwind {{
  %even = load <64 x {element}>, ptr %first, align {aligned}
  %odd = load <64 x {element}>, ptr %second, align {aligned}
  %both = shufflevector <64 x {element}> %even, <64 x {element}> %odd, <128 x i32> <{order}>
  store <128 x {element}> %both, ptr %target, align {aligned}
  ret void
}}
"""


def emit_add_where(symbol: str) -> str:
    """A number added to those of 64 elements that a word marks."""
    return f"""
define internal void @"{symbol}"(i64 %word, i64 %value, ptr %numbers) nounwind {{
  %which = bitcast i64 %word to <64 x i1>
  %narrow = trunc i64 %value to i16
  %one = insertelement <64 x i16> poison, i16 %narrow, i64 0
  %all = shufflevector <64 x i16> %one, <64 x i16> poison, <64 x i32> zeroinitializer
  %added = select <64 x i1> %which, <64 x i16> %all, <64 x i16> zeroinitializer
  %before = load <64 x i16>, ptr %numbers, align 2
  %after = add <64 x i16> %before, %added
  store <64 x i16> %after, ptr %numbers, align 2
  ret void
}}
"""


def emit_equal(symbol: str) -> str:
    """Which of 64 bytes are a number, as a word."""
    return f"""
define internal i64 @"{symbol}"(ptr %bytes, i64 %number) nounwind alwaysinline {{
  %narrow = trunc i64 %number to i8
  %one = insertelement <64 x i8> poison, i8 %narrow, i64 0
  %all = shufflevector <64 x i8> %one, <64 x i8> poison, <64 x i32> zeroinitializer
  %have = load <64 x i8>, ptr %bytes, align 1
  %which = icmp eq <64 x i8> %have, %all
  %word = bitcast <64 x i1> %which to i64
  ret i64 %word
}}
"""


def emit_list_ones(symbol: str, step: int) -> str:
    """The numbers of the ones of a byte, from a table, shifted and added to a number; *step* elements of 32 bits apart."""
    entries = []
    for byte in range(256):
        ones = [at for at in range(8) if byte >> at & 1]
        entries.append("i64 " + str(_signed(sum(at << 8 * place for place, at in enumerate(ones)))))
    row = f"<8 x i{32 * step}>"
    table = f'@"{symbol}.table"'
    return f"""
{table} = internal unnamed_addr constant [256 x i64] [{", ".join(entries)}], align 64
define internal void @"{symbol}"(i64 %byte, i64 %first, i64 %shift, ptr %target) nounwind alwaysinline {{
  %place = getelementptr i64, ptr {table}, i64 %byte
  %entry = load i64, ptr %place, align 8
  %bytes = bitcast i64 %entry to <8 x i8>
  %numbers = zext <8 x i8> %bytes to {row}
  %narrow = {"trunc i64 %shift to i32" if step == 1 else "add i64 %shift, 0"}
  %base = {"trunc i64 %first to i32" if step == 1 else "add i64 %first, 0"}
  %one = insertelement {row} poison, i{32 * step} %narrow, i64 0
  %shifts = shufflevector {row} %one, {row} poison, <8 x i32> zeroinitializer
  %two = insertelement {row} poison, i{32 * step} %base, i64 0
  %bases = shufflevector {row} %two, {row} poison, <8 x i32> zeroinitializer
  %moved = shl {row} %numbers, %shifts
  %sums = add {row} %moved, %bases
  store {row} %sums, ptr %target, align 4
  ret void
}}
"""


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


def _exchanged(lines: list[str], rows: list[str]) -> list[str]:
    """Word k of vector i becomes word i of vector k: elements 1, 2 and 4 apart change places with vectors as far apart."""
    for shift in (1, 2, 4):
        low = ", ".join(f"i32 {k if not k & shift else 8 + k - shift}" for k in range(8))
        high = ", ".join(f"i32 {k + shift if not k & shift else 8 + k}" for k in range(8))
        mixed = [f"%mixed{shift}.{number}" for number in range(8)]
        for number, name in enumerate(mixed):
            first = number & ~shift
            pair = f"<8 x i64> {rows[first]}, <8 x i64> {rows[first + shift]}"
            order = high if number & shift else low
            lines.append(f"  {name} = shufflevector {pair}, <8 x i32> <{order}>")
        rows = mixed
    return rows


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
