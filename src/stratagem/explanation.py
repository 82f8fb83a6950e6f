"""Runs one search, listens to it, and makes everything that can be shown of it: one object, many pictures.

>>> from stratagem.machines.trees.models import lecture_tree
>>> found = explain(lecture_tree(), "alpha-beta")
>>> found.result.value, len(found.walkthrough.steps)
(12, 66)
>>> print(found.walkthrough.text(found.walkthrough.find("cut")))
Cut in node 1.0.1: its last move is not looked at. MIN can hold it down to 5 here, but MAX is sure of 12 \
already, in node 1.0, thanks to leaf 1.0.0.1, and so will not come here. It could have mattered only with a value \
of more than 12.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from stratagem.errors import UsageError
from stratagem.game import Game
from stratagem.gdl_game import GdlGame
from stratagem.limit import INTERRUPTED, NODES, SECONDS, Limit
from stratagem.machines.trees.tree import Tree
from stratagem.result import Result
from stratagem.search import ADVERSARIAL, ALGORITHMS
from stratagem.search.framework.evaluations import FROM_THE_GOAL, at_horizon
from stratagem.search.framework.puzzle import HasPredecessors
from stratagem.show.tree.svg import svg_of
from stratagem.show.walkthrough.build import build_walkthrough
from stratagem.show.walkthrough.model import Cursor, Frame, Walkthrough
from stratagem.show.walkthrough.outline import outline_of
from stratagem.show.walkthrough.positions import positions_of
from stratagem.show.walkthrough.render.html import page_of
from stratagem.trace.events import Event
from stratagem.trace.stream import Recorder, write

MOST_EVENTS = 40_000
LIMIT = Limit(nodes=50_000, seconds=20)


@dataclass(frozen=True, slots=True)
class Explanation:
    """A search that was listened to: its *result*, its *events*, and the *walkthrough* they tell.

    In a notebook it shows itself, as the page does, with buttons and keys.
    """

    game: Game[Any]
    result: Result
    events: tuple[Event, ...]
    walkthrough: Walkthrough

    def frame(self, at: int | None = None) -> Frame:
        """The moment after step *at* (from 1, as pages count them), the end unless given."""
        steps = len(self.walkthrough.steps)
        if at is not None and not 1 <= at <= steps:
            raise UsageError(f"there is no step {at}", hint=f"this search has the steps 1 to {steps}")
        return Cursor(self.walkthrough).seek(-1 if at is None else at - 1).frame()

    def html(self) -> str:
        """One page that needs nothing else: see `explain_html`."""
        return page_of(self.walkthrough)

    def svg(self, *, at: int | None = None, legend: bool = True) -> str:
        """A picture for papers and slides: see `tree_svg`."""
        return svg_of(self.walkthrough, self.frame(at), legend=legend)

    def png(self, *, at: int | None = None, legend: bool = True) -> bytes:
        """The same as PNG; needs the extra "png"."""
        from stratagem.show.tree.svg import png_of

        return png_of(self.svg(at=at, legend=legend))

    def jsonl(self) -> str:
        """The events as JSON lines: see `stratagem.trace.stream`."""
        file = io.StringIO()
        write(self.events, file)
        return file.getvalue()

    def _repr_html_(self) -> str:
        # a frame of its own keeps the style of the page and that of the notebook apart
        frame = "width:100%;height:640px;border:1px solid #8888;border-radius:6px"
        return f'<iframe style="{frame}" sandbox="allow-scripts" srcdoc="{escape(self.html(), quote=True)}"></iframe>'


def explain(
    game: Game[Any],
    algorithm: str = "alpha-beta",
    *,
    start: Any = None,
    depth: int | None = None,
    label: str = "",
    limit: Limit = LIMIT,
    evaluation: str | Callable[[Any], float] = "",
    maximiser: str | None = None,
    most_events: int = MOST_EVENTS,
    **options: Any,
) -> Explanation:
    """Runs *algorithm* on *game* from *start* and makes the walkthrough of it.

    At the horizon, *depth* plies down, a state is worth what *evaluation* says: "even", "mobility", a number or a
    function of the state. Unless it is given, games are taken to be even there, and trees need estimates. Walkthroughs end after
    *most_events*, searches after *limit*. More *options* go to the algorithm.
    """
    heard = listen(
        game,
        algorithm,
        start=start,
        depth=depth,
        limit=limit,
        evaluation=evaluation,
        maximiser=maximiser,
        most_events=most_events,
        **options,
    )
    return told(heard, label=label)


@dataclass(frozen=True, slots=True)
class Heard:
    """A search that is over, with everything it said; `told` makes the walkthrough of it."""

    game: Game[Any]
    algorithm: str
    result: Result
    recorder: Recorder
    limit: Limit
    start: Any
    depth: int | None
    maximiser: str | None


def listen(
    game: Game[Any],
    algorithm: str = "alpha-beta",
    *,
    start: Any = None,
    depth: int | None = None,
    limit: Limit = LIMIT,
    evaluation: str | Callable[[Any], float] = "",
    maximiser: str | None = None,
    most_events: int = MOST_EVENTS,
    **options: Any,
) -> Heard:
    """Runs *algorithm* and keeps what it says, and does no more: the first half of `explain`, the one with a limit."""
    search = ALGORITHMS.find(algorithm)
    role = maximiser or next(role for role in game.roles if role != "random")
    if isinstance(evaluation, str):
        evaluate = at_horizon(algorithm, game, role, depth=depth, name=evaluation)
    else:
        evaluate = None if depth is None or algorithm in FROM_THE_GOAL else evaluation
    if evaluate is not None:
        options["evaluate"] = evaluate
    if algorithm in FROM_THE_GOAL:
        game = _backward(game)
    if algorithm in ADVERSARIAL:
        options["maximiser"] = maximiser
    recorder = Recorder(limit=most_events)
    result = search(game, start=start, depth=depth, limit=limit, trace=recorder, **options)
    return Heard(game, algorithm, result, recorder, limit, start, depth, maximiser)


def told(heard: Heard, *, label: str = "") -> Explanation:
    """The walkthrough of a search that is over: the second half of `explain`."""
    game, result, recorder = heard.game, heard.result, heard.recorder
    start, depth, maximiser = heard.start, heard.depth, heard.maximiser
    outline = None
    if heard.algorithm in ADVERSARIAL and (result.complete or isinstance(game, Tree)):
        outline = outline_of(game, start=start, depth=depth, maximiser=maximiser)
    walkthrough = build_walkthrough(
        recorder.events,
        label=label,
        outline=outline,
        result=result,
        dropped=recorder.dropped,
        notes=_notes(result, recorder.dropped, heard.limit),
    )
    positions = positions_of(game, walkthrough, start=start, depth=depth, maximiser=maximiser)
    return Explanation(game, result, tuple(recorder.events), replace(walkthrough, positions=positions))


def _backward(game: Game[Any]) -> Game[Any]:
    if isinstance(game, GdlGame) and not isinstance(game, HasPredecessors):
        from stratagem.backward_game import BackwardGame

        return BackwardGame(game)
    return game


def _notes(result: Result, dropped: int, limit: Limit) -> list[str]:
    notes = []
    if not result.complete:
        why = "nothing deeper than the depth limit was looked at"
        if result.stopped == NODES:
            why = f"it stopped after {limit.nodes:,} nodes"
        elif result.stopped == SECONDS:
            why = f"it stopped after {limit.seconds:g} seconds"
        elif result.stopped == INTERRUPTED:
            why = "it was interrupted"
        notes.append(f"The search is not complete: {why}.")
    if dropped:
        notes.append(f"Only the beginning is shown: {dropped:,} later events are left out.")
    return notes
