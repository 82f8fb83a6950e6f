"""Three other forms of alpha-beta, as printed in the lecture or often drawn, to be compared with `alpha_beta`.

second     asks where the value of a child lies; visits the same leaves
strict     cuts only when alpha > beta; right values, twice the work and more
shallow    uses the bound of the parent alone; right values, but no deep cuts
"""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import MAX, GameTreeNode, SolutionTree, solved
from stratagem.search.framework.options import AdversarialOptions


def alpha_beta_second(problem: Game[Any], start: Any = None, **options: Unpack[AdversarialOptions]) -> Result:
    """The value of *problem*, by the second form of ALPHA-BETA, which asks where the value of a child lies.

    Below the window, inside it, or past it: in all three cases alpha < beta holds before and after. A node returns a bound
    of its window where its value lies outside, as printed. It visits the same leaves as the first form.

    >>> from stratagem.machines.trees.tree import Tree
    >>> alpha_beta_second(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])).leaf_order
    (0, 1, 2, 3, 6, 7, 8)
    """
    run = AdversarialRun("alpha-beta-second", problem, start, **options)
    tracer = run.tracer

    def alpha_beta_of(node: GameTreeNode, alpha: float, beta: float) -> SolutionTree:
        run.visit(node, alpha, beta)
        if node.is_leaf:
            return run.evaluate(node)
        best: SolutionTree | None = None
        seen: list[SolutionTree] = []
        if node.player == MAX:
            for child in run.children(node):
                solution = alpha_beta_of(child, alpha, beta)
                seen.append(run.note(solution))
                best = solution if best is None else best
                if solution.value <= alpha < beta:
                    continue
                best = solution
                if tracer is not None:
                    tracer.better(node, solution, alpha, solution.value)
                if alpha < solution.value < beta:
                    alpha = solution.value
                elif alpha < beta <= solution.value:
                    run.cut(node, solution.value, beta, len(seen))
                    alpha = beta
                    break
            found = solved(node, alpha, best, seen)
        else:
            for child in run.children(node):
                solution = alpha_beta_of(child, alpha, beta)
                seen.append(run.note(solution))
                best = solution if best is None else best
                if alpha < beta <= solution.value:
                    continue
                best = solution
                if tracer is not None:
                    tracer.better(node, solution, beta, solution.value)
                if alpha < solution.value < beta:
                    beta = solution.value
                elif solution.value <= alpha < beta:
                    run.cut(node, solution.value, alpha, len(seen))
                    beta = alpha
                    break
            found = solved(node, beta, best, seen)
        if tracer is not None:
            tracer.leave(node, found, tracer.kind(node, found.value))
        return found

    return run.result(lambda: alpha_beta_of(run.root, -inf, inf))


def alpha_beta_strict(problem: Game[Any], start: Any = None, **options: Unpack[AdversarialOptions]) -> Result:
    """The value of *problem*, by ALPHA-BETA as one sheet prints it: the window counts as closed only when alpha > beta.

    The values are right. But where alpha = beta no further child can change the result, and this form searches them all
    the same: on random trees it does twice the work and more, and where all leaves are equal it cuts nothing at all.
    Everything else is as printed.

    >>> from stratagem.machines.trees.tree import Tree
    >>> alpha_beta_strict(Tree.of([[5, 5], [5, 5]])).counters.leaves
    4
    """
    run = AdversarialRun("alpha-beta-strict", problem, start, **options)
    tracer = run.tracer

    def alpha_beta_of(node: GameTreeNode, alpha: float, beta: float) -> SolutionTree:
        run.visit(node, alpha, beta)
        if node.is_leaf:
            return run.evaluate(node)
        best: SolutionTree | None = None
        seen: list[SolutionTree] = []
        if node.player == MAX:
            for child in run.children(node):
                solution = alpha_beta_of(child, alpha, beta)
                seen.append(run.note(solution))
                if best is None or solution.value > alpha:
                    best = solution
                if tracer is not None and solution.value > alpha:
                    tracer.better(node, solution, alpha, solution.value)
                alpha = max(alpha, solution.value)
                if alpha > beta:
                    run.cut(node, alpha, beta, len(seen))
                    alpha = beta
                    break
            found = solved(node, alpha, best, seen)
        else:
            for child in run.children(node):
                solution = alpha_beta_of(child, alpha, beta)
                seen.append(run.note(solution))
                if best is None or solution.value < beta:
                    best = solution
                if tracer is not None and solution.value < beta:
                    tracer.better(node, solution, beta, solution.value)
                beta = min(beta, solution.value)
                if alpha > beta:
                    run.cut(node, beta, alpha, len(seen))
                    beta = alpha
                    break
            found = solved(node, beta, best, seen)
        if tracer is not None:
            tracer.leave(node, found, tracer.kind(node, found.value))
        return found

    return run.result(lambda: alpha_beta_of(run.root, -inf, inf))


def alpha_beta_shallow(
    problem: Game[Any], start: Any = None, **options: Unpack[AdversarialOptions]
) -> Result:
    """The value of *problem*, with shallow cuts only: a node is cut by the bound of its parent, not of nodes further up.

    This is how alpha-beta was first drawn, and how it is often misremembered. From four plies on it misses the deep cuts,
    those by a bound that was set two or more levels above.

    >>> from stratagem.machines.trees.tree import Tree
    >>> alpha_beta_shallow(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])).counters.leaves
    7
    """
    run = AdversarialRun("alpha-beta-shallow", problem, start, **options)
    tracer = run.tracer

    def shallow(node: GameTreeNode, bound: float) -> SolutionTree:
        """The solution of *node*, whose parent has *bound* already; -inf or inf if it has none."""
        window = (-inf, bound) if node.player == MAX else (bound, inf)
        run.visit(node, *window)
        if node.is_leaf:
            return run.evaluate(node)
        best: SolutionTree | None = None
        seen: list[SolutionTree] = []
        worst = value = -inf if node.player == MAX else inf
        for child in run.children(node):
            # where the same player moves again the value gives no bound: it takes the better of the two
            solution = shallow(child, value if child.player != node.player else -worst)
            seen.append(run.note(solution))
            better = solution.value > value if node.player == MAX else solution.value < value
            if best is None or better:
                if tracer is not None:
                    tracer.better(node, solution, value, solution.value)
                best, value = solution, solution.value
            if value >= bound if node.player == MAX else value <= bound:
                run.cut(node, value, bound, len(seen))
                break
        found = solved(node, value, best, seen)
        if tracer is not None:
            tracer.leave(node, found, tracer.kind(node, value))
        return found

    root = run.root
    return run.result(lambda: shallow(root, inf if root.player == MAX else -inf))
