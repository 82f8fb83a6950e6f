"""The view through which the adversarial algorithms see a game: it translates, counts, and ends a search.

`AlternatingGame` shows any two-player zero-sum game as the lecture's tree of MAX and MIN nodes, cut off at a horizon
if one is given, and a game of one role as a tree of MAX nodes; `Duel` refuses what is neither. The view counts visits
and evaluations, keeps the limit, tells the trace, and turns what the algorithm brings back into a `Result`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from math import inf
from typing import Any, TypeAlias, TypedDict

from stratagem.errors import LimitExceeded, NoEstimate, UsageError
from stratagem.game import Game, Move, Role
from stratagem.limit import UNLIMITED, Limit, not_negative
from stratagem.result import Interval, Result
from stratagem.search.framework.duel import Duel, Position
from stratagem.search.framework.narrator import Story, text
from stratagem.search.framework.node import CHANCE, MAX, Node, Outcome, greatest, least, opponent
from stratagem.search.framework.ordering import MoveOrder
from stratagem.search.framework.puzzle import BEST
from stratagem.search.framework.tally import LimitReached, Progress, Tally
from stratagem.search.theory.strategy import Strategy
from stratagem.trace.events import Begin, Finish, Trace

WORST = 0  # by GDL's goals
UNKNOWN = Interval()

Evaluation: TypeAlias = Callable[[Any], float]
"""What a state is worth to MAX, as far as one can tell without search."""


class Options(TypedDict, total=False):
    """What every adversarial search takes beside the game and the trace."""

    start: Hashable
    """Search from this state; the game's initial one unless given."""
    maximiser: Role | None
    """Who is MAX; the first role unless given."""
    depth: int | None
    """The horizon: so many plies are searched, and what lies there is evaluated. No limit unless given."""
    evaluate: Evaluation | None
    """For states at the horizon; ends of the game are worth their goal. Without it: the goal, or a tree's estimate,
    if there is one, and otherwise the search is refused."""
    limit: Limit
    progress: Progress | None
    order: MoveOrder | None
    """The order in which depth-first searches look at children; the game's own unless given."""


