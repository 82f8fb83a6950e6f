"""The evaluator: runs kernels on one state at a time, and makes the plans and the room that they ask for.

A relation that takes too many steps to write out is worked out *on demand* from then on: for the values that rules ask
about, in the middle of the rule that asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import LimitExceeded
from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.terms import Symbol, Variable, arguments, functor
from stratagem.kernels import Array, int32
from stratagem.kernels.translate.family import KernelFamily
from stratagem.machines.joins.kernels.evaluation import answer, load_moves, load_state
from stratagem.machines.joins.kernels.memory import LEVELS, Status, Work
from stratagem.machines.joins.kernels.packed import advance_one, expand_one, see_end, see_legal
from stratagem.machines.joins.kernels.playouts import play_matches
from stratagem.machines.joins.kernels.tables import add_rows, fill_index
from stratagem.machines.joins.kernels.terms import enter_term, refill_terms
from stratagem.machines.joins.plans import PlanStore
from stratagem.machines.joins.program import QUESTIONS, FlatKey, JoinComponent, program_of
from stratagem.machines.joins.tables import TableStore
from stratagem.machines.joins.terms import InternedTerms, grown

WRITTEN: Final = (20_000_000, 20_000, 20_000)
"""Steps that writing out a relation may take, by level, before it is worked out on demand."""
ROWS_WRITTEN: Final = 1 << 18
"""Rows of a table from which on it is not enlarged, where its relation can be worked out on demand."""
STEPS_AT_MOST: Final = 4_000_000_000
"""Steps that may be spent on one component: a minute or so."""
STACK: Final = 1 << 10
STACK_AT_MOST: Final = 1 << 22
OUTPUTS: Final = frozenset((name, "", arity) for name, arity in QUESTIONS)
KERNELS: Final = KernelFamily(
    "joins",
    (
        answer,
        load_state,
        load_moves,
        play_matches,
        expand_one,
        see_legal,
        see_end,
        advance_one,
        add_rows,
        fill_index,
        enter_term,
        refill_terms,
    ),
)


class Evaluator:
    """The rules of one sheet over the facts of one state at a time. Not for several threads at once.

    *written* are the steps after which a relation is worked out on demand, by level; with zeros all are that can be.
    """

    def __init__(self, sheet: RuleSheet, code: Any, *, written: Sequence[int] = WRITTEN) -> None:
        self.code = code
        self.program = program_of(sheet)
        self.terms, self.tables = InternedTerms(code), TableStore(code)
        limits = [
            STEPS_AT_MOST if _only_written_out(component) else written[component.level]
            for component in self.program.components
        ]
        self.plans = PlanStore(self.program, self.terms, self.tables, limits)
        self._functions_noted = 0
        self._enter_functions()
        self.work = self._new_work()
        self._note_needs()

    def _enter_functions(self) -> None:
        """All symbols and functions of the rules get their numbers now: kernels make terms of them at any time."""
        for component in self.program.components:
            for rule in component.rules:
                waiting = [column for atom in rule.atoms() for column in atom.columns]
                waiting += [side for pair in rule.different for side in pair]
                while waiting:
                    term = waiting.pop()
                    if not isinstance(term, Variable):
                        self.terms.function(*functor(term))
                        waiting += arguments(term)

    def _new_work(self) -> Work:
        numbers = self.plans.numbers
        roles = [self.terms.number(Symbol(role)) for role in self.program.roles]
        work = Work(
            terms=self.terms.record,
            tables=self.tables.record,
            plans=self.plans.record,
            stack=np.zeros(STACK, np.int32),
            stamps=np.ones(LEVELS, np.int64),
            needed=np.zeros(1, np.int32),
            first_needed=np.zeros(len(QUESTIONS), np.int32),
            needed_count=np.zeros(len(QUESTIONS), np.int32),
            roles=np.array(roles, np.int32),
            true_of=np.zeros(1, np.int32),
            does_of=np.zeros(1, np.int32),
            any_true=numbers.get(("true", "", 1), -1),
            any_does=numbers.get(("does", "", 2), -1),
        )
        _, work.terminal, work.legal, work.goal, work.next = (
            numbers[name, "", arity] for name, arity in QUESTIONS
        )
        return work

    def prepare(self) -> None:
        """Notes which relation takes the facts of which function, and the order of functions, as they are by now."""
        self.terms.rank()
        functors = self.terms.functors
        if len(functors) == self._functions_noted:
            return
        self._functions_noted = len(functors)
        numbers = self.plans.numbers

        def places(name: str, more: int) -> NDArray[np.int32]:
            found = [
                numbers.get((name, f"{function}/{arity}", arity + more), -1) for function, arity in functors
            ]
            return np.array(found, np.int32)

        self.work.put(true_of=places("true", 0), does_of=places("does", 1))

    def _note_needs(self) -> None:
        needs = [self._needed((name, "", arity)) for name, arity in QUESTIONS]
        counts = np.array(list(map(len, needs)), np.int32)
        self.work.put(
            needed=np.array([number for need in needs for number in need] or [0], np.int32),
            first_needed=(np.cumsum(counts) - counts).astype(np.int32),
            needed_count=counts,
        )

    def _needed(self, key: FlatKey) -> list[int]:
        """The components that are written out for a question after *key*, in order."""
        found: set[int] = set()
        waiting = [key]
        while waiting:
            number = self.plans.component_of.get(waiting.pop())
            if number is not None and number not in found:
                found.add(number)
                waiting += self.program.components[number].reads
        return sorted(found - self.plans.demanded)

    def load(self, facts: NDArray[np.int32]) -> None:
        """Makes the state of these facts the one that is asked about."""
        self.prepare()
        given = Array(int32, facts)
        self.run(lambda: self.code[load_state](self.work, given, len(facts)))

    def load_joint(self, moves: NDArray[np.int32]) -> None:
        """Makes this joint move the one that is asked about."""
        self.prepare()
        given = Array(int32, moves)
        self.run(lambda: self.code[load_moves](self.work, given))

    def ask(self, question: int) -> None:
        """Works out what a question needs."""
        self.run(lambda: self.code[answer](self.work, question))

    def rows(self, key: FlatKey) -> NDArray[np.int32]:
        """The rows of a relation that was worked out."""
        return self.tables.rows(self.plans.numbers[key])

    def run(self, kernel: Callable[[], int]) -> None:
        """Calls *kernel* until it is done, with what it asked for in between."""
        while (status := kernel()) != Status.DONE:
            self.provide(status)

    def provide(self, status: int) -> None:
        """Makes what a kernel asked for: a plan, or room."""
        where = self.work.where
        if status == Status.PLAN:
            self.plans.plan(where)
        elif status == Status.ROWS:
            self._more_rows(where)
        elif status == Status.TERMS:
            terms = self.work.terms
            self.terms.make_room(terms.used + 64, terms.arguments_used + 256)
        elif status == Status.STACK:
            if self.work.stack_room >= STACK_AT_MOST:
                raise LimitExceeded(
                    f"{self._name(where)} and what it depends on are nested too deep",
                    hint="bind their variables with smaller relations",
                )
            self.work.put(stack=grown(self.work.stack.numpy, 4 * self.work.stack_room))
        else:
            self._too_many_steps(where)

    def _more_rows(self, relation: int) -> None:
        """Room for more rows; where it is much, what is being written out may be better worked out on demand."""
        running = self.work.running
        large = self.tables.record.room[relation] >= ROWS_WRITTEN
        if large and running >= 0 and not _only_written_out(self.program.components[running]):
            self._on_demand(running)
        else:
            self.tables.more_room(relation)

    def _too_many_steps(self, number: int) -> None:
        if _only_written_out(self.program.components[number]):
            raise LimitExceeded(
                f"{self._name(number)} takes more than {STEPS_AT_MOST:,} steps in one state",
                hint="bind the variables of its rules with smaller relations",
            )
        self._on_demand(number)

    def _on_demand(self, number: int) -> None:
        self.plans.put_on_demand(number)
        self._note_needs()

    def _name(self, component: int) -> str:
        return min(self.program.components[component].keys)[0]


def _only_written_out(component: JoinComponent) -> bool:
    """Whether a component is never worked out on demand: what is asked for whole, and demands that would have no end."""
    return bool(component.keys & OUTPUTS) or component.demands_grow
