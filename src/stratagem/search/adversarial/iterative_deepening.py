"""Iterative deepening with alpha-beta: one ply, then two, then three, each round ordering the moves for the next.

Searching again from the start costs little, because the last round is b times as large as the one before, and less
than nothing where the values of one round put the best moves first in the next. It can be stopped at any moment: the
last round that was finished counts. A round that no longer meets the horizon has seen the whole game and is the last.
"""

from __future__ import annotations

from itertools import count
from math import inf
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.adversarial.fail_soft import fail_soft_of
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.duel import Extensive
from stratagem.search.framework.node import Outcome
from stratagem.search.framework.ordering import MoveOrder
from stratagem.search.framework.tally import LimitReached
from stratagem.trace.events import Pass, Trace

NEUTRAL = 50  # halfway between a loss and a win by GDL's goals: says nothing about a state at the horizon


def iterative_deepening(
    game: Game[Any], *, reorder: bool = True, trace: Trace | None = None, **options: Unpack[Options]
) -> Result:
    """The value of *game* by rounds of alpha-beta, down to the depth in *options* or to the end of the game.

    States at the horizon count as NEUTRAL where *options* give no evaluation. In a tree NEUTRAL stands in for a missing
    estimate only to order the moves of the next round: a result never rests on it. *reorder* takes the order of moves from the
    last round; without it every round looks at them in the game's own order.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = iterative_deepening(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    >>> found.value, found.counters.passes
    (3, 2)
    """
    deepest = options.get("depth")
    if options.get("evaluate") is None and not isinstance(game, Extensive):
        options["evaluate"] = lambda state: NEUTRAL
    if reorder:
        options.setdefault("order", MoveOrder())
    view = AlternatingGame(game, trace=trace, comes_back=True, **options)
    view.stand_in = NEUTRAL
    name = "iterative-deepening"
    view.begin(name)
    finished: Outcome | None = None
    known: Outcome | None = None  # the last finished round in which nothing stood in
    for depth in count(1) if deepest is None else range(min(1, deepest), deepest + 1):
        view.tally.passes += 1
        view.deepen(depth)
        if view.story is not None:
            view.story.tell(Pass(view.tally.passes, limit=depth))
        try:
            finished = fail_soft_of(view, view.root, -inf, inf)
        except LimitReached:
            if finished is not None:
                value = None if known is None else known.value
                return view.unfinished(name, value=value, line=(known or finished).principal_variation)
            value, line = (None, ()) if view.unknown is not None else view.best_so_far()
            return view.unfinished(name, value=value, line=line)
        except RecursionError as fault:
            raise view.too_deep(name) from fault
        known = finished if view.unknown is None else known
        if not view.met_horizon:
            break
    if view.unknown is not None:
        raise view.no_estimate(view.unknown)
    return view.result(name, finished or Outcome(view.root, NEUTRAL))
