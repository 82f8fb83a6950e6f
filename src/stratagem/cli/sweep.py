"""`stratagem sweep`: judge a game over a range of sizes."""

from __future__ import annotations

import json as jsonlib
import re
from itertools import product
from typing import Annotated, Any

import typer

from stratagem.errors import UsageError


def sweep(
    game: Annotated[str, typer.Argument(help="A bundled game, or the path of a .kif or .hrf file.")],
    sizes: Annotated[
        list[str] | None, typer.Option("--set", help="A range of sizes: rows=3..6, or one: columns=5.")
    ] = None,
    states: Annotated[int, typer.Option(help="Look at every state if there are at most so many.")] = 500_000,
    budget: Annotated[float, typer.Option(help="Seconds to spend on each size.")] = 20.0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Judge a game over a range of sizes, as one table."""
    from stratagem.engine.judge import judge
    from stratagem.load import load

    rows: list[dict[str, Any]] = []
    for chosen in combinations(sizes or []):
        loaded = load(game, settings=chosen)
        found = judge(loaded, most=states, seconds=budget)
        forces = found.figures.get("forces", {})
        rows.append(
            {
                "sizes": chosen,
                "states": found.figures.get("states"),
                "longest": found.figures.get("longest"),
                "branching": found.figures.get("branching"),
                "mean_length": found.figures["mean_length"],
                "mean_goals": found.figures["mean_goals"],
                "forces": {role: forces.get(role) for role in loaded.roles},
                "sound": found.sound,
            }
        )
    if json:
        typer.echo(jsonlib.dumps(rows, indent=2))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(title=game, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for column in (
        "sizes",
        "states",
        "longest",
        "branching",
        "mean length",
        "mean goals",
        "can force",
        "sound",
    ):
        table.add_column(column, justify="left" if column == "sizes" else "right", no_wrap=column == "sizes")
    for row in rows:
        table.add_row(
            " ".join(f"{name}={value}" for name, value in row["sizes"].items()) or "default",
            f"{row['states']:,}" if row["states"] else f"> {states:,}",
            str(row["longest"] or ""),
            str(row["branching"] or ""),
            str(row["mean_length"]),
            " ".join(f"{value:.0f}" for value in row["mean_goals"].values()),
            " ".join("?" if value is None else str(value) for value in row["forces"].values()),
            "yes" if row["sound"] else "no",
        )
    Console().print(table)


def combinations(texts: list[str]) -> list[dict[str, int]]:
    """``["rows=3..5", "columns=4"]`` as all choices of sizes.

    >>> combinations(["rows=3..4", "columns=5"])
    [{'rows': 3, 'columns': 5}, {'rows': 4, 'columns': 5}]
    """
    ranges: dict[str, range] = {}
    for text in texts:
        found = re.fullmatch(r"\s*(\w+)\s*=\s*(\d{1,6})(?:\.\.(\d{1,6}))?\s*", text)
        if found is None or (found[3] is not None and int(found[3]) < int(found[2])):
            raise UsageError(f"{text!r} is no range of sizes", hint="write --set rows=3..6")
        ranges[found[1]] = range(int(found[2]), int(found[3] or found[2]) + 1)
    return [dict(zip(ranges, values, strict=True)) for values in product(*ranges.values())]
