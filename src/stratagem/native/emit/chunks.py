"""Phases as machine code: functions of a few hundred gates that pass values on through the frame.

One function for a whole large circuit would take LLVM hours, because much of what a compiler does grows faster than
linearly; in pieces the time stays proportional to the gates. A value that a later piece reads goes to a scratch row,
which is used again after its last reader. A loop is a piece: sweeps make the rows of its variables right (`emit.sweep`), then what is read
outside is straight-line code. Rows are reached from a few base pointers (`RowWindows`), which makes the code a
quarter smaller: it comes from the second level of the cache or from further away.
"""

from __future__ import annotations

from dataclasses import dataclass

from stratagem.circuit.circuit import AND
from stratagem.native.emit.row_windows import WindowText
from stratagem.native.emit.segment import Segment
from stratagem.native.emit.sweep import repeat_sweeps
from stratagem.native.emit.text import Text, VectorShape, declarations, function
from stratagem.native.logic.loops import CutLoop, cut_loop, other_gates
from stratagem.native.phases.gate_program import straight_and_loops
from stratagem.native.phases.phases import Phase

FRAME = "%frame"
PIECE_GATES = 500
PATIENCE = (24, 60)
"""By LLVM's level. At level 0 it gives out registers without looking ahead: values should not be kept long."""


@dataclass(frozen=True, slots=True)
class CodePiece:
    """The gates *first* to *end* (exclusive) of a phase as one function."""

    first: int
    end: int
    loop: CutLoop | None = None
    """They are those of this loop."""


@dataclass(frozen=True, slots=True)
class CutPhase:
    """A phase in pieces."""

    phase: Phase
    pieces: list[CodePiece]
    rows: dict[int, int]
    """The row of every gate that a later piece reads, and of every variable of a loop: its output, or a scratch row."""
    outputs: dict[int, list[tuple[int, int]]]
    """Node -> (frame row, literal)."""
    top: int
    """The first row that is not used."""
    copies: list[tuple[int, int]]
    """(from, to): rows that replace others only when the last piece is done, because a later piece reads the old ones."""


def cut(phase: Phase, scratch: int, size: int = PIECE_GATES) -> CutPhase:
    """The pieces of *phase*, with scratch rows from *scratch* on."""
    pieces = []
    for first, end, loop in straight_and_loops(phase.gate_count, phase.loops):
        if loop:
            pieces.append(CodePiece(first, end, cut_loop(phase, first, end)))
        else:
            pieces += [CodePiece(at, min(at + size, end)) for at in range(first, end, size)]
    if not pieces:
        pieces = [CodePiece(0, 0)]
    home = _homes(phase, pieces)
    at_once = _replaced_at_once(phase, home, len(pieces) - 1) if phase.in_place else {}
    outputs: dict[int, list[tuple[int, int]]] = {}
    for row, literal in phase.outputs:
        outputs.setdefault(literal >> 1, []).append((at_once.get(row, row), literal))
    kept = {
        node - phase.first_gate: row
        for node, targets in outputs.items()
        for row, literal in targets
        if node >= phase.first_gate and not literal & 1
    }
    rows, top = _scratch_rows(phase, pieces, home, scratch, kept)
    copies = [pair for pair in phase.in_place.items() if pair[0] not in at_once]
    return CutPhase(phase, pieces, rows, outputs, top, copies)


def _homes(phase: Phase, pieces: list[CodePiece]) -> list[int]:
    """For every gate the number of its piece."""
    home = [0] * phase.gate_count
    for number, piece in enumerate(pieces):
        home[piece.first : piece.end] = [number] * (piece.end - piece.first)
    return home


def _replaced_at_once(phase: Phase, home: list[int], last: int) -> dict[int, int]:
    """The rows in `Phase.in_place` that no later piece reads: inside a piece a row is read before it is written."""
    offset = phase.first_gate
    reader = [-1] * offset
    for gate, literals in enumerate(zip(phase.left, phase.right, strict=True)):
        for literal in literals:
            if literal >> 1 < offset:
                reader[literal >> 1] = home[gate]
    for _, literal in phase.outputs:
        if literal >> 1 < offset:
            reader[literal >> 1] = last
    node_of = {row: 1 + place for place, row in enumerate(phase.inputs)}
    found = {}
    for row, literal in phase.outputs:
        if row in phase.in_place:
            node = literal >> 1
            written = home[node - offset] if node >= offset else last
            if reader[node_of[phase.in_place[row]]] <= written:
                found[row] = phase.in_place[row]
    return found


