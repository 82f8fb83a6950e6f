"""MTD(f) (Plaat, Schaeffer, Pijls and de Bruin, 1996): the value by null-window searches alone.

One pass of MT, alpha-beta with an empty window, decides whether the root is worth at least a bound. The answer is a new
bound on the value, at which the next pass asks, until the bounds meet. MT stores two bounds per node, so that no pass
repeats the work of an earlier one; with one bound, passes would overwrite each other's results.

The first bound decides the character. From +infinity downwards, MTD is SSS*: the same leaves in the same order, with a
table in place of OPEN. From -infinity upwards it is DUAL*. Near the value it needs few passes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import inf, nextafter
from typing import Any, Unpack

from stratagem.game import Game, Move
from stratagem.result import Interval, Result
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import MAX, GameTreeNode, SolutionTree, extract_solution
from stratagem.search.framework.options import AdversarialOptions
from stratagem.search.framework.tally import LimitReached
from stratagem.trace.events import Pass, Recall

Key = Callable[[GameTreeNode], Hashable]
"""The key of a node in the table."""


def by_path(node: GameTreeNode) -> Hashable:
    """Every node of the tree has its own entry: the equivalence with SSS* and DUAL* holds for this key."""
    return node.path


def by_state(node: GameTreeNode) -> Hashable:
    """Nodes with the same state at the same depth share an entry: a transposition table."""
    return node.state, node.depth


@dataclass(slots=True)
class MtdEntry:
    """An entry of the table: the value of a node lies in [*low*, *high*]."""

    low: float = -inf
    high: float = inf


def mtdf(
    problem: Game[Any],
    start: Any = None,
    *,
    guess: float = 0,
    key: Key = by_path,
    **options: Unpack[AdversarialOptions],
) -> Result:
    """The value of *problem*; the first pass asks at *guess*.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = mtdf(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), guess=3)
    >>> found.value, found.counters.passes
    (3, 2)
    """
    return _mtd(AdversarialRun("mtdf", problem, start, **options), guess, key)


def mtd_plus_inf(
    problem: Game[Any],
    start: Any = None,
    *,
    key: Key = by_path,
    **options: Unpack[AdversarialOptions],
) -> Result:
    """The value of *problem* from above: SSS* in another form."""
    return _mtd(AdversarialRun("mtd-plus-inf", problem, start, **options), inf, key)


def mtd_minus_inf(
    problem: Game[Any],
    start: Any = None,
    *,
    key: Key = by_path,
    **options: Unpack[AdversarialOptions],
) -> Result:
    """The value of *problem* from below: DUAL* in another form."""
    return _mtd(AdversarialRun("mtd-minus-inf", problem, start, **options), -inf, key)


def _mtd(run: AdversarialRun, guess: float, key: Key) -> Result:
    tracer = run.tracer
    table: dict[Hashable, MtdEntry] = {}
    root = table[key(run.root)] = MtdEntry()
    low, high = -inf, inf
    value = guess
    try:
        while low < high:
            strict = value == low  # it is worth at least that: is it worth more?
            run.tally.passes += 1
            if tracer is not None:
                tracer.emit(Pass(run.tally.passes, value, strict))
            bound = nextafter(value, inf) if strict else value
            value = _memory_test(run, table, key, run.root, bound)
            if value >= bound:
                low = value
            else:
                high = value
    except LimitReached:
        line = _most_promising(run, table, key)
        return run.stopped(line=line, interval=Interval(root.low, root.high))
    except RecursionError as fault:
        raise run.too_deep() from fault

    def below(node: GameTreeNode) -> list[GameTreeNode]:
        children = [run.child(node, index) for index in range(len(node.moves))]
        return [child for child in children if key(child) in table]

    def bounds(node: GameTreeNode) -> Interval:
        return Interval(table[key(node)].low, table[key(node)].high)

    return run.solved(extract_solution(run.root, value, below, bounds))


def _memory_test(
    run: AdversarialRun, table: dict[Hashable, MtdEntry], key: Key, node: GameTreeNode, bound: float
) -> float:
    """MT: a lower bound on the value of *node* that is at least *bound*, or an upper bound that is less."""
    entry = table.setdefault(key(node), MtdEntry())
    run.tally.holds(len(table))
    if entry.low >= bound or entry.high < bound:
        run.tally.duplicates += 1
        if run.tracer is not None:
            run.tracer.emit(Recall(node.path, entry.low, entry.high))
        return entry.low if entry.low >= bound else entry.high
    run.visit(node, nextafter(bound, -inf), bound)
    if node.is_leaf:
        entry.low = entry.high = run.evaluate(node).value
        return entry.low
    value = -inf if node.player == MAX else inf
    for visited, child in enumerate(run.children(node), 1):
        answer = _memory_test(run, table, key, child, bound)
        value = max(value, answer) if node.player == MAX else min(value, answer)
        if (value >= bound) == (node.player == MAX):
            run.cut(node, value, bound, visited)
            break
    if value >= bound:
        entry.low = value
    else:
        entry.high = value
    if run.tracer is not None:
        kind = "exact" if entry.low == entry.high else "low" if value >= bound else "high"
        run.tracer.leave(node, SolutionTree(node, value), kind)
    return value


def _most_promising(run: AdversarialRun, table: dict[Hashable, MtdEntry], key: Key) -> tuple[Move, ...]:
    """The move to the child of the root with the best bounds in the table; none if the table has no child."""
    root = run.root
    children = [run.child(root, index) for index in range(len(root.moves))]
    known = [(table[key(child)], child) for child in children if key(child) in table]
    if not known:
        return ()
    if root.player == MAX:
        return max(known, key=lambda pair: (pair[0].low, pair[0].high))[1].line
    return min(known, key=lambda pair: (pair[0].high, pair[0].low))[1].line
