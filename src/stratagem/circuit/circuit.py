"""The circuit: a game as boolean gates, the contract between the grounder's side and the code generator's.

Nodes are numbered: 0 is the constant false, then one node per base proposition of the state (`bases`), then
one per move of each role (`moves`, role by role), then the gates. A *literal* is ``2 * node + complement``, so
0 is false, 1 is true and ``literal ^ 1`` negates.

Gate ``g`` (node ``first_gate + g``) is the AND or the OR of the literals ``left[g]`` and ``right[g]``. Operands come
before the gates that use them, except inside a loop: the gates of ``loops[i] = (first, last)`` (gate numbers, last
exclusive) may read gates of the same range that come later. Such a range is run again and again, its
gates false at the start, until nothing changes: the least fixed point. Inside a loop the gates of the range
are read positively only (stratified negation), so the iteration rises and ends.

`next` may be asked for only with exactly one move of every role set: the gates lean on it ("none of the other
moves" may stand for "this move"). The legal, terminal and goal literals never read a move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stratagem.gdl.terms import Term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FALSE: Final = 0
TRUE: Final = 1
AND: Final = 0
OR: Final = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Circuit:
    """One game: what every next proposition, legal move, goal and the end are, as literals over the gates."""

    roles: tuple[str, ...]
    bases: tuple[Term, ...]
    """The propositions of a state in canonical order (`gdl.terms.order`); bit i of a packed state is bases[i]."""
    moves: tuple[tuple[Term, ...], ...]
    """For each role the moves that could ever be legal, in canonical order."""
    constants: frozenset[Term]
    """Facts that hold in every reachable state and were folded away: facts() adds them."""

    operations: NDArray[np.int8]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    loops: tuple[tuple[int, int], ...]

    initial: NDArray[np.bool_]
    next: NDArray[np.int32]
    """A literal for every base proposition."""
    legal: tuple[NDArray[np.int32], ...]
    """For each role a literal for every move."""
    terminal: int
    goals: tuple[tuple[tuple[int, int], ...], ...]
    """For each role (value, literal) pairs, each value once; the goal is the value of the only true one."""

    def __repr__(self) -> str:
        moves = sum(map(len, self.moves))
        return f"<circuit: {len(self.bases):,} propositions, {moves:,} moves, {self.gate_count:,} gates>"

    @property
    def first_move(self) -> int:
        return 1 + len(self.bases)

    @property
    def first_gate(self) -> int:
        return self.first_move + sum(map(len, self.moves))

    @property
    def gate_count(self) -> int:
        return len(self.left)

    @property
    def goals_fit(self) -> bool:
        """Whether every goal has room in 16 bits, as native code needs."""
        return all(0 <= value < 1 << 15 for goals in self.goals for value, _ in goals)


@dataclass(frozen=True, slots=True, eq=False)
class CompiledRules:
    """What the compiler returns: a circuit, the *figures* of its compilation and the *seconds* of each stage."""

    circuit: Circuit
    figures: tuple[tuple[str, int], ...]
    """``rules`` and ``literals`` of the ground program, ``gates_before`` any simplification."""
    seconds: tuple[tuple[str, float], ...]
