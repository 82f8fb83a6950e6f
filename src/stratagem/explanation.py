"""The explanation of one search: its events as a walkthrough, a page, a picture or a file.

>>> from stratagem.machines.trees.models import lecture_tree
>>> found = explain(lecture_tree(), "alpha-beta")
>>> found.result.value, len(found.walkthrough.steps)
(12, 66)
>>> print(found.walkthrough.text(found.walkthrough.find("cut")))
Cut in node 1.0.1: its last move is not searched. MIN can hold it down to 5 here, but MAX is sure of 12 \
already, in node 1.0, thanks to leaf 1.0.0.1, and so will not come here. It could have mattered only with a value \
of more than 12.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from stratagem.errors import UsageError, require_type, require_whole
from stratagem.game import Game
from stratagem.limit import INTERRUPTED, NODES, SECONDS, Limit, require_limit
from stratagem.machines.trees.tree import Tree
from stratagem.plural import plural
from stratagem.result import Result
from stratagem.search.framework.options import Evaluation
from stratagem.search.registry import ADVERSARIAL, FROM_THE_GOAL
from stratagem.show.tree.svg import svg_of
from stratagem.show.walkthrough.build import build_walkthrough
from stratagem.show.walkthrough.model import Cursor, Frame, Walkthrough
from stratagem.show.walkthrough.outline import outline_of
from stratagem.show.walkthrough.positions import positions_of
from stratagem.show.walkthrough.render.html import page_of
from stratagem.taught_search import search_by_name, with_predecessors
from stratagem.trace.events import Event
from stratagem.trace.stream import Recorder, write

MOST_EVENTS = 40_000
LIMIT = Limit(nodes=50_000, seconds=20)


@dataclass(frozen=True, slots=True)
class Explanation:
    """A search explained step by step: its *result*, its *events*, and the *walkthrough* made of them.

    Printing it shows the steps in words; in a notebook it shows itself as the page does, with buttons and keys.
    """

    game: Game[Any]
    result: Result
    events: tuple[Event, ...] = field(repr=False)
    walkthrough: Walkthrough = field(repr=False)

    def __str__(self) -> str:
        return "\n".join(self.steps)

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps in words, in order."""
        return tuple(self.walkthrough.text(number) for number in range(len(self.walkthrough.steps)))

    def frame(self, at: int | None = None) -> Frame:
        """The moment after step *at* (from 1, as pages count them), the end unless given."""
        steps = len(self.walkthrough.steps)
        if at is not None:
            require_whole("step", at)
        if at is not None and not 1 <= at <= steps:
            raise UsageError(f"there is no step {at}", hint=f"this search has the steps 1 to {steps}")
        return Cursor(self.walkthrough).seek(-1 if at is None else at - 1).frame()

    def html(self) -> str:
        """One self-contained HTML page that steps through the search with buttons and keys."""
        return page_of(self.walkthrough)

    def svg(self, *, at: int | None = None, legend: bool = True) -> str:
        """The tree, or the graph of states, after step *at* as SVG, for papers and slides; at the end unless given."""
        return svg_of(self.walkthrough, self.frame(at), legend=legend)

    def png(self, *, at: int | None = None, legend: bool = True) -> bytes:
        """The same as PNG; needs the extra "png"."""
        from stratagem.show.tree.svg import png_of

        return png_of(self.svg(at=at, legend=legend))

    def jsonl(self) -> str:
        """The events as JSON lines, which `stratagem.trace.read` reads."""
        file = io.StringIO()
        write(self.events, file)
        return file.getvalue()

    def _repr_html_(self) -> str:
        # a frame of its own keeps the style of the page and that of the notebook apart
        frame = "width:100%;height:640px;border:1px solid #8888;border-radius:6px"
        return f'<iframe style="{frame}" sandbox="allow-scripts" srcdoc="{escape(self.html(), quote=True)}"></iframe>'


def explain(
    game: Game[Any],
    method: str = "alpha-beta",
    start: Any = None,
    *,
    limit: Limit = LIMIT,
    label: str = "",
    evaluation: str | Evaluation = "",
    maximiser: str | None = None,
    most_events: int = MOST_EVENTS,
    **options: Any,
) -> Explanation:
    """Runs the taught algorithm *method*, one of the keys of `search.ALGORITHMS`, on *game* and explains it step by step.

    It begins in *start*, the initial state unless given.
    At the horizon, `Limit.depth` plies down, a state is worth what *evaluation* says: "even", "mobility", a number or a
    function of the state. Unless it is given, games are even there, and trees need estimates. Only the first *most_events*
    events are kept. More *options* go to the algorithm.
    """
    recorded = record_search(
        game,
        method,
        start,
        limit=limit,
        evaluation=evaluation,
        maximiser=maximiser,
        most_events=most_events,
        **options,
    )
    return explanation_of(recorded, label=label)


@dataclass(frozen=True, slots=True)
class RecordedSearch:
    """A search that is over, with its events; `explanation_of` explains it."""

    game: Game[Any]
    start: Any
    limit: Limit
    maximiser: str | None
    result: Result
    recorder: Recorder


def record_search(
    game: Game[Any],
    method: str = "alpha-beta",
    start: Any = None,
    *,
    limit: Limit = LIMIT,
    evaluation: str | Evaluation = "",
    maximiser: str | None = None,
    most_events: int = MOST_EVENTS,
    **options: Any,
) -> RecordedSearch:
    """Runs *method* and records its events: the first half of `explain`, and the one that *limit* applies to."""
    require_type(method, str, "the name of an algorithm", hint="search.ALGORITHMS lists them")
    require_limit(limit)
    require_whole("number of events", most_events, least=0)
    if method in FROM_THE_GOAL:
        game = with_predecessors(game)
    recorder = Recorder(limit=most_events)
    options.update(evaluation=evaluation, maximiser=maximiser, limit=limit, trace=recorder)
    result = search_by_name(method, game, start, **options)
    return RecordedSearch(game, start, limit, maximiser, result, recorder)


def explanation_of(recorded: RecordedSearch, *, label: str = "") -> Explanation:
    """The explanation of a search that is over: the second half of `explain`."""
    game, result, recorder = recorded.game, recorded.result, recorded.recorder
    start, depth, maximiser = recorded.start, recorded.limit.depth, recorded.maximiser
    outline = None
    if result.method in ADVERSARIAL and (result.complete or isinstance(game, Tree)):
        outline = outline_of(game, start=start, depth=depth, maximiser=maximiser)
    walkthrough = build_walkthrough(
        recorder.events,
        label=label,
        outline=outline,
        result=result,
        dropped=recorder.dropped,
        notes=_notes(result, recorder.dropped, recorded.limit),
    )
    positions = positions_of(game, walkthrough, start=start, depth=depth, maximiser=maximiser)
    return Explanation(game, result, tuple(recorder.events), replace(walkthrough, positions=positions))


def _notes(result: Result, dropped: int, limit: Limit) -> list[str]:
    notes = []
    if not result.complete:
        why = "nothing deeper than the depth limit was searched"
        if result.stopped == NODES and limit.nodes is not None:
            why = f"it stopped after {plural(limit.nodes, 'node')}"
        elif result.stopped == SECONDS:
            why = f"it stopped after {limit.seconds:g} seconds"
        elif result.stopped == INTERRUPTED:
            why = "it was interrupted"
        notes.append(f"The search is not complete: {why}.")
    if dropped:
        notes.append(f"Only the beginning is shown: {dropped:,} later events are left out.")
    return notes
