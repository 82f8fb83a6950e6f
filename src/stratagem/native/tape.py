"""The tape: a circuit as one array of 32-bit numbers that the gate interpreter reads.

    header    words per state, roles, bases, rows of a frame, words of a role's legal mask, then the places of
              the sections below
    phases    legal (what may be done), final (the end and the goals), next: for each the number of runs,
              then for each run whether it is a loop, how many gates it has, and the gates
    gate      target row, left literal, right literal, complement: ((left & right) ^ complement)
    outputs   next literals; for each role its moves, the row of its first move, their legal literals; the
              terminal literal; for each role its goal values with their literals

Rows are the circuit's nodes. Cost: a few numpy operations, so a circuit of a million gates is ready in a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.circuit.circuit import AND, Circuit
from stratagem.errors import UnsuitableGame

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS: Final = 0
ROLES: Final = 1
BASES: Final = 2
ROWS: Final = 3
MASK_WORDS: Final = 4
FIRST_MOVE: Final = 5
LEGAL: Final = 6
FINAL: Final = 7
NEXT: Final = 8
NEXT_LITERALS: Final = 9
MOVES: Final = 10
TERMINAL: Final = 11
GOALS: Final = 12
MOVE_ROWS: Final = 13
LENGTH: Final = 14
HEADER: Final = 15


@dataclass(frozen=True, slots=True)
class Sizes:
    """What callers need to know to make room."""

    words: int
    roles: int
    mask_words: int


def sizes_of(circuit: Circuit) -> Sizes:
    """The sizes of packed states and masks of *circuit*."""
    return Sizes(
        max(1, -(-len(circuit.bases) // 64)),
        len(circuit.roles),
        max(1, *(-(-len(moves) // 64) for moves in circuit.moves)) if circuit.moves else 1,
    )


def tape_of(circuit: Circuit) -> NDArray[np.int32]:
    """The tape of *circuit*."""
    if any(not 0 <= value < 1 << 15 for goals in circuit.goals for value, _ in goals):
        raise UnsuitableGame("a goal value has no room in 16 bits", hint="GDL's goals are 0 to 100")
    sizes = sizes_of(circuit)
    header = np.zeros(HEADER, np.int32)
    sections: list[NDArray[np.int32]] = [header]
    legal = [int(literal) for own in circuit.legal for literal in own]
    goals = [literal for own in circuit.goals for _, literal in own]
    move_rows = np.cumsum([circuit.first_move, *map(len, circuit.moves)])[: len(circuit.roles)]
    parts = {
        LEGAL: _phase(circuit, legal),
        FINAL: _phase(circuit, [circuit.terminal, *goals]),
        NEXT: _phase(circuit, circuit.next.tolist()),
        NEXT_LITERALS: circuit.next,
        MOVES: np.concatenate(
            [
                np.concatenate([np.array([len(own), first], np.int32), own])
                for own, first in zip(circuit.legal, move_rows, strict=True)
            ]
        ),
        GOALS: np.array(
            [
                number
                for own in circuit.goals
                for number in (len(own), *(part for value, literal in own for part in (value, literal)))
            ],
            np.int32,
        ),
    }
    place = HEADER
    for name, section in parts.items():
        header[name] = place
        sections.append(np.asarray(section, np.int32))
        place += len(section)
    header[WORDS], header[ROLES], header[MASK_WORDS] = sizes.words, sizes.roles, sizes.mask_words
    header[BASES], header[ROWS] = len(circuit.bases), circuit.first_gate + circuit.gate_count
    header[FIRST_MOVE], header[MOVE_ROWS] = circuit.first_move, sum(map(len, circuit.moves))
    header[TERMINAL] = circuit.terminal
    header[LENGTH] = place
    return np.concatenate(sections)


def _phase(circuit: Circuit, literals: list[int]) -> NDArray[np.int32]:
    """The runs of the gates that *literals* depend on."""
    needed = needed_gates(circuit, literals)
    numbers = np.flatnonzero(needed).astype(np.int32)
    disjunctive = (circuit.operations[numbers] != AND).astype(np.int32)
    # a | b = ~(~a & ~b): one kind of gate is enough, and the loop over gates has no branch.
    gates = np.stack(
        [
            numbers + circuit.first_gate,
            circuit.left[numbers] ^ disjunctive,
            circuit.right[numbers] ^ disjunctive,
            -disjunctive,
        ],
        axis=1,
    ).astype(np.int32)
    before = np.concatenate([[0], np.cumsum(needed)])
    runs = []
    done = 0
    for first, last in circuit.loops:
        if before[first] == before[last]:
            continue
        runs.append((0, done, int(before[first])))
        runs.append((1, int(before[first]), int(before[last])))
        done = int(before[last])
    runs.append((0, done, len(gates)))
    pieces = [np.array([len(runs)], np.int32)]
    for loop, first, last in runs:
        pieces += [np.array([loop, last - first], np.int32), gates[first:last].ravel()]
    return np.concatenate(pieces)


def needed_gates(circuit: Circuit, literals: list[int]) -> NDArray[np.bool_]:
    """Which gates *literals* depend on; a loop is needed as a whole."""
    offset = circuit.first_gate
    left, right = (circuit.left >> 1).tolist(), (circuit.right >> 1).tolist()
    flags = bytearray(offset + circuit.gate_count)
    for literal in literals:
        flags[literal >> 1] = 1
    starts = {last - 1: first for first, last in circuit.loops if first < last}
    gate = circuit.gate_count - 1
    while gate >= 0:
        first = starts.get(gate, gate)
        if 1 in flags[offset + first : offset + gate + 1]:
            for inside in range(first, gate + 1):
                flags[offset + inside] = flags[left[inside]] = flags[right[inside]] = 1
        gate = first - 1
    return np.frombuffer(bytes(flags[offset:]), np.uint8).astype(np.bool_)
