"""MTD(f) (Plaat, Schaeffer, Pijls and de Bruin, 1996): the value by questions alone.

One question is a pass of MT, alpha-beta with an empty window: is the root worth at least this much? The answer comes
with a bound on the value; the next question is put just there, until the bounds meet. MT remembers two bounds per
node, so that no pass does again what an earlier one did; with only one, passes would undo each other's work.

The first question decides the character. Asked from +infinity downwards, MTD is SSS*: the same leaves in the same
order, with a table in place of OPEN. Asked from -infinity upwards it is DUAL*. Asked near the value it takes few
passes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import inf, nextafter
from typing import Any, Unpack

from stratagem.game import Game, Move
from stratagem.result import Interval, Result
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import MAX, Node, Outcome, plan
from stratagem.search.framework.tally import LimitReached
from stratagem.trace.events import Pass, Recall, Trace

Key = Callable[[Node], Hashable]
"""What a table tells nodes apart by."""


def by_path(node: Node) -> Hashable:
    """Every node of the tree has an entry of its own: what the equivalence with SSS* and DUAL* is about."""
    return node.path


def by_state(node: Node) -> Hashable:
    """Nodes with the same state at the same depth share an entry: a transposition table."""
    return node.state, node.depth


@dataclass(slots=True)
class Entry:
    """What the table knows of a node: its value lies in [*low*, *high*]."""

    low: float = -inf
    high: float = inf


def mtdf(
    game: Game[Any],
    *,
    guess: float = 0,
    key: Key = by_path,
    trace: Trace | None = None,
    **options: Unpack[Options],
) -> Result:
    """The value of *game*, asked for first at *guess*.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = mtdf(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), guess=3)
    >>> found.value, found.counters.passes
    (3, 2)
    """
    return _mtd("mtdf", AlternatingGame(game, trace=trace, **options), guess, key)


def mtd_plus_inf(
    game: Game[Any], *, key: Key = by_path, trace: Trace | None = None, **options: Unpack[Options]
) -> Result:
    """The value of *game* from above: SSS* by other means."""
    return _mtd("mtd-plus-inf", AlternatingGame(game, trace=trace, **options), inf, key)


def mtd_minus_inf(
    game: Game[Any], *, key: Key = by_path, trace: Trace | None = None, **options: Unpack[Options]
) -> Result:
    """The value of *game* from below: DUAL* by other means."""
    return _mtd("mtd-minus-inf", AlternatingGame(game, trace=trace, **options), -inf, key)


def _mtd(name: str, view: AlternatingGame, guess: float, key: Key) -> Result:
    story = view.story
    table: dict[Hashable, Entry] = {}
    root = table[key(view.root)] = Entry()
    low, high = -inf, inf
    value = guess
    view.begin(name)
    try:
        while low < high:
            strict = value == low  # at least that much it is: is it more?
            view.tally.passes += 1
            if story is not None:
                story.tell(Pass(view.tally.passes, value, strict))
            bound = nextafter(value, inf) if strict else value
            value = _memory_test(view, table, key, view.root, bound)
            if value >= bound:
                low = value
            else:
                high = value
    except LimitReached:
        line = _most_promising(view, table, key)
        return view.unfinished(name, line=line, interval=Interval(root.low, root.high))
    except RecursionError as fault:
        raise view.too_deep(name) from fault

    def below(node: Node) -> list[Node]:
        children = [view.child(node, index) for index in range(len(node.moves))]
        return [child for child in children if key(child) in table]

    def bounds(node: Node) -> tuple[float, float]:
        return table[key(node)].low, table[key(node)].high

    return view.result(name, plan(view.root, value, below, bounds))


def _memory_test(
    view: AlternatingGame, table: dict[Hashable, Entry], key: Key, node: Node, bound: float
) -> float:
    """MT: a lower bound on the value of *node* that is at least *bound*, or an upper bound that is less."""
    entry = table.setdefault(key(node), Entry())
    view.tally.holds(len(table))
    if entry.low >= bound or entry.high < bound:
        view.tally.duplicates += 1
        if view.story is not None:
            view.story.tell(Recall(node.path, entry.low, entry.high))
        return entry.low if entry.low >= bound else entry.high
    view.visit(node, nextafter(bound, -inf), bound)
    if node.is_leaf:
        entry.low = entry.high = view.evaluate(node).value
        return entry.low
    value = -inf if node.player == MAX else inf
    for looked_at, child in enumerate(view.children(node), 1):
        answer = _memory_test(view, table, key, child, bound)
        value = max(value, answer) if node.player == MAX else min(value, answer)
        if (value >= bound) == (node.player == MAX):
            view.cut(node, value, bound, looked_at)
            break
    if value >= bound:
        entry.low = value
    else:
        entry.high = value
    if view.story is not None:
        kind = "exact" if entry.low == entry.high else "low" if value >= bound else "high"
        view.story.leave(node, Outcome(node, value), kind)
    return value


def _most_promising(view: AlternatingGame, table: dict[Hashable, Entry], key: Key) -> tuple[Move, ...]:
    """The move at the root about which the table has the best to say; none if it has not heard of any."""
    root = view.root
    children = [view.child(root, index) for index in range(len(root.moves))]
    known = [(table[key(child)], child) for child in children if key(child) in table]
    if not known:
        return ()
    if root.player == MAX:
        return max(known, key=lambda pair: (pair[0].low, pair[0].high))[1].line
    return min(known, key=lambda pair: (pair[0].high, pair[0].low))[1].line
