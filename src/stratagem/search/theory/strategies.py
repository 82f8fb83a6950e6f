"""Strategies: construct them, count them, enumerate them, cluster them, and verify one against every reply.

CONSTRUCT-MAX-STRATEGY (lecture 55): at MAX nodes choose one branch, at MIN nodes keep all. A uniform tree of k
plies and b moves has b^((b^ceil(k/2) - 1)/(b - 1)) of them: 8 for the lecture's tree. One leaf bounds every
strategy that contains it: all branches at MAX nodes and the first at MIN nodes lead to leaves that partition the
strategies into the initial clusters of SSS*.

Everything here visits the whole tree, in linear time, and without recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, prod
from typing import Any, TypeVar, Unpack

from stratagem.errors import LimitExceeded, UsageError
from stratagem.game import Game
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import CHANCE, MAX, MIN, GameTreeNode, SolutionTree
from stratagem.search.framework.options import AdversarialOptions
from stratagem.search.framework.strategy import Policy, Strategy, StrategyChoice
from stratagem.search.framework.tally import LimitReached

__all__ = [
    "Cluster", "Policy", "Strategy", "StrategyChoice", "best_strategy", "construct_strategy", "count_strategies",
    "enumerate_strategies", "guaranteed_value", "initial_clusters",
]  # fmt: skip

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cluster:
    """All strategies that contain *leaf*: none of the *size* of them is worth more (to MIN: less) than *bound*."""

    leaf: GameTreeNode
    bound: float
    size: int


def construct_strategy(
    problem: Game[Any],
    start: Any = None,
    *,
    player: str = MAX,
    choose: Callable[[GameTreeNode], int] = lambda node: 0,
    **options: Unpack[AdversarialOptions],
) -> Strategy:
    """The strategy of *player* that takes child number ``choose(node)`` wherever it decides.

    >>> from stratagem.machines.trees.tree import Tree
    >>> construct_strategy(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), choose=lambda node: 1).value
    2
    """
    run = _run(problem, start, player, options)

    def chosen(node: GameTreeNode) -> Sequence[int]:
        return (choose(node),) if node.player == player else range(len(node.moves))

    def combine(node: GameTreeNode, below: list[SolutionTree]) -> SolutionTree:
        return _combined(run, node, below)

    return Strategy(player, _fold(run, run.evaluate, combine, chosen))


def best_strategy(
    problem: Game[Any], start: Any = None, *, player: str = MAX, **options: Unpack[AdversarialOptions]
) -> Strategy:
    """CONSTRUCT-BEST-MAX-STRATEGY, or MIN's: the branch with the best minimax value wherever *player* decides."""
    run = _run(problem, start, player, options)

    def combine(node: GameTreeNode, below: list[SolutionTree]) -> SolutionTree:
        whole = _combined(run, node, below)
        if node.player != player or whole.best is None:
            return whole
        return SolutionTree(node, whole.value, whole.best, (whole.best,))

    return Strategy(player, _fold(run, run.evaluate, combine))


def count_strategies(
    problem: Game[Any], start: Any = None, *, player: str = MAX, **options: Unpack[AdversarialOptions]
) -> int:
    """The number of strategies of *player*: choices add up, and replies multiply.

    >>> from stratagem.machines.trees.tree import Tree
    >>> count_strategies(Tree.of([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]))
    8
    """
    run = _run(problem, start, player, options)

    def combine(node: GameTreeNode, below: list[int]) -> int:
        return sum(below) if node.player == player else prod(below)

    return _fold(run, lambda leaf: 1, combine)


def enumerate_strategies(
    problem: Game[Any],
    start: Any = None,
    *,
    player: str = MAX,
    most: int = 100_000,
    **options: Unpack[AdversarialOptions],
) -> Iterator[Strategy]:
    """Every strategy of *player*, those that choose further left first; refused where they are more than *most*."""
    count = count_strategies(problem, start, player=player, **options)
    if count > most:
        raise LimitExceeded(
            f"there are {_large(count)} strategies, more than {most:,}",
            hint="raise most=, or count them with count_strategies",
        )
    run = _run(problem, start, player, options)

    def combine(node: GameTreeNode, below: list[list[SolutionTree]]) -> list[SolutionTree]:
        if node.player == player:
            return [SolutionTree(node, one.value, one, (one,)) for each in below for one in each]
        return [_combined(run, node, replies) for replies in product(*below)]

    return (Strategy(player, found) for found in _fold(run, lambda leaf: [run.evaluate(leaf)], combine))


