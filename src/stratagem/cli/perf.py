"""`stratagem perf`: one measurement in the format of the gdl-perf project.

That harness calls an engine with a rule sheet, a file for the result and a number of seconds, and reads ``key=value``
lines back: how long it took, how many state changes and how many rollouts were made, or what went wrong.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stratagem import __version__
from stratagem.cli.common.arguments import at_least, more_than
from stratagem.cli.common.output_files import Force, checked_output, write_output
from stratagem.errors import StratagemError


def perf(
    file: Annotated[str, typer.Argument(help="The rule sheet: a path, or the name of a bundled game.")],
    result: Annotated[Path, typer.Argument(help="Where to write the result.")],
    seconds: Annotated[float, typer.Argument(callback=more_than(0), help="How long to play random matches.")],
    threads: Annotated[int, typer.Option(callback=at_least(1), help="The number of threads.")] = 1,
    force: Force = False,
) -> None:
    """Play random matches of one sheet for some seconds and write the result in the format of gdl-perf.

    Loading and compiling are not part of the time. A sheet that cannot be played gives an errorMessage, and exit code 2.
    """
    checked_output(result, force=force)
    lines = {"version": __version__}
    try:
        milliseconds, states, matches = measured(file, seconds, threads)
    except StratagemError as refused:
        write(result, lines | {"errorMessage": " ".join(str(refused).split())})
        raise
    numbers = {"millisecondsTaken": milliseconds, "numStateChanges": states, "numRollouts": matches}
    write(result, lines | {name: str(number) for name, number in numbers.items()})


def measured(file: str, seconds: float, threads: int) -> tuple[int, int, int]:
    """Milliseconds, state changes and random matches."""
    from stratagem.loading import load

    game = load(file)
    if game.compilable:
        game.playouts(n=1)
    report = game.playouts(seconds=seconds, threads=threads)
    return round(1000 * report.seconds), report.plies, report.matches


def write(path: Path, lines: dict[str, str]) -> None:
    """The result file, one ``key=value`` per line."""
    write_output(path, "".join(f"{name}={value}\n" for name, value in lines.items()))
