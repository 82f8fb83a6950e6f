"""The end of a ply in a thread: what `emit.account` does, with everything that is used at every ply in registers.

The lowest digits of the lengths are in registers, *digits* of them; the others lie in memory and are touched only when
a match gets that long. Ends that are rare (a new longest match, an unexpected outcome, the limit) are behind a branch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stratagem.native.emit.account import SAME_TOO, Ending
from stratagem.native.emit.draw import ABOVE
from stratagem.native.gpu import rows
from stratagem.native.gpu.lane_text import LaneText
from stratagem.native.playouts.log import LogLayout


class Booking:
    """The account of one thread; *short*: the limit on a match's length has at most *digits* digits.

    *note* writes the matches in some lanes down; *finish* is told at every ply which have finished.
    """

    def __init__(
        self,
        text: LaneText,
        digits: int,
        outcomes: int,
        *,
        short: bool,
        note: Callable[[str], None],
        finish: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.text, self.digits, self.outcomes, self.short = text, digits, outcomes, short
        self.note, self.finish = note, finish

    def begin(self) -> None:
        """Load what the last launch has left."""
        text = self.text
        for name, row in (("active", rows.ACTIVE), ("long", rows.LONG), ("remaining", rows.REMAINING)):
            text.set(name, text.outer_load(row))
        for digit in range(self.digits):
            text.set(f"age{digit}", text.outer_load(rows.AGE + digit))
        self._set_longest(text.outer_load(rows.LONGEST))
        for name in self.counters:
            text.set(name, "0")
        for name in ("logged", "full", "stop"):
            text.set(name, "0")

    def end(self) -> None:
        """Store everything for the next launch."""
        text = self.text
        kept = [("active", rows.ACTIVE), ("long", rows.LONG), ("remaining", rows.REMAINING)]
        kept += [("longest", rows.LONGEST), ("logged", rows.LOGGED)]
        for name, row in kept:
            text.outer_store(text.value_of(name), row)
        self._store_ages()
        for number, name in enumerate(self.counters):
            distance = text.let(f"mul i64 {text.stride}, {number}")
            kind = text.lanes.outer
            place = text.let(f"getelementptr inbounds i64, {kind} %own_totals, i64 {distance}")
            count = text.value_of(name)
            wide = count if text.row == "i64" else text.let(f"zext i32 {count} to i64")
            total = text.let(f"add i64 {text.let(f'load i64, {kind} {place}')}, {wide}")
            text.line(f"store i64 {total}, {kind} {place}")

    @property
    def counters(self) -> list[str]:
        """In the order of the rows of the totals."""
        return ["plies", "stuck", "over", *(f"count{number}" for number in range(self.outcomes))]

    def book(self, ending: Ending, reset: str | None) -> str:
        """Lanes that need a new match."""
        text = self.text
        active = text.value_of("active")
        live = active if ending.idle is None else text.but_not(active, ending.idle)
        above, at_limit = self._lengths(reset)
        moved = live if ending.stuck is None else text.but_not(live, ending.stuck)
        finished = text.both(moved, ending.terminal)
        unfinished = text.but_not(at_limit, ending.terminal)
        over = text.both(moved, unfinished)
        self._tally("plies", moved)
        self.finish(finished)
        for number, outcome in enumerate(ending.outcomes):
            self._tally(f"count{number}", text.both(outcome, finished))
        ended = text.either(finished, over)
        again = text.either(ending.terminal, unfinished)
        if ending.idle is not None:
            again = text.either(again, ending.idle)
        rest = text.both(ending.rest, finished)
        longer = text.both(above, finished)
        rare = text.either(text.either(rest, longer), over)
        if ending.stuck is not None:
            stopped = text.both(live, ending.stuck)
            ended, rare = text.either(ended, stopped), text.either(rare, stopped)
            again = text.either(again, ending.stuck)
        with text.when(text.here(rare)):
            self._tally("over", over)
            if ending.stuck is not None:
                self._tally("stuck", text.both(live, ending.stuck))
            text.renew()
            self._store_ages()
            with text.when(text.here(longer)):
                self._note_longest(finished)
            with text.when(text.here(rest)):
                self.note(rest)
        self._quota(ended)
        return again

    def _lengths(self, reset: str | None) -> tuple[str, str]:
        """One ply more in every lane: (longer than the longest, as long as the limit)."""
        text = self.text
        above, same = text.splat(0), text.splat(-1)
        carry = ""
        for digit in range(self.digits):
            age = text.value_of(f"age{digit}")
            if reset is not None:
                age = text.but_not(age, reset)
            new = text.opposite(age) if digit == 0 else text.differ(age, carry)
            carry = age if digit == 0 else text.both(age, carry)
            text.set(f"age{digit}", new)
            above = text.logic(ABOVE, new, text.value_of(f"longest{digit}"), above)
            if self.short:
                same = text.logic(SAME_TOO, new, self._limit_digit(digit), same)
        text.set("above", above)
        text.set("at_limit", same if self.short else text.splat(0))
        long = text.either(text.value_of("long"), carry)
        with text.when(text.here(long)):
            text.set("long", long)
            if not self.short:
                for digit in range(self.digits):
                    age = text.value_of(f"age{digit}")
                    same = text.logic(SAME_TOO, age, self._limit_digit(digit), same)
            row, outer = text.row, text.lanes.outer
            given = text.splat(0) if reset is None else reset
            longest = text.value_of("longest")
            pair = text.let(
                f"call {{{row}, {row}}} @lengthen({outer} %own, i64 %stride, {row} {given}, {row} {carry},"
                f" {row} {above}, {row} {same}, {row} {longest}, {row} %limit_row, i64 %digits)"
            )
            text.set("above", text.let(f"extractvalue {{{row}, {row}}} {pair}, 0"))
            text.set("at_limit", text.let(f"extractvalue {{{row}, {row}}} {pair}, 1"))
        return text.value_of("above"), text.value_of("at_limit")

    def _limit_digit(self, digit: int) -> str:
        return _digit_mask(self.text, "%limit_row", str(digit))

    def _set_longest(self, length: str) -> None:
        text = self.text
        text.set("longest", length)
        for digit in range(self.digits):
            text.set(f"longest{digit}", _digit_mask(text, length, str(digit)))

    def _store_ages(self) -> None:
        for digit in range(self.digits):
            self.text.outer_store(self.text.value_of(f"age{digit}"), rows.AGE + digit)

    def _tally(self, counter: str, lanes: str) -> None:
        text = self.text
        text.set(counter, text.add(text.value_of(counter), text.population(lanes)))

    def _note_longest(self, finished: str) -> None:
        text = self.text
        row, outer = text.row, text.lanes.outer
        length = text.let(f"call {row} @longest({outer} %own, i64 %stride, {row} {finished}, i64 %digits)")
        with text.when(text.let(f"icmp ugt {row} {length}, {text.value_of('longest')}")):
            self._set_longest(length)

    def _quota(self, ended: str) -> None:
        """Begin new matches while the quota lasts."""
        text = self.text
        begun = text.population(ended)
        if text.lanes.gpu:
            # The pair learns with the same exchange whether one of its logs is full.
            message = text.either(begun, text.value_of("full"))
            begun = text.add(message, text.exchanged(message))
            text.set("stop", text.let(f"lshr i32 {begun}, 16"))
            begun = text.let(f"and i32 {begun}, 65535")
        else:
            text.set("stop", text.value_of("full"))
        left = text.subtract(text.value_of("remaining"), begun)
        short = text.let(f"icmp slt {text.row} {left}, 0")
        text.set("left", left)
        with text.when(short):
            self._last_matches(ended)
        text.set("remaining", text.value_of("left"))

    def _last_matches(self, ended: str) -> None:
        """As many of the ended lanes as the quota has left begin again, lowest first; the others stop."""
        text = self.text
        left = text.value_of("remaining")
        if not text.lanes.gpu:
            stopped = text.let(f"call i64 @stopped(i64 {ended}, i64 {left})")
        else:
            other = text.exchanged(ended, among="%pair")
            low = text.let(f"select i1 %odd, i32 {other}, i32 {ended}")
            high = text.let(f"select i1 %odd, i32 {ended}, i32 {other}")
            upper = text.let(f"shl i64 {text.let(f'zext i32 {high} to i64')}, 32")
            both = text.let(f"or i64 {upper}, {text.let(f'zext i32 {low} to i64')}")
            wide = text.let(f"call i64 @stopped(i64 {both}, i64 {text.let(f'zext i32 {left} to i64')})")
            upper = text.let(f"trunc i64 {text.let(f'lshr i64 {wide}, 32')} to i32")
            lower = text.let(f"trunc i64 {wide} to i32")
            stopped = text.let(f"select i1 %odd, i32 {upper}, i32 {lower}")
        active = text.but_not(text.value_of("active"), stopped)
        text.set("active", active)
        text.set("left", "0")


def _digit_mask(text: LaneText, number: str, digit: str) -> str:
    """All ones where *number* has a one at place *digit*."""
    bit = text.let(f"and {text.row} {text.let(f'lshr {text.row} {number}, {digit}')}, 1")
    return text.let(f"sub {text.row} 0, {bit}")


def functions(model: LaneText, digits: int, values: Sequence[int], goals: int) -> str:
    """The functions behind the rare cases; the goals lie in the frame from row *goals*."""
    return "\n".join([_lengthen(model, digits), _longest(model), _stopped(), _note(model, values, goals)])


def _lengthen(model: LaneText, digits: int) -> str:
    """The digits of the lengths that lie in memory, one more where *carry* is; compared as in `_lengths`."""
    text = model.inner()
    row = text.row
    for name in ("carry", "above", "same"):
        text.set(name, f"%{name}")
    text.block = "entry"
    rest = text.let(f"sub i64 %digits, {digits}")
    with text.repeat(rest) as index:
        digit = text.let(f"add i64 {index}, {digits}")
        place = text.let(f"add i64 {digit}, {rows.AGE}")
        carry = text.value_of("carry")
        age = text.but_not(text.outer_load(place), "%reset")
        new = text.differ(age, carry)
        text.outer_store(new, place)
        text.set("carry", text.both(age, carry))
        shift = digit if row == "i64" else text.let(f"trunc i64 {digit} to i32")
        text.set(
            "above", text.logic(ABOVE, new, _digit_mask(text, "%longest", shift), text.value_of("above"))
        )
        text.set("same", text.logic(SAME_TOO, new, _digit_mask(text, "%limit", shift), text.value_of("same")))
    first = text.let(f"insertvalue {{{row}, {row}}} poison, {row} {text.value_of('above')}, 0")
    both = text.let(f"insertvalue {{{row}, {row}}} {first}, {row} {text.value_of('same')}, 1")
    text.line(f"ret {{{row}, {row}}} {both}")
    names = ("reset", "carry", "above", "same", "longest", "limit")
    given = ", ".join(f"{row} %{name}" for name in names)
    head = f"{{{row}, {row}}} @lengthen({text.lanes.outer} %own, i64 %stride, {given}, i64 %digits)"
    return f"define internal {head} {text.inlining} nounwind {{\n{text.body()}\n}}\n"


def _longest(model: LaneText) -> str:
    """The length of the longest match in some lanes, from its digits in memory."""
    text = model.inner()
    row = text.row
    text.set("lanes", "%lanes")
    text.set("length", "0")
    text.block = "entry"
    with text.repeat("%digits") as index:
        digit = text.let(f"sub i64 {text.let(f'sub i64 %digits, {index}')}, 1")
        lanes = text.value_of("lanes")
        age = text.outer_load(text.let(f"add i64 {digit}, {rows.AGE}"))
        narrowed = text.both(lanes, age)
        some = text.here(narrowed)
        text.set("lanes", text.let(f"select i1 {some}, {row} {narrowed}, {row} {lanes}"))
        bit = text.let(f"zext i1 {some} to {row}")
        doubled = text.let(f"shl {row} {text.value_of('length')}, 1")
        text.set("length", text.either(doubled, bit))
    text.line(f"ret {row} {text.value_of('length')}")
    head = f"{row} @longest({text.lanes.outer} %own, i64 %stride, {row} %lanes, i64 %digits)"
    return f"define internal {head} {text.inlining} nounwind {{\n{text.body()}\n}}\n"


def _stopped() -> str:
    """*bits* without its *count* lowest set bits."""
    return """
