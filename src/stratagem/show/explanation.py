"""Runs one search, listens to it, and makes everything that can be shown of it: one object, many pictures.

>>> from stratagem.machines.tree_models import lecture_tree
>>> found = explain(lecture_tree(), "alpha-beta")
>>> found.result.value, len(found.story.steps)
(12, 66)
>>> print(found.story.text(found.story.find("cut")))
Cut in node 1.0.1: its last move is not looked at. MIN can hold it down to 5 here, but MAX is sure of 12 \
already, in node 1.0, thanks to leaf 1.0.0.1, and so will not come here. It could have mattered only with a value \
of more than 12.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stratagem.errors import UsageError
from stratagem.game import Game
from stratagem.machines.gdl_game import GdlGame
from stratagem.machines.tree import Tree
from stratagem.search import ADVERSARIAL, ALGORITHMS, Budget, Result
from stratagem.search.puzzle import HasPredecessors
from stratagem.show.story import Story
from stratagem.show.story_build import tell
from stratagem.show.story_outline import outline_of
from stratagem.trace.events import Event
from stratagem.trace.stream import Recorder

MOST_EVENTS = 40_000
PATIENCE = Budget(nodes=50_000, seconds=20)
NEUTRAL = 50
FROM_THE_GOAL = ("backward", "bidirectional")


@dataclass(frozen=True, slots=True)
class Explanation:
    """A search that was listened to: its *result*, its *events*, and the *story* they tell."""

    game: Game[Any]
    result: Result
    events: tuple[Event, ...]
    story: Story


def explain(
    game: Game[Any],
    algorithm: str = "alpha-beta",
    *,
    start: Any = None,
    depth: int | None = None,
    label: str = "",
    budget: Budget | None = None,
    evaluate: Callable[[Any], float] | None = None,
    most_events: int = MOST_EVENTS,
    **options: Any,
) -> Explanation:
    """Runs *algorithm* on *game* from *start* and makes the story of it.

    At the horizon, *depth* plies down, games are worth what *evaluate* says; without it their goal, or 50 where the
    rules give none. Stories end after *most_events*, searches after *budget* (50,000 nodes or 20 seconds unless
    given). More *options* go to the algorithm.
    """
    search = ALGORITHMS.find(algorithm)
    if algorithm in FROM_THE_GOAL:
        game = _backward(game)
    elif (worth := evaluate or _evaluation(game, depth)) is not None:
        options["evaluate"] = worth
    if depth is not None and depth < 0:
        raise UsageError(f"a depth of {depth} is less than nothing", hint="give 0 or more")
    recorder = Recorder(limit=most_events)
    limit = budget or PATIENCE
    result = search(game, start=start, depth=depth, budget=limit, trace=recorder, **options)
    outline = None
    if algorithm in ADVERSARIAL:
        outline = outline_of(game, start=start, depth=depth)
    notes = _notes(result, recorder.dropped, limit)
    story = tell(
        recorder.events, label=label, outline=outline, result=result, dropped=recorder.dropped, notes=notes
    )
    return Explanation(game, result, tuple(recorder.events), story)


def _evaluation(game: Game[Any], depth: int | None) -> Callable[[Any], float] | None:
    if depth is None or isinstance(game, Tree):
        return None
    role = game.roles[0]

    def goal_or_neutral(state: Any) -> float:
        goal = game.goal(state, role)
        return NEUTRAL if goal is None else goal

    return goal_or_neutral


def _backward(game: Game[Any]) -> Game[Any]:
    if isinstance(game, GdlGame) and not isinstance(game, HasPredecessors):
        from stratagem.machines.backward_game import BackwardGame

        return BackwardGame(game)
    return game


def _notes(result: Result, dropped: int, budget: Budget) -> list[str]:
    notes = []
    if not result.complete:
        limits = [
            *([f"{budget.nodes:,} nodes"] if budget.nodes is not None else []),
            *([f"{budget.seconds:g} seconds"] if budget.seconds is not None else []),
        ]
        notes.append(
            f"The search is not complete: it stopped at its budget of {' or '.join(limits)}, or at its depth."
        )
    if dropped:
        notes.append(f"Only the beginning is shown: {dropped:,} later events are left out.")
    return notes
