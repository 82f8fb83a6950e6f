"""What every search returns: one `Result`, whatever the algorithm, with one set of counters.

The taught algorithms, the engine, `solve` and the players share it, so that they can be compared field by field. Moves
and lines are the game's own moves, never text; `Result.as_json` turns them into numbers or text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import inf, isinf
from typing import TYPE_CHECKING

from stratagem.game import Move, Role

if TYPE_CHECKING:
    from stratagem.search.framework.strategy import Strategy

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class Interval:
    """The proved bounds of a value: it is at least *low* and at most *high*.

    >>> str(Interval(50, 50)), str(Interval(0, 100)), Interval(50, 50).exact
    ('50', 'at least 0, at most 100', True)
    """

    low: float = -inf
    high: float = inf

    @property
    def exact(self) -> bool:
        """Whether the value is known."""
        return self.low == self.high

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.low:g}" if self.exact else f"at least {self.low:g}, at most {self.high:g}"


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """What a search knows of one move of one role at the root."""

    move: Move
    value: float
    """What the role gets after it, as far as the search knows."""
    visits: int = 0
    """Simulations or nodes below it."""
    proved: bool = False
    distance: int | None = None
    """Moves to the end, where it is proved."""


@dataclass(frozen=True, slots=True)
class Counters:
    """The work of one search. Every algorithm fills the same fields, and leaves at 0 those that do not apply."""

    nodes: int = 0
    """Visits of nodes: a node searched twice counts twice. MCTS: its simulations."""
    expanded: int = 0
    """Nodes whose children were made, at least one of them."""
    leaves: int = 0
    """Distinct leaves evaluated: terminal states and nodes at the horizon."""
    evaluations: int = 0
    """Evaluations of leaves: more than *leaves* where a search evaluates a leaf twice."""
    cutoffs: int = 0
    """Nodes left before their last child was visited, because the rest could not change the result."""
    duplicates: int = 0
    """Arrivals at a state (or a table entry) that was known already."""
    pops: int = 0
    """Records taken from OPEN, or from the fringe."""
    peak_open: int = 0
    """The most that OPEN, the fringe, the tree or table in memory, or the stack ever held at once."""
    depth: int = 0
    """The greatest depth visited; the root has depth 0. Engine: plies searched completely."""
    passes: int = 0
    """Passes of MTD, rounds of iterative deepening."""
    states: int = 0
    """Distinct states held at the end: nodes of the graph, entries of the space."""
    playouts: int = 0
    """Random matches played."""
    visits: int = 0
    """MCTS: simulations through the root, those of earlier searches too."""
    seconds: float = field(default=0.0, compare=False)
    """How long it took."""


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one search from one state.

    *values* are the proved bounds; a search that was stopped says by which limit, and also gives its *estimates*. Printing
    it shows the main points in one line.

    >>> print(Result("minimax", {"max": Interval(3, 3)}, {"max": 3}, {"max": 1}, counters=Counters(nodes=13)))
    minimax: max 3; best for max: 1; 13 nodes
    """

    method: str
    """The algorithm, by its name in `stratagem search` or `stratagem solve`."""
    values: Mapping[Role, Interval] = field(default_factory=dict)
    """For each role, between which bounds its goal lies with best play: proved."""
    estimates: Mapping[Role, float] = field(default_factory=dict)
    """For each role the best guess at its goal; the value itself where that is proved; absent: no guess at all."""
    best: Mapping[Role, Move] = field(default_factory=dict)
    """The best move of every role that has a choice, as far as known; empty in a terminal state."""
    line: tuple[tuple[Move, ...], ...] = ()
    """Best play from the start: joint moves, each with one move per role in the order of the roles."""
    moves: Mapping[Role, tuple[MoveStatistics, ...]] = field(default_factory=dict)
    """For each role what is known of its moves at the root, the best first; engine searches only."""
    proved: bool = False
    """Whether the value of every role is proved: its interval is a point."""
    distance: int | None = None
    """Moves to the end along proved best play; None where that is not known."""
    counters: Counters = field(default_factory=Counters)
    stopped: str | None = None
    """The limit that ended the search ("seconds", "nodes", "depth", "memory", "interrupted"); None: it ran to its end."""
    why: str = ""
    """Why this method was chosen, in words."""
    note: str = ""
    """What else a reader should know, in words."""
    principal_variation: tuple[Move, ...] = ()
    """Best play as the moves of the role that decides at each step: *line* without the moves of all others."""
    best_moves: tuple[Move, ...] = ()
    """Every move proved to keep the value: all of them from minimax, fewer from a search that cuts."""
    strategy: Strategy | None = None
    """The plan that secures the value against every reply: MAX's, or MIN's where the algorithm finds that one."""
    leaf_order: tuple[int, ...] | None = None
    """Explicit trees only: the numbers of the distinct leaves, in the order of first evaluation."""
    cost: float | None = None
    """One player only: the cost of the path found to a goal; its length unless moves have costs. None: no path found."""

    @property
    def complete(self) -> bool:
        """Whether the search ran to its end."""
        return self.stopped is None

    @property
    def value(self) -> float | None:
        """The value of the first role (MAX or the single player), or the best estimate of it; None if there is none."""
        return next(iter(self.estimates.values()), None)

    @property
    def interval(self) -> Interval:
        """The proved bounds of the first role's value."""
        return next(iter(self.values.values()), Interval())

    @property
    def best_move(self) -> Move | None:
        """The best move of the first role that has a choice; None where there is no choice."""
        return next(iter(self.best.values()), None)

    @property
    def solution(self) -> tuple[Move, ...] | None:
        """One player only: the moves from the start to the goal; None where none was found."""
        return None if self.cost is None else self.principal_variation

    @property
    def mover(self) -> Role | None:
        """The role whose move *best_move* is."""
        return next(iter(self.best), None)

    def __str__(self) -> str:
        worth = [f"{role} {self._worth(role)}" for role in {**self.values, **self.estimates}]
        parts = [", ".join(worth), *(f"best for {role}: {move}" for role, move in self.best.items())]
        parts.append(f"{self.counters.nodes:,} nodes" if self.counters.nodes else "")
        parts.append("" if self.stopped is None else f"stopped by its limit of {self.stopped}")
        return f"{self.method}: {'; '.join(filter(None, parts))}"

    def _worth(self, role: Role) -> str:
        proved = self.values.get(role, Interval())
        if proved.exact or role not in self.estimates:
            return str(proved)
        return f"about {self.estimates[role]:.3g}"

    def as_json(self) -> dict[str, Json]:
        """The result as plain data for a JSON writer: infinities become None, moves numbers or text."""
        return {
            "method": self.method,
            "value": json_number(self.value),
            "best_move": plain_move(self.best_move),
            "complete": self.complete,
            "values": {
                role: [json_number(each.low), json_number(each.high)] for role, each in self.values.items()
            },
            "estimates": {role: json_number(value) for role, value in self.estimates.items()},
            "best": {role: plain_move(move) for role, move in self.best.items()},
            "line": [[plain_move(move) for move in joint] for joint in self.line],
            "moves": {
                role: [{**asdict(each), "move": plain_move(each.move)} for each in found]
                for role, found in self.moves.items()
            },
            "proved": self.proved,
            "distance": self.distance,
            "counters": asdict(self.counters),
            "stopped": self.stopped,
            "why": self.why,
            "note": self.note,
            "principal_variation": plain_moves(self.principal_variation),
            "best_moves": plain_moves(self.best_moves),
            "leaf_order": None if self.leaf_order is None else list(self.leaf_order),
            "solution": None if self.solution is None else plain_moves(self.solution),
            "cost": json_number(self.cost),
        }


def json_number(value: float | None) -> float | None:
    """*value* for JSON, which has no infinities: they become None, "no bound"."""
    return None if value is None or isinf(value) else value


def plain_move(move: Move | None) -> Json:
    """A move as a number or text."""
    return move if isinstance(move, int | float | str) or move is None else str(move)


def plain_moves(moves: Sequence[Move]) -> list[Json]:
    return [plain_move(move) for move in moves]
