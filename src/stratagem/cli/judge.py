"""`stratagem judge`: whether the rules of a game are sound, fair and solved."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stratagem.cli.common.arguments import GameArgument, Json, Sizes, at_least, more_than, settings
from stratagem.cli.common.running import HERE, On, run_there, running_on
from stratagem.errors import GroundingError, OutOfTime
from stratagem.limit import Limit
from stratagem.plural import plural

if TYPE_CHECKING:
    from stratagem.cli.common.progress import Stop, Tell
    from stratagem.engine.verdict import Verdict
    from stratagem.gdl.findings import Finding
    from stratagem.gdl.text.syntax import Source
    from stratagem.gdl_game import GdlGame
    from stratagem.machines.machine import MachineName

DEAD: Final = ("GDL103", "GDL104", "GDL105")
"""Warnings about rules that never matter."""
FOR_COMPILING: Final = 0.7
"""The part of the time that compiling may take: then the rest is left to joins."""
SUSPECT: Final = ("GDL106", "GDL107", "GDL109", "GDL120", "GDL123", "GDL124")
"""Warnings about rules that hardly mean what was meant."""


def judge(
    game: GameArgument,
    sizes: Sizes = None,
    states: Annotated[
        int,
        typer.Option(
            help="Exhaust the state space if it has at most this many states.", callback=at_least(1)
        ),
    ] = 2_000_000,
    budget: Annotated[float, typer.Option(help="Seconds to spend.", callback=more_than(0))] = 60.0,
    memory: Annotated[int, typer.Option(help="Megabytes for the whole space.", callback=at_least(1))] = 2048,
    seed: Annotated[int, typer.Option(help="The seed of the random matches.", callback=at_least(0))] = 0,
    on: On = HERE,
    json: Json = False,
) -> None:
    """Check whether every match ends, every role can always move and can win, the goals are valid, and the game is fair.

    The answers are decided if the state space can be exhausted; otherwise they are estimated by random matches and marked as
    estimates.

    Exit code 0 if nothing wrong was found with the rules; 1 if something was, or if nothing could be found out because the
    budget was too small or Ctrl-C was pressed (what is known is printed); 2 if the rules or the options are invalid.
    """
    from stratagem.cli.common.progress import with_progress
    from stratagem.gdl.parse import examine
    from stratagem.loading import source_of

    chosen = settings(sizes or [])
    findings = examine(source_of(game, chosen))[1]

    def work(tell: Tell, stop: Stop) -> Verdict:
        with running_on(on) as executor:
            if executor is not None:
                source = named_source(game, chosen)
                return run_there(executor, stop, judged_there, source, states, memory, budget, seed)
            return judged(
                game, chosen, states=states, memory=memory, seconds=budget, seed=seed, tell=tell, stop=stop
            )

    found = with_progress(
        work,
        seconds=budget if on == HERE else None,
        more="--budget allows more",
    )
    dead = [finding for finding in findings if finding.code in DEAD]
    suspect = [finding for finding in findings if finding.code in SUSPECT]
    if json:
        warned = {"dead_rules": [str(one) for one in dead], "warnings": [str(one) for one in suspect]}
        typer.echo(jsonlib.dumps(found.as_json() | warned, indent=2))
    else:
        typer.echo("\n".join([str(found), *_warnings(dead, suspect), *_figures(found)]))
    raise typer.Exit(0 if found.sound and found.answered else 1)


def named_source(game: str, sizes: Mapping[str, int]) -> Source:
    """The rules of a game for another machine, under the name that the game has here."""
    from dataclasses import replace

    from stratagem.loading import source_of

    source = source_of(game, sizes)
    return replace(source, name="rules") if source.name == "<rules>" else source


def judged_there(source: Source, states: int, memory: int, seconds: float, seed: int) -> Verdict:
    """The verdict on rules, in another process."""
    return judged(
        source,
        {},
        states=states,
        memory=memory,
        seconds=seconds,
        seed=seed,
        tell=lambda text: None,
        stop=lambda: False,
    )


def judged(
    game: str | Source,
    sizes: Mapping[str, int],
    *,
    states: int,
    memory: int,
    seconds: float,
    seed: int,
    tell: Tell,
    stop: Stop,
) -> Verdict:
    """The verdict on a game within *seconds*, compiling included; by joins where compiling takes too long."""
    from stratagem.circuit.compiler.budget import time_left
    from stratagem.engine.judge import judge as run
    from stratagem.loading import load, load_source

    def read(machine: MachineName | None = None, time: float | None = None) -> GdlGame:
        if isinstance(game, str):
            return load(game, settings=sizes, machine=machine, seconds=time, stop=stop)
        return load_source(game, machine, seconds=time, stop=stop)

    left = time_left(seconds)
    tell("compiling the rules")
    try:
        loaded = read(time=seconds * FOR_COMPILING)
    except OutOfTime as spent:
        if stop():
            raise
        tell("random matches without compiling")
        try:
            loaded = read("joins")
        except GroundingError:
            loaded = read("reasoner")
        loaded.fallback = spent.message
    limit = Limit(seconds=max(0.0, left()), nodes=states, memory=memory << 20, stop=stop)
    return run(loaded, limit, seed=seed, progress=tell)


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
