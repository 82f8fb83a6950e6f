"""One match in every lane, each from a state of its own and with a result of its own: the lane kernels.

    void play_lanes(frame, root, block, limit, tables)

*root* has the states, lane by lane; the block is laid out as in `playouts.lane_block`. A lane joins at the step of the
tokens' cycle at which its state is, plays to the end, and its goals are latched in the rows of results; it plays on
unbooked until the last lane is done, or *limit* plies are over. Like playouts there is a *fused* kernel, one function with the
tokens as constants, which is here, and a *walked* one, whose phases are called through *tables* (`emit.walked.walked_lanes`).
Loops of the circuit are functions of their own in a fused kernel (`emit.fixed_points`).
"""

from __future__ import annotations

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.fixed_points import FixedPoints
from stratagem.native.emit.moves import chosen_moves, chosen_rows, count_moves, draw_moves
from stratagem.native.emit.playout import drawn_digits
from stratagem.native.emit.segment import Segment
from stratagem.native.emit.text import Text, VectorShape, declarations, function
from stratagem.native.logic.gates import copy_gates, settled_ends
from stratagem.native.logic.goals import exclusive_goals
from stratagem.native.logic.turn_cycle import Tokens
from stratagem.native.phases.frame_layout import layout_of
from stratagem.native.playouts import lane_block as blocks

HEAD = "void @play_lanes(ptr noalias %frame, ptr noalias %root, ptr noalias %block, i64 %limit, ptr %tables)"


def emit_fused_lanes(circuit: Circuit, tokens: Tokens, recorded: bool, shape: VectorShape) -> str:
    """The module of the fused lane kernel; *recorded*: with the moves that are made."""
    kernel = _FusedLanes(circuit, tokens, recorded, shape)
    parts = [
        declarations(shape),
        _join(circuit, shape),
        kernel.loops.functions(),
        kernel.latch(),
        kernel.play(),
    ]
    return "\n".join(parts)


def _join(circuit: Circuit, shape: VectorShape) -> str:
    """Puts the root's states into the lanes that begin at a step, and makes them live."""
    text = Text(shape)
    text.label("entry")
    lanes = text.load("%block", text.let(f"add i64 %step, {blocks.BEGIN}"))
    if circuit.bases:
        with text.repeat(len(circuit.bases)) as base:
            place = text.at("%frame", base)
            kept = text.but_not(text.load(place), lanes)
            text.store(text.either(kept, text.both(text.load("%root", base), lanes)), place)
    text.store(text.either(text.load("%block", blocks.LIVE), lanes), "%block", blocks.LIVE)
    text.line("ret void")
    return function("internal void @join(ptr %frame, ptr %root, ptr %block, i64 %step) noinline", text)