define internal i64 @stopped(i64 %bits, i64 %count) noinline nounwind {
entry:
  br label %loop
loop:
  %current = phi i64 [%bits, %entry], [%fewer, %body]
  %left = phi i64 [%count, %entry], [%less, %body]
  %enough = icmp eq i64 %left, 0
  br i1 %enough, label %done, label %body
body:
  %lower = sub i64 %current, 1
  %fewer = and i64 %current, %lower
  %less = sub i64 %left, 1
  br label %loop
done:
  ret i64 %current
}
"""


def _note(model: LaneText, values: Sequence[int], goals: int) -> str:
    """Write the matches in some lanes down, as `playouts.log` lays them out but without the word."""
    text = model.inner()
    row, outer = text.row, text.lanes.outer
    text.set("left", "%lanes")
    text.set("count", "%logged")
    text.line("br label %next")
    text.label("next")
    left = text.value_of("left")
    text.branch(text.here(left), "lane", "done")
    text.label("lane")
    wide = left if row == "i64" else text.let(f"zext i32 {left} to i64")
    found = text.let(f"call i64 @llvm.cttz.i64(i64 {wide}, i1 true)")
    lane = found if row == "i64" else text.let(f"trunc i64 {found} to i32")
    count = text.value_of("count")
    counted = count if row == "i64" else text.let(f"zext i32 {count} to i64")
    groups = LogLayout(values).groups
    first = text.let(f"mul i64 {text.let(f'mul i64 {counted}, %stride')}, {1 + len(groups)}")

    def put(word: str, place: int) -> None:
        at = text.let(f"add i64 {first}, {place}")
        text.line(f"store i64 {word}, {outer} {text.let(f'getelementptr i64, {outer} %log, i64 {at}')}")

    length = "0"
    for digit in range(rows.DIGITS - 1):
        bit = _lane_bit(text, text.outer_load(rows.AGE + digit), lane)
        length = text.let(f"or i64 {length}, {text.let(f'shl i64 {bit}, {digit}')}")
    put(length, 0)
    for number, group in enumerate(groups):
        key = "0"
        for role in group:
            digit_of = str(values[role])
            for value in range(values[role]):
                own = text.load("%frame", goals + sum(values[:role]) + value)
                here = text.let(f"trunc i64 {_lane_bit(text, own, lane)} to i1")
                digit_of = text.let(f"select i1 {here}, i64 {value}, i64 {digit_of}")
            key = text.let(f"add i64 {text.let(f'mul i64 {key}, {values[role] + 1}')}, {digit_of}")
        put(key, 1 + number)
    text.set("count", text.let(f"add {row} {count}, 1"))
    text.set("left", text.both(left, text.let(f"sub {row} {left}, 1")))
    text.go("next")
    text.label("done")
    text.line(f"ret {row} {text.value_of('count')}")
    head = f"{row} @note({text.memory_parameters}, {outer} %own, i64 %stride, {outer} %log, {row} %lanes, {row} %logged)"
    model.rows = max(model.rows, text.rows)
    return f"define internal {head} {text.inlining} nounwind {{\n{text.body()}\n}}\n"


def _lane_bit(text: LaneText, bits: str, lane: str) -> str:
    """The bit of one lane as a 64-bit number."""
    bit = text.let(f"and {text.row} {text.let(f'lshr {text.row} {bits}, {lane}')}, 1")
    return bit if text.row == "i64" else text.let(f"zext i32 {bit} to i64")