def _scratch_rows(
    phase: Phase, pieces: list[CodePiece], home: list[int], scratch: int, kept: dict[int, int]
) -> tuple[dict[int, int], int]:
    """A row for every gate that leaves its piece, used again after the last piece that reads it.

    The gates in *kept* lie in a row of the frame anyway.
    """
    last = [-1] * phase.gate_count
    offset = phase.first_gate
    for gate, (a, b) in enumerate(zip(phase.left, phase.right, strict=True)):
        for literal in (a, b):
            source = (literal >> 1) - offset
            if source >= 0 and last[source] < home[gate]:
                last[source] = home[gate]
    rows: dict[int, int] = {}
    free: list[int] = []
    dying: dict[int, list[int]] = {}
    top = scratch
    for number, piece in enumerate(pieces):
        variables = set(piece.loop.variables) if piece.loop else ()
        for gate in range(piece.first, piece.end):
            if last[gate] > number or gate in variables:
                if gate in kept:
                    rows[gate] = kept[gate]
                    continue
                if free:
                    rows[gate] = free.pop()
                else:
                    rows[gate] = top
                    top += 1
                dying.setdefault(max(last[gate], number), []).append(rows[gate])
        free += dying.pop(number, ())
    return rows, top


def emit_pieces(division: CutPhase, numbers: range, shape: VectorShape, stem: str, level: int = 1) -> str:
    """A module with the functions ``stem0``, ``stem1``, ... for the pieces in *numbers*, for a level of LLVM."""
    bodies = [_function(division, number, shape, f"{stem}{number}", PATIENCE[level]) for number in numbers]
    return declarations(shape) + "\n".join(bodies)


def _function(division: CutPhase, number: int, shape: VectorShape, name: str, patience: int) -> str:
    text = WindowText(shape)
    text.label("entry")
    _body(text, division, number, patience)
    text.line("ret void")
    text.finish()
    return function(f"void @{name}(ptr noalias %frame, ptr %unused)", text)


def _body(text: Text, division: CutPhase, number: int, patience: int) -> None:
    """The code of one piece."""
    piece = division.pieces[number]
    if piece.loop is not None and piece.loop.variables:
        _settle(text, division, piece.loop)
    _straight(text, division, piece, number == len(division.pieces) - 1, patience)


def _settle(text: Text, division: CutPhase, loop: CutLoop) -> None:
    """Make the rows of a loop's variables right; they begin with what holds at rest, because other phases use the rows, too."""
    phase, rows = division.phase, division.rows
    inputs = {}
    for literal in loop.inputs:
        node = literal >> 1
        row = phase.inputs[node - 1] if node < phase.first_gate else rows[node - phase.first_gate]
        inputs[literal] = 2 * row + (literal & 1)
    variables = {gate: rows[gate] for gate in loop.variables}
    for gate, row in variables.items():
        text.store(text.splat(-1 if gate in loop.at_rest else 0), FRAME, row)
    forwards, backwards, done = (text.name(stem) for stem in ("forwards", "backwards", "settled"))
    text.go(forwards)
    repeat_sweeps(phase, loop, variables, inputs, text, (forwards, backwards, done))


def _straight(text: Text, division: CutPhase, piece: CodePiece, last: bool, patience: int) -> None:
    """The gates of a piece; in a loop, whose variables are right, those that are read outside."""
    phase, rows = division.phase, division.rows
    offset = phase.first_gate
    segment = Segment(text, patience=patience)
    network = segment.network
    values: dict[int, int] = {}

    def literal(of: int) -> int:
        node = of >> 1
        if node == 0:
            return of
        gate = node - offset
        if gate < 0:
            return segment.row(FRAME, phase.inputs[node - 1]) ^ (of & 1)
        found = values.get(gate)
        return (segment.row(FRAME, rows[gate]) if found is None else found) ^ (of & 1)

    gates = range(piece.first, piece.end)
    for gate in gates if piece.loop is None else other_gates(phase, piece.loop):
        join = network.conjunction if phase.operations[gate] == AND else network.disjunction
        values[gate] = join(literal(phase.left[gate]), literal(phase.right[gate]))
    for gate in gates:
        node = offset + gate
        targets = {row: literal(2 * node) ^ (of & 1) for row, of in division.outputs.get(node, ())}
        if gate in rows:
            targets[rows[gate]] = literal(2 * node)
        for row, value in targets.items():
            segment.output(value, FRAME, row)
    if last:
        for node in (node for node in division.outputs if node < offset):
            for row, of in division.outputs[node]:
                segment.output(literal(of), FRAME, row)
    segment.emit()
