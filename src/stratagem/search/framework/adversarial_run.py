"""One run of an adversarial search: its game tree, its counts, its limit, its trace and its result.

`ZeroSumGame` shows any two-player zero-sum game as the lecture's tree of MAX and MIN nodes, and a game of one role as a tree
of MAX nodes. An `AdversarialRun` hands out the nodes of that tree, counts visits and evaluations, sends events, and makes a
`Result` of what the algorithm returns.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from math import inf
from typing import Any

from stratagem.errors import LimitExceeded, NoEstimate, UsageError
from stratagem.game import Game, Move, Role
from stratagem.limit import UNLIMITED, Limit
from stratagem.result import Interval, Result
from stratagem.search.framework.game_tree import (
    CHANCE,
    MAX,
    GameTree,
    GameTreeNode,
    MoveOrder,
    SolutionTree,
    greatest,
    least,
)
from stratagem.search.framework.options import Evaluation
from stratagem.search.framework.puzzle import BEST, WORST
from stratagem.search.framework.strategy import Strategy
from stratagem.search.framework.tally import LimitReached, Progress, SearchTally
from stratagem.search.framework.tracer import TreeTracer, text
from stratagem.search.framework.zero_sum import ZeroSumGame
from stratagem.trace.events import Begin, Finish, Trace

UNKNOWN = Interval()


class AdversarialRun:
    """One run of *method* on *problem* from *start* (None: its initial state).

    *revisits* is for algorithms that may evaluate a leaf twice: distinct leaves are then counted by their paths.
    *chance* admits the role "random".
    """

    def __init__(
        self,
        method: str,
        problem: Game[Any],
        start: Any = None,
        *,
        limit: Limit = UNLIMITED,
        trace: Trace | None = None,
        progress: Progress | None = None,
        evaluate: Evaluation | None = None,
        maximiser: Role | None = None,
        order: MoveOrder | None = None,
        revisits: bool = False,
        chance: bool = False,
    ) -> None:
        self.method = method
        self.game = ZeroSumGame(problem, maximiser=maximiser, chance=chance)
        self.evaluation = evaluate
        self.order = order
        self.tally = SearchTally(limit, progress)
        self.tracer = None if trace is None else TreeTracer(trace)
        self.met_horizon = False
        self.default_estimate: float | None = None
        """The value of a node at the horizon that has no estimate; None: such a node is refused."""
        self.unknown: GameTreeNode | None = None
        """A node at the horizon that got *default_estimate*, if there was one."""
        self._noted: list[SolutionTree] = []
        self._leaves: dict[Hashable, None] | None = (
            {} if revisits or self.game.extensive is not None else None
        )
        self.tree = GameTree(self.game, start, horizon=limit.depth)
        if self.tracer is not None:
            self.tracer.emit(Begin(method, self.game.roles))

    @property
    def root(self) -> GameTreeNode:
        return self.tree.root

    def visit(self, node: GameTreeNode, alpha: float | None = None, beta: float | None = None) -> None:
        """Counts one visit of *node*, with the window (*alpha*, *beta*), or raises `LimitReached`."""
        self.tally.visit(node.depth)
        if self.tracer is not None:
            self.tracer.enter(node, alpha, beta)

    def children(self, node: GameTreeNode) -> Iterator[GameTreeNode]:
        """The children of *node*, each made when it is asked for, in the order to visit them."""
        self.tally.expanded += 1
        indices = range(len(node.moves)) if self.order is None else self.order.indices(node)
        for index in indices:
            yield self.tree.child(node, index)

    def first_child(self, node: GameTreeNode) -> GameTreeNode:
        """The left-most child of *node*."""
        self.tally.expanded += 1
        return self.tree.child(node, 0)

    def child(self, node: GameTreeNode, index: int) -> GameTreeNode:
        """Child number *index* of *node*, in the game's own order."""
        return self.tree.child(node, index)

    def evaluate(self, node: GameTreeNode) -> SolutionTree:
        """A leaf with its value: MAX's goal in a terminal state, the evaluation at the horizon."""
        value = self.game.goal(node.position) if node.terminal else self._estimate(node)
        self.tally.evaluations += 1
        number = None
        if self.game.extensive is not None and node.terminal:
            number = self.game.extensive.leaf_number(node.state)
        if self._leaves is None:
            self.tally.leaves += 1
        else:
            self._leaves.setdefault(node.path if number is None else number)
            self.tally.leaves = len(self._leaves)
        if self.tracer is not None:
            self.tracer.leaf(node, value, number)
        return SolutionTree(node, value)

    def combine(self, node: GameTreeNode, values: Sequence[float]) -> float:
        """The value of *node* if its children are worth *values*: the greatest, the least or the mean."""
        if node.player != CHANCE:
            return max(values) if node.player == MAX else min(values)
        chances = self.game.chances(node.state, len(node.moves))
        return sum(chance * value for chance, value in zip(chances, values, strict=True))

    def cut(self, node: GameTreeNode, value: float, bound: float, visited: int) -> None:
        """Counts a cutoff at *node*, where *value* is past *bound*, if any child is left to skip."""
        skipped = len(node.moves) - visited
        if skipped > 0:
            self.tally.cutoffs += 1
            if self.tracer is not None:
                self.tracer.cut(node, value, bound, skipped)

    def note(self, child: SolutionTree) -> SolutionTree:
        """*child*, kept if it is a child of the root: the result of a search that is stopped rests on these."""
        if child.node.parent is self.root:
            self._noted.append(child)
        return child

    def deepen(self, depth: int) -> None:
        """Starts again from the root with the horizon at *depth*; counts go on."""
        self.met_horizon = False
        self.unknown = None
        self._noted.clear()
        self.tree = GameTree(self.game, self.root.state, horizon=depth)

    def result(
        self,
        search: Callable[[], SolutionTree],
        *,
        exact: bool = False,
        window: tuple[float, float] = (-inf, inf),
    ) -> Result:
        """Runs *search*, which returns the solution tree of the root, exact inside *window*.

        *exact*: every solution noted is exact, so that all best moves are known. Where a limit is reached, the best of
        what was noted is the result; where Python's stack is exhausted, the search is refused.
        """
        try:
            solution = search()
        except LimitReached:
            value, line = self.best_so_far()
            low = value if value is not None and self.root.player == MAX else -inf
            high = value if value is not None and self.root.player != MAX else inf
            return self.stopped(value=value, line=line, interval=Interval(low, high))
        except RecursionError as fault:
            raise self.too_deep() from fault
        exact = exact and self.root.player != CHANCE  # chance has no best moves
        ties = [child for child in self._noted if child.value == solution.value] if exact else []
        return self.solved(solution, best_moves=[tie.node.move for tie in ties], window=window)

    def too_deep(self) -> LimitExceeded:
        """The refusal of a recursive search that ran out of Python's stack."""
        return LimitExceeded(
            f"{self.method} recurses, and this game goes deeper than Python's stack: {self.tally.depth} plies",
            hint="give a depth limit, or take sss-star, dual-star or proof-number, which do not recurse",
        )

    def best_so_far(self) -> tuple[float | None, tuple[Move, ...]]:
        """The value of the best child of the root noted so far, and best play through it; None if there is none."""
        if not self._noted or self.root.player == CHANCE:
            return None, ()
        best = greatest(self._noted) if self.root.player == MAX else least(self._noted)
        return best.value, (best.node.move, *best.principal_variation)

    def stopped(
        self, *, value: float | None = None, line: Sequence[Move] = (), interval: Interval = UNKNOWN
    ) -> Result:
        """The result of a search that a limit stopped: its estimate, a *line* of play, and the bounds it has proved.

        A search that knows of no line plays the first move. Where nothing is proved of a game its goals still lie between
        0 and 100; the values in a tree may be any numbers.
        """
        low, high = interval.low, interval.high
        if self.game.extensive is None:
            low = min(WORST, high) if low == -inf else low
            high = max(BEST, low) if high == inf else high
        line = tuple(line) or tuple(self.root.moves[:1])
        known = () if value is None else line
        return self.finish(
            value,
            Interval(low, high),
            best_move=line[0] if line else None,
            best_moves=known[:1],
            line=known,
            stopped=self.tally.stopped,
        )

    def solved(
        self,
        solution: SolutionTree,
        *,
        best_moves: Sequence[Move] = (),
        window: tuple[float, float] = (-inf, inf),
        interval: Interval | None = None,
        player: str = MAX,
    ) -> Result:
        """The result of a search that has found *solution* at the root, exact if it lies inside *window*.

        *interval* is what is proved, where that is not the value itself; *player* is the one whose strategy it is.
        """
        line = solution.principal_variation
        alpha, beta = window
        too_low = solution.value <= alpha and alpha > -inf
        too_high = solution.value >= beta and beta < inf
        if interval is None:
            interval = Interval(-inf if too_low else solution.value, inf if too_high else solution.value)
        return self.finish(
            solution.value,
            interval,
            best_move=line[0] if line else None,
            best_moves=tuple(best_moves) or line[:1],
            line=line,
            distance=len(line) if solution.leaf.terminal else None,
            strategy=None if too_low else Strategy(player, solution),
        )

    def finish(
        self,
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
        """The `Result` with the counts, and for an explicit tree with the order of its leaves.

        A value that depends on evaluations at the horizon is not proved.
        """
        tally, game = self.tally, self.game
        if tally.peak_open == 0:
            tally.holds(tally.depth + 1)  # a depth-first search holds the path it is on
        leaf_order = None
        if game.extensive is not None and self._leaves is not None:
            leaf_order = tuple(number for number in self._leaves if isinstance(number, int))
        if self.tracer is not None:
            self.tracer.emit(Finish(value, text(best_move), stopped is None))
        if self.met_horizon:
            interval = UNKNOWN if game.extensive is not None else Interval(WORST, BEST)
        return Result(
            self.method,
            values=game.intervals(interval),
            estimates={} if value is None else game.estimates(value),
            best={} if best_move is None else {game.roles[self.root.position.seat]: best_move},
            line=game.joint_moves(self.root.position, line),
            proved=interval.exact,
            distance=distance if interval.exact else None,
            counters=tally.counters(),
            stopped=stopped,
            principal_variation=line,
            best_moves=best_moves,
            strategy=strategy,
            leaf_order=leaf_order,
        )

    def no_estimate(self, node: GameTreeNode) -> UsageError:
        """The refusal of a search whose horizon cuts *node*, which has no estimate."""
        if self.game.extensive is None:
            return UsageError(
                "a search with a horizon needs an evaluation for states that are not terminal",
                hint="give evaluate=, a function from states to what they are worth to MAX",
            )
        place = f"node {'.'.join(map(str, node.path))}" if node.path else "the root"
        return NoEstimate(
            f"the depth limit of {node.depth} cuts off {place}, an inner node of the tree without an estimate",
            hint='write the node as {"estimate": 5, "children": [...]}, give one value for all such nodes '
            "(--evaluation 5, or evaluate= in Python), or search without a depth limit",
        )

    def _estimate(self, node: GameTreeNode) -> float:
        self.met_horizon = True
        if self.evaluation is not None:
            return self.evaluation(node.state)
        value = self.game.game.goal(node.state, self.game.maximiser)
        if value is not None:
            return value
        if self.default_estimate is None:
            raise self.no_estimate(node)
        self.unknown = node
        return self.default_estimate
