"""A step of a batch as code: the actions are checked, made, and the new states looked at, for circuits without loops.

A small circuit is one piece of straight-line code; a larger one is cut into functions, with its states in the blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.segment import Segment
from stratagem.native.gpu.batch.step_code import Asked, StepCode, block_places
from stratagem.native.gpu.lane_text import FrameMemory, LaneSegment, LaneShape, LaneText
from stratagem.native.logic.gates import copy_gates
from stratagem.native.logic.goals import exclusive_goals
from stratagem.native.logic.network import LogicNetwork

PATIENCE = 60
FOREVER = 1 << 60
"""How long a row of a state is kept before it is loaded again: in large and in small circuits."""


def compiled_step(circuit: Circuit, shape: LaneShape, *, small: bool) -> str:
    """The module of the step of *circuit*."""
    memory = FrameMemory(1 if small else 0, 0)
    text = LaneText(shape, memory, 1 if small else 0, block_places(shape.bits))
    return _CompiledStep(StepCode(text, circuit), small).module()


@dataclass(frozen=True, slots=True)
class _CompiledStep:
    code: StepCode
    small: bool

    def segment(self) -> LaneSegment:
        return LaneSegment(self.code.text, FOREVER if self.small else PATIENCE)

    def module(self) -> str:
        code = self.code
        code.enter()
        asked = code.read_actions()
        segment = self.segment()
        bases = [segment.row("%block", base) for base in range(code.rows.bases)]
        does, wrong = self._moves(segment, asked)
        network = segment.network
        over = segment.row("%block", code.rows.terminal)
        ready = network.conjunction(segment.value("%moving"), over ^ 1)
        went, refused = network.conjunction(ready, wrong ^ 1), network.conjunction(ready, wrong)
        successors = copy_gates(network, code.circuit, bases, does, code.circuit.next.tolist())
        states = [network.choose(went, new, old) for new, old in zip(successors, bases, strict=True)]
        for base, literal in enumerate(states):
            segment.output(literal, "%next_block", base)
        if self.small:
            moved, faulty, terminal = segment.emit([went, refused, self._view(segment, states)])
        else:
            moved, faulty = segment.emit([went, refused])
            segment = self.segment()
            states = [segment.row("%next_block", base) for base in range(code.rows.bases)]
            (terminal,) = segment.emit([self._view(segment, states)])
        code.leave(moved, faulty, terminal)
        return code.module()

    def _moves(self, segment: Segment, asked: list[Asked]) -> tuple[list[int], int]:
        """The moves that are made, role by role, and where one of them is not legal."""
        network, does, wrong = segment.network, [], 0
        for rows, own in zip(self.code.rows.moves, asked, strict=True):
            given, forced = segment.value(own.given), segment.value(own.forced)
            numbers = minterms(network, [segment.value(digit) for digit in own.digits], given, len(rows))
            one = several = 0
            wrong = network.disjunction(wrong, network.disjunction(given, forced) ^ 1)
            for number, row in zip(numbers, rows, strict=True):
                legal = segment.row("%block", row)
                several = network.disjunction(several, network.conjunction(one, legal))
                one = network.disjunction(one, legal)
                done = network.disjunction(number, network.conjunction(legal, forced))
                wrong = network.disjunction(wrong, network.conjunction(done, legal ^ 1))
                does.append(done)
            unclear = network.conjunction(forced, network.disjunction(several, one ^ 1))
            wrong = network.disjunction(wrong, unclear)
        return does, wrong

    def _view(self, segment: Segment, states: list[int]) -> int:
        """What is legal and the goals go into the block; whether it is over."""
        code, circuit = self.code, self.code.circuit
        flat = [int(literal) for own in circuit.legal for literal in own]
        nothing = [0] * len(flat)
        *legal, terminal = copy_gates(segment.network, circuit, states, nothing, [*flat, circuit.terminal])
        for row, literal in zip((row for own in code.rows.moves for row in own), legal, strict=True):
            segment.output(literal, "%next_block", row)
        segment.output(terminal, "%next_block", code.rows.terminal)
        goals = [literal for own in exclusive_goals(segment.network, circuit, states) for literal in own]
        for row, literal in enumerate(goals, code.rows.goals):
            segment.output(literal, "%next_block", row)
        return terminal


def minterms(network: LogicNetwork, digits: list[int], within: int, count: int) -> list[int]:
    """For each number below *count* where the *digits* are its own, *within* a row."""
    terms = [within]
    for digit in digits:
        terms = [network.conjunction(term, digit ^ 1) for term in terms] + [
            network.conjunction(term, digit) for term in terms
        ]
    return terms[:count]
