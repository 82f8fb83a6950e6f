"""The functions behind the rare cases of a ply: word by word, through memory, as small as possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stratagem.native.emit.account import SAME_TOO
from stratagem.native.emit.draw import ABOVE
from stratagem.native.emit.text import Text, VectorShape
from stratagem.native.playouts import block as blocks
from stratagem.native.playouts.log import LogLayout


def rare_functions(shape: VectorShape) -> str:
    """`compare_long`, `count_long`, `note_longest` and `last_matches`: the same for every game."""
    return "\n".join(
        [
            _function(shape, "void @compare_long(ptr %block)", _compare),
            _function(shape, "void @count_long(ptr %block)", _count),
            _function(shape, "void @note_longest(ptr %block)", _note_longest),
            _function(shape, "i1 @last_matches(ptr %block)", _last_matches),
        ]
    )


def _function(shape: VectorShape, head: str, body: Callable[[Text], None]) -> str:
    text = Text(shape)
    text.label("entry")
    body(text)
    return f"define internal {head} noinline {{\n" + "\n".join(text.lines) + "\n}\n"


def _compare(text: Text) -> None:
    """All digits of the lengths against the longest match and against the limit."""
    above, same = text.splat(0), text.splat(-1)
    for digit in range(blocks.DIGITS):
        age = text.load("%block", blocks.AGE + digit)
        above = text.logic(ABOVE, age, text.load("%block", blocks.LONGEST + digit), above)
        same = text.logic(SAME_TOO, age, text.load("%block", blocks.LIMIT + digit), same)
    text.store(above, "%block", blocks.ABOVE)
    text.store(same, "%block", blocks.AT_LIMIT)
    text.line("ret void")


def _count(text: Text) -> None:
    """One more in all lanes, from 0 where the match has just begun; then compare."""
    reset = text.load("%block", blocks.RESET)
    carry = text.splat(-1)
    for digit in range(blocks.DIGITS):
        age = text.but_not(text.load("%block", blocks.AGE + digit), reset)
        text.store(text.differ(age, carry), "%block", blocks.AGE + digit)
        carry = text.both(age, carry)
    text.line("call void @compare_long(ptr %block)")
    text.line("ret void")


def _note_longest(text: Text) -> None:
    """Word by word: the length of the longest match that ended, if it is a new longest."""
    with text.repeat(text.shape.words) as word:
        lanes = text.get(text.word_at("%block", blocks.ENDED, word))
        length, old = "0", "0"
        for digit in reversed(range(blocks.DIGITS)):
            narrowed = text.let(
                f"and i64 {lanes}, {text.get(text.word_at('%block', blocks.AGE + digit, word))}"
            )
            some = text.let(f"icmp ne i64 {narrowed}, 0")
            lanes = text.let(f"select i1 {some}, i64 {narrowed}, i64 {lanes}")
            length = text.let(f"or i64 {length}, {text.let(f'select i1 {some}, i64 {1 << digit}, i64 0')}")
            known = text.get(text.word_at("%block", blocks.LONGEST + digit, word))
            old = text.let(f"or i64 {old}, {text.let(f'and i64 {known}, {1 << digit}')}")
        with text.when(text.let(f"icmp ugt i64 {length}, {old}")):
            for digit in range(blocks.DIGITS):
                bit = text.let(f"and i64 {length}, {1 << digit}")
                mask = text.let(f"sext i1 {text.let(f'icmp ne i64 {bit}, 0')} to i64")
                text.put(mask, text.word_at("%block", blocks.LONGEST + digit, word))
    text.line("ret void")


def _last_matches(text: Text) -> None:
    """Word by word: as many of the ended lanes as the quota has left begin again, lowest first; the rest stop."""
    with text.repeat(text.shape.words) as word:
        ended = text.get(text.word_at("%block", blocks.ENDED, word))
        place = text.word_at("%block", blocks.REMAINING, word)
        remaining = text.get(place)
        begun = text.let(f"call i64 @llvm.ctpop.i64(i64 {ended})")
        enough = text.let(f"icmp ule i64 {begun}, {remaining}")
        taken = text.let(f"select i1 {enough}, i64 {begun}, i64 {remaining}")
        text.put(text.let(f"sub i64 {remaining}, {taken}"), place)
        stopped = _without_lowest(text, ended, taken)
        active = text.word_at("%block", blocks.ACTIVE, word)
        text.put(text.let(f"and i64 {text.get(active)}, {text.let(f'xor i64 {stopped}, -1')}"), active)
    idle = text.let(f"xor i1 {text.some(text.load('%block', blocks.ACTIVE))}, true")
    text.line(f"ret i1 {idle}")


def _without_lowest(text: Text, bits: str, count: str) -> str:
    """*bits* without its *count* lowest set bits."""
    loop, body, done = text.name("drop"), text.name("lowest"), text.name("dropped")
    before = text.block
    text.go(loop)
    text.label(loop)
    fewer, left = f"%{text.name('fewer')}", f"%{text.name('left')}"
    current = text.phi("i64", (bits, before), (fewer, body))
    to_go = text.phi("i64", (count, before), (left, body))
    text.branch(text.let(f"icmp eq i64 {to_go}, 0"), done, body)
    text.label(body)
    text.line(f"{fewer} = and i64 {current}, {text.let(f'sub i64 {current}, 1')}")
    text.line(f"{left} = sub i64 {to_go}, 1")
    text.go(loop)
    text.label(done)
    return current


def note_lanes(shape: VectorShape, classes: Sequence[int], goals: int) -> str:
    """`note_lanes`: write down, for every lane in REST, its word in the block, its length and each role's goal.

    The rows of the goals lie in the frame from row *goals*, role by role; role r has *classes[r]* values. What is
    written is laid out as in `playouts.log`.
    """
    text = Text(shape)
    text.label("entry")
    before_them = text.get(text.word_at("%block", blocks.USED, "1"))
    with text.repeat(shape.words) as word:
        lanes = text.get(text.word_at("%block", blocks.REST, word))
        loop, body, done = text.name("lane"), text.name("note"), text.name("noted")
        before = text.block
        text.go(loop)
        text.label(loop)
        fewer = f"%{text.name('fewer')}"
        current = text.phi("i64", (lanes, before), (fewer, body))
        text.branch(text.let(f"icmp eq i64 {current}, 0"), done, body)
        text.label(body)
        lane = text.let(f"call i64 @llvm.cttz.i64(i64 {current}, i1 true)")
        _note(text, text.let(f"add i64 {word}, {before_them}"))
        _note(text, _length(text, word, lane))
        for group in LogLayout(classes).groups:
            key = "0"
            for role in group:
                digit = _goal_digit(text, goals + sum(classes[:role]), classes[role], word, lane)
                key = text.let(f"add i64 {text.let(f'mul i64 {key}, {classes[role] + 1}')}, {digit}")
            _note(text, key)
        text.line(f"{fewer} = and i64 {current}, {text.let(f'sub i64 {current}, 1')}")
        text.go(loop)
        text.label(done)
    text.line("ret void")
    body = "\n".join(text.lines)
    return f"define internal void @note_lanes(ptr %frame, ptr %block, ptr %log) noinline {{\n{body}\n}}\n"


def _note(text: Text, word: str) -> None:
    count = text.let(f"add i64 {text.get('%log')}, 1")
    text.put(count, "%log")
    text.put(word, text.let(f"getelementptr inbounds i64, ptr %log, i64 {count}"))


def _length(text: Text, word: str, lane: str) -> str:
    """The length of the match in a lane, from its digits."""
    length = "0"
    for digit in range(blocks.DIGITS):
        bits = text.get(text.word_at("%block", blocks.AGE + digit, word))
        bit = text.let(f"and i64 {text.let(f'lshr i64 {bits}, {lane}')}, 1")
        length = text.let(f"or i64 {length}, {text.let(f'shl i64 {bit}, {digit}')}")
    return length


def _goal_digit(text: Text, first: int, values: int, word: str, lane: str) -> str:
    """Which of the rows from *first* is set in a lane; *values* if none is."""
    digit = str(values)
    for value in range(values):
        bits = text.get(text.word_at("%frame", first + value, word))
        here = text.let(f"trunc i64 {text.let(f'lshr i64 {bits}, {lane}')} to i1")
        digit = text.let(f"select i1 {here}, i64 {value}, i64 {digit}")
    return digit
