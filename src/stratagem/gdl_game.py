"""A GDL game, whatever machine computes it, and how it is made from rules: parse, compile, choose the machine.

`GdlGame` is a `Game`: the six members that every search sees. For people at a prompt a `State` answers for itself.

>>> from stratagem.loading import load
>>> state = load("tictactoe").initial()
>>> state.to_move
('xplayer',)
>>> state = state.play("(mark 2 2)")
>>> len(state.legals("oplayer")), state.terminal, state.goal("xplayer")
(8, False, 50)
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from functools import lru_cache
from threading import RLock
from typing import TYPE_CHECKING, Any

from stratagem.circuit.compiler.budget import Left, Stage, quietly, unlimited
from stratagem.errors import GroundingError, StratagemWarning, UsageError
from stratagem.gdl.parse import parse, parse_term
from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.terms import Compound, Symbol, Term
from stratagem.machines.machine import MACHINES, Identity, MachineName
from stratagem.state import State as State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stratagem.circuit.circuit import Circuit
    from stratagem.game import JointMove, Move
    from stratagem.machines.machine import Machine
    from stratagem.machines.reasoner.why import Reason
    from stratagem.native.batch import Batch
    from stratagem.native.compiled import CompiledGame
    from stratagem.native.playouts.report import PlayoutReport


class SlowerMachine(StratagemWarning):
    """The rules could not be compiled within the limits: they run on the reasoner."""


class GdlGame:
    """A game read from rules. *identity* is all it takes to load the same game elsewhere.

    It may be asked by several threads; what is made when first asked for is made once.
    """

    def __init__(
        self,
        sheet: RuleSheet,
        machine: Machine,
        identity: Identity,
        *,
        circuit: Circuit | None = None,
        fallback: str | None = None,
    ) -> None:
        self.sheet = sheet
        self.machine = machine
        self.identity = identity
        self.fallback = fallback
        """Why a slower machine than asked for computes this game, or None."""
        self._circuit = circuit
        self._compiled: CompiledGame | None = None
        self._making = RLock()
        self.roles = sheet.roles
        self._numbers = {role: number for number, role in enumerate(self.roles)}

    def __repr__(self) -> str:
        return f"<game {self.identity.name}: {', '.join(self.roles)} ({self.machine.name})>"

    def __reduce__(self) -> tuple[object, ...]:
        return reload, (self.identity, self.machine.name)

    def initial(self) -> State:
        return State(self, self.machine.initial())

    def legals(self, state: State, role: str) -> tuple[Term, ...]:
        return self.machine.legals(state.data, self.number(role))

    def next(self, state: State, joint: JointMove) -> State:
        moves = tuple(self.move(move) for move in self.in_role_order(joint))
        return State(self, self.machine.next(state.data, moves))

    def terminal(self, state: State) -> bool:
        return self.machine.terminal(state.data)

    def goal(self, state: State, role: str) -> int | None:
        return self.machine.goal(state.data, self.number(role))

    def number(self, role: str) -> int:
        number = self._numbers.get(role)
        if number is None:
            number = self._numbers.get(role.lower())
        if number is None:
            raise UsageError(
                f"no role {role} in {self.identity.name}", hint=f"its roles are {', '.join(self.roles)}"
            )
        return number

    def in_role_order(self, joint: JointMove) -> tuple[Any, ...]:
        """A joint move, given as a mapping or a sequence, as a tuple in the order of the roles."""
        wanted = ", ".join(self.roles)
        if not isinstance(joint, Mapping):
            if isinstance(joint, str | Compound) or len(joint) != len(self.roles):
                count = 1 if isinstance(joint, str | Compound) else len(joint)
                raise UsageError(
                    f"a joint move has one move for each of {wanted}; this one has {count}",
                    hint="state.play(move) fills in the moves of roles that have no choice",
                )
            return tuple(joint)
        by_number = {self.number(role): move for role, move in joint.items()}
        missing = [role for number, role in enumerate(self.roles) if number not in by_number]
        if missing:
            raise UsageError(f"a joint move has one move for each of {wanted}; missing: {', '.join(missing)}")
        return tuple(by_number[number] for number in range(len(self.roles)))

    def parse_move(self, text: str) -> Term:
        """The move that *text* spells, in any letter case.

        >>> from stratagem.loading import load
        >>> load("tictactoe").parse_move("( MARK 1   2 )")
        (mark 1 2)
        """
        return parse_term(text)

    def move(self, move: object) -> Term:
        if isinstance(move, Symbol | Compound):
            return move
        if isinstance(move, str):
            return self.parse_move(move)
        raise UsageError(f"{move!r} is no move", hint='give a term or its text, as in "(mark 1 1)"')

    def spell(self, move: Move) -> str:
        """*move* in the very spelling of the rules."""
        from stratagem.gdl.text.printer import spell

        return spell(self.move(move), self.sheet.spelling)

    @property
    def compilable(self) -> bool:
        """Whether searches may compile the rules: not where these run on the reasoner, by choice or by necessity.

        Neither where a goal is too large for native code. The engine asks this, and only this, to decide between native
        code and plain Python.
        """
        return self.machine.name != "reasoner" and self.circuit.goals_fit

    @property
    def circuit(self) -> Circuit:
        """The rules as gates, worked out when first asked for; `GroundingError` where they are too large."""
        with self._making:
            if self._circuit is None:
                self._circuit = compiled_circuit(self.sheet)
            return self._circuit

    @property
    def compiled(self) -> CompiledGame:
        """The rules as machine code, made when first asked for; `GroundingError` where they are too large."""
        with self._making:
            if self._compiled is None:
                from stratagem.machines.compiled.native import NativeMachine
                from stratagem.native.compiled import CompiledGame

                if isinstance(self.machine, NativeMachine):
                    self._compiled = self.machine.compiled
                else:
                    self._compiled = CompiledGame(self.circuit)
            return self._compiled

    def playouts(
        self,
        state: State | None = None,
        n: int | None = None,
        *,
        seconds: float | None = None,
        seed: int = 0,
        threads: int | None = None,
        limit: int | None = None,
        by_move: bool = False,
    ) -> PlayoutReport:
        """Random matches from *state*: *n* of them, or as many as *seconds* allow.

        Every legal joint move is equally likely. The same seed gives the same matches on any number of threads; a match
        longer than *limit* is counted apart. *by_move* deals the matches to the joint moves at the root. Rules that
        are not `compilable` are played move by move, in one thread.

        >>> from stratagem.loading import load
        >>> report = load("tictactoe").playouts(n=10_000, seed=1)
        >>> report.matches, sum(report.outcomes.values()), round(report.goals[0])
        (10000, 10000, 65)
        """
        from stratagem.native.playouts.playouts import LIMIT

        if n is None and seconds is None:
            n = 1000
        where = self.initial() if state is None else state
        limit = LIMIT if limit is None else limit
        if not self.compilable:
            from stratagem.machines.random_matches import random_matches

            return random_matches(
                self, where, matches=n, seconds=seconds, seed=seed, limit=limit, by_move=by_move
            )
        return self.compiled.playouts.play(
            self.pack(where),
            matches=n,
            seconds=seconds,
            seed=seed,
            threads=threads,
            limit=limit,
            by_move=by_move,
        )

    def batch(self, n: int, *, threads: int | None = None) -> Batch:
        """*n* matches at once on numpy arrays, all at the start; on all cores unless told otherwise."""
        return self.compiled.batch(n, threads=threads)

    def pack(self, state: State) -> NDArray[np.uint64]:
        """The packed words of *state*, which must be a state of this game."""
        if state.game is not self and state.game.identity.rules != self.identity.rules:
            raise UsageError(
                f"this is a state of {state.game.identity.name}, where one of {self.identity.name} is needed",
                hint="begin with the initial() of the game that is searched",
            )
        return state.packed

    def state_of(self, facts: Iterable[Term]) -> State:
        """The state in which exactly *facts* are true."""
        return State(self, self.machine.from_facts(frozenset(facts)))

    def state_from_packed(self, packed: NDArray[np.uint64]) -> State:
        """The state of packed words, as `State.packed` and `compiled` have them."""
        compiled = self.compiled
        words = compiled.checked(packed.reshape(1, -1))[0]
        if isinstance(self.machine.initial(), int):
            from stratagem.native.packing import number_of

            return State(self, number_of(words))
        return self.state_of(compiled.unpack(words))

    def why(self, query: Term | str, state: State | None = None, joint: JointMove | None = None) -> Reason:
        """Why *query* holds in *state*, or why it does not: a legal move, a goal, `terminal`, any relation.

        With *joint* also what is `next`. The reasoner answers, whatever machine computes the game.
        """
        from stratagem.machines.reasoner.why import why

        where = state if state is not None else self.initial()
        moves = None if joint is None else tuple(self.move(move) for move in self.in_role_order(joint))
        return why(self.sheet, where.facts(), moves, self.move(query))


def game_of(
    identity: Identity, machine: MachineName | None, stage: Stage = quietly, left: Left = unlimited
) -> GdlGame:
    """The game of an identity on *machine*, by default the fastest that can take the rules."""
    if machine is not None and machine not in MACHINES:
        raise UsageError(f"no machine called {machine}", hint=f"there are {', '.join(MACHINES)}")
    with stage("parse"):
        sheet = parse(identity.source)
    if machine == "reasoner":
        return GdlGame(sheet, _reasoner(sheet), identity)
    try:
        circuit = compiled_circuit(sheet, stage, left)
    except GroundingError as refused:
        if machine is not None:
            raise
        from stratagem.circuit.compiler.child_process import PLAYS_ANYWAY

        reason = refused.message if refused.hint == PLAYS_ANYWAY else str(refused)
        warnings.warn(
            f"{identity.name} runs on the reasoner, which is slower: {reason}", SlowerMachine, stacklevel=3
        )
        return GdlGame(sheet, _reasoner(sheet), identity, fallback=reason)
    with stage("machine"):
        made = _interpreted(circuit) if machine == "circuit" else _native(circuit)
    return GdlGame(sheet, made, identity, circuit=circuit)


@lru_cache(maxsize=64)
def reload(identity: Identity, machine: str) -> GdlGame:
    """The game of an identity, kept for the next time: what unpickling calls."""
    return game_of(identity, next((name for name in MACHINES if name == machine), None))


def compiled_circuit(sheet: RuleSheet, stage: Stage = quietly, left: Left = unlimited) -> Circuit:
    """The circuit of *sheet*, from the cache where it is there."""
    from stratagem.circuit.compiler.compile import circuit_of
    from stratagem.circuit.compiler.store import user_store

    return circuit_of(sheet, store=user_store(), stage=stage, left=left)


def _native(circuit: Circuit) -> Machine:
    from stratagem.machines.compiled.native import NativeMachine

    return NativeMachine(circuit)


def _interpreted(circuit: Circuit) -> Machine:
    from stratagem.machines.compiled.interpreted import CircuitMachine

    return CircuitMachine(circuit)


def _reasoner(sheet: RuleSheet) -> Machine:
    from stratagem.machines.reasoner.machine import ReasonerMachine

    return ReasonerMachine(sheet)
