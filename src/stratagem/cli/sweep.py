"""`stratagem sweep`: judge a game over a range of sizes."""

from __future__ import annotations

import json as jsonlib
import re
from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from stratagem.cli.common.arguments import GameArgument, Json, at_least, more_than
from stratagem.cli.common.running import HERE, On
from stratagem.errors import OutOfTime, UsageError

if TYPE_CHECKING:
    from stratagem.cli.common.progress import Stop, Tell
    from stratagem.engine.verdict import Verdict

MEGABYTES: Final = 2048
COLUMNS: Final = (
    "sizes",
    "states",
    "longest",
    "branching",
    "mean length",
    "mean goals",
    "can force",
    "sound",
)


def sweep(
    game: GameArgument,
    sizes: Annotated[
        list[str] | None, typer.Option("--set", help="A range of sizes: rows=3..6, or one: columns=5.")
    ] = None,
    states: Annotated[
        int,
        typer.Option(
            help="Exhaust the state space if it has at most this many states.", callback=at_least(1)
        ),
    ] = 500_000,
    budget: Annotated[
        float, typer.Option(help="Seconds to spend on each size.", callback=more_than(0))
    ] = 20.0,
    on: On = HERE,
    json: Json = False,
) -> None:
    """Judge a game over a range of sizes, as one table.

    Exit code 0 if every size was judged, whatever was found; 1 if not: the budget was too small, or Ctrl-C (the sizes
    judged so far are printed); 2 if the rules, the sizes or the options are invalid.
    """
    from stratagem.cli.common.progress import with_progress
    from stratagem.loading import source_of

    choices = combinations(sizes or [])
    for chosen in choices:
        source_of(game, chosen)  # A size that the game does not have is refused before any work begins.
    rows: list[dict[str, Any]] = []
    try:
        answered = with_progress(
            lambda tell, stop: (
                _judge_each(game, choices, states, budget, tell, stop, rows.append)
                if on == HERE
                else _judge_there(on, game, choices, states, budget, tell, stop, rows)
            )
        )
    except (OutOfTime, KeyboardInterrupt):  # Something was at work that cannot be interrupted.
        _say(game, rows, len(choices), json)
        raise
    _say(game, rows, len(choices), json)
    raise typer.Exit(0 if answered else 1)


def _say(game: str, rows: Sequence[dict[str, Any]], count: int, json: bool) -> None:
    if json:
        typer.echo(jsonlib.dumps(rows, indent=2))
    else:
        _print(game, rows)
    if len(rows) < count:
        typer.echo(f"interrupted after {len(rows)} of {count} sizes", err=True)


def _judge_each(
    game: str,
    choices: Sequence[dict[str, int]],
    states: int,
    seconds: float,
    tell: Tell,
    stop: Stop,
    put: Callable[[dict[str, Any]], None],
) -> bool:
    """Puts out a row for each of the *choices*; whether all could be judged: *stop* ends the work."""
    from stratagem.cli.judge import judged

    answered = True
    for number, chosen in enumerate(choices, start=1):
        try:
            found = judged(
                game, chosen, states=states, memory=MEGABYTES, seconds=seconds, seed=0, tell=tell, stop=stop
            )
        except OutOfTime:  # A request to stop while the rules were being compiled.
            return False
        if found.interrupted:
            return False
        put({"sizes": chosen, **_row(found)})
        answered = answered and found.answered
        if stop():
            return answered and number == len(choices)
    return answered


def _judge_there(
    on: str,
    game: str,
    choices: Sequence[dict[str, int]],
    states: int,
    seconds: float,
    tell: Tell,
    stop: Stop,
    rows: list[dict[str, Any]],
) -> bool:
    """The same on an executor, each size a task; *rows* are in the order of the sizes."""
    from stratagem.cli.common.running import running_on
    from stratagem.cli.judge import judged_there, named_source

    tasks = [(named_source(game, chosen), states, MEGABYTES, seconds, 0) for chosen in choices]
    found: dict[int, Verdict] = {}
    with running_on(on) as executor:
        assert executor is not None
        judging = executor.map(
            judged_there, tasks, progress=lambda done, all: tell(f"{done} of {all} sizes"), stop=stop
        )
        try:
            for number, verdict in judging:
                found[number] = verdict
        except OutOfTime:
            if not stop():
                raise
    rows += [{"sizes": choices[number], **_row(found[number])} for number in sorted(found)]
    return len(found) == len(choices) and all(verdict.answered for verdict in found.values())


def _row(found: Verdict) -> dict[str, Any]:
    figures = found.figures
    forces = figures.get("forces", {})
    return {
        "states": figures.get("states"),
        "states_at_least": figures.get("states", figures.get("states_at_least", 1)),
        "longest": figures.get("longest"),
        "branching": figures.get("branching"),
        "mean_length": figures["mean_length"],
        "mean_goals": figures["mean_goals"],
        "forces": {role: forces.get(role) for role in figures["mean_goals"]},
        "sound": found.sound,
    }


def _print(game: str, rows: Sequence[dict[str, Any]]) -> None:
    from stratagem.cli.common.tables import Column, Screen, print_table

    columns = [Column(head, left=head == "sizes") for head in COLUMNS]
    print_table(Screen(), columns, [_cells(row) for row in rows], title=game)


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        " ".join(f"{name}={value}" for name, value in row["sizes"].items()) or "default",
        f"> {row['states_at_least']:,}" if row["states"] is None else f"{row['states']:,}",
        "" if row["longest"] is None else str(row["longest"]),
        "" if row["branching"] is None else str(row["branching"]),
        str(row["mean_length"]),
        " ".join("?" if value is None else f"{value:.0f}" for value in row["mean_goals"].values()),
        " ".join("?" if value is None else str(value) for value in row["forces"].values()),
        "yes" if row["sound"] else "no",
    ]


def combinations(texts: list[str]) -> list[dict[str, int]]:
    """``["rows=3..5", "columns=4"]`` as all choices of sizes.

    >>> combinations(["rows=3..4", "columns=5"])
    [{'rows': 3, 'columns': 5}, {'rows': 4, 'columns': 5}]
    """
    ranges: dict[str, range] = {}
    for text in texts:
        found = re.fullmatch(r"\s*(\w+)\s*=\s*(\d{1,6})(?:\.\.(\d{1,6}))?\s*", text)
        if found is None or (found[3] is not None and int(found[3]) < int(found[2])):
            raise UsageError(f"{text!r} is not a range of sizes", hint="write --set rows=3..6")
        ranges[found[1]] = range(int(found[2]), int(found[3] or found[2]) + 1)
    return [dict(zip(ranges, values, strict=True)) for values in product(*ranges.values())]
