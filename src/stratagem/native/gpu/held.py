"""Fused kernels that put goals off: the ends of matches are held until a lane would hold two, then all are counted.

Where goals take many gates (counting discs), most of the work at every ply would be for the few matches that end there.
A state that is over is copied to rows of its own. When a lane that holds one comes to another, all threads of the
block compute the goals of what they hold and add them to the totals: about once in as many plies as a match has. Every
possible outcome is counted, so that nothing has to be written down.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import product
from typing import Final

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.draw import CHOOSE
from stratagem.native.emit.playout import PlayoutPlan
from stratagem.native.gpu import rows
from stratagem.native.gpu.booking import Booking
from stratagem.native.gpu.fused import FusedThread
from stratagem.native.gpu.lane_text import LaneSegment, LaneText
from stratagem.native.logic.gates import copy_gates, needed_gates
from stratagem.native.logic.goals import exclusive_goals, expected_outcomes

GOAL_GATES: Final = 800
"""From so many gates on, which only the goals need, they are put off ..."""
MOST_OUTCOMES: Final = 64
"""... if there are no more possible outcomes than this."""


def all_outcomes(circuit: Circuit) -> tuple[tuple[int, ...], ...]:
    """Every combination of goals, and of none, that roles could get."""
    return tuple(product(*(range(len(goals) + 1) for goals in circuit.goals)))


def worth_holding(circuit: Circuit, plan: PlayoutPlan) -> bool:
    """Whether the goals of *circuit* are to be put off."""
    outcomes = 1
    for goals in circuit.goals:
        outcomes *= len(goals) + 1
    if not plan.outcomes or outcomes > MOST_OUTCOMES:
        return False
    ends = set(needed_gates(circuit, [circuit.terminal]))
    return len(set(needed_gates(circuit, _goal_literals(circuit))) - ends) >= GOAL_GATES


def _goal_literals(circuit: Circuit) -> list[int]:
    return [literal for goals in circuit.goals for _, literal in goals]


def read_bases(circuit: Circuit) -> list[int]:
    """The bases that goals depend on."""
    nodes = {literal >> 1 for literal in _goal_literals(circuit)}
    for gate in needed_gates(circuit, _goal_literals(circuit)):
        nodes |= {int(circuit.left[gate]) >> 1, int(circuit.right[gate]) >> 1}
    return [node - 1 for node in sorted(nodes) if 0 < node <= len(circuit.bases)]


class HeldThread(FusedThread):
    """The text of a kernel that holds ends; *plan* lists all outcomes."""

    def rows_held(self, circuit: Circuit) -> int:
        return len(read_bases(circuit))

    def new_booking(self, digits: int, *, short: bool) -> Booking:
        return Booking(self.lane_text, digits, 0, short=short, note=lambda _: None, finish=self.hold)

    def playout(self) -> str:
        self.lane_text.set("held", "0")
        self.thread.last = self.count_held  # type: ignore[method-assign]
        return super().playout()

    @cached_property
    def held_rows(self) -> dict[int, int]:
        """The rows in which the bases of ended matches are held."""
        return {base: self.layout.scratch + place for place, base in enumerate(read_bases(self.circuit))}

    def final(self, step: int, settled: Mapping[int, int]) -> list[str]:
        """Whether it is over; nothing is unexpected."""
        segment = self.segment()
        rows = [segment.row("%frame", base) for base in range(self.layout.bases)]
        bases, end = self.with_tokens(step + 1, rows), [self.circuit.terminal]
        literals = copy_gates(segment.network, self.circuit, bases, self.no_moves, end, settled)
        return [*segment.emit(literals), self.text.splat(0)]

    def hold(self, finished: str) -> None:
        """Keep the states of matches that have *finished*; before that, count what is held if a lane has two."""
        text = self.lane_text
        twice = text.both(text.value_of("held"), finished)
        with text.when(text.some_in_step(twice)):
            self.count_held()
        with text.when(text.here(finished)):
            for base, row in self.held_rows.items():
                state = text.load("%frame", base)
                text.store(text.logic(CHOOSE, finished, state, text.load("%frame", row)), "%frame", row)
            text.set("held", text.either(text.value_of("held"), finished))

    def count_held(self) -> None:
        text = self.lane_text
        outer = text.lanes.outer
        text.line(
            f"call void @count_held({text.memory_parameters}, {outer} %own_totals, i64 %stride,"
            f" {text.row} {text.value_of('held')})"
        )
        text.set("held", "0")

    def extra(self) -> str:
        """The function `count_held`: the outcomes of the held states, into the totals."""
        text = self.lane_text.inner()
        outer = text.lanes.outer
        with text.apart():
            segment = LaneSegment(text, self.patience)
            held = self.held_rows
            bases = [
                segment.row("%frame", held[base]) if base in held else 0 for base in range(self.layout.bases)
            ]
            goals = exclusive_goals(segment.network, self.circuit, bases)
            found, _ = expected_outcomes(segment.network, goals, self.plan.outcomes)
            for number, outcome in enumerate(segment.emit(found)):
                self._add(text, number, text.both(outcome, "%held"))
        text.line("ret void")
        self.lane_text.rows = max(self.lane_text.rows, text.rows)
        head = f"define internal void @count_held({text.memory_parameters}, {outer} %own_totals, i64 %stride,"
        return f"{head} {text.row} %held) noinline nounwind {{\n{text.body()}\n}}\n"

    def _add(self, text: LaneText, number: int, lanes: str) -> None:
        outer = text.lanes.outer
        distance = text.let(f"mul i64 %stride, {rows.COUNTS + number}")
        place = text.let(f"getelementptr inbounds i64, {outer} %own_totals, i64 {distance}")
        count = text.population(lanes)
        wide = count if text.row == "i64" else text.let(f"zext i32 {count} to i64")
        total = text.let(f"add i64 {text.let(f'load i64, {outer} {place}')}, {wide}")
        text.line(f"store i64 {total}, {outer} {place}")
