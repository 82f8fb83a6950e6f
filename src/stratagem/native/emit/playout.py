"""Whole random matches in one function: the fused kernel for circuits that fit the instruction cache.

    void playout(frame, root, block, log)

The state is updated in place. A lane whose match is over begins the next one from *root* (one row per
base) at the next step 0 of the tokens' cycle. The loop ends when every word of the block has
played its quota; nothing is cut short, so no outcome is favoured. Where the circuit has loops, their least fixed points are
found before what depends on them (`emit.fixed_points`). Cost: about one instruction per
three-input gate and row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.account import Ending, account
from stratagem.native.emit.fixed_points import FixedPoints
from stratagem.native.emit.moves import Chooser, chosen_moves, chosen_rows, count_moves, draw_moves
from stratagem.native.emit.segment import Segment
from stratagem.native.emit.slow_path import note_lanes, rare_functions
from stratagem.native.emit.text import Text, VectorShape, declarations
from stratagem.native.logic.gates import copy_gates, settled_ends
from stratagem.native.logic.goals import exclusive_goals, expected_outcomes
from stratagem.native.logic.turn_cycle import Tokens
from stratagem.native.logic.uniform_choice import digits
from stratagem.native.phases.frame_layout import FrameLayout, layout_of
from stratagem.native.playouts import block as blocks


@dataclass(frozen=True, slots=True)
class PlayoutPlan:
    """What a playout kernel is specialised to."""

    tokens: Tokens
    step: int
    """The step of the tokens' cycle at which matches begin."""
    from_initial: bool
    """Matches begin in the initial state: its bits become constants."""
    outcomes: tuple[tuple[int, ...], ...]
    """The expected goal vectors: for each role the number of a value, or the number of values for none."""


def drawn_digits(circuit: Circuit) -> int:
    """How many random rows an attempt at a rank draws: enough for the role with the most moves."""
    return max((digits(len(moves) - 1) for moves in circuit.moves if moves), default=0)


def emit_playout(circuit: Circuit, plan: PlayoutPlan, shape: VectorShape) -> str:
    """The module with the function `playout` for *circuit*."""
    layout = layout_of(circuit)
    kernel = FusedCode(circuit, plan, Text(shape), layout)
    return "\n".join(
        [
            declarations(shape),
            rare_functions(shape),
            note_lanes(shape, layout.values, layout.goals),
            kernel.loops.functions(),
            kernel.note_rest(),
            kernel.playout(),
        ]
    )


