"""Packed states on compiled joins: the contract of `native.compiled.CompiledGame`, without a circuit.

The facts that can ever be true, and the moves that can ever be legal, are bounded by the domains of the rules' arguments
(no grounding), and numbered in canonical order. What searches over packed states is given the address of `expand`,
behind which Python calls the kernels.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from stratagem.errors import UnsuitableGame, UsageError
from stratagem.gdl.domains import Domain, Unbounded
from stratagem.gdl.terms import Compound, Symbol, Term, order
from stratagem.ground.rewrite.normal import normal_form
from stratagem.ground.rewrite.size_estimates import SizeEstimates
from stratagem.machines.joins.kernels.memory import Numbering, Status
from stratagem.machines.joins.kernels.packed import advance_one, expand_one, see_end, see_legal
from stratagem.machines.joins.playouts import spelled_numbers
from stratagem.native.compiled import Children, StateViews, checked_states
from stratagem.native.packing import packed_truth, truth_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl.rules import RuleSheet
    from stratagem.machines.joins.machine import JoinsMachine

FACTS_AT_MOST: Final = 1 << 16
MOVES_AT_MOST: Final = 1 << 18


class JoinsGame:
    """The rules of one game over packed states. May be used from many threads, one of which works at a time."""

    def __init__(self, machine: JoinsMachine, sheet: RuleSheet) -> None:
        self.machine, self.roles = machine, sheet.roles
        self.bases, self.moves = universe(sheet)
        self.words = max(1, -(-len(self.bases) // 64))
        self.mask_words = max(1, -(-max(map(len, self.moves)) // 64))
        self._evaluator = machine.evaluator
        self._numbers = {fact: number for number, fact in enumerate(self.bases)}
        with machine.turn:
            self._pack = self._new_numbering()
        self.initial: NDArray[np.uint64] = self.pack(machine.facts(machine.initial()))
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        self._callback: Any = ctypes.CFUNCTYPE(number, pointer, number, *[pointer] * 5, number, pointer)(
            self._expand
        )

    def _new_numbering(self) -> Numbering:
        evaluator = self._evaluator
        number = evaluator.terms.number
        facts = [number(fact) for fact in self.bases]
        moves = [[number(move) for move in own] for own in self.moves]
        evaluator.prepare()
        terms, most = evaluator.terms.record.used, 64 * self.mask_words
        number_of_fact = np.full(terms, -1, np.int32)
        number_of_fact[facts] = np.arange(len(facts))
        number_of_move = np.full((len(moves), terms), -1, np.int32)
        move = np.zeros((len(moves), most), np.int32)
        for role, own in enumerate(moves):
            number_of_move[role, own] = np.arange(len(own))
            move[role, : len(own)] = own
        fact = np.zeros(64 * self.words, np.int32)
        fact[: len(facts)] = facts
        return Numbering(
            fact=fact,
            number_of_fact=number_of_fact,
            move=move,
            number_of_move=number_of_move,
            number=spelled_numbers(evaluator.terms),
            facts=np.zeros_like(fact),
            joint=np.zeros(len(moves), np.int32),
            chosen=np.zeros(len(moves), np.int32),
            legal=np.zeros(len(moves) * self.mask_words, np.uint64),
            words=self.words,
            mask_words=self.mask_words,
        )

    @property
    def expand_address(self) -> int:
        """The address of ``expand``, for kernels; it holds Python's lock."""
        return ctypes.cast(self._callback, ctypes.c_void_p).value or 0

    def expand(self, states: NDArray[np.uint64], *, room: int | None = None) -> Children:
        """All children of non-terminal *states* [n, words]."""
        states, roles = self.checked(states), len(self.roles)
        room = 64 + 16 * len(states) if room is None else max(1, room)
        while True:
            rows = np.empty((room, self.words), np.uint64)
            parents, moves = np.empty(room, np.int32), np.empty((room, roles), np.int32)
            terminal, goals = np.empty(room, np.bool_), np.empty((room, roles), np.int16)
            done = ctypes.c_int64(0)
            count = self._expand(
                states.ctypes.data,
                len(states),
                rows.ctypes.data,
                parents.ctypes.data,
                moves.ctypes.data,
                terminal.ctypes.data,
                goals.ctypes.data,
                room,
                ctypes.addressof(done),
            )
            if done.value == len(states):
                return Children(rows[:count], parents[:count], moves[:count], terminal[:count], goals[:count])
            room = max(2 * room, -count)

    def evaluate(self, states: NDArray[np.uint64]) -> StateViews:
        """Legal moves, the end and the goals of *states* [n, words]."""
        states, roles = self.checked(states), len(self.roles)
        legal = np.empty((len(states), roles, self.mask_words), np.uint64)
        terminal = np.empty(len(states), np.bool_)
        goals = np.empty((len(states), roles), np.int16)
        with self.machine.turn:
            self.machine.forget()
            for row in range(len(states)):
                here = states[row : row + 1].ctypes.data
                self._run(see_legal, here, legal[row : row + 1].ctypes.data)
                self._run(
                    see_end, here, terminal[row : row + 1].ctypes.data, goals[row : row + 1].ctypes.data
                )
        return StateViews(legal, terminal, goals)

    def advance(self, states: NDArray[np.uint64], moves: NDArray[np.int32]) -> NDArray[np.uint64]:
        """The states after *moves* [n, roles], one index into `moves` for every role."""
        states, given = self.checked(states), np.ascontiguousarray(moves, np.int32)
        children = np.empty_like(states)
        with self.machine.turn:
            self.machine.forget()
            for row in range(len(states)):
                self._run(
                    advance_one,
                    states[row : row + 1].ctypes.data,
                    given[row : row + 1].ctypes.data,
                    children[row : row + 1].ctypes.data,
                )
        return children

    def pack(self, facts: Iterable[Term]) -> NDArray[np.uint64]:
        """The packed state in which exactly *facts* hold."""
        bits = np.zeros(len(self.bases), np.bool_)
        for fact in facts:
            number = self._numbers.get(fact)
            if number is None:
                raise UsageError(f"{fact} can never hold in this game")
            bits[number] = True
        return packed_truth(bits, self.words)

    def unpack(self, state: NDArray[np.uint64]) -> frozenset[Term]:
        """The facts of a packed state."""
        return frozenset(self.bases[place] for place in np.flatnonzero(truth_of(state, len(self.bases))))

    def checked(self, states: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """*states* as one block of memory, if they are packed states [n, words] of this game."""
        return checked_states(states, self.words)

    def _expand(
        self,
        states: int,
        count: int,
        children: int,
        parents: int,
        moves: int,
        terminal: int,
        goals: int,
        capacity: int,
        consumed: int,
    ) -> int:
        """`expand` of `native.compiled`, on addresses."""
        roles, made, done = len(self.roles), 0, 0
        numbers = (ctypes.c_int32 * capacity).from_address(parents)
        with self.machine.turn:
            self.machine.forget()
            for done in range(count):
                self._run(
                    expand_one,
                    states + 8 * self.words * done,
                    children + 8 * self.words * made,
                    moves + 4 * roles * made,
                    terminal + made,
                    goals + 2 * roles * made,
                    capacity - made,
                )
                if self._pack.made > capacity - made:
                    break
                for place in range(made, made + self._pack.made):
                    numbers[place] = done
                made += self._pack.made
            else:
                done = count
        ctypes.c_int64.from_address(consumed).value = done
        return made if done or not count else -self._pack.made

    def _run(self, kernel: Any, *given: int) -> None:
        evaluator = self._evaluator
        run: Callable[..., int] = evaluator.code[kernel]
        while (status := run(evaluator.work, self._pack, *given)) != Status.DONE:
            if status == Status.UNKNOWN:
                raise UnsuitableGame("a fact or a move of these rules has no number", hint="report the rules")
            evaluator.provide(status)


def universe(sheet: RuleSheet) -> tuple[tuple[Term, ...], tuple[tuple[Term, ...], ...]]:
    """The facts that could ever be true, and for each role the moves that could ever be legal, in canonical order."""
    try:
        arguments = SizeEstimates(normal_form(sheet)).arguments
    except Unbounded:
        raise _too_many("facts") from None
    (facts,) = arguments.get(("true", 1)) or [Domain(0)]
    _, moves = arguments.get(("legal", 2)) or [Domain(0), Domain(0)]
    if facts.size() > FACTS_AT_MOST or moves.size() > MOVES_AT_MOST:
        raise _too_many("facts" if facts.size() > FACTS_AT_MOST else "moves")
    every = tuple(sorted(_every(moves), key=order))
    return tuple(sorted(_every(facts), key=order)), (every,) * len(sheet.roles)


def _every(domain: Domain) -> Iterator[Term]:
    """All terms of a domain."""
    yield from map(Symbol, domain.symbols)
    for (name, _), parts in domain.functions.items():
        for values in product(*(list(_every(part)) for part in parts)):
            yield Compound((name, *values))


def _too_many(what: str) -> UnsuitableGame:
    return UnsuitableGame(
        f"these rules have too many possible {what} to number them",
        hint="searches on single states still work",
    )