class _FusedLanes:
    """The text of one fused kernel."""

    def __init__(self, circuit: Circuit, tokens: Tokens, recorded: bool, shape: VectorShape) -> None:
        self.circuit, self.tokens, self.recorded, self.shape = circuit, tokens, recorded, shape
        self.layout = layout_of(circuit)
        self.text = Text(shape)
        self.no_moves = [0] * sum(map(len, circuit.moves))
        self.loops = FixedPoints(circuit, self.layout.scratch, shape)
        legal = [int(literal) for own in circuit.legal for literal in own]
        self.moves_read_loops = self.loops.behind([*legal, *circuit.next.tolist()])
        self.right: set[int] = set()
        """The loops that are right for the states in the frame, at the place that is being written."""
        self.carried: set[int] = set()
        """Those that are, but for lanes that have just joined."""

    def latch(self) -> str:
        """Adds the goals of the states at hand to the results of some lanes."""
        text = Text(self.shape)
        text.label("entry")
        segment = Segment(text)
        ended = segment.value("%ended")
        bases = [segment.row("%frame", base) for base in range(self.layout.bases)]
        known = self.loops.literals(segment)
        goals = [
            literal for own in exclusive_goals(segment.network, self.circuit, bases, known) for literal in own
        ]
        self.loops.find(text, self.loops.read_by(segment, goals))
        for row, literal in enumerate(goals, blocks.RESULTS):
            new = segment.network.conjunction(ended, literal)
            segment.output(segment.network.disjunction(segment.row("%block", row), new), "%block", row)
        segment.emit()
        text.line("ret void")
        head = f"internal void @latch(ptr noalias %frame, ptr noalias %block, {text.row} %ended) noinline"
        return function(head, text)

    def play(self) -> str:
        """The loop over plies, written out for every step of the tokens' cycle."""
        text, period = self.text, self.tokens.period
        text.label("entry")
        text.store(text.splat(0), "%block", blocks.LIVE)
        if self.layout.bases:
            with text.repeat(self.layout.bases) as base:
                text.store(text.splat(0), "%frame", base)
        self.loops.begin(text)
        before = text.block
        text.go("step0")
        text.label("step0")
        ply = text.phi("i64", ("0", before), ("%next_ply", "turn"))
        first = text.let(f"icmp eq i64 {ply}, 0")
        for step in range(period):
            with text.when(first):
                text.line(f"call void @join(ptr %frame, ptr %root, ptr %block, i64 {step})")
                if self.moves_read_loops:
                    for token, value in self.tokens.at(step).items():
                        text.store(text.splat(-value), "%frame", token)
            self.carried, self.right = (self.right if step else set()), set()
            self.ply(step, first)
        text.line(f"%next_ply = add i64 {ply}, {period}")
        more = text.let("icmp slt i64 %next_ply, %limit")
        going = text.let(f"and i1 {more}, {text.some(text.load('%block', blocks.LIVE))}")
        text.branch(going, "turn", "done")
        text.label("turn")
        text.go("step0")
        text.label("done")
        text.line("ret void")
        return function(HEAD, text)

    def find(self, segment: Segment, literals: list[int], first: str) -> None:
        """Have the loops that *literals* depend on right before *segment* is emitted; *first*: lanes may have just joined."""
        for loop in self.loops.read_by(segment, literals):
            if loop in self.carried:
                with self.text.when(first):
                    self.loops.find(self.text, [loop])
            elif loop not in self.right:
                self.loops.find(self.text, [loop])
            self.carried.discard(loop)
            self.right.add(loop)

    def ply(self, step: int, first: str) -> None:
        """One ply: choose, move, see which matches are over."""
        text, circuit = self.text, self.circuit
        segment = Segment(text)
        flat = [int(literal) for legal in circuit.legal for literal in legal]
        known = self.loops.literals(segment)
        bases = self.bases(segment, step)
        literals = copy_gates(segment.network, circuit, bases, self.no_moves, flat, known)
        self.find(segment, literals, first)
        legal = []
        for moves in circuit.moves:
            legal.append(literals[: len(moves)])
            literals = literals[len(moves) :]
        choosers = count_moves(text, segment, legal, self.layout.moves)
        stuck = draw_moves(text, choosers, drawn_digits(circuit))
        chosen_rows(text, choosers)
        live = text.load("%block", blocks.LIVE)
        if stuck is not None:
            live = text.but_not(live, stuck)
        segment = Segment(text)
        bases, does = self.bases(segment, step), chosen_moves(segment, choosers)
        known = self.loops.literals(segment)
        successors = copy_gates(segment.network, circuit, bases, does, circuit.next.tolist(), known)
        self.find(segment, successors, first)
        for base, literal in enumerate(successors):
            segment.output(literal, "%frame", base)
        if self.recorded:
            record_moves(segment, does, live, blocks.played_row(circuit))
        segment.emit()
        self.carried, self.right = set(), set()
        unchanged = {base for base, literal in enumerate(successors) if literal == bases[base]}
        segment = Segment(text)
        (terminal,) = copy_gates(
            segment.network,
            circuit,
            self.bases(segment, step + 1),
            self.no_moves,
            [circuit.terminal],
            {**self.loops.literals(segment), **settled_ends(circuit, unchanged)},
        )
        self.find(segment, [terminal], first)
        (over,) = segment.emit([terminal])
        ended = text.both(live, over)
        text.store(text.but_not(live, over), "%block", blocks.LIVE)
        with text.when(text.some(ended)):
            text.line(f"call void @latch(ptr %frame, ptr %block, {text.row} {ended})")

    def bases(self, segment: Segment, step: int) -> list[int]:
        """The state at a step of the cycle."""
        bases = [segment.row("%frame", base) for base in range(self.layout.bases)]
        for base, value in self.tokens.at(step).items():
            bases[base] = int(value)
        return bases


def record_moves(segment: Segment, does: list[int], live: str, first: int) -> None:
    """Adds the moves that live lanes make to the rows from *first*."""
    network, playing = segment.network, segment.value(live)
    for row, literal in enumerate(does, first):
        if literal != 0:
            made = network.conjunction(literal, playing)
            segment.output(network.disjunction(segment.row("%block", row), made), "%block", row)
