"""The keyword arguments that all searches share: `search(problem, start=None, **options)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypedDict

from stratagem.game import Role
from stratagem.limit import Limit
from stratagem.search.framework.game_tree import MoveOrder
from stratagem.search.framework.tally import Progress
from stratagem.trace.events import Trace

Evaluation: TypeAlias = Callable[[Any], float]
"""An estimate of what a state is worth: to MAX, or to the single player."""
Heuristic: TypeAlias = Callable[[Any], float]
"""An estimate of the cost from a state to the nearest goal; infinity where no path leads there."""


class SearchOptions(TypedDict, total=False):
    """What every search takes."""

    limit: Limit
    """When to stop; `Limit.depth` is the horizon, in plies. No limit unless given."""
    trace: Trace | None
    """Called with every step as an event of `stratagem.trace`."""
    progress: Progress | None
    """Called with the number of nodes visited so far."""


class HorizonOptions(SearchOptions, total=False):
    """What every search takes that can evaluate the states at its horizon."""

    evaluate: Evaluation | None
    """For states at the horizon; terminal states are worth their goal. Without it adversarial searches take the goal
    that the rules give before the end, or the estimate in a tree, and refuse a state that has neither."""


class AdversarialOptions(HorizonOptions, total=False):
    """What every adversarial search takes."""

    maximiser: Role | None
    """The role of MAX; the first one unless given."""
    order: MoveOrder | None
    """The order in which depth-first searches visit children; the game's own unless given."""