class AlternatingGame:
    """MAX against MIN: in every state at most one of the two roles has a choice.

    *comes_back* is for algorithms that may evaluate a leaf twice: different leaves are then told apart.
    *chance* admits the role "random".
    """

    def __init__(
        self,
        game: Game[Any],
        *,
        start: Hashable = None,
        maximiser: Role | None = None,
        depth: int | None = None,
        evaluate: Evaluation | None = None,
        limit: Limit = UNLIMITED,
        progress: Progress | None = None,
        order: MoveOrder | None = None,
        trace: Trace | None = None,
        comes_back: bool = False,
        chance: bool = False,
    ) -> None:
        not_negative("depth", depth, whole=True)
        self.duel = Duel(game, maximiser=maximiser, chance=chance)
        self.horizon = depth
        self.evaluation = evaluate
        self.order = order
        self.tally = Tally(limit, progress)
        self.story = None if trace is None else Story(trace)
        self.met_horizon = False
        self.stand_in: float | None = None
        """What a node at the horizon counts as where nothing says; None: then the search is refused."""
        self.unknown: Node | None = None
        """A node at the horizon for which *stand_in* stood in, if there was one."""
        self._noted: list[Outcome] = []
        self._seen: dict[Hashable, None] | None = (
            {} if comes_back or self.duel.extensive is not None else None
        )
        self.root = self._root(game.initial() if start is None else start)

    def visit(self, node: Node, alpha: float | None = None, beta: float | None = None) -> None:
        """Counts one visit of *node*, with the window (*alpha*, *beta*), or raises `LimitReached`."""
        self.tally.visit(node.depth)
        if self.story is not None:
            self.story.enter(node, alpha, beta)

    def children(self, node: Node) -> Iterator[Node]:
        """The children of *node*, each made when it is asked for, in the order to look at them."""
        self.tally.expanded += 1
        indices = range(len(node.moves)) if self.order is None else self.order.indices(node)
        for index in indices:
            yield self.child(node, index)

    def first_child(self, node: Node) -> Node:
        """The left-most child of *node*."""
        self.tally.expanded += 1
        return self.child(node, 0)

    def child(self, node: Node, index: int) -> Node:
        """Child number *index* of *node*, in the game's own order."""
        depth = node.depth + 1
        inner = self.horizon is None or depth < self.horizon
        return self._node(self.duel.follow(node.position, index, deep=inner), node, index, depth)

    def evaluate(self, node: Node) -> Outcome:
        """The outcome of a leaf: MAX's goal at an end of the game, the evaluation at the horizon."""
        value = self.duel.goal(node.position) if node.terminal else self._estimate(node)
        self.tally.evaluations += 1
        number = None
        if self.duel.extensive is not None and node.terminal:
            number = self.duel.extensive.leaf_number(node.state)
        if self._seen is None:
            self.tally.leaves += 1
        else:
            self._seen.setdefault(node.path if number is None else number)
            self.tally.leaves = len(self._seen)
        if self.story is not None:
            self.story.leaf(node, value, number)
        return Outcome(node, value)

    def combine(self, node: Node, values: Sequence[float]) -> float:
        """What *node* is worth if the children looked at are worth *values*: the greatest, the least or the mean."""
        if node.player != CHANCE:
            return max(values) if node.player == MAX else min(values)
        chances = self.duel.chances(node.state, len(node.moves))
        return sum(chance * value for chance, value in zip(chances, values, strict=True))

    def cut(self, node: Node, value: float, bound: float, looked_at: int) -> None:
        """Counts a cutoff at *node*, where *value* is past *bound*, if any child is left to skip."""
        skipped = len(node.moves) - looked_at
        if skipped > 0:
            self.tally.cutoffs += 1
            if self.story is not None:
                self.story.cut(node, value, bound, skipped)

    def note(self, child: Outcome) -> Outcome:
        """*child*, kept if it is a child of the root: an interrupted search falls back on these."""
        if child.node.parent is self.root:
            self._noted.append(child)
        return child

    def deepen(self, depth: int) -> None:
        """Starts again from the root with the horizon at *depth*; counts go on."""
        self.horizon = depth
        self.met_horizon = False
        self.unknown = None
        self._noted.clear()
        self.root = self._root(self.root.state)

    def begin(self, method: str) -> None:
        """Tells the trace that *method* starts."""
        if self.story is not None:
            self.story.tell(Begin(method, self.duel.roles))

    def run(
        self,
        method: str,
        search: Callable[[], Outcome],
        *,
        exact: bool = False,
        window: tuple[float, float] = (-inf, inf),
    ) -> Result:
        """The result of *search*, which brings back the outcome of the root, exact inside *window*.

        *exact*: every outcome noted is exact, so that all best moves are known. Where a limit is reached, the best of
        what was noted stands in; where Python's stack is exhausted, the search is refused.
        """
        self.begin(method)
        try:
            outcome = search()
        except LimitReached:
            value, line = self.best_so_far()
            low = value if value is not None and self.root.player == MAX else -inf
            high = value if value is not None and self.root.player != MAX else inf
            return self.unfinished(method, value=value, line=line, interval=Interval(low, high))
        except RecursionError as fault:
            raise self.too_deep(method) from fault
        exact = exact and self.root.player != CHANCE  # chance has no best moves
        ties = [child for child in self._noted if child.value == outcome.value] if exact else []
        return self.result(method, outcome, best_moves=[tie.node.move for tie in ties], window=window)

    def too_deep(self, method: str) -> LimitExceeded:
        """The refusal of a recursive search that ran out of Python's stack."""
        return LimitExceeded(
            f"{method} recurses, and this game goes deeper than Python's stack: {self.tally.depth} plies",
            hint="give a depth limit, or take sss-star, dual-star or proof-number, which do not recurse",
        )

    def best_so_far(self) -> tuple[float | None, tuple[Move, ...]]:
        """The value of the best child of the root noted so far, and best play through it; None if there is none."""
        if not self._noted or self.root.player == CHANCE:
            return None, ()
        best = greatest(self._noted) if self.root.player == MAX else least(self._noted)
        return best.value, (best.node.move, *best.principal_variation)

    def unfinished(
        self,
        method: str,
        *,
        value: float | None = None,
        line: Sequence[Move] = (),
        interval: Interval = UNKNOWN,
    ) -> Result:
        """The result of a search that a limit stopped: its estimate, a *line* of play, and the bounds it has proved.

        A search that knows of no line plays the first move. Where nothing is proved of a game its goals still lie between
        0 and 100; the values in a tree may be any numbers.
        """
        low, high = interval.low, interval.high
        if self.duel.extensive is None:
            low = min(WORST, high) if low == -inf else low
            high = max(BEST, low) if high == inf else high
        line = tuple(line) or tuple(self.root.moves[:1])
        known = () if value is None else line
        return self.finish(
            method,
            value,
            Interval(low, high),
            best_move=line[0] if line else None,
            best_moves=known[:1],
            line=known,
            stopped=self.tally.stopped,
        )

    def result(
        self,
        method: str,
        outcome: Outcome,
        *,
        best_moves: Sequence[Move] = (),
        window: tuple[float, float] = (-inf, inf),
        interval: Interval | None = None,
        player: str = MAX,
    ) -> Result:
        """The result of a search that has found *outcome* at the root, exact if it lies inside *window*.

        *interval* is what is proved, where that is not the outcome's value; *player* is the one whose strategy the
        outcome keeps.
        """
        line = outcome.principal_variation
        alpha, beta = window
        too_low = outcome.value <= alpha and alpha > -inf
        too_high = outcome.value >= beta and beta < inf
        if interval is None:
            interval = Interval(-inf if too_low else outcome.value, inf if too_high else outcome.value)
        return self.finish(
            method,
            outcome.value,
            interval,
            best_move=line[0] if line else None,
            best_moves=tuple(best_moves) or line[:1],
            line=line,
            distance=len(line) if outcome.leaf.terminal else None,
            strategy=None if too_low else Strategy(player, outcome),
        )

    def finish(
        self,
        method: str,
        value: float | None,
        interval: Interval,
        *,
        best_move: Move | None,
        best_moves: tuple[Move, ...] = (),
        line: tuple[Move, ...] = (),
        distance: int | None = None,
        stopped: str | None = None,
        strategy: Strategy | None = None,
    ) -> Result:
        """The `Result`, with the counts, and for an explicit tree the order of its leaves; the trace is told the end.

        Of what depends on evaluations at the horizon nothing is proved.
        """
        tally, duel = self.tally, self.duel
        if tally.peak_open == 0:
            tally.holds(tally.depth + 1)  # a depth-first search holds the path it is on
        leaf_order = None
        if duel.extensive is not None and self._seen is not None:
            leaf_order = tuple(number for number in self._seen if isinstance(number, int))
        if self.story is not None:
            self.story.tell(Finish(value, text(best_move), stopped is None))
        if self.met_horizon:
            interval = UNKNOWN if duel.extensive is not None else Interval(WORST, BEST)
        return Result(
            method,
            values=duel.intervals(interval),
            estimates={} if value is None else duel.estimates(value),
            best={} if best_move is None else {duel.roles[self.root.position.seat]: best_move},
            line=duel.joint_moves(self.root.position, line),
            proved=interval.exact,
            distance=distance if interval.exact else None,
            counters=tally.counters(),
            stopped=stopped,
            principal_variation=line,
            best_moves=best_moves,
            strategy=strategy,
            leaf_order=leaf_order,
        )

    def _root(self, state: Any) -> Node:
        return self._node(self.duel.look(state, deep=self.horizon != 0), None, 0, 0)

    def _node(self, position: Position, parent: Node | None, index: int, depth: int) -> Node:
        if not position.terminal and (self.horizon is None or depth < self.horizon):
            return Node(position, position.player, position.moves, parent, index, depth)
        player = self.duel.side(position.state) or (MAX if parent is None else opponent(parent.player))
        return Node(position, player, (), parent, index, depth)

    def no_estimate(self, node: Node) -> UsageError:
        """The refusal of a search whose horizon cuts *node*, where nothing says what *node* is worth."""
        if self.duel.extensive is None:
            return UsageError(
                "a search with a horizon needs an evaluation for states that are not the end of the game",
                hint="give evaluate=, a function from states to what they are worth to MAX",
            )
        place = f"node {'.'.join(map(str, node.path))}" if node.path else "the root"
        return NoEstimate(
            f"the depth limit of {node.depth} cuts off {place}, an inner node of the tree without an estimate",
            hint='write the node as {"estimate": 5, "children": [...]}, give one value for all such nodes '
            "(--evaluation 5, or evaluate= in Python), or search without a depth limit",
        )

    def _estimate(self, node: Node) -> float:
        self.met_horizon = True
        if self.evaluation is not None:
            return self.evaluation(node.state)
        value = self.duel.game.goal(node.state, self.duel.maximiser)
        if value is not None:
            return value
        if self.stand_in is None:
            raise self.no_estimate(node)
        self.unknown = node
        return self.stand_in
