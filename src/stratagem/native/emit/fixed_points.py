"""Loops of a circuit in fused kernels: least fixed points in lanes, kept from ply to ply.

    void fixed_point0(frame), fixed_point1(frame), ...

Each makes the rows of one loop's variables right for the state in the frame; everything else then is straight-line code
(`logic.loops`). It keeps the inputs of the loop as they were at the last call. Where no lane has another input there is
nothing to do. In lanes where no input has fallen iteration goes on from the values of before, in the others from false. Sweeps go
over the variables forwards and backwards in turn, each using what it has just found (the fast sweeping method; Zhao, 2005):
a chain that winds takes as many sweeps as it has turns, not as it has links. Cost: about an instruction per three-input gate
of the loop and sweep; a sweep in which no lane changes is the last.
"""

from __future__ import annotations

from collections.abc import Iterable

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.row_windows import WindowText
from stratagem.native.emit.segment import Segment
from stratagem.native.emit.sweep import repeat_sweeps
from stratagem.native.emit.text import Text, VectorShape, function
from stratagem.native.logic.gates import copy_gates
from stratagem.native.logic.loops import Loop, cut_loops, gates_of


class FixedPoints:
    """The loops of one circuit, whose rows lie in a frame from row *first* on."""

    def __init__(self, circuit: Circuit, first: int, shape: VectorShape) -> None:
        self.circuit, self.shape = circuit, shape
        self.loops, self.gates = cut_loops(circuit), gates_of(circuit)
        self.rows: dict[int, int] = {}
        """The row of every variable."""
        self.inputs: list[int] = []
        """For each loop the first row of its inputs, as they were at the last call."""
        self.first, self.top = first, first
        for loop in self.loops:
            self.inputs.append(self.top)
            self.top += len(loop.inputs)
            self.rows |= {gate: self.top + place for place, gate in enumerate(loop.variables)}
            self.top += len(loop.variables)
        self.kept = self.scratch = self.top
        """Lanes in which no input has fallen; and after it rows in which inputs are computed that are no rows of the state."""
        self.top += max((1 + len(self._computed(loop)) for loop in self.loops), default=0)

    def _computed(self, loop: Loop) -> list[int]:
        """The inputs of a loop that are gates."""
        return [literal for literal in loop.inputs if literal >> 1 >= self.circuit.first_gate]

    def literals(self, segment: Segment) -> dict[int, int]:
        """The literals of all variables in *segment*: what `copy_gates` has to know."""
        return {gate: segment.row("%frame", row) for gate, row in self.rows.items()}

    def read_by(self, segment: Segment, literals: Iterable[int]) -> list[int]:
        """The loops that have to be right for *literals* of *segment*, each after those that it depends on."""
        read: set[int] = set()
        if not self.loops:
            return []
        rows = {index for pointer, index in segment.places_read(literals) if pointer == "%frame"}
        for number, loop in enumerate(self.loops):
            if any(self.rows[gate] in rows for gate in loop.variables):
                read.update(loop.below, [number])
        return sorted(read)

    def behind(self, literals: Iterable[int]) -> bool:
        """Whether any of these literals of the circuit depends on a loop."""
        if not self.loops:
            return False
        segment = Segment(Text(self.shape))
        inputs = [segment.row("%inputs", place) for place in range(self.circuit.first_gate - 1)]
        found = copy_gates(segment.network, self.circuit, inputs, [], list(literals), self.literals(segment))
        return bool(self.read_by(segment, found))

    def functions(self) -> str:
        """The functions, and `begin_loops`, which is called before any of them."""
        return "".join([*map(self._function, range(len(self.loops))), self._begin()]) if self.loops else ""

    def begin(self, text: Text) -> None:
        """What is to be done before the first of them: the frame may hold anything."""
        if self.loops:
            text.line("call void @begin_loops(ptr %frame)")

    def find(self, text: Text, numbers: Iterable[int]) -> None:
        """Make the rows of some loops right for the state in the frame."""
        for number in numbers:
            text.line(f"call void @fixed_point{number}(ptr %frame)")

    def _begin(self) -> str:
        """No input holds, and so only what is true at rest."""
        text = Text(self.shape)
        text.label("entry")
        at_rest = {self.rows[gate] for loop in self.loops for gate in loop.at_rest}
        rows = self.scratch - self.first
        if rows:
            with text.repeat(rows) as place:
                text.store(text.splat(0), text.at("%frame", self.first), place)
        for row in sorted(at_rest):
            text.store(text.splat(-1), "%frame", row)
        text.line("ret void")
        return _function("begin_loops", text)

    def _function(self, number: int) -> str:
        loop, text = self.loops[number], WindowText(self.shape)
        text.label("entry")
        kept, changed = self._renewed(text, number)
        # In memory, or LLVM would put the work on it behind the branch, and what that needs into memory.
        text.store(kept, "%frame", self.kept)
        fell, begin, forwards, backwards, done = (
            text.name(stem) for stem in ("fell", "begin", "forwards", "backwards", "done")
        )
        text.branch(text.some(changed), begin, done)
        text.label(begin)
        kept = text.load("%frame", self.kept)
        text.branch(text.some(text.opposite(kept)), fell, forwards)
        text.label(fell)
        if loop.variables:
            variables = text.at("%frame", self.rows[loop.variables[0]])
            with text.repeat(len(loop.variables)) as place:
                text.store(text.both(text.load(variables, place), kept), variables, place)
        text.go(forwards)
        inputs = {literal: 2 * row for row, literal in enumerate(loop.inputs, self.inputs[number])}
        repeat_sweeps(self.gates, loop, self.rows, inputs, text, (forwards, backwards, done))
        text.line("ret void")
        text.finish()
        return _function(f"fixed_point{number}", text)

    def _renewed(self, text: Text, number: int) -> tuple[str, str]:
        """The inputs as they are now: (lanes in which none has fallen, lanes in which one has changed)."""
        loop, circuit = self.loops[number], self.circuit
        segment = Segment(text)
        bases = [segment.row("%frame", base) for base in range(len(circuit.bases))]
        no_moves = [0] * sum(map(len, circuit.moves))
        computed = self._computed(loop)
        places = {literal: (self.scratch + place, 0) for place, literal in enumerate(computed, 1)}
        known = self.literals(segment)
        found = copy_gates(segment.network, circuit, bases, no_moves, computed, known)
        for place, literal in enumerate(found, 1):
            segment.output(literal, "%frame", self.scratch + place)
        segment.emit()
        kept, changed = text.splat(-1), text.splat(0)
        for place, literal in enumerate(loop.inputs, self.inputs[number]):
            row, complement = places.get(literal, ((literal >> 1) - 1, literal & 1))
            new, old = text.load("%frame", row), text.load("%frame", place)
            if complement:
                new = text.opposite(new)
            segment = Segment(text)
            network, after, before = segment.network, segment.value(new), segment.value(old)
            kept, changed = segment.emit(
                [
                    network.conjunction(segment.value(kept), network.disjunction(before ^ 1, after)),
                    network.disjunction(segment.value(changed), network.exclusive(before, after)),
                ]
            )
            text.store(new, "%frame", place)
        return kept, changed


def _function(name: str, text: Text) -> str:
    return function(f"internal void @{name}(ptr noalias %frame) noinline", text)
