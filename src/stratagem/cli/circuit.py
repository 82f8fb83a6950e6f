"""``stratagem circuit``: the circuit that the rules compile to."""

from __future__ import annotations

import time
from collections.abc import Sequence
from json import dumps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratagem.cli.common.arguments import Json, Sizes, more_than, settings

if TYPE_CHECKING:
    from stratagem.circuit.circuit import CompiledRules
    from stratagem.circuit.mutex_groups import MutexGroup

FORMAT_VERSION = 1
CONFLICTS = 20_000
"""What the solver may spend on each round of the proof of the groups: a minute on large games."""
TITLES = {
    "rules": "ground rules",
    "gates_before": "gates before",
    "gates": "gates after",
    "depth": "depth",
    "bases": "propositions",
    "constants": "constant facts",
    "moves": "moves",
    "loops": "loops",
    "loop_gates": "gates in loops",
    "groups": "exclusive groups",
    "exact_groups": "of them exact",
    "width": "bits of a state",
}


def circuit(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A bundled game or a rule sheet.")],
    json: Json = False,
    groups: Annotated[bool, typer.Option(help="Prove which propositions exclude each other.")] = True,
    names: Annotated[bool, typer.Option("--names", help="List the exclusive groups.")] = False,
    seconds: Annotated[
        float, typer.Option(help="How long compiling may take.", callback=more_than(0))
    ] = 60.0,
    sizes: Sizes = None,
) -> None:
    """Show the circuit of the rules: ground rules, gates before and after, loops, state, times by stage.

    Exit code 0 if the rules were compiled; 1 if that exceeded the limits; 2 if the rules or the options are invalid.
    """
    from dataclasses import replace

    from stratagem.circuit.compiler.budget import BUDGET
    from stratagem.circuit.compiler.compile import compile_sheet
    from stratagem.circuit.mutex_groups import groups_of
    from stratagem.errors import GroundingError
    from stratagem.loading import sheet_of

    sheet = sheet_of(game, settings(sizes or []))
    try:
        compiled = compile_sheet(sheet, budget=replace(BUDGET, seconds=seconds))
    except GroundingError as refused:
        typer.echo(f"stratagem: {refused}", err=True)
        raise typer.Exit(1) from refused
    times = dict(compiled.seconds)
    found = None
    if groups:
        start = time.perf_counter()
        found = groups_of(compiled.circuit, conflicts=CONFLICTS)
        times["exclusive groups"] = time.perf_counter() - start
    figures = _figures(compiled, found)
    if json:
        typer.echo(dumps({"format": FORMAT_VERSION, "game": game, **figures, "seconds": times}, indent=2))
        return
    typer.echo(f"{game}\n\n{_table(figures)}\n\n{_times(times)}")
    if names and found is not None:
        typer.echo(f"\n{_names(compiled, found)}")


def _figures(compiled: CompiledRules, groups: Sequence[MutexGroup] | None) -> dict[str, Any]:
    from stratagem.circuit.interpret import depth_of
    from stratagem.circuit.mutex_groups import width_of

    made = compiled.circuit
    known = dict(compiled.figures)
    figures: dict[str, Any] = {
        "rules": known["rules"],
        "gates_before": known["gates_before"],
        "gates": made.gate_count,
        "depth": depth_of(made),
        "bases": len(made.bases),
        "constants": len(made.constants),
        "moves": sum(map(len, made.moves)),
        "loops": len(made.loops),
        "loop_gates": sum(last - first for first, last in made.loops),
    }
    if groups is not None:
        figures["groups"] = len(groups)
        figures["exact_groups"] = sum(group.exactly for group in groups)
        figures["width"] = width_of(made, groups)
    return figures


def _table(figures: dict[str, Any]) -> str:
    return "\n".join(f"  {TITLES[name]:<18}{value:>12,}" for name, value in figures.items())


def _times(times: dict[str, float]) -> str:
    lines = [f"  {name:<18}{seconds * 1000:>9,.1f} ms" for name, seconds in times.items()]
    return "\n".join([*lines, f"  {'in all':<18}{sum(times.values()) * 1000:>9,.1f} ms"])


def _names(compiled: CompiledRules, groups: Sequence[MutexGroup]) -> str:
    bases = compiled.circuit.bases
    lines = []
    for group in groups:
        count = "exactly one of" if group.exactly else "at most one of"
        lines.append(f"  {count} {' '.join(str(bases[member]) for member in group.members)}")
    return "\n".join(lines)
