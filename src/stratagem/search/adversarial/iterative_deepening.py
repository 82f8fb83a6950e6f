"""Iterative deepening with alpha-beta: one ply, then two, then three, each round ordering the moves for the next.

Searching again from the root costs little, because the last round is b times as large as the one before; where the values
of one round put the best moves first in the next, it even saves work. It can be stopped at any time: the last round that
was finished counts. A round that does not meet the horizon has seen the whole game and is the last.
"""

from __future__ import annotations

from itertools import count
from math import inf
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.limit import UNLIMITED
from stratagem.result import Result
from stratagem.search.adversarial.fail_soft import fail_soft_of
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import MoveOrder, SolutionTree
from stratagem.search.framework.options import AdversarialOptions
from stratagem.search.framework.tally import LimitReached
from stratagem.search.framework.zero_sum import Extensive
from stratagem.trace.events import Pass

NEUTRAL = 50  # halfway between a loss and a win by GDL's goals


def iterative_deepening(
    problem: Game[Any],
    start: Any = None,
    *,
    reorder: bool = True,
    **options: Unpack[AdversarialOptions],
) -> Result:
    """The value of *problem* by rounds of alpha-beta, down to `Limit.depth` or to the end of the game.

    Where no evaluation is given, states at the horizon count as NEUTRAL. In a tree a node without an estimate counts as
    NEUTRAL only to order the moves of the next round: no result depends on it. *reorder* takes the order of moves from the
    last round; without it every round visits them in the game's own order.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = iterative_deepening(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    >>> found.value, found.counters.passes
    (3, 2)
    """
    deepest = options.get("limit", UNLIMITED).depth
    if options.get("evaluate") is None and not isinstance(problem, Extensive):
        options["evaluate"] = lambda state: NEUTRAL
    if reorder:
        options.setdefault("order", MoveOrder())
    run = AdversarialRun("iterative-deepening", problem, start, revisits=True, **options)
    run.default_estimate = NEUTRAL
    finished: SolutionTree | None = None
    known: SolutionTree | None = None  # the last finished round in which every node had an estimate
    for depth in count(1) if deepest is None else range(min(1, deepest), deepest + 1):
        run.tally.passes += 1
        run.deepen(depth)
        if run.tracer is not None:
            run.tracer.emit(Pass(run.tally.passes, limit=depth))
        try:
            finished = fail_soft_of(run, run.root, -inf, inf)
        except LimitReached:
            if finished is not None:
                value = None if known is None else known.value
                return run.stopped(value=value, line=(known or finished).principal_variation)
            value, line = (None, ()) if run.unknown is not None else run.best_so_far()
            return run.stopped(value=value, line=line)
        except RecursionError as fault:
            raise run.too_deep() from fault
        known = finished if run.unknown is None else known
        if not run.met_horizon:
            break
    if run.unknown is not None:
        raise run.no_estimate(run.unknown)
    return run.solved(finished or SolutionTree(run.root, NEUTRAL))
