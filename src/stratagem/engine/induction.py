"""Solving by the whole space: backward induction, max^n, or what each role can force where moves are simultaneous."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.request import never_ends, zero_sum_bounds
from stratagem.errors import UnsuitableGame
from stratagem.gdl.terms import NOOP
from stratagem.limit import MEMORY
from stratagem.plural import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.request import SolveRequest
    from stratagem.engine.space.explore import Space
    from stratagem.engine.space.retrograde import Values
    from stratagem.result import Result

METHOD: Final = "backward induction"
ALL: Final = 1 << 40
"""More states than fit into any memory."""


def solve_whole_space(request: SolveRequest, most: int | None, why: str) -> Result | None:
    """The result by the whole space; None where that is larger than *most*, so that something else may be tried."""
    from stratagem.engine.space.explore import SpaceTooLarge, explore

    try:
        space = explore(
            request.compiled,
            request.packed,
            most=most or ALL,
            memory=request.memory,
            progress=lambda found, done: request.tell(f"{found:,} states, {done:,} expanded"),
            stop=request.late,
        )
    except SpaceTooLarge as large:
        if most is None or request.late():
            return _stopped(request, large.states, why or "tried first")
        return None
    return solve_space(request, space, why or f"only {plural(len(space), 'state')}")


def solve_space(request: SolveRequest, space: Space, why: str) -> Result:
    """The result for the first state of *space*."""
    from stratagem.engine.space.retrograde import is_zero_sum, movers

    if not space.terminal.any():
        note = _undecided(space, never_ends(len(space)))
        nothing = dict.fromkeys(
            request.game.roles, (0, 100)
        )  # goals that the rules give at no end bound nothing
        return request.result(METHOD, nothing, why=why, note=note, proved=False, states=len(space))
    try:
        mover = movers(space)
    except UnsuitableGame:
        return _forced(request, space, why)
    if len(request.game.roles) == 1 or is_zero_sum(space):
        return _zero_sum(request, space, mover, why)
    return _max_n(request, space, mover, why)


def _zero_sum(request: SolveRequest, space: Space, mover: NDArray[np.int8], why: str) -> Result:
    from stratagem.engine.space.retrograde import Stopped, solve_zero_sum

    roles = request.game.roles
    try:
        values = solve_zero_sum(space, stop=request.late)
    except Stopped:
        return _stopped(request, len(space), why)
    total = int(space.goals[space.terminal][0].sum()) if len(roles) == 2 else 0
    found = zero_sum_bounds(request.game, int(values.low[0]), int(values.high[0]), total)
    decided, distance = found[0][0] == found[0][1], int(values.distance[0])
    edges = best_line(space, mover, values) if decided else []
    return request.result(
        METHOD,
        dict(zip(roles, found, strict=True)),
        why=why,
        note="" if decided else _undecided(space, "either side can keep the match from ending"),
        proved=decided,
        mover=_acting(request, space, mover, edges[0]) if edges else None,
        line=[request.joint(space.moves[edge]) for edge in edges],
        distance=distance if decided and distance >= 0 else None,
        states=len(space),
        nodes=len(space.children),
    )


def _max_n(request: SolveRequest, space: Space, mover: NDArray[np.int8], why: str) -> Result:
    from stratagem.engine.space.retrograde import solve_max_n

    try:
        goals, distance = solve_max_n(space)
    except UnsuitableGame:
        return _forced(request, space, why)
    edges = max_n_line(space, mover, goals, distance)
    return request.result(
        f"{METHOD} (max^n)",
        {role: (int(goals[0, at]), int(goals[0, at])) for at, role in enumerate(request.game.roles)},
        why=why,
        note="every role maximises its own goal; ties go to the nearest end, then to the first move",
        mover=_acting(request, space, mover, edges[0]) if edges else None,
        line=[request.joint(space.moves[edge]) for edge in edges],
        distance=int(distance[0]),
        states=len(space),
        nodes=len(space.children),
    )


def _forced(request: SolveRequest, space: Space, why: str) -> Result:
    """Simultaneous moves, or cycles among many roles: what each role can force alone, by pure strategies."""
    from stratagem.engine.space.pure_strategies import pure_bounds

    bounds = {role: pure_bounds(space, at, stop=request.late) for at, role in enumerate(request.game.roles)}
    proved = all(low == high for low, high in bounds.values())
    return request.result(
        "pure strategies",
        bounds,
        why=why,
        note=""
        if proved
        else _undecided(space, "a value between the bounds needs mixed strategies or play that never ends"),
        states=len(space),
        nodes=len(space.children),
    )


def _undecided(space: Space, otherwise: str) -> str:
    """Why the bounds of the first state differ: a state from which the match cannot go on, or *otherwise*."""
    if not len(space.stuck):
        return otherwise
    where = "the first state" if space.stuck[0] == 0 else plural(len(space.stuck), "state")
    return f"the match cannot go on from {where}: a role has no legal move there; `stratagem judge` shows it"


def _stopped(request: SolveRequest, states: int, why: str) -> Result:
    stopped = request.limit.reached() or MEMORY
    return request.unknown(
        METHOD, why, f"stopped after {plural(states, 'state')}", states=states, stopped=stopped
    )


def _acting(request: SolveRequest, space: Space, mover: NDArray[np.int8], edge: int) -> int:
    """The role whose move an edge is; where none has a choice, the first role that does not say noop."""
    parent = int(np.searchsorted(space.offsets, edge, side="right")) - 1
    if mover[parent] >= 0:
        return int(mover[parent])
    joint = request.joint(space.moves[edge])
    return next((role for role, move in enumerate(joint) if move != NOOP), 0)


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
