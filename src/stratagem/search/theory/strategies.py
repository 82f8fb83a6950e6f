"""Strategies: construct them, count them, list them, cluster them, and try one against every reply.

CONSTRUCT-MAX-STRATEGY (lecture 55): at MAX nodes choose one branch, at MIN nodes keep all. A uniform tree of k
plies and b moves has b^((b^ceil(k/2) - 1)/(b - 1)) of them: 8 for the lecture's tree. One leaf bounds every
strategy that contains it: choosing all branches at MAX nodes and the first at MIN nodes gives leaves that share
the strategies out among themselves, the initial clusters that SSS* starts from.

Everything here walks the whole tree, in time linear in it, and without recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, prod
from typing import Any, TypeVar, Unpack

from stratagem.errors import LimitExceeded, UsageError
from stratagem.game import Game
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import CHANCE, MAX, MIN, Node, Outcome
from stratagem.search.framework.tally import LimitReached
from stratagem.search.theory.strategy import Choice, Policy, Strategy

__all__ = [
    "Choice", "Cluster", "Policy", "Strategy", "best_strategy", "construct_strategy", "count_strategies",
    "enumerate_strategies", "guaranteed_value", "initial_clusters", "strategies_of_uniform_tree",
]  # fmt: skip

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cluster:
    """All strategies that contain *leaf*: none of the *size* of them is worth more (to MIN: less) than *bound*."""

    leaf: Node
    bound: float
    size: int


def construct_strategy(
    game: Game[Any],
    *,
    player: str = MAX,
    choose: Callable[[Node], int] = lambda node: 0,
    **options: Unpack[Options],
) -> Strategy:
    """The strategy of *player* that takes child number ``choose(node)`` wherever it decides.

    >>> from stratagem.machines.trees.tree import Tree
    >>> construct_strategy(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), choose=lambda node: 1).value
    2
    """
    view = _view(game, player, options)

    def chosen(node: Node) -> Sequence[int]:
        return (choose(node),) if node.player == player else range(len(node.moves))

    def combine(node: Node, below: list[Outcome]) -> Outcome:
        return _combined(view, node, below)

    return Strategy(player, _fold(view, view.evaluate, combine, chosen))


def best_strategy(game: Game[Any], *, player: str = MAX, **options: Unpack[Options]) -> Strategy:
    """CONSTRUCT-BEST-MAX-STRATEGY, or MIN's: the branch with the best minimax value wherever *player* decides."""
    view = _view(game, player, options)

    def combine(node: Node, below: list[Outcome]) -> Outcome:
        whole = _combined(view, node, below)
        if node.player != player or whole.best is None:
            return whole
        return Outcome(node, whole.value, whole.best, (whole.best,))

    return Strategy(player, _fold(view, view.evaluate, combine))


def count_strategies(game: Game[Any], *, player: str = MAX, **options: Unpack[Options]) -> int:
    """How many strategies *player* has: choices add up, and replies multiply.

    >>> from stratagem.machines.trees.tree import Tree
    >>> count_strategies(Tree.of([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]))
    8
    """
    view = _view(game, player, options)

    def combine(node: Node, below: list[int]) -> int:
        return sum(below) if node.player == player else prod(below)

    return _fold(view, lambda leaf: 1, combine)


