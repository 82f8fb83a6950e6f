"""Solving: the portfolio that picks a method for a game, says why, and reports what is proved.

    one player              breadth-first over packed states for a part of the time, then A* with pattern databases
    two, zero-sum, in turn  the whole space and backward induction where it is small, else proofs by search
    more, or not zero-sum   the whole space and max^n
    simultaneous moves      what each role can force alone (pure strategies), as bounds

A search that a limit ends reports the bounds that are proved by then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stratagem.engine.induction import solve_whole_space
from stratagem.engine.proof.portfolio import solve_by_proof, solve_by_proof_numbers
from stratagem.engine.puzzle.portfolio import solve_puzzle
from stratagem.engine.request import Progress, SolveRequest
from stratagem.errors import UsageError
from stratagem.limit import Limit

if TYPE_CHECKING:
    from stratagem.gdl_game import GdlGame, State
    from stratagem.result import Result

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
    """What *state* is worth to every role, as far as the seconds, the memory and the stop of *limit* allow.

    >>> from stratagem.loading import load
    >>> solve(load("tictactoe")).values["xplayer"]
    Interval(low=50, high=50)
    """
    if method not in METHODS:
        raise UsageError(f"no method is called {method}", hint=f"there are {', '.join(METHODS)}")
    limit.only("seconds", "memory", "stop", by="solve")
    request = SolveRequest(game, game.initial() if state is None else state, limit, progress)
    if request.state.terminal:
        return _over(request)
    if method in PUZZLES or (method == "auto" and len(game.roles) == 1):
        return solve_puzzle(request, method)
    if method == "prove":
        return solve_by_proof(request, "asked for")
    if method == "df-pn":
        return solve_by_proof_numbers(request, "asked for")
    found = solve_whole_space(
        request, None if method == "space" else SMALL, "asked for" if method == "space" else ""
    )
    if found is not None:
        return found
    if len(game.roles) == 2:
        return solve_by_proof(request, f"more than {SMALL:,} states")
    note = "the whole space does not fit into the budget, and this game has more than two players"
    return request.unknown("none", "nothing fits", note)


def _over(request: SolveRequest) -> Result:
    goals = [request.state.goal(role) for role in request.game.roles]
    bounds = {
        role: least_and_most if goal is None else (goal, goal)
        for role, goal, least_and_most in zip(request.game.roles, goals, request.ranges, strict=True)
    }
    return request.result("the rules", bounds, why="the match is over", proved=True, distance=0)
