"""Proof-number search (Allis, van der Meulen and van den Herik, 1994): settle a question with the fewest leaves.

The question is whether the root is worth at least some bound. Each node carries how many leaves must still be
settled to prove it, and to disprove it; the next node to expand is the one that takes part in both cheapest ways. It
goes deep where replies are few, where alpha-beta would drown. The tree stays in memory.

A question has two answers only. To find a value, questions are put one after another on the same tree, each where the
last answer left the bounds, as MTD does.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nextafter
from typing import Any, Unpack

from stratagem.game import Game, Move
from stratagem.result import Interval, Result
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import MAX, Node, Outcome, plan
from stratagem.search.framework.tally import LimitReached
from stratagem.trace.events import Expand, Pass, Proof, Trace

WIN = 100  # by GDL's goals


class Branch:
    """A node of the tree in memory: its proof and disproof numbers, and the bounds proved for its value."""

    __slots__ = ("children", "disproof", "high", "low", "node", "parent", "proof")

    def __init__(self, node: Node, parent: Branch | None) -> None:
        self.node = node
        self.parent = parent
        self.children: Sequence[Branch] = ()
        self.low = -inf
        self.high = inf
        self.proof: float = 1
        self.disproof: float = 1

    def update(self, bound: float) -> None:
        """Brings the numbers up to date with those of the children, for the question ">= *bound*?"."""
        children = self.children
        if children and self.node.player == MAX:
            self.low = max(child.low for child in children)
            self.high = max(child.high for child in children)
            self.proof = min(child.proof for child in children)
            self.disproof = sum(child.disproof for child in children)
        elif children:
            self.low = min(child.low for child in children)
            self.high = min(child.high for child in children)
            self.proof = sum(child.proof for child in children)
            self.disproof = min(child.disproof for child in children)
        elif self.low >= bound:
            self.proof, self.disproof = 0, inf
        elif self.high < bound:
            self.proof, self.disproof = inf, 0
        else:
            self.proof = self.disproof = 1


def proof_number(
    game: Game[Any],
    *,
    target: float | None = None,
    guess: float = WIN,
    trace: Trace | None = None,
    **options: Unpack[Options],
) -> Result:
    """Whether *game* is worth at least *target* to MAX: the result's `interval` says so.

    Without *target* the value itself, asked for first at *guess*.

    >>> from stratagem.machines.trees.tree import Tree
    >>> tree = Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
    >>> proof_number(tree).value
    3
    >>> proof_number(tree, target=4).interval.high
    3
    """
    view = AlternatingGame(game, trace=trace, **options)
    name = "proof-number"
    root = Branch(view.root, None)
    view.begin(name)
    question = guess if target is None else target
    strict = False
    try:
        _meet(view, root)
        while root.low < root.high:
            view.tally.passes += 1
            if view.story is not None:
                view.story.tell(Pass(view.tally.passes, question, strict))
            bound = nextafter(question, inf) if strict else question
            proved = _settle(view, root, bound)
            if target is not None:
                break
            question, strict = (root.low, True) if proved else (root.high, False)
    except LimitReached:
        return view.unfinished(name, line=_most_promising(root), interval=Interval(root.low, root.high))
    if target is not None and root.low < target:
        return _refuted(view, root)
    return view.result(name, _proof(root), interval=Interval(root.low, root.high))


def _settle(view: AlternatingGame, root: Branch, bound: float) -> bool:
    """Expands the tree until it is known whether *root* is worth at least *bound*."""
    _refresh(root, bound)
    while root.proof != 0 and root.disproof != 0:
        branch = _most_proving(root)
        _expand(view, branch, bound)
        current: Branch | None = branch
        while current is not None:
            current.update(bound)
            if view.story is not None:
                view.story.tell(Proof(current.node.path, current.proof, current.disproof))
            current = current.parent
    return root.proof == 0


def _most_proving(root: Branch) -> Branch:
    """The leaf of the tree that takes part in the cheapest proof and in the cheapest disproof of *root*."""
    branch = root
    while branch.children:
        if branch.node.player == MAX:
            branch = min(branch.children, key=lambda child: child.proof)
        else:
            branch = min(branch.children, key=lambda child: child.disproof)
    return branch


def _expand(view: AlternatingGame, branch: Branch, bound: float) -> None:
    """Makes the children of *branch*; those that are leaves are evaluated and settled."""
    if view.story is not None:
        view.story.tell(Expand(branch.node.path, branch.node.depth))
    children = [Branch(child, branch) for child in view.children(branch.node)]
    for child in children:
        _meet(view, child)
        child.update(bound)
    branch.children = children


def _meet(view: AlternatingGame, branch: Branch) -> None:
    """Visits a node for the first time; a leaf is settled at once, whatever will be asked."""
    view.visit(branch.node)
    view.tally.holds(view.tally.nodes)
    if branch.node.is_leaf:
        branch.low = branch.high = view.evaluate(branch.node).value


def _refresh(root: Branch, bound: float) -> None:
    """Brings the whole tree up to date for a new question."""
    order = [root]
    for branch in order:
        order.extend(branch.children)
    for branch in reversed(order):
        branch.update(bound)


def _proof(root: Branch) -> Outcome:
    """MAX's strategy worth the lower bound of *root*."""
    known = {root.node: root}

    def below(node: Node) -> list[Node]:
        children = known[node].children
        known.update((child.node, child) for child in children)
        return [child.node for child in children]

    return plan(root.node, root.low, below, lambda node: (known[node].low, known[node].high))


def _most_promising(root: Branch) -> tuple[Move, ...]:
    """The move to the child of *root* with the best bounds for whoever decides there; none if it has none."""
    if not root.children:
        return ()
    if root.node.player == MAX:
        return max(root.children, key=lambda child: (child.low, child.high)).node.line
    return min(root.children, key=lambda child: (child.high, child.low)).node.line


def _refuted(view: AlternatingGame, root: Branch) -> Result:
    """The result where the target is out of reach: an upper bound, and no plan of MAX's."""
    move = next(iter(_most_promising(root)), None)
    return view.finish("proof-number", root.high, Interval(root.low, root.high), best_move=move)
