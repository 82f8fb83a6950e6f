"""The taught algorithms by name, on any game or tree: run one, or compare several on the same states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Unpack

from stratagem.errors import StratagemError, UsageError
from stratagem.game import Game, JointMove, Role, require_game
from stratagem.gdl_game import GdlGame
from stratagem.limit import INTERRUPTED, UNLIMITED
from stratagem.machines.trees.tree import Tree
from stratagem.result import Result
from stratagem.search.framework.evaluations import at_horizon
from stratagem.search.framework.options import Evaluation, Heuristic, SearchOptions
from stratagem.search.framework.puzzle import HasPredecessors
from stratagem.search.registry import ADVERSARIAL, ALGORITHMS, FROM_THE_GOAL, INFORMED

MOST_ANSWERS: Final = 2_000_000
"""How many answers a `MemoisedGame` keeps before it starts afresh."""


def search_by_name(
    method: str,
    game: Game[Any],
    start: Any = None,
    *,
    evaluation: str | Evaluation = "",
    heuristic: Heuristic | None = None,
    maximiser: Role | None = None,
    **options: Any,
) -> Result:
    """The result of *method*, with the arguments that it takes and the predecessors that it needs.

    *evaluation* is for states at the horizon: "even", "mobility", a number, or a function of the state. Other *options* are
    those of the algorithm.
    """
    require_game(game)
    search = ALGORITHMS.find(method)
    players = [role for role in game.roles if role != "random"]
    if maximiser and maximiser not in players:
        raise UsageError(f"no role {maximiser} in this game", hint=f"its roles are {', '.join(players)}")
    depth = options.get("limit", UNLIMITED).depth
    if isinstance(evaluation, str):
        evaluate = at_horizon(method, game, maximiser or players[0], depth=depth, name=evaluation)
    else:
        evaluate = None if depth is None or method in FROM_THE_GOAL else evaluation
    if evaluate is not None:
        options["evaluate"] = evaluate
    if heuristic is not None:
        if method not in INFORMED:
            raise UsageError(
                f"{method} uses no heuristic", hint=f"take one of {', '.join(INFORMED)}, or leave it out"
            )
        options["heuristic"] = heuristic
    if method in ADVERSARIAL:
        options["maximiser"] = maximiser or None
    return search(with_predecessors(game) if method in FROM_THE_GOAL else game, start, **options)


def with_predecessors(game: Game[Any]) -> Game[Any]:
    """*game*, with predecessors computed from its rules where it has none and they are in GDL."""
    game = game.game if isinstance(game, MemoisedGame) else game
    if isinstance(game, GdlGame) and not isinstance(game, HasPredecessors):
        from stratagem.machines.backward_game import BackwardGame

        return BackwardGame(game)
    return game


@dataclass(frozen=True, slots=True)
class Compared:
    """The *result* of one *method*, or the error with which it *refused* the game."""

    method: str
    result: Result | None = None
    refused: StratagemError | None = None


def compare(
    methods: Sequence[str],
    game: Game[Any],
    start: Any = None,
    *,
    begin: Callable[[str], None] = lambda _method: None,
    evaluation: str = "",
    heuristic: Heuristic | None = None,
    **options: Unpack[SearchOptions],
) -> Iterator[Compared]:
    """Each of *methods* in turn, within the same limit; *begin* is called with its name. An interruption ends it.

    *evaluation* and *heuristic* are given to those methods that use them.
    """
    shared = game if isinstance(game, Tree) else MemoisedGame(game)
    for method in methods:
        begin(method)
        try:
            result = search_by_name(
                method,
                shared,
                start,
                evaluation="" if method in FROM_THE_GOAL else evaluation,
                heuristic=heuristic if method in INFORMED else None,
                **options,
            )
        except StratagemError as refused:
            yield Compared(method, refused=refused)
            continue
        yield Compared(method, result)
        if result.stopped == INTERRUPTED:
            return


class MemoisedGame:
    """*game* with its answers memoised, so that several searches over the same states ask the game only once."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self._roles = tuple(game.roles)
        self._known: dict[Any, Any] = {}

    @property
    def roles(self) -> Sequence[Role]:
        return self._roles

    def initial(self) -> Any:
        return self.game.initial()

    def legals(self, state: Any, role: Role) -> Sequence[Any]:
        key = (state, role)
        if key not in self._known:
            self._keep(key, self.game.legals(state, role))
        known: Sequence[Any] = self._known[key]
        return known

    def next(self, state: Any, joint: JointMove) -> Any:
        moves = tuple(joint[role] for role in self._roles) if isinstance(joint, Mapping) else tuple(joint)
        key = (state, moves)
        if key not in self._known:
            self._keep(key, self.game.next(state, moves))
        return self._known[key]

    def terminal(self, state: Any) -> bool:
        if state not in self._known:
            self._keep(state, self.game.terminal(state))
        return bool(self._known[state])

    def goal(self, state: Any, role: Role) -> float | None:
        return self.game.goal(state, role)

    def _keep(self, key: Any, value: Any) -> None:
        if len(self._known) >= MOST_ANSWERS:
            self._known.clear()
        self._known[key] = value
