"""A GDL game and its states, whatever machine computes them.

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

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any

from stratagem.errors import IllegalMove, UsageError
from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.terms import Compound, Symbol, Term, order
from stratagem.machines.identity import Identity

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


CONTROL = Symbol("control")
"""By convention a fact ``(control role)`` says whose turn it is."""
NOOP = Symbol("noop")
"""By convention the only move of a role whose turn it is not."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """What a game needs from the floors above: how to load it again, make a circuit of it, draw its states."""

    reload: Callable[[Identity, str], GdlGame]
    compile: Callable[[RuleSheet], Circuit]
    draw: Callable[[State], str]
    draw_html: Callable[[State], str]


class GdlGame:
    """A game read from rules. *identity* is all it takes to load the same game elsewhere.

    It may be asked by several threads; what is made when first asked for is made once.
    """

    def __init__(
        self,
        sheet: RuleSheet,
        machine: Machine,
        identity: Identity,
        hooks: Hooks,
        *,
        circuit: Circuit | None = None,
        fallback: str | None = None,
    ) -> None:
        self.sheet = sheet
        self.machine = machine
        self.identity = identity
        self.hooks = hooks
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
        return self.hooks.reload, (self.identity, self.machine.name)

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
        from stratagem.gdl.parse import parse_term

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

        The engine asks this, and only this, to decide between native code and plain Python.
        """
        return self.machine.name != "reasoner"

    @property
    def circuit(self) -> Circuit:
        """The rules as gates, worked out when first asked for; `GroundingError` where they are too large."""
        with self._making:
            if self._circuit is None:
                self._circuit = self.hooks.compile(self.sheet)
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
            where.packed,
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


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """One state of a GDL game: a value. Equal to any state of the same rules with the same facts."""

    game: GdlGame = field(repr=False)
    data: Any
    _hash: int | None = field(default=None, init=False, repr=False)

    def legals(self, role: str) -> tuple[Term, ...]:
        """What *role* may do here, in canonical order."""
        return self.game.legals(self, role)

    def next(self, joint: JointMove) -> State:
        """The state after *joint*, which must be legal."""
        return self.game.next(self, joint)

    @property
    def terminal(self) -> bool:
        return self.game.terminal(self)

    def goal(self, role: str) -> int | None:
        return self.game.goal(self, role)

    @property
    def choosing(self) -> tuple[str, ...]:
        """The roles that have more than one legal move here; nobody once the match is over."""
        if self.terminal:
            return ()
        return tuple(role for role in self.game.roles if len(self.legals(role)) > 1)

    @property
    def to_move(self) -> tuple[str, ...]:
        """Whose turn it is: the roles that have a choice, or where nobody has one, those that must do something.

        In such a forced state these are the roles of which ``(control role)`` is true; without such facts those whose
        only move is not `noop`; else all roles. Nobody once the match is over, and never nobody before.
        """
        choosing, roles = self.choosing, self.game.roles
        if choosing or self.terminal:
            return choosing
        facts = self.facts()
        in_control = tuple(role for role in roles if Compound((CONTROL, Symbol(role))) in facts)
        return in_control or tuple(role for role in roles if self.legals(role) != (NOOP,)) or roles

    def play(self, move: Term | str) -> State:
        """The state after *move* of the one role that has the choice; the others' only moves are filled in."""
        term = self.game.move(move)
        if self.terminal:
            raise IllegalMove(f"{term} cannot be played: the match is over")
        choices = [self.legals(role) for role in self.game.roles]
        able = [number for number, legal in enumerate(choices) if term in legal]
        movers = [number for number, legal in enumerate(choices) if len(legal) != 1]
        if not able:
            raise IllegalMove(
                f"{term} is not legal here", hint=f"legal: {some(m for legal in choices for m in legal)}"
            )
        mover = movers[0] if len(movers) == 1 and movers[0] in able else able[0]
        others = [number for number in movers if number != mover]
        if others:
            names = ", ".join(self.game.roles[number] for number in [mover, *others])
            raise IllegalMove(
                f"{names} all have a choice here, so one move is not enough",
                hint='use state.next({"role": move, ...})',
            )
        if any(not legal for legal in choices):
            stuck = self.game.roles[next(number for number, legal in enumerate(choices) if not legal)]
            raise IllegalMove(f"{stuck} has no legal move here, so nothing can be played")
        return self.game.next(
            self, tuple(term if at == mover else legal[0] for at, legal in enumerate(choices))
        )

    @property
    def packed(self) -> NDArray[np.uint64]:
        """The state as `game.compiled` takes it: uint64 words, bit i is ``circuit.bases[i]``; read-only."""
        if isinstance(self.data, int):  # the machines of a circuit hold exactly these bits
            from stratagem.native.packing import packed, words_of

            return packed(self.data, words_of(self.game.circuit))
        words = self.game.compiled.pack(self.facts())
        words.flags.writeable = False
        return words

    def facts(self) -> frozenset[Term]:
        """What is true here: ground terms, without the word `true`."""
        return self.game.machine.facts(self.data)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        if self.game.machine is other.game.machine:
            return bool(self.data == other.data)
        return self.game.identity.rules == other.game.identity.rules and self.facts() == other.facts()

    def __hash__(self) -> int:
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(self.facts()))
        return self._hash or 0

    def __reduce__(self) -> tuple[object, ...]:
        return restore, (self.game, self.facts())

    def __repr__(self) -> str:
        return f"<state {' '.join(map(str, sorted(self.facts(), key=order)))}>"

    def __str__(self) -> str:
        return self.game.hooks.draw(self)

    def _repr_html_(self) -> str:
        return self.game.hooks.draw_html(self)


def restore(game: GdlGame, facts: frozenset[Term]) -> State:
    """What unpickling a state calls."""
    return game.state_of(facts)


def some(moves: Iterable[Term], most: int = 8) -> str:
    """A few of the moves, for a message."""
    listed = [str(move) for move in dict.fromkeys(moves)]
    return ", ".join(listed[:most]) + (f" and {len(listed) - most} more" if len(listed) > most else "")
