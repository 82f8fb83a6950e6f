"""The gate interpreter and the runner of phase tables: code that all games share.

A phase is a table of words: the number of steps, the number of frames that lie side by side and their distance in bytes, then
for each step the address of a function, its argument, and the bytes of its code, or 0. The functions take (frame,
argument), and each is run for all frames before the next, whose code is fetched meanwhile. A step may be compiled code, or `interpret` with a program as its argument, so
one tier is exchanged for another by writing another table: results are the same, lane for lane.
"""

from __future__ import annotations

from stratagem.native.emit.text import Text, VectorShape, declarations, function

INTERPRETER = ("interpret", "interpret_loop", "copy_rows", "run_phase")


def emit_interpreter(shape: VectorShape) -> str:
    """`interpret`, `interpret_loop`, `copy_rows` and `run_phase`."""
    functions = [_interpret(shape, False), _interpret(shape, True), _copy_rows(shape), run_phase()]
    return "\n".join([declarations(shape), _masks(shape), *functions])


def run_phase(linkage: str = "") -> str:
    """`run_phase(frame, table)`; the prefetch that it calls is declared elsewhere."""
    return f"""
define {linkage} void @run_phase(ptr %frame, ptr %table) {{
entry:
  %count = load i64, ptr %table
  %columns_at = getelementptr i64, ptr %table, i64 1
  %columns = load i64, ptr %columns_at
  %distance_at = getelementptr i64, ptr %table, i64 2
  %distance = load i64, ptr %distance_at
  %first = getelementptr i64, ptr %table, i64 3
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %step
step:
  %left = phi i64 [%count, %entry], [%fewer, %after]
  %at = phi ptr [%first, %entry], [%next, %after]
  %function = load ptr, ptr %at
  %place = getelementptr i64, ptr %at, i64 1
  %argument = load ptr, ptr %place
  %next = getelementptr i64, ptr %at, i64 3
  %fewer = sub i64 %left, 1
  %last = icmp eq i64 %fewer, 0
  br i1 %last, label %column, label %following
following:
  %code = load ptr, ptr %next
  %size_at = getelementptr i64, ptr %next, i64 2
  %size = load i64, ptr %size_at
  %short = icmp eq i64 %size, 0
  br i1 %short, label %column, label %fetch
fetch:
  %done_bytes = phi i64 [0, %following], [%more_bytes, %fetch]
  %line = getelementptr i8, ptr %code, i64 %done_bytes
  call void @llvm.prefetch.p0(ptr %line, i32 0, i32 2, i32 1)
  %more_bytes = add i64 %done_bytes, 64
  %more = icmp ult i64 %more_bytes, %size
  br i1 %more, label %fetch, label %column
column:
  %number = phi i64 [0, %step], [0, %following], [0, %fetch], [%more_columns, %column]
  %own = phi ptr [%frame, %step], [%frame, %following], [%frame, %fetch], [%beside, %column]
  call void %function(ptr %own, ptr %argument)
  %beside = getelementptr i8, ptr %own, i64 %distance
  %more_columns = add i64 %number, 1
  %again = icmp ult i64 %more_columns, %columns
  br i1 %again, label %column, label %after
after:
  br i1 %last, label %done, label %step
done:
  ret void
}}
"""


def _masks(shape: VectorShape) -> str:
    """For each of the eight sets of complements three rows, zeros or ones."""
    rows = []
    for flags in range(8):
        for bit in range(3):
            rows.append(f"{shape.row} " + ("splat (i64 -1)" if flags >> bit & 1 else "zeroinitializer"))
    return f"@masks = internal constant [24 x {shape.row}] [{', '.join(rows)}], align {shape.row_bytes}\n"


def _interpret(shape: VectorShape, loop: bool) -> str:
    """Run the instructions of a program: its count, then quadruples of 32-bit numbers, as bytes into the frame."""
    text = Text(shape)
    text.label("entry")
    count = text.get("%code")
    first = text.let("getelementptr i64, ptr %code, i64 1")
    if loop:
        with text.repeat(count) as index:
            target = text.let(f"getelementptr [4 x i32], ptr {first}, i64 {index}, i64 1")
            text.store(text.splat(0), _row(text, target))
        text.go("round")
        text.label("round")
    before, body = text.block, text.name("body")
    text.go(body)
    text.label(body)
    following, changes = f"%{text.name('next')}", f"%{text.name('changed')}"
    index = text.phi("i64", ("0", before), (following, body))
    changed = text.phi(text.row, (text.splat(0), before), (changes, body))
    place = [text.let(f"getelementptr [4 x i32], ptr {first}, i64 {index}, i64 {part}") for part in range(4)]
    flags = text.let(f"zext i32 {text.let(f'load i32, ptr {place[0]}')} to i64")
    masks = text.let(f"getelementptr i8, ptr @masks, i64 {flags}")
    target = _row(text, place[1])
    a = text.differ(text.load(_row(text, place[2])), text.load(masks, 0))
    b = text.differ(text.load(_row(text, place[3])), text.load(masks, 1))
    value = text.differ(text.both(a, b), text.load(masks, 2))
    text.named(changes, text.either(changed, text.differ(value, text.load(target))) if loop else changed)
    text.store(value, target)
    text.line(f"{following} = add i64 {index}, 1")
    done = text.name("done")
    text.branch(text.let(f"icmp eq i64 {following}, {count}"), done, body)
    text.label(done)
    if loop:
        text.branch(text.some(changes), "round", "out")
        text.label("out")
    text.line("ret void")
    name = "interpret_loop" if loop else "interpret"
    return f"define void @{name}(ptr %frame, ptr %code) {{\n" + "\n".join(text.lines) + "\n}\n"


def _copy_rows(shape: VectorShape) -> str:
    """`copy_rows(frame, pairs)`: their count, then pairs (from, to) of 32-bit numbers, as bytes into the frame."""
    text = Text(shape)
    text.label("entry")
    count = text.get("%pairs")
    first = text.let("getelementptr i64, ptr %pairs, i64 1")
    with text.repeat(count) as index:
        source, target = (
            _row(text, text.let(f"getelementptr [2 x i32], ptr {first}, i64 {index}, i64 {part}"))
            for part in range(2)
        )
        text.store(text.load(source), target)
    text.line("ret void")
    return function("void @copy_rows(ptr %frame, ptr %pairs)", text)


def _row(text: Text, place: str) -> str:
    """The address of the row whose distance in bytes is stored at *place*."""
    distance = text.let(f"zext i32 {text.let(f'load i32, ptr {place}')} to i64")
    return text.let(f"getelementptr inbounds i8, ptr %frame, i64 {distance}")