class FusedCode:
    """The text of one kernel."""

    def __init__(self, circuit: Circuit, plan: PlayoutPlan, text: Text, layout: FrameLayout) -> None:
        self.circuit, self.plan, self.text, self.layout = circuit, plan, text, layout
        self.no_moves = [0] * sum(map(len, circuit.moves))
        self.loops = FixedPoints(circuit, layout.scratch, text.shape)
        legal = [int(literal) for own in circuit.legal for literal in own]
        self.begins_in_memory = self.loops.behind([*legal, *circuit.next.tolist()])
        """Whether states of new matches have to be in the frame before their first moves, because loops read them there."""
        self.right: set[int] = set()
        """The loops that are right for the state in the frame, at the place that is being written."""

    def segment(self) -> Segment:
        """An empty piece of straight-line code."""
        return Segment(self.text)

    def choose(self, segment: Segment, legal: list[list[int]]) -> tuple[list[Chooser], str | None]:
        """Random moves of the *legal* ones, which *segment* knows; and lanes in which a role has none."""
        choosers = count_moves(self.text, segment, legal, self.layout.moves)
        return choosers, draw_moves(self.text, choosers, drawn_digits(self.circuit))

    def book(self, ending: Ending, reset: str | None, used: str) -> tuple[str, str, str]:
        """The end of a ply: (lanes that wait, digits in use, whether all is done)."""
        return account(self.text, ending, reset, used)

    def find(self, segment: Segment, literals: list[int]) -> None:
        """Have the loops that *literals* depend on right before *segment* is emitted."""
        missing = [loop for loop in self.loops.read_by(segment, literals) if loop not in self.right]
        self.loops.find(segment.text, missing)
        self.right.update(missing)

    def note_rest(self) -> str:
        """Computes the goals of the states at hand into the frame and writes those of the lanes in REST down."""
        text = Text(self.text.shape)
        text.label("entry")
        segment = Segment(text)
        bases = [segment.row("%state", base) for base in range(self.layout.bases)]
        known = self.loops.literals(segment)
        goals = [
            literal for own in exclusive_goals(segment.network, self.circuit, bases, known) for literal in own
        ]
        self.loops.find(text, self.loops.read_by(segment, goals))
        for row, literal in enumerate(goals):
            segment.output(literal, "%frame", self.layout.goals + row)
        segment.emit()
        text.line("call void @note_lanes(ptr %frame, ptr %block, ptr %log)")
        text.line("ret void")
        head = "define internal void @note_rest(ptr %frame, ptr %state, ptr %block, ptr %log) noinline"
        return f"{head} {{\n" + "\n".join(text.lines) + "\n}\n"

    def playout(self) -> str:
        """The loop over plies, written out for every step of the tokens' cycle."""
        text, period = self.text, self.plan.tokens.period
        text.label("entry")
        self.loops.begin(text)
        text.branch(text.some(text.load("%block", blocks.ACTIVE)), "step0", "done")
        text.label("step0")
        reset = text.phi(text.row, (text.splat(-1), "entry"), ("%again", "turn"))
        used = text.phi("i64", ("4", "entry"), ("%used", "turn"))
        idle: str | None = None
        self.right = set()
        for step in range(period):
            again, used, finished = self.ply(step, reset if step == 0 else None, idle, used)
            idle = again
            following = "turn" if step == period - 1 else f"step{step + 1}"
            text.branch(finished, "done", following)
            text.label(following)
        text.named("%again", again)
        text.line(f"%used = add i64 {used}, 0")
        text.go("step0")
        text.label("done")
        text.line("ret void")
        head = "define void @playout(ptr noalias %frame, ptr noalias %root, ptr noalias %block, ptr noalias %log)"
        return f"{head} {{\n" + "\n".join(text.lines) + "\n}\n"

    def ply(self, step: int, reset: str | None, idle: str | None, used: str) -> tuple[str, str, str]:
        """One ply: (lanes that wait, digits in use, whether all is done)."""
        circuit = self.circuit
        begun = reset
        if reset is not None and self.begins_in_memory:
            self.begin_matches(step, reset)
            begun = None
        segment = self.segment()
        flat = [int(literal) for legal in circuit.legal for literal in legal]
        known = self.loops.literals(segment)
        literals = copy_gates(
            segment.network, circuit, self.before(segment, step, begun), self.no_moves, flat, known
        )
        self.find(segment, literals)
        legal = []
        for moves in circuit.moves:
            legal.append(literals[: len(moves)])
            literals = literals[len(moves) :]
        choosers, stuck = self.choose(segment, legal)
        chosen_rows(self.text, choosers)
        unchanged = self.next(step, begun, choosers)
        terminal, rest, *outcomes = self.final(step, settled_ends(circuit, unchanged))
        ending = Ending(terminal, stuck, idle, outcomes, rest, "%frame")
        return self.book(ending, reset, used)

    def begin_matches(self, step: int, reset: str) -> None:
        """Put the root into the lanes of *reset*."""
        segment = self.segment()
        for base, literal in enumerate(self.before(segment, step, reset)):
            segment.output(literal, "%frame", base)
        segment.emit()
        self.right = set()

    def next(self, step: int, reset: str | None, choosers: list[Chooser]) -> set[int]:
        """The states after the chosen moves; comes back: the bases that no move can change at this step."""
        segment = self.segment()
        bases = self.before(segment, step, reset)
        does = chosen_moves(segment, choosers)
        known = self.loops.literals(segment)
        successors = copy_gates(segment.network, self.circuit, bases, does, self.circuit.next.tolist(), known)
        self.find(segment, successors)
        for base, literal in enumerate(successors):
            segment.output(literal, "%frame", base)
        segment.emit()
        self.right = set()
        return {base for base, literal in enumerate(successors) if literal == bases[base]}

    def final(self, step: int, settled: Mapping[int, int]) -> list[str]:
        """The rows: terminal, unexpected goals, and one for each expected goal vector."""
        segment = self.segment()
        network = segment.network
        rows = [segment.row("%frame", base) for base in range(self.layout.bases)]
        bases = self.with_tokens(step + 1, rows)
        settled = {**self.loops.literals(segment), **settled}
        (terminal,) = copy_gates(
            network, self.circuit, bases, self.no_moves, [self.circuit.terminal], settled
        )
        goals = exclusive_goals(network, self.circuit, bases, settled)
        outcomes, rest = expected_outcomes(network, goals, self.plan.outcomes)
        self.find(segment, [terminal, rest, *outcomes])
        return segment.emit([terminal, rest, *outcomes])

    def before(self, segment: Segment, step: int, reset: str | None) -> list[int]:
        """The state before the ply; lanes in *reset* are at the root."""
        network = segment.network
        bases = [segment.row("%frame", base) for base in range(self.layout.bases)]
        if reset is not None:
            new = segment.value(reset)
            if self.plan.from_initial:
                root = [int(bit) for bit in self.circuit.initial]
            else:
                root = [segment.row("%root", base) for base in range(self.layout.bases)]
            bases = [network.choose(new, begin, base) for begin, base in zip(root, bases, strict=True)]
        return self.with_tokens(step, bases)

    def with_tokens(self, step: int, bases: list[int]) -> list[int]:
        """The bases with the tokens of a step put in as constants."""
        known = self.plan.tokens.at(self.plan.step + step)
        return [int(known[base]) if base in known else literal for base, literal in enumerate(bases)]
