"""Proof-number search (Allis, van der Meulen and van den Herik, 1994): prove or disprove a bound with the fewest leaves.

It decides whether the root is worth at least a bound. The proof number of a node is how many leaves must still be proved to
prove the node, its disproof number how many to disprove it; the next node to expand is the most proving node, which is part
of the cheapest proof and of the cheapest disproof. It goes deep where replies are few. The tree stays in memory.

To find a value, bounds are decided one after another on the same tree, each where the last answer left the interval, as MTD
does.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nextafter
from typing import Any, Unpack

from stratagem.game import Game, Move
from stratagem.result import Interval, Result
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import MAX, GameTreeNode, SolutionTree, extract_solution
from stratagem.search.framework.options import AdversarialOptions
from stratagem.search.framework.tally import LimitReached
from stratagem.trace.events import Expand, Pass, Proof

WIN = 100  # by GDL's goals


class ProofNode:
    """A node of the tree in memory, with its proof and disproof numbers and the bounds proved for its value."""

    __slots__ = ("children", "disproof", "high", "low", "node", "parent", "proof")

    def __init__(self, node: GameTreeNode, parent: ProofNode | None) -> None:
        self.node = node
        self.parent = parent
        self.children: Sequence[ProofNode] = ()
        self.low = -inf
        self.high = inf
        self.proof: float = 1
        self.disproof: float = 1

    def update(self, bound: float) -> None:
        """Computes the numbers from those of the children, for the question ">= *bound*?"."""
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
    problem: Game[Any],
    start: Any = None,
    *,
    target: float | None = None,
    guess: float = WIN,
    **options: Unpack[AdversarialOptions],
) -> Result:
    """Whether *problem* is worth at least *target* to MAX: see `Result.interval`.

    Without *target*, the value itself; *guess* is the first bound to decide.

    >>> from stratagem.machines.trees.tree import Tree
    >>> tree = Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
    >>> proof_number(tree).value
    3
    >>> proof_number(tree, target=4).interval.high
    3
    """
    run = AdversarialRun("proof-number", problem, start, **options)
    root = ProofNode(run.root, None)
    question = guess if target is None else target
    strict = False
    try:
        _first_visit(run, root)
        while root.low < root.high:
            run.tally.passes += 1
            if run.tracer is not None:
                run.tracer.emit(Pass(run.tally.passes, question, strict))
            bound = nextafter(question, inf) if strict else question
            proved = _decide(run, root, bound)
            if target is not None:
                break
            question, strict = (root.low, True) if proved else (root.high, False)
    except LimitReached:
        return run.stopped(line=_most_promising(root), interval=Interval(root.low, root.high))
    if target is not None and root.low < target:
        return _refuted(run, root)
    return run.solved(_proof(root), interval=Interval(root.low, root.high))


def _decide(run: AdversarialRun, root: ProofNode, bound: float) -> bool:
    """Expands the tree until it is known whether *root* is worth at least *bound*."""
    _refresh(root, bound)
    while root.proof != 0 and root.disproof != 0:
        branch = _most_proving(root)
        _expand(run, branch, bound)
        current: ProofNode | None = branch
        while current is not None:
            current.update(bound)
            if run.tracer is not None:
                run.tracer.emit(Proof(current.node.path, current.proof, current.disproof))
            current = current.parent
    return root.proof == 0


def _most_proving(root: ProofNode) -> ProofNode:
    """The most proving node: the leaf that is part of the cheapest proof and of the cheapest disproof of *root*."""
    branch = root
    while branch.children:
        if branch.node.player == MAX:
            branch = min(branch.children, key=lambda child: child.proof)
        else:
            branch = min(branch.children, key=lambda child: child.disproof)
    return branch


def _expand(run: AdversarialRun, branch: ProofNode, bound: float) -> None:
    """Adds the children of *branch*; those that are leaves of the game are evaluated."""
    if run.tracer is not None:
        run.tracer.emit(Expand(branch.node.path, branch.node.depth))
    children = [ProofNode(child, branch) for child in run.children(branch.node)]
    for child in children:
        _first_visit(run, child)
        child.update(bound)
    branch.children = children


def _first_visit(run: AdversarialRun, branch: ProofNode) -> None:
    """Visits a node for the first time; a leaf is evaluated at once."""
    run.visit(branch.node)
    run.tally.holds(run.tally.nodes)
    if branch.node.is_leaf:
        branch.low = branch.high = run.evaluate(branch.node).value


def _refresh(root: ProofNode, bound: float) -> None:
    """Computes the numbers of the whole tree for a new bound."""
    order = [root]
    for branch in order:
        order.extend(branch.children)
    for branch in reversed(order):
        branch.update(bound)


def _proof(root: ProofNode) -> SolutionTree:
    """MAX's strategy worth the lower bound of *root*."""
    known = {root.node: root}

    def below(node: GameTreeNode) -> list[GameTreeNode]:
        children = known[node].children
        known.update((child.node, child) for child in children)
        return [child.node for child in children]

    return extract_solution(
        root.node, root.low, below, lambda node: Interval(known[node].low, known[node].high)
    )


def _most_promising(root: ProofNode) -> tuple[Move, ...]:
    """The move to the child of *root* with the best bounds for the player to move; none if it has no children."""
    if not root.children:
        return ()
    if root.node.player == MAX:
        return max(root.children, key=lambda child: (child.low, child.high)).node.line
    return min(root.children, key=lambda child: (child.high, child.low)).node.line


def _refuted(run: AdversarialRun, root: ProofNode) -> Result:
    """The result where the target is disproved: an upper bound, and no strategy for MAX."""
    move = next(iter(_most_promising(root)), None)
    return run.finish(root.high, Interval(root.low, root.high), best_move=move)
