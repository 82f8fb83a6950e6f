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
from collections.abc import Iterable, Mapping, Sized
from functools import lru_cache
from threading import RLock
from typing import TYPE_CHECKING, Any

from stratagem.circuit.compiler.budget import Left, Stage, quietly, unlimited
from stratagem.errors import GroundingError, StratagemWarning, UnsuitableGame, UsageError, require_type
from stratagem.gdl.parse import parse, parse_term, term_of
from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.terms import Compound, Term
from stratagem.machines import making
from stratagem.machines.background import SwappingMachine
from stratagem.machines.machine import MACHINES, Identity, MachineName
from stratagem.machines.making import compiled_circuit
from stratagem.state import State as State
from stratagem.state import data_of, require_state, whole_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stratagem.circuit.circuit import Circuit
    from stratagem.executor.interface import Executor
    from stratagem.game import JointMove, Move
    from stratagem.machines.joins.packed import JoinsGame
    from stratagem.machines.machine import Machine
    from stratagem.machines.reasoner.why import Reason
    from stratagem.native.compiled import CompiledGame, PackedGame
    from stratagem.native.playouts.report import PlayoutReport
    from stratagem.simulation.batch import Batch
    from stratagem.simulation.encoding import Encoding


class SlowerMachine(StratagemWarning):
    """The rules could not be compiled within the limits: they run on joins, or on the reasoner."""


