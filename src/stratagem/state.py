"""One state of a GDL game: an immutable, hashable, picklable value that answers questions about itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stratagem.errors import IllegalMove, UsageError, require_type
from stratagem.gdl.terms import CONTROL, NOOP, Compound, Symbol, Term, order

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from stratagem.game import JointMove
    from stratagem.gdl_game import GdlGame


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """One state of a GDL game: a value. Equal to any state of the same rules with the same facts.

    Printing a state draws its board, as text; in a notebook it shows itself as a picture.
    """

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
        """Whether the match is over here."""
        return self.game.terminal(self)

    def goal(self, role: str) -> int | None:
        """What this state is worth to *role*, from 0 to 100; None where the rules give no goal, or several."""
        return self.game.goal(self, role)

    @property
    def choosing(self) -> tuple[str, ...]:
        """The roles that have more than one legal move here; none once the match is over."""
        if self.terminal:
            return ()
        return tuple(role for role in self.game.roles if len(self.legals(role)) > 1)

    @property
    def to_move(self) -> tuple[str, ...]:
        """Whose turn it is: the roles that have a choice, or where none has one, those that must do something.

        In such a forced state these are the roles of which ``(control role)`` is true; without such facts those whose
        only move is not `noop`; else all roles. Empty once the match is over, and never before.
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
        """The state as `game.compiled` takes it: uint64 words, bit i is ``circuit.bases[i]``; read-only.

        Rules that run on joins have facts and bits of their own, as `game.expandable` takes them.
        """
        if isinstance(self.data, int):  # the machines of a circuit hold exactly these bits
            from stratagem.native.packing import packed, words_of

            return packed(self.data, words_of(self.game.circuit))
        words = self.game.expandable.pack(self.facts())
        words.flags.writeable = False
        return words

    def facts(self) -> frozenset[Term]:
        """What is true here: ground terms, without the word `true`."""
        return self.game.machine.facts(self.data)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        if self.game.machine is other.game.machine and type(self.data) is type(other.data):
            return bool(self.data == other.data)
        return self.game.identity.rules == other.game.identity.rules and self.facts() == other.facts()

    def __hash__(self) -> int:
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(self.facts()))
        return self._hash or 0

    def __reduce__(self) -> tuple[object, ...]:
        return restore, (self.game, self.facts())

    def __deepcopy__(self, memory: object) -> State:
        """Itself: nothing can change a state."""
        return self

    def __repr__(self) -> str:
        return f"<state {' '.join(map(str, sorted(self.facts(), key=order)))}>"

    def __str__(self) -> str:
        from stratagem.show.board.terminal.board import draw

        return draw(self)

    def _repr_html_(self) -> str:
        from stratagem.show.board.svg.board import draw_html

        return draw_html(self)


def data_of(state: State) -> Any:
    """What a machine computes with; refuses what is not a state."""
    require_type(state, State, "a state of a game", hint="game.initial() is the first one")
    return state.data


def require_state(game: GdlGame, state: State) -> None:
    """Refuses what is not a state of *game*."""
    data_of(state)
    if state.game is not game and state.game.identity.rules != game.identity.rules:
        raise UsageError(
            f"this is a state of {state.game.identity.name}, where one of {game.identity.name} is needed",
            hint="begin with the initial() of the game that is searched",
        )


def whole_words(packed: ArrayLike) -> NDArray[np.uint64]:
    """Packed words as an array; refuses what is none."""
    import numpy as np

    words = np.asarray(packed)
    if words.dtype.kind not in "iu" or (words.dtype.kind == "i" and (words < 0).any()):
        raise UsageError(f"packed words are uint64, as state.packed has them; these are {words.dtype}")
    return words.astype(np.uint64, copy=False)


def restore(game: GdlGame, facts: frozenset[Term]) -> State:
    """What unpickling a state calls."""
    return game.state_of(facts)


def some(moves: Iterable[Term], most: int = 8) -> str:
    """A few of the moves, for a message."""
    listed = [str(move) for move in dict.fromkeys(moves)]
    return ", ".join(listed[:most]) + (f" and {len(listed) - most} more" if len(listed) > most else "")
