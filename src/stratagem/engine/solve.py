"""Solving: the portfolio that picks a method for a game, says why, and reports what is proved.

    one player              breadth-first over packed states for a part of the time, then A* with pattern databases
    two, zero-sum, in turn  the whole space and backward induction where it is small, else proofs by search
    more, or not zero-sum   the whole space and max^n
    simultaneous moves      what each role can force alone (pure strategies), as bounds

Whatever stops early reports honest bounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from stratagem.engine.solution import Solution
from stratagem.errors import UnsuitableGame, UsageError
from stratagem.plural import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.space.explore import Space
    from stratagem.engine.space.retrograde import Values
    from stratagem.gdl_game import GdlGame, State

METHODS: Final = (
    "auto",
    "space",
    "prove",
    "df-pn",
    "breadth-first",
    "a-star",
    "ida-star",
    "bidirectional",
    "plan",
)
PUZZLES: Final = frozenset({"breadth-first", "a-star", "ida-star", "bidirectional", "plan"})
"""Methods for one player."""
SMALL: Final = 400_000
"""States up to which the whole space is tried first for two players."""
Progress = Callable[[str], None]


def solve(
    game: GdlGame,
    state: State | None = None,
    *,
    method: str = "auto",
    seconds: float = 60.0,
    memory: int = 2 << 30,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
) -> Solution:
    """What *state* is worth to every role, as far as *seconds* and *memory* allow.

    >>> from stratagem.loading import load
    >>> solve(load("tictactoe")).value["xplayer"]
    50
    """
    if method not in METHODS:
        raise UsageError(f"no method is called {method}", hint=f"there are {', '.join(METHODS)}")
    job = Job(game, game.initial() if state is None else state, seconds, memory, progress, stop)
    if job.state.terminal:
        return job.over()
    if method in PUZZLES or (method == "auto" and len(game.roles) == 1):
        return job.puzzle(method)
    from stratagem.engine.proof.portfolio import ProofJob

    if method == "prove":
        return ProofJob(job).proof("asked for")
    if method == "df-pn":
        return ProofJob(job).proof_numbers("asked for")
    found = job.whole_space(None if method == "space" else SMALL, "asked for" if method == "space" else "")
    if found is not None:
        return found
    if len(game.roles) == 2:
        return ProofJob(job).proof(f"more than {SMALL:,} states")
    return job.unknown(
        "the whole space does not fit into the budget, and this game has more than two players"
    )


class Job:
    """One call of `solve`."""

    def __init__(
        self,
        game: GdlGame,
        state: State,
        seconds: float,
        memory: int,
        progress: Progress | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        # The budget begins here: what is compiled on the way is paid from it.
        self.begin = time.monotonic()
        self.deadline = self.begin + seconds
        self.game, self.state = game, state
        self.expander = game.expander
        self.packed: NDArray[np.uint64] = self.expander.pack(state.facts())
        self.memory = memory
        self.progress = progress
        self.stop = stop
        self.limits = [goal_range(game, role) for role in range(len(game.roles))]

    def late(self) -> bool:
        return time.monotonic() > self.deadline or (self.stop is not None and self.stop())

    def tell(self, sentence: str) -> None:
        if self.progress is not None:
            self.progress(sentence)

    def solution(self, **parts: Any) -> Solution:
        complete = {
            "game": self.game.identity.name,
            "roles": self.game.roles,
            "best_move": None,
            "mover": None,
            "distance": None,
            "line": (),
            "states": 0,
            "nodes": 0,
            "seconds": time.monotonic() - self.begin,
            **parts,
        }
        return Solution(**complete)

    def over(self) -> Solution:
        goals = {role: self.state.goal(role) for role in self.game.roles}
        bounds = {
            role: (goal, goal) if goal is not None else self.limits[at]
            for at, (role, goal) in enumerate(goals.items())
        }
        return self.solution(
            bounds=bounds, distance=0, proved=True, method="the rules", why="the match is over"
        )

    def unknown(self, note: str) -> Solution:
        bounds = dict(zip(self.game.roles, self.limits, strict=True))
        return self.solution(bounds=bounds, proved=False, method="none", why="nothing fits", note=note)

    def text(self, role: int, index: int) -> str:
        return str(self.game.circuit.moves[role][index])

    def joint_text(self, moves: Any, mover: int) -> str:
        """A joint move for people: the mover's own, or all of them in brackets where several choose."""
        return (
            self.text(mover, int(moves[mover]))
            if mover >= 0
            else f"[{' '.join(self.text(r, int(m)) for r, m in enumerate(moves))}]"
        )

    # -- one player ----------------------------------------------------------------------------------------

    def puzzle(self, method: str) -> Solution:
        from stratagem.engine.puzzle.portfolio import PuzzleJob

        return PuzzleJob(self).solve(method)

    # -- the whole space -----------------------------------------------------------------------------------

    def whole_space(self, most: int | None, why: str) -> Solution | None:
        """By backward induction, or None where the space is larger than *most* or than the budget."""
        from stratagem.engine.space.explore import SpaceTooLarge, explore

        try:
            space = explore(
                self.expander,
                self.packed,
                most=most or 1 << 40,
                memory=self.memory,
                progress=lambda found, done: self.tell(f"{found:,} states, {done:,} expanded"),
                stop=self.late,
            )
        except SpaceTooLarge as large:
            if most is None or self.late():
                return self.stopped_at(large.states, why or "tried first")
            return None
        return self.induction(space, why or f"only {len(space):,} states")

    def stopped_at(self, states: int, why: str) -> Solution:
        """What is known after so many states: nothing but the goals of the rules."""
        return self.solution(
            bounds=dict(zip(self.game.roles, self.limits, strict=True)),
            proved=False,
            states=states,
            method="backward induction",
            why=why,
            note=f"stopped after {plural(states, 'state')}",
        )

    def induction(self, space: Space, why: str) -> Solution:
        from stratagem.engine.space.retrograde import (
            Stopped,
            is_zero_sum,
            movers,
            solve_max_n,
            solve_zero_sum,
        )

        roles = self.game.roles
        method = "backward induction"
        try:
            mover = movers(space)
        except UnsuitableGame:
            return self.forced(space, why)
        if len(roles) == 1 or is_zero_sum(space):
            try:
                values = solve_zero_sum(space, deadline=self.deadline, stop=self.stop)
            except Stopped:
                return self.stopped_at(len(space), why)
            low, high = (
                max(int(values.low[0]), self.limits[0][0]),
                min(int(values.high[0]), self.limits[0][1]),
            )
            bounds = {roles[0]: (low, high)}
            if len(roles) == 2:
                total = int(space.goals[space.terminal][0].sum())
                bounds[roles[1]] = (total - high, total - low)
            line = best_line(space, mover, values)
            first = self.acting(space, mover, line[0]) if line else -1
            note = "" if low == high else "either side can keep the match from ending"
            return self.solution(
                bounds=bounds,
                best_move=self.text(first, int(space.moves[line[0], first])) if line else None,
                mover=roles[first] if line else None,
                distance=int(values.distance[0]) if low == high else None,
                line=tuple(
                    self.joint_text(space.moves[edge], self.acting(space, mover, edge)) for edge in line
                ),
                proved=low == high,
                states=len(space),
                nodes=len(space.children),
                method=method,
                why=why,
                note=note,
            )
        try:
            goals, distance = solve_max_n(space)
        except UnsuitableGame:
            return self.forced(space, why)
        line = max_n_line(space, mover, goals, distance)
        first = self.acting(space, mover, line[0]) if line else -1
        return self.solution(
            bounds={role: (int(goals[0, at]), int(goals[0, at])) for at, role in enumerate(roles)},
            best_move=self.text(first, int(space.moves[line[0], first])) if line else None,
            mover=roles[first] if line else None,
            distance=int(distance[0]),
            line=tuple(self.joint_text(space.moves[edge], self.acting(space, mover, edge)) for edge in line),
            proved=True,
            states=len(space),
            nodes=len(space.children),
            method=f"{method} (max^n)",
            why=why,
            note="every role takes the best for itself; of equals the nearest end, then the first move",
        )

    def acting(self, space: Space, mover: NDArray[np.int8], edge: int) -> int:
        """Whose move an edge is; where nobody has a choice, the first role that does not say noop."""
        parent = int(np.searchsorted(space.offsets, edge, side="right")) - 1
        if mover[parent] >= 0:
            return int(mover[parent])
        texts = [self.text(role, int(move)) for role, move in enumerate(space.moves[edge])]
        return next((role for role, text in enumerate(texts) if text != "noop"), 0)

    def forced(self, space: Space, why: str) -> Solution:
        """Simultaneous moves or cycles among many: what each role can force alone, by pure strategies."""
        from stratagem.engine.space.pure_strategies import pure_bounds

        bounds: dict[str, tuple[int, int]] = {}
        for at, role in enumerate(self.game.roles):
            bounds[role] = pure_bounds(space, at, deadline=self.deadline, stop=self.stop)
        proved = all(low == high for low, high in bounds.values())
        return self.solution(
            bounds=bounds,
            proved=proved,
            states=len(space),
            nodes=len(space.children),
            method="pure strategies",
            why=why,
            note="" if proved else "between the bounds it takes mixed strategies, or play that need not end",
        )


