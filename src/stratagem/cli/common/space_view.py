"""The progress of a sharded search: a table that is drawn again and again, or lines of JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from stratagem.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from stratagem.engine.shards.progress import SpaceProgress, WatchSpace

VIEWS: Final = ("table", "json", "none")
ProgressView: TypeAlias = Annotated[
    str,
    typer.Option(
        "--progress",
        help="Progress of the shards: table (in a terminal), json (lines on standard error) or none.",
    ),
]


@contextmanager
def space_view(view: str) -> Iterator[WatchSpace | None]:
    """What hears of the progress, for as long as it is shown."""
    if view not in VIEWS:
        raise UsageError(f"progress cannot be shown as {view}", hint=f"choose one of {', '.join(VIEWS)}")
    if view == "json":
        yield lambda progress: typer.echo(progress.json_line(), err=True)
    elif view == "none" or not sys.stderr.isatty():
        yield None
    else:
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(stderr=True), transient=True) as live:
            yield lambda progress: live.update(space_table(progress))


def space_table(progress: SpaceProgress) -> Table:
    """Phase, layer, states, states per second of each shard, bytes, and what is left, as a table."""
    from rich.table import Table

    table = Table(
        title=f"{progress.phase}: layer {progress.layer} of {progress.layers}", title_justify="left"
    )
    table.add_column("")
    table.add_column("now", justify="right")
    table.add_row("states known", f"{progress.states:,}")
    for number, rate in enumerate(progress.rates):
        table.add_row(f"shard {number}, states a second", f"{rate:,.0f}")
    table.add_row("sent between shards", f"{progress.sent >> 20:,} MB")
    table.add_row("written to files", f"{progress.filed >> 20:,} MB")
    table.add_row("seconds so far", f"{progress.seconds:,.0f}")
    table.add_row("seconds to go", "?" if progress.rest is None else f"about {progress.rest:,.0f}")
    if progress.note:
        table.add_row("note", progress.note)
    return table
