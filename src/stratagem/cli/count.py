"""`stratagem count`: how many states a game has, by distance or by ply, and how many lines of play."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING, Annotated, cast

import typer

from stratagem.cli.common.arguments import (
    After,
    GameArgument,
    Json,
    Shards,
    Sizes,
    at_least,
    more_than,
    settings,
)
from stratagem.cli.common.arguments import after as position_after
from stratagem.cli.common.progress import with_progress
from stratagem.cli.common.running import HERE, On
from stratagem.cli.common.space_view import ProgressView, space_view
from stratagem.cli.search import Depth
from stratagem.limit import DEPTH, MEMORY, Limit

if TYPE_CHECKING:
    from stratagem.cli.common.progress import Stop, Tell
    from stratagem.engine.space.counts import By, Counts


def count(
    game: GameArgument,
    by: Annotated[
        str,
        typer.Option(
            help="distance: every state once; ply: the states after exactly n moves; lines: also the lines of play to them (perft)."
        ),
    ] = "distance",
    depth: Depth = None,
    seconds: Annotated[
        float,
        typer.Option(
            callback=more_than(0),
            help="Stop after this many seconds and print what was counted; inf means no limit.",
        ),
    ] = 60.0,
    memory: Annotated[
        int,
        typer.Option(
            callback=at_least(1), help="Megabytes; when counting by distance, further states go to files."
        ),
    ] = 1024,
    after: After = "",
    sizes: Sizes = None,
    on: On = HERE,
    shards: Shards = None,
    progress: ProgressView = "table",
    json: Json = False,
) -> None:
    """Count the states of a game, layer by layer, or its lines of play, even in spaces larger than memory.

    With --on or --shards, states are counted in shards, each of which may use --memory.

    Exit code 0 if everything asked for was counted, 1 if the time, the memory or Ctrl-C stopped it (the levels counted
    are printed), 2 for bad input.
    """
    from stratagem.circuit.compiler.budget import time_left
    from stratagem.engine.space.count import count_states
    from stratagem.loading import load

    left = time_left(seconds)

    def work(tell: Tell, stop: Stop) -> Counts:
        tell("compiling the rules")
        loaded = load(game, settings=settings(sizes or []), seconds=left(), stop=stop)
        limit = Limit(max(0.0, left()), None, depth, memory << 20, stop)
        if on != HERE or shards is not None:
            from stratagem.cluster.connecting import connect

            start = position_after(loaded, after)
            with connect(on) as executor, space_view(progress) as watch:
                return count_states(
                    loaded, start, by=cast("By", by), limit=limit, on=executor, shards=shards, watch=watch
                )
        return count_states(
            loaded,
            position_after(loaded, after),
            by=cast("By", by),
            limit=limit,
            progress=lambda known, done: tell(f"{known:,} states, {done:,} expanded; Ctrl-C stops it"),
        )

    found = with_progress(work)
    if json:
        typer.echo(jsonlib.dumps(_as_json(game, found), indent=2))
    else:
        _print(game, found, seconds)
    raise typer.Exit(0 if found.stopped in (None, DEPTH) else 1)


def _as_json(label: str, found: Counts) -> dict[str, object]:
    return {
        "label": label,
        "by": found.by,
        "total": found.total,
        "complete": found.complete,
        "stopped": found.stopped,
        "expanded": found.expanded,
        "seconds": round(found.seconds, 3),
        "levels": [
            {
                found.by if found.by == "distance" else "ply": number,
                "states": level.states,
                "terminal": level.terminal,
                **({"lines": level.lines, "matches": level.matches} if found.by == "lines" else {}),
            }
            for number, level in enumerate(found.levels)
        ],
    }


def _print(label: str, found: Counts, seconds: float) -> None:
    from stratagem.cli.common.tables import Column, Screen, print_table
    from stratagem.cli.common.watched import reason

    lines = found.by == "lines"
    heads = ["distance" if found.by == "distance" else "ply", "states", "terminal"]
    heads += ["lines", "matches end"] if lines else []
    rows = [
        [
            f"{number}",
            f"{level.states:,}",
            f"{level.terminal:,}",
            *([f"{level.lines:,}", f"{level.matches:,}"] if lines else []),
        ]
        for number, level in enumerate(found.levels)
    ]
    # A state may be met at several plies: only distances add up to the number of states.
    total = {
        "distance": ["all", f"{found.total:,}", f"{sum(level.terminal for level in found.levels):,}"],
        "lines": ["all", "", "", f"{found.total:,}", f"{found.matches:,}"],
    }
    console = Screen()
    print_table(console, [Column(head) for head in heads], rows, title=label, total=total.get(found.by))
    if found.stopped == MEMORY:
        console.print("count incomplete: the memory is full; --memory changes that")
    elif found.stopped is not None:
        console.print(f"count incomplete: {reason(found.stopped, seconds=seconds)}", highlight=False)