def goal_range(game: GdlGame, role: int) -> tuple[int, int]:
    """The least and the greatest goal that the rules can give a role."""
    values = [value for value, _ in game.circuit.goals[role]]
    return (min(values), max(values)) if values else (0, 100)


def best_line(space: Space, mover: NDArray[np.int8], values: Values) -> list[int]:
    """Edges of best play from the start: the better value, then the quicker win or the longer resistance."""
    line: list[int] = []
    state = 0
    seen: set[int] = set()
    middle = (int(space.goals[space.terminal][:, 0].min()) + int(space.goals[space.terminal][:, 0].max())) / 2
    while not space.terminal[state] and state not in seen and values.low[state] == values.high[state]:
        seen.add(state)
        edges = np.arange(space.offsets[state], space.offsets[state + 1])
        children = space.children[edges]
        if not len(edges):
            break
        sign = 1 if mover[state] <= 0 else -1
        worth = sign * (values.low[children].astype(np.int64) + values.high[children])
        own = values.low[state]
        winning = (own > middle) == (sign > 0) if own != middle else True
        distance = np.where(values.distance[children] < 0, 1 << 20, values.distance[children])
        order = np.lexsort((np.arange(len(edges)), distance if winning else -distance, -worth))
        line.append(int(edges[order[0]]))
        state = int(children[order[0]])
    return line


def max_n_line(
    space: Space, mover: NDArray[np.int8], goals: NDArray[np.int16], distance: NDArray[np.int32]
) -> list[int]:
    """Edges of the play that max^n expects."""
    line: list[int] = []
    state = 0
    while not space.terminal[state] and space.offsets[state] < space.offsets[state + 1]:
        edges = np.arange(space.offsets[state], space.offsets[state + 1])
        children = space.children[edges]
        role = max(int(mover[state]), 0)
        order = np.lexsort(
            (np.arange(len(edges)), distance[children], -goals[children, role].astype(np.int64))
        )
        line.append(int(edges[order[0]]))
        state = int(children[order[0]])
    return line
