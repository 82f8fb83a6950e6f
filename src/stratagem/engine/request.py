"""A request to solve one position: the game, the state, and the limit, which begins with the request.

`solve` makes one and hands it to the portfolio for that kind of game, which answers with a `Result`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from stratagem.errors import UnsuitableGame
from stratagem.limit import Limit
from stratagem.result import Counters, Interval, Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stratagem.gdl.terms import Term
    from stratagem.gdl_game import GdlGame, State

MEMORY: Final = 2 << 30
"""Bytes for tables and states unless the limit says otherwise."""
Progress = Callable[[str], None]
Joint = tuple["Term", ...]


class SolveRequest:
    """One position to be solved within a limit. What is compiled on the way is paid from it."""

    def __init__(self, game: GdlGame, state: State, limit: Limit, progress: Progress | None = None) -> None:
        self.limit = limit.start()
        self.game, self.state = game, state
        self.compiled = game.compiled
        self.packed: NDArray[np.uint64] = game.pack(state).copy()
        self.memory = MEMORY if limit.memory is None else limit.memory
        self.stop = limit.stop
        self.ranges = [goal_range(game, role) for role in range(len(game.roles))]
        self._progress = progress

    def late(self) -> bool:
        """Whether the limit is reached."""
        return self.limit.reached() is not None

    def left(self) -> float:
        """Seconds that are left."""
        return self.limit.left

    def tell(self, sentence: str) -> None:
        if self._progress is not None:
            self._progress(sentence)

    def move(self, role: int, index: int) -> Term:
        """A move by its number in the circuit."""
        return self.game.circuit.moves[role][index]

    def joint(self, numbers: Iterable[int]) -> Joint:
        """A joint move by the numbers of its moves."""
        return tuple(self.move(role, int(number)) for role, number in enumerate(numbers))

    def line(self, moves: Iterable[tuple[int, int]]) -> tuple[Joint, ...]:
        """Joint moves from the moves (role, number) of the one role that has a choice at each step."""
        state, line = self.state, []
        for role, number in moves:
            only = [state.legals(other)[0] for other in self.game.roles]
            joint = (*only[:role], self.move(role, number), *only[role + 1 :])
            line.append(joint)
            state = state.next(joint)
        return tuple(line)

    def result(
        self,
        method: str,
        bounds: Mapping[str, tuple[int, int]],
        *,
        why: str,
        note: str = "",
        proved: bool | None = None,
        mover: int | None = None,
        line: Sequence[Joint] = (),
        best: tuple[int, Term] | None = None,
        distance: int | None = None,
        states: int = 0,
        nodes: int = 0,
        stopped: str | None = None,
    ) -> Result:
        """The result with these *bounds*; *proved* where all of them are points, unless said otherwise.

        The best move is that of role number *mover* at the beginning of the line; where there is none, *best* is the
        number of a role and its move.
        """
        if best is None and line and mover is not None:
            best = mover, line[0][mover]
        exact = all(low == high for low, high in bounds.values()) if proved is None else proved
        return Result(
            method,
            values={role: Interval(low, high) for role, (low, high) in bounds.items()},
            estimates={role: low for role, (low, high) in bounds.items() if low == high},
            best={} if best is None else {self.game.roles[best[0]]: best[1]},
            line=tuple(line),
            proved=exact,
            distance=distance,
            counters=Counters(nodes=nodes, states=states, seconds=self.limit.elapsed),
            stopped=None if exact else stopped or self.limit.reached(),
            why=why,
            note=note,
        )

    def unknown(
        self, method: str, why: str, note: str, *, states: int = 0, stopped: str | None = None
    ) -> Result:
        """The result where nothing is known but the goals of the rules."""
        bounds = dict(zip(self.game.roles, self.ranges, strict=True))
        return self.result(method, bounds, why=why, note=note, proved=False, states=states, stopped=stopped)


def never_ends(states: int) -> str:
    """Why there are no values where none of all reachable *states* is an end."""
    if states == 1:
        return "play never ends: no other state is reachable, and this one is not terminal"
    return f"play never ends: none of the {states:,} reachable states is terminal"


def without_values(states: int) -> UnsuitableGame:
    """The refusal of a database where none of all reachable *states* is an end."""
    return UnsuitableGame(never_ends(states), hint="a database needs terminal states that can be reached")


def goal_range(game: GdlGame, role: int) -> tuple[int, int]:
    """The least and the greatest goal that the rules can give a role."""
    values = [value for value, _ in game.circuit.goals[role]]
    return (min(values), max(values)) if values else (0, 100)


def zero_sum_bounds(game: GdlGame, low: int, high: int, total: int) -> tuple[tuple[int, int], ...]:
    """Every role's bounds from what backward induction gives the first, whose goal and the other's add up to *total*.

    Where nothing is forced these are no goals: -1 for *low*, and for *high* the greatest number there is. One player who
    cannot get to any end has -1 for both.
    """
    if len(game.roles) == 1 and low < 0:
        return ((0, 100),)
    least, most = goal_range(game, 0)
    low, high = max(low, least), min(high, most)
    return ((low, high), (total - high, total - low))[: len(game.roles)]