def initial_clusters(
    problem: Game[Any], start: Any = None, *, player: str = MAX, **options: Unpack[AdversarialOptions]
) -> tuple[Cluster, ...]:
    """The clusters that SSS* starts from, from left to right; their sizes add up to the number of strategies.

    >>> from stratagem.machines.trees.tree import Tree
    >>> clusters = initial_clusters(Tree.of([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]))
    >>> [(cluster.bound, cluster.size) for cluster in clusters]
    [(1, 2), (2, 2), (5, 2), (6, 2)]
    """
    run = _run(problem, start, player, options, chance=False)
    Sized = tuple[
        int, tuple[tuple[GameTreeNode, int], ...]
    ]  # strategies below, and of those how many with each leaf

    def combine(node: GameTreeNode, below: list[Sized]) -> Sized:
        if node.player == player:
            return sum(count for count, _ in below), tuple(pair for _, pairs in below for pair in pairs)
        rest = prod(count for count, _ in below[1:])
        return below[0][0] * rest, tuple((leaf, size * rest) for leaf, size in below[0][1])

    _, pairs = _fold(run, lambda leaf: (1, ((leaf, 1),)), combine)
    return tuple(Cluster(leaf, run.evaluate(leaf).value, size) for leaf, size in pairs)


def guaranteed_value(
    problem: Game[Any], strategy: Strategy, start: Any = None, **options: Unpack[AdversarialOptions]
) -> float:
    """The value of *strategy* in *problem* against every reply, found by visiting them all.

    A reply that the strategy does not answer counts as a loss. *start* and *options* must be those it was made with.
    """
    player = strategy.player
    run = _run(problem, start, player, options)
    answers = {solution.node.path: solution for solution in strategy.solutions()}
    lost = -inf if player == MAX else inf

    def chosen(node: GameTreeNode) -> Sequence[int]:
        if node.player != player:
            return range(len(node.moves))
        answer = answers.get(node.path)
        return [below.node.index for below in answer.kept] if answer is not None else ()

    def combine(node: GameTreeNode, below: list[float]) -> float:
        return run.combine(node, below) if below else lost

    return _fold(run, lambda leaf: run.evaluate(leaf).value, combine, chosen)


def _fold(
    run: AdversarialRun,
    at_leaf: Callable[[GameTreeNode], T],
    combine: Callable[[GameTreeNode, list[T]], T],
    chosen: Callable[[GameTreeNode], Sequence[int]] = lambda node: range(len(node.moves)),
) -> T:
    """Combines, from the leaves upwards, what is found below every node, through the *chosen* children only."""
    found: list[list[T]] = [[]]
    path: list[tuple[GameTreeNode, Iterator[int]]] = []
    node: GameTreeNode | None = run.root
    while True:
        if node is not None:
            _visit(run, node)
            if node.is_leaf:
                found[-1].append(at_leaf(node))
            else:
                path.append((node, iter(chosen(node))))
                found.append([])
        if not path:
            return found[0][0]
        parent, rest = path[-1]
        index = next(rest, None)
        if index is None:
            path.pop()
            value = combine(parent, found.pop())
            found[-1].append(value)
            node = None
        else:
            node = run.child(parent, index)


def _visit(run: AdversarialRun, node: GameTreeNode) -> None:
    try:
        run.visit(node)
    except LimitReached as spent:
        raise LimitExceeded(
            f"the limit was reached after {run.tally.nodes:,} nodes of the tree",
            hint="strategies are made from the whole tree: give a depth, or a larger limit",
        ) from spent


def _run(
    problem: Game[Any], start: Any, player: str, options: AdversarialOptions, *, chance: bool = True
) -> AdversarialRun:
    if player not in (MAX, MIN):
        raise UsageError(f"a strategy is for {MAX} or {MIN}, not for {player!r}")
    return AdversarialRun("strategies", problem, start, chance=chance, **options)


def _combined(run: AdversarialRun, node: GameTreeNode, below: Sequence[SolutionTree]) -> SolutionTree:
    """The solution of *node* with all that is *below* it kept; the best is the first of those that are."""
    value = run.combine(node, [solution.value for solution in below])
    best = None if node.player == CHANCE else next(solution for solution in below if solution.value == value)
    return SolutionTree(node, value, best, below)


def _large(count: int) -> str:
    return (
        f"{count:,}"
        if count < 10**15
        else f"about 10^{len(str(count)) - 1}"
        if count < 10**4000
        else "far more"
    )
