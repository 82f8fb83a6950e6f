"""Phases as machine code: functions of a few hundred gates that pass values on through the frame.

One function for a whole large circuit would take LLVM hours, because much of what a compiler does grows faster than
linearly; in pieces the time stays proportional to the gates. A value that a later piece reads goes to a scratch row,
which is used again after its last reader. Rows are reached from a few base pointers (`RowWindows`), which makes the code a
quarter smaller: it comes from the second level of the cache or from further away.
"""

from __future__ import annotations

from dataclasses import dataclass

from stratagem.circuit.circuit import AND
from stratagem.native.emit.row_windows import WindowText
from stratagem.native.emit.segment import Segment
from stratagem.native.emit.text import Text, VectorShape, declarations, function
from stratagem.native.phases.gate_program import straight_and_loops
from stratagem.native.phases.phases import Phase

PIECE_GATES = 500
PATIENCE = (24, 60)
"""By LLVM's level. At level 0 it gives out registers without looking ahead: values should not be kept long."""


@dataclass(frozen=True, slots=True)
class CodePiece:
    """The gates *first* to *end* (exclusive) of a phase as one function; a loop goes on until nothing changes."""

    first: int
    end: int
    loop: bool
    fed_back: frozenset[int]
    """Gates of a loop that are read by themselves or by earlier ones: what the next round starts from."""


@dataclass(frozen=True, slots=True)
class CutPhase:
    """A phase in pieces."""

    phase: Phase
    pieces: list[CodePiece]
    rows: dict[int, int]
    """The row of every gate that a later piece, or a later round, reads: its output, or a scratch row."""
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
        step = end - first if loop else size
        back = _fed_back(phase, first, end) if loop else frozenset()
        pieces += [CodePiece(at, min(at + step, end), loop, back) for at in range(first, end, step)]
    if not pieces:
        pieces = [CodePiece(0, 0, False, frozenset())]
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


def _fed_back(phase: Phase, first: int, end: int) -> frozenset[int]:
    found = set()
    for reader in range(first, end):
        for literal in (phase.left[reader], phase.right[reader]):
            gate = (literal >> 1) - phase.first_gate
            if reader <= gate < end:
                found.add(gate)
    return frozenset(found)


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
        for gate in range(piece.first, piece.end):
            if last[gate] > number or gate in piece.fed_back:
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
    frame = "%frame"
    piece = division.pieces[number]
    if not piece.loop:
        _straight(text, division, piece, frame, number == len(division.pieces) - 1, patience)
        return
    for gate in sorted(piece.fed_back):
        text.store(text.splat(0), frame, division.rows[gate])
    again, done = text.name("round"), text.name("settled")
    text.go(again)
    text.label(again)
    changed = _straight(text, division, piece, frame, number == len(division.pieces) - 1, patience)
    text.branch(text.some(changed), again, done)
    text.label(done)


def _straight(text: Text, division: CutPhase, piece: CodePiece, frame: str, last: bool, patience: int) -> str:
    """The gates of a piece once; in a loop, where a value that is fed back has changed."""
    phase, rows = division.phase, division.rows
    offset = phase.first_gate
    segment = Segment(text, patience=patience)
    network = segment.network
    values: dict[int, int] = {}
    before: dict[int, int] = {}

    def literal(of: int, reader: int) -> int:
        node = of >> 1
        if node == 0:
            return of
        gate = node - offset
        if gate < 0:
            return segment.row(frame, phase.inputs[node - 1]) ^ (of & 1)
        if gate >= reader:
            if gate not in before:
                before[gate] = segment.row(frame, rows[gate])
            return before[gate] ^ (of & 1)
        found = values.get(gate)
        return (segment.row(frame, rows[gate]) if found is None else found) ^ (of & 1)

    for gate in range(piece.first, piece.end):
        join = network.conjunction if phase.operations[gate] == AND else network.disjunction
        values[gate] = join(literal(phase.left[gate], gate), literal(phase.right[gate], gate))
    for gate in range(piece.first, piece.end):
        targets = {row: values[gate] ^ (of & 1) for row, of in division.outputs.get(offset + gate, ())}
        if gate in rows:
            targets[rows[gate]] = values[gate]
        for row, value in targets.items():
            segment.output(value, frame, row)
    if last:
        for node in (node for node in division.outputs if node < offset):
            for row, of in division.outputs[node]:
                segment.output(literal(of, 0), frame, row)
    if not piece.loop:
        segment.emit()
        return text.splat(0)
    changes = [network.exclusive(values[gate], old) for gate, old in sorted(before.items())]
    return segment.emit([network.any(changes)])[0]
