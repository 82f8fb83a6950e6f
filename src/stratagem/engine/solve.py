"""Solving: the portfolio that picks a method for a game, says why, and reports what is proved.

    one player              breadth-first over packed states for a part of the time, then A* with pattern databases
    two, zero-sum, in turn  the whole space and backward induction where it is small, else proofs by search, which
                            notice where a game is not of this kind
    more, or not zero-sum   the whole space and max^n
    chance                  refused: expectiminimax takes the mean over its moves
    simultaneous moves      what each role can force alone (pure strategies), as bounds
    not compilable          the taught searches on joins or the reasoner

A search that a limit ends reports the bounds that are proved by then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stratagem.engine.induction import solve_whole_space
from stratagem.engine.proof.portfolio import solve_by_proof, solve_by_proof_numbers
from stratagem.engine.puzzle.portfolio import solve_puzzle
from stratagem.engine.request import Progress, SolveRequest
from stratagem.engine.uncompiled import solve_uncompiled
from stratagem.errors import UnsuitableGame, UsageError, require_function, require_type
from stratagem.gdl_game import require_rules
from stratagem.limit import Limit, require_limit
from stratagem.result import Interval, Result
from stratagem.search.framework.zero_sum import require_no_chance
from stratagem.state import require_state

if TYPE_CHECKING:
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
    "any",
)
PUZZLES: Final = frozenset({"breadth-first", "a-star", "ida-star", "bidirectional", "plan", "any"})
"""Methods for one player."""
SMALL: Final = 400_000
"""States up to which the whole space is tried first for two players."""
MINUTE: Final = Limit(seconds=60)


def solve(
    game: GdlGame,
    state: State | None = None,
    *,
    method: str = "auto",
    limit: Limit = MINUTE,
    progress: Progress | None = None,
) -> Result:
    """What *state*, or the initial state, is worth to every role, as far as the seconds, memory and stop of *limit* allow.

    *method* is "auto", which chooses by the game; "space" (backward induction over the whole space), "prove" or "df-pn"
    (proofs) for two players; "breadth-first", "a-star", "ida-star", "bidirectional", "plan" (shortest solutions) or "any"
    (some solution, quickly) for one. *progress* is called with reports in words.

    >>> from stratagem.loading import load
    >>> solve(load("tictactoe")).values["xplayer"]
    Interval(low=50, high=50)
    """
    require_rules(game, by="solve")
    require_type(method, str, "the name of a method")
    if method not in METHODS:
        raise UsageError(f"no method is called {method}", hint=f"choose one of {', '.join(METHODS)}")
    require_limit(limit)
    require_function(progress, "progress")
    limit.only("seconds", "memory", "stop", by="solve")
    start = game.initial() if state is None else state
    require_state(game, start)
    if start.terminal:
        return _over(start)
    require_no_chance(game.roles)
    if not game.compilable:
        return solve_uncompiled(game, start, method, limit, progress)
    request = SolveRequest(game, start, limit, progress)
    if method in PUZZLES or (method == "auto" and len(game.roles) == 1):
        return solve_puzzle(request, method)
    if method == "prove":
        return solve_by_proof(request, "as requested")
    if method == "df-pn":
        return solve_by_proof_numbers(request, "as requested")
    found = solve_whole_space(
        request, None if method == "space" else SMALL, "as requested" if method == "space" else ""
    )
    if found is not None:
        return found
    if len(game.roles) == 2:
        many = f"more than {SMALL:,} states"
        try:
            return solve_by_proof(request, many)
        except UnsuitableGame as refused:  # nothing but the whole space is left
            found = solve_whole_space(request, None, f"{many}; {refused.message}")
            if found is not None:
                return found
    note = "the whole space does not fit into the budget, and this game has more than two players"
    return request.unknown("none", "no method fits", note)


def _over(state: State) -> Result:
    goals = {role: state.goal(role) for role in state.game.roles}
    return Result(
        "the rules",
        values={
            role: Interval(0, 100) if goal is None else Interval(goal, goal) for role, goal in goals.items()
        },
        estimates={role: goal for role, goal in goals.items() if goal is not None},
        proved=True,
        distance=0,
        why="the match is over",
    )
