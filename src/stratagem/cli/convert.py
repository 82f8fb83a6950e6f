"""``stratagem convert``: converts a rule sheet between KIF and HRF."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stratagem.cli.common.arguments import Sizes
from stratagem.cli.common.output_files import Force, checked_output, write_output
from stratagem.cli.common.sheets import sheet_at
from stratagem.errors import UsageError
from stratagem.gdl.findings import in_order
from stratagem.gdl.parse import read_sheet, refusal
from stratagem.gdl.text.printer import to_hrf, to_kif

PRINTERS = {"kif": to_kif, "hrf": to_hrf}


def convert(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A rule sheet; - is standard input.")],
    to: Annotated[str | None, typer.Option("--to", help="kif or hrf; by default the other one.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; by default standard output.")
    ] = None,
    force: Force = False,
    syntax: Annotated[
        str | None, typer.Option("--from", help="kif or hrf, if the file name does not say.")
    ] = None,
    sizes: Sizes = None,
) -> None:
    """Convert a rule sheet between KIF and HRF. The rules stay the same; comments and layout do not."""
    if output is not None:
        checked_output(output, force=force)
    source = sheet_at(file, syntax, sizes or [])
    target = to or _by_ending(output) or ("kif" if source.syntax == "hrf" else "hrf")
    if target not in PRINTERS:
        raise UsageError(f"no syntax called {target}", hint="choose kif or hrf")
    sheet, faults = read_sheet(source)
    if faults:
        raise refusal(in_order(faults))
    text = PRINTERS[target](sheet)
    if output is None:
        typer.echo(text, nl=False)
        return
    write_output(output, text)


def _by_ending(output: Path | None) -> str | None:
    ending = "" if output is None else output.suffix.lower().removeprefix(".")
    return ending if ending in PRINTERS else None
