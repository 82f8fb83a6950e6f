"""The native machine: one game's circuit behind the single-state interface, as machine code where that pays.

A state is an int: bit i is ``bases[i]``. All questions about a state are answered by one evaluation, which is kept
in a bounded memory. The first few evaluations are done gate by gate in Python, because a command that asks for one
list of moves should not wait for LLVM to be loaded; after that native code takes over: a microsecond or two.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from stratagem.circuit.circuit import Circuit
from stratagem.errors import IllegalMove, UsageError
from stratagem.gdl.terms import Term
from stratagem.machines.compiled.interpreted import CircuitMachine
from stratagem.native.packing import ones

if TYPE_CHECKING:
    from stratagem.native.compiled import CompiledGame
    from stratagem.native.single import Single

Kept = TypeVar("Kept")
PATIENCE: Final = 200_000
"""Gates evaluated in Python before native code is loaded: as long as loading takes."""
PREPARATION: Final = 20
"""Preparing a gate for native code takes as long as evaluating it so many times in Python."""
REMEMBERED: Final = 1 << 14
"""States whose evaluation is kept."""


@dataclass(frozen=True, slots=True)
class StateView:
    """What the rules say about one state."""

    legals: tuple[tuple[Term, ...], ...]
    terminal: bool
    goals: tuple[int | None, ...]


class NativeMachine:
    """Plays a circuit. May be used from several threads."""

    name = "native"

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self._plain = CircuitMachine(circuit)
        self._compiled: CompiledGame | None = None
        self._single: Single | None = None
        self._spent = 0
        self._patience = PATIENCE + PREPARATION * circuit.gate_count
        self._loading = threading.Lock()
        self._keeping = threading.Lock()
        self._views: dict[int, StateView] = {}
        self._lists: list[dict[int, tuple[Term, ...]]] = [{} for _ in circuit.roles]
        self._facts: dict[int, frozenset[Term]] = {}
        self._numbers = [{move: number for number, move in enumerate(moves)} for moves in circuit.moves]

    @property
    def compiled(self) -> CompiledGame:
        """The compiled rules, made when first asked for."""
        with self._loading:
            if self._compiled is None:
                from stratagem.native.compiled import CompiledGame

                self._compiled = CompiledGame(self.circuit)
            return self._compiled

    def initial(self) -> int:
        return self._plain.initial()

    def legals(self, data: int, role: int) -> tuple[Term, ...]:
        """The moves of the role numbered *role*, in canonical order."""
        return self._view(data).legals[role]

    def next(self, data: int, joint: tuple[Term, ...]) -> int:
        """The state after *joint*, one move for every role; a move that is never legal is refused."""
        single = self._single or self._native()
        if single is None:
            return self._plain.next(data, joint)
        try:
            moves = [own[move] for own, move in zip(self._numbers, joint, strict=True)]
        except KeyError:
            role, move = next(
                (role, move)
                for role, own, move in zip(self.circuit.roles, self._numbers, joint, strict=True)
                if move not in own
            )
            raise IllegalMove(f"{move} is never a legal move of {role}") from None
        return single.advance(data, moves)

    def terminal(self, data: int) -> bool:
        return self._view(data).terminal

    def goal(self, data: int, role: int) -> int | None:
        """The only value that holds for the role numbered *role*, or None."""
        return self._view(data).goals[role]

    def facts(self, data: int) -> frozenset[Term]:
        facts = self._facts.get(data)
        if facts is None:
            facts = self._remember(self._facts, data, self._plain.facts(data))
        return facts

    def from_facts(self, facts: Iterable[Term]) -> int:
        """The state in which exactly *facts* hold."""
        return self._plain.from_facts(facts)

    def _view(self, data: int) -> StateView:
        view = self._views.get(data)
        if view is None:
            view = self._remember(self._views, data, self._evaluated(data))
        return view

    def _evaluated(self, data: int) -> StateView:
        if data < 0 or data >> len(self.circuit.bases):
            raise UsageError(f"a state of this game is a number of {len(self.circuit.bases)} bits")
        roles = range(len(self.circuit.roles))
        single = self._single or self._native()
        if single is None:
            return StateView(
                tuple(self._plain.legals(data, role) for role in roles),
                self._plain.terminal(data),
                tuple(self._plain.goal(data, role) for role in roles),
            )
        masks, terminal, goals = single.evaluate(data)
        legals = tuple([self._listed(role, mask) for role, mask in enumerate(masks)])
        return StateView(legals, terminal, tuple([goal if goal >= 0 else None for goal in goals]))

    def _listed(self, role: int, mask: int) -> tuple[Term, ...]:
        """The moves of a mask; the same masks come again and again."""
        moves = self._lists[role].get(mask)
        if moves is None:
            own = self.circuit.moves[role]
            moves = self._remember(self._lists[role], mask, tuple([own[number] for number in ones(mask)]))
        return moves

    def _native(self) -> Single | None:
        """Native code, once enough has been evaluated to pay for loading it."""
        self._spent += self.circuit.gate_count + 64
        if self._spent < self._patience or not self.circuit.goals_fit:
            return None
        self._single = self.compiled.single
        return self._single

    def _remember(self, memory: dict[int, Kept], data: int, value: Kept) -> Kept:
        """Keep *value*; the oldest goes when there are too many."""
        with self._keeping:
            if len(memory) >= REMEMBERED:
                del memory[next(iter(memory))]
            memory[data] = value
        return value