def strategies_of_uniform_tree(branching: int, plies: int, *, player: str = MAX) -> int:
    """The number of strategies in a uniform tree in which MAX moves first, by the formula.

    >>> strategies_of_uniform_tree(2, 4), strategies_of_uniform_tree(3, 4)
    (8, 81)
    """
    if branching < 1 or plies < 0:
        raise UsageError(
            f"a uniform tree has branching 1 or more and depth 0 or more, not {branching} and {plies}"
        )
    # the player decides once per node of its own that a strategy reaches: b^0 + b^1 + ... , or b^1 + b^2 + ...
    levels = range((plies + 1) // 2) if player == MAX else range(1, plies // 2 + 1)
    return int(branching ** sum(branching**level for level in levels))


def enumerate_strategies(
    game: Game[Any], *, player: str = MAX, most: int = 100_000, **options: Unpack[Options]
) -> Iterator[Strategy]:
    """Every strategy of *player*, those that choose further left first; refused where they are more than *most*."""
    count = count_strategies(game, player=player, **options)
    if count > most:
        raise LimitExceeded(
            f"there are {_large(count)} strategies, more than {most:,}",
            hint="raise most=, or count them with count_strategies",
        )
    view = _view(game, player, options)

    def combine(node: Node, below: list[list[Outcome]]) -> list[Outcome]:
        if node.player == player:
            return [Outcome(node, one.value, one, (one,)) for each in below for one in each]
        return [_combined(view, node, replies) for replies in product(*below)]

    return (Strategy(player, found) for found in _fold(view, lambda leaf: [view.evaluate(leaf)], combine))


def initial_clusters(
    game: Game[Any], *, player: str = MAX, **options: Unpack[Options]
) -> tuple[Cluster, ...]:
    """The clusters that SSS* starts from, from left to right; their sizes add up to the number of strategies.

    >>> from stratagem.machines.trees.tree import Tree
    >>> clusters = initial_clusters(Tree.of([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]))
    >>> [(cluster.bound, cluster.size) for cluster in clusters]
    [(1, 2), (2, 2), (5, 2), (6, 2)]
    """
    view = _view(game, player, options, chance=False)
    Sized = tuple[int, tuple[tuple[Node, int], ...]]  # strategies below, and of those how many with each leaf

    def combine(node: Node, below: list[Sized]) -> Sized:
        if node.player == player:
            return sum(count for count, _ in below), tuple(pair for _, pairs in below for pair in pairs)
        rest = prod(count for count, _ in below[1:])
        return below[0][0] * rest, tuple((leaf, size * rest) for leaf, size in below[0][1])

    _, pairs = _fold(view, lambda leaf: (1, ((leaf, 1),)), combine)
    return tuple(Cluster(leaf, view.evaluate(leaf).value, size) for leaf, size in pairs)


def guaranteed_value(game: Game[Any], strategy: Strategy, **options: Unpack[Options]) -> float:
    """What *strategy* secures in *game* against every reply, found by trying them all.

    A reply that the strategy has no answer to counts as lost. *options* must be those it was made with.
    """
    player = strategy.player
    view = _view(game, player, options)
    answers = {outcome.node.path: outcome for outcome in strategy.outcomes()}
    lost = -inf if player == MAX else inf

    def chosen(node: Node) -> Sequence[int]:
        if node.player != player:
            return range(len(node.moves))
        answer = answers.get(node.path)
        return [below.node.index for below in answer.kept] if answer is not None else ()

    def combine(node: Node, below: list[float]) -> float:
        return view.combine(node, below) if below else lost

    return _fold(view, lambda leaf: view.evaluate(leaf).value, combine, chosen)


def _fold(
    view: AlternatingGame,
    at_leaf: Callable[[Node], T],
    combine: Callable[[Node, list[T]], T],
    chosen: Callable[[Node], Sequence[int]] = lambda node: range(len(node.moves)),
) -> T:
    """Combines, from the leaves upwards, what is found below every node, through the *chosen* children only."""
    found: list[list[T]] = [[]]
    path: list[tuple[Node, Iterator[int]]] = []
    node: Node | None = view.root
    while True:
        if node is not None:
            _visit(view, node)
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
            node = view.child(parent, index)


def _visit(view: AlternatingGame, node: Node) -> None:
    try:
        view.visit(node)
    except LimitReached as spent:
        raise LimitExceeded(
            f"the limit was reached after {view.tally.nodes:,} nodes of the tree",
            hint="strategies are made from the whole tree: give a depth, or a larger limit",
        ) from spent


def _view(game: Game[Any], player: str, options: Options, *, chance: bool = True) -> AlternatingGame:
    if player not in (MAX, MIN):
        raise UsageError(f"a strategy is for {MAX} or {MIN}, not for {player!r}")
    return AlternatingGame(game, chance=chance, **options)


def _combined(view: AlternatingGame, node: Node, below: Sequence[Outcome]) -> Outcome:
    """The outcome of *node* with all that is *below* it kept; the best is the first of those that are."""
    value = view.combine(node, [outcome.value for outcome in below])
    best = None if node.player == CHANCE else next(outcome for outcome in below if outcome.value == value)
    return Outcome(node, value, best, below)


def _large(count: int) -> str:
    return (
        f"{count:,}"
        if count < 10**15
        else f"about 10^{len(str(count)) - 1}"
        if count < 10**4000
        else "far more"
    )