class GdlGame:
    """A game read from rules. *identity* is all that is needed to load the same game elsewhere.

    Several threads may call it at once; what is computed on first use is computed once.
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
        self._fallback = fallback
        self._circuit = circuit
        self._compiled: CompiledGame | None = None
        self._encoding: Encoding | None = None
        self._packed: JoinsGame | None = None
        self._making = RLock()
        self.roles = sheet.roles
        self._numbers = {role: number for number, role in enumerate(self.roles)}

    def __repr__(self) -> str:
        return f"<game {self.identity.name}: {', '.join(self.roles)} ({self.machine.name})>"

    def __reduce__(self) -> tuple[object, ...]:
        machine = self.machine
        is_settled = not isinstance(machine, SwappingMachine) or machine.job.done
        return reload, (self.identity, machine.name if is_settled else "")

    def initial(self) -> State:
        """The state in which every match begins."""
        return State(self, self.machine.initial())

    def check_state(self, state: State) -> None:
        """Refuses what is not a state of this game, such as one of another game."""
        require_state(self, state)

    def legals(self, state: State, role: str) -> tuple[Term, ...]:
        """What *role* may do in *state*, in canonical order."""
        return self.machine.legals(data_of(state), self.number(role))

    def next(self, state: State, joint: JointMove) -> State:
        """The state after *joint*: one legal move for each role, by role or in the order of the roles."""
        moves = tuple(self.move(move) for move in self.in_role_order(joint))
        return State(self, self.machine.next(data_of(state), moves))

    def terminal(self, state: State) -> bool:
        """Whether the match is over in *state*."""
        return self.machine.terminal(data_of(state))

    def goal(self, state: State, role: str) -> int | None:
        """What *state* is worth to *role*, from 0 to 100; None where the rules give no goal, or several."""
        return self.machine.goal(data_of(state), self.number(role))

    def number(self, role: str) -> int:
        """The place of *role* among the roles; its name may be in any letter case."""
        number = self._numbers.get(role) if isinstance(role, str) else None
        if number is None and isinstance(role, str):
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
            one = isinstance(joint, str | Compound)
            count = 1 if one else len(joint) if isinstance(joint, Sized) else 0
            if one or count != len(self.roles):
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
        require_type(text, str, "the text of a move")
        return parse_term(text)

    def move(self, move: object) -> Term:
        """A move as a term: *move* itself, or what its text spells."""
        return term_of(move, "move")

    def spell(self, move: Move) -> str:
        """*move* in the spelling of the rules."""
        from stratagem.gdl.text.printer import spell

        return spell(self.move(move), self.sheet.spelling)

    def settle(self) -> Machine:
        """The machine that stays: waits for rules that are compiled in the background.

        A slower machine than the one hoped for says so once, with the reason.
        """
        if isinstance(self.machine, SwappingMachine):
            job = self.machine.job
            settled = self.machine.settle()
            with self._making:
                if job.refused is not None and self._fallback is None:
                    self._fallback = making.reason_of(job.refused)
                    _warn(self.identity, settled, self._fallback)
                elif self._circuit is None:
                    self._circuit = job.circuit
            return settled
        return self.machine

    @property
    def runs_on(self) -> str:
        """The machine that stays, in words."""
        name = self.settle().name
        return "the reasoner" if name == "reasoner" else name

    @property
    def fallback(self) -> str | None:
        """Why a slower machine than hoped for computes this game, or None."""
        self.settle()
        return self._fallback

    @fallback.setter
    def fallback(self, reason: str) -> None:
        self._fallback = reason

    @property
    def compilable(self) -> bool:
        """Whether searches may compile the rules: not where these run on joins or the reasoner, by choice or by necessity.

        Neither where a goal is too large for native code. The engine asks this, and only this, to decide between native
        code and plain Python.
        """
        return self.settle().name in ("native", "circuit") and self.circuit.goals_fit

    @property
    def circuit(self) -> Circuit:
        """The rules as gates, computed on first use; `GroundingError` if they are too large."""
        self.settle()
        with self._making:
            if self._circuit is None:
                self._circuit = compiled_circuit(self.sheet)
            return self._circuit

    @property
    def compiled(self) -> CompiledGame:
        """The rules as machine code, compiled on first use; `GroundingError` if they are too large."""
        machine = self.settle()
        with self._making:
            if self._compiled is None:
                from stratagem.machines.compiled.native import NativeMachine
                from stratagem.native.compiled import CompiledGame

                if isinstance(machine, NativeMachine):
                    self._compiled = machine.compiled
                else:
                    self._compiled = CompiledGame(self.circuit)
            return self._compiled

    @property
    def expandable(self) -> PackedGame:
        """What expands packed states: machine code, or joins for rules that run on them."""
        from stratagem.machines.joins.machine import JoinsMachine

        machine = self.settle()
        if not isinstance(machine, JoinsMachine):
            return self.compiled
        with self._making:
            if self._packed is None:
                from stratagem.machines.joins.packed import JoinsGame

                self._packed = JoinsGame(machine, self.sheet)
            return self._packed

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
        device: str = "cpu",
        on: Executor | None = None,
    ) -> PlayoutReport:
        """Random matches from *state*: *n* of them, or as many as *seconds* allow.

        Every legal joint move is equally likely. The same seed gives the same matches on any number of threads; a match
        longer than *limit* is counted separately. *by_move* deals the matches to the joint moves at the root. Rules that
        are not `compilable` are played in one thread. *device* ``cuda`` plays on all NVIDIA GPUs, ``cuda:0`` on one, and
        an executor, *on*, plays a part of *n* matches on each of its cores: all of them play the same matches.

        >>> from stratagem.loading import load
        >>> report = load("tictactoe").playouts(n=10_000, seed=1)
        >>> report.matches, sum(report.outcomes.values()), round(report.goals[0])
        (10000, 10000, 65)
        """
        from stratagem.native.playouts.playouts import LIMIT
        from stratagem.simulation.playouts import play_random

        return play_random(
            self,
            self.initial() if state is None else state,
            1000 if n is None and seconds is None else n,
            seconds=seconds,
            seed=seed,
            threads=threads,
            limit=LIMIT if limit is None else limit,
            by_move=by_move,
            device=device,
            on=on,
        )

    @property
    def encoding(self) -> Encoding:
        """The game as numbers: actions, observations, planes, rewards; computed on first use."""
        with self._making:
            if self._encoding is None:
                from stratagem.simulation.encoding import Encoding

                self._encoding = Encoding(self)
            return self._encoding

    def batch(
        self,
        n: int,
        *,
        device: str = "cpu",
        threads: int | None = None,
        reward_range: tuple[float, float] = (-1.0, 1.0),
    ) -> Batch:
        """*n* matches at once as arrays, all at the start; on all cores unless told otherwise, or on a GPU (``"cuda"``)."""
        from stratagem.simulation.batch import Batch

        return Batch(self, n, device=device, threads=threads, reward_range=reward_range)

    def pack(self, state: State) -> NDArray[np.uint64]:
        """The packed words of *state*, which must be a state of this game."""
        require_state(self, state)
        return state.packed

    def state_of(self, facts: Iterable[Term | str]) -> State:
        """The state in which exactly *facts* are true: terms, or their text."""
        require_type(facts, Iterable, "a collection of facts")
        return State(self, self.machine.from_facts(frozenset(term_of(fact, "fact") for fact in facts)))

    def state_from_packed(self, packed: NDArray[np.uint64]) -> State:
        """The state of packed words, as `State.packed` and `compiled` have them."""
        compiled = self.compiled
        words = compiled.checked(whole_words(packed).reshape(1, -1))[0]
        if isinstance(self.settle().initial(), int):
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


def require_rules(game: object, *, by: str) -> None:
    """Refuses what was not read from rules, such as a tree or the name of a game."""
    if not isinstance(game, GdlGame):
        raise UnsuitableGame(
            f"{by} needs a game that was loaded from rules; this is of the type {type(game).__name__}",
            hint="stratagem.load makes one; the algorithms in stratagem.search take any game",
        )


def game_of(
    identity: Identity,
    machine: MachineName | None,
    stage: Stage = quietly,
    left: Left = unlimited,
    *,
    background: bool = False,
) -> GdlGame:
    """The game of an identity on *machine*, by default the fastest that can take the rules.

    In the *background* rules are compiled that take long; until then the game is computed by joins.
    """
    if machine is not None and machine not in MACHINES:
        raise UsageError(f"no machine called {machine}", hint=f"choose one of {', '.join(MACHINES)}")
    with stage("parse"):
        sheet = parse(identity.source)
    if machine == "reasoner":
        return GdlGame(sheet, making.reasoner(sheet), identity)
    if machine == "joins":
        return GdlGame(sheet, making.joins(sheet), identity)
    try:
        circuit = making.quick_circuit(sheet) if background else compiled_circuit(sheet, stage, left)
    except GroundingError as refused:
        if machine is not None:
            raise
        reason = making.reason_of(refused)
        made = making.slower(sheet)
        _warn(identity, made, reason)
        return GdlGame(sheet, made, identity, fallback=reason)
    if circuit is None:
        return GdlGame(sheet, making.swapping(sheet), identity)
    with stage("machine"):
        made = making.interpreted(circuit) if machine == "circuit" else making.native(circuit)
    return GdlGame(sheet, made, identity, circuit=circuit)


def _warn(identity: Identity, machine: Machine, reason: str) -> None:
    warnings.warn(
        f"{identity.name} runs on {'the ' * (machine.name == 'reasoner')}{machine.name}, which is slower: {reason}",
        SlowerMachine,
        stacklevel=4,
    )


@lru_cache(maxsize=64)
def reload(identity: Identity, machine: str) -> GdlGame:
    """The game of an identity, kept for the next time: what unpickling calls."""
    return game_of(identity, next((name for name in MACHINES if name == machine), None))
