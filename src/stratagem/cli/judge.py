"""`stratagem judge`: whether the rules of a game are sound, fair and solved."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stratagem.cli.common.arguments import GameArgument, Json, Sizes, at_least, more_than, settings
from stratagem.errors import OutOfTime
from stratagem.limit import Limit
from stratagem.plural import plural

if TYPE_CHECKING:
    from stratagem.cli.common.progress import Stop, Tell
    from stratagem.engine.verdict import Verdict
    from stratagem.gdl.findings import Finding

DEAD: Final = ("GDL103", "GDL104", "GDL105")
"""Warnings about rules that never matter."""
FOR_COMPILING: Final = 0.7
"""The part of the time that compiling may take: then the rest is left to the reasoner."""
SUSPECT: Final = ("GDL106", "GDL107", "GDL109", "GDL120", "GDL123", "GDL124")
"""Warnings about rules that hardly mean what was meant."""


def judge(
    game: GameArgument,
    sizes: Sizes = None,
    states: Annotated[
        int,
        typer.Option(help="Exhaust the state space if it has at most so many states.", callback=at_least(1)),
    ] = 2_000_000,
    budget: Annotated[float, typer.Option(help="Seconds to spend.", callback=more_than(0))] = 60.0,
    memory: Annotated[int, typer.Option(help="Megabytes for the whole space.", callback=at_least(1))] = 2048,
    seed: Annotated[int, typer.Option(help="For random matches.", callback=at_least(0))] = 0,
    json: Json = False,
) -> None:
    """Check whether every match ends, every role can always move and can win, the goals are valid, and the game is fair.

    Decided for spaces that can be exhausted; otherwise estimated by random matches, and said so. Exit code 0 if nothing
    is wrong with the rules as far as was seen; 1 if something is, or if nothing could be said: the budget was too
    small, or Ctrl-C (what is known is printed); 2 if the rules or the options are no good.
    """
    from stratagem.cli.common.progress import with_progress
    from stratagem.gdl.parse import examine
    from stratagem.loading import source_of

    chosen = settings(sizes or [])
    findings = examine(source_of(game, chosen))[1]
    found = with_progress(
        lambda tell, stop: judged(
            game, chosen, states=states, memory=memory, seconds=budget, seed=seed, tell=tell, stop=stop
        ),
        seconds=budget,
        hint="allow more with --budget",
    )
    dead = [finding for finding in findings if finding.code in DEAD]
    suspect = [finding for finding in findings if finding.code in SUSPECT]
    if json:
        warned = {"dead_rules": [str(one) for one in dead], "warnings": [str(one) for one in suspect]}
        typer.echo(jsonlib.dumps(found.as_json() | warned, indent=2))
    else:
        typer.echo("\n".join([_heading(found), *_lines(found), *_warnings(dead, suspect), *_figures(found)]))
    raise typer.Exit(0 if found.sound and found.answered else 1)


def judged(
    game: str,
    sizes: Mapping[str, int],
    *,
    states: int,
    memory: int,
    seconds: float,
    seed: int,
    tell: Tell,
    stop: Stop,
) -> Verdict:
    """The verdict on a game within *seconds*, compiling included; by the reasoner where compiling takes too long."""
    from stratagem.circuit.compiler.budget import time_left
    from stratagem.engine.judge import judge as run
    from stratagem.loading import load

    left = time_left(seconds)
    tell("compiling the rules")
    try:
        loaded = load(game, settings=sizes, seconds=seconds * FOR_COMPILING, stop=stop)
    except OutOfTime as spent:
        if stop():
            raise
        tell("random matches of the reasoner")
        loaded = load(game, settings=sizes, machine="reasoner")
        loaded.fallback = spent.message
    limit = Limit(seconds=max(0.0, left()), nodes=states, memory=memory << 20, stop=stop)
    return run(loaded, limit, seed=seed, progress=tell)


def _heading(found: Verdict) -> str:
    figures = found.figures
    if found.exhausted:
        count = figures["states"]
        looked = (
            "its only state was looked at" if count == 1 else f"every one of {count:,} states was looked at"
        )
    elif "reasoner" in figures:
        looked = f"judged by random matches of the reasoner, because {figures['reasoner']}"
    else:
        looked = f"more than {figures['states_at_least']:,} states; judged by random matches"
    return f"{found.game}: {looked}{'; interrupted' if found.interrupted else ''}"


def _lines(found: Verdict) -> list[str]:
    lines: list[str] = []
    for ruling in found.rulings:
        sign = {True: "✓", False: "✗", None: "·"}[ruling.good]
        known = "" if ruling.known == "unknown" else f" ({ruling.known})"
        lines.append(f"{sign} {ruling.question} {ruling.answer}{known}")
        if ruling.match and ruling.good is not True:
            lines.append(f"    shown by: {' '.join(ruling.match_text)}")
    return lines


def _warnings(dead: Sequence[Finding], suspect: Sequence[Finding]) -> list[str]:
    lines = [f"· dead rules: {len(dead) or 'none'}", *(f"    {one}" for one in dead)]
    if suspect:
        lines += [f"· other warnings about the rules: {len(suspect)}", *(f"    {one}" for one in suspect)]
    return lines


def _figures(found: Verdict) -> list[str]:
    figures = found.figures
    goals = ", ".join(
        f"{role} {'none' if value is None else value}" for role, value in figures["mean_goals"].items()
    )
    lines = [f"· random matches: {figures['mean_length']} moves on average; mean goals {goals}"]
    if figures["matches"] == 0:
        lines = []
    if "branching" in figures:
        ends = plural(figures["ends"], "end")
        lines.append(f"· branching {figures['branching']}, {ends}")
    return lines
