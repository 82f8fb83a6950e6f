"""`stratagem judge`: whether the rules of a game are sound, fair and solved."""

from __future__ import annotations

import json as jsonlib
from typing import Annotated

import typer

from stratagem.cli.arguments import settings


def judge(
    game: Annotated[str, typer.Argument(help="A bundled game, or the path of a .kif or .hrf file.")],
    sizes: Annotated[list[str] | None, typer.Option("--set", help="A size of the board: columns=5.")] = None,
    states: Annotated[
        int, typer.Option(help="Look at every state if there are at most so many.")
    ] = 2_000_000,
    budget: Annotated[float, typer.Option(help="Seconds to spend on the whole space.")] = 60.0,
    memory: Annotated[int, typer.Option(help="Megabytes for the whole space.")] = 2048,
    seed: Annotated[int, typer.Option(help="For random matches.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say whether every match ends, everybody can always move and win, whether the goals are right, and who is better.

    Decided for spaces that can be exhausted; otherwise estimated by random matches, and said so. Exit code 0 if the
    rules are sound, 1 if something is wrong with them.
    """
    from stratagem.cli.progress import with_progress
    from stratagem.engine.judge import judge as run
    from stratagem.gdl.parse import examine
    from stratagem.load import load

    loaded = load(game, settings=settings(sizes or []))
    found = with_progress(
        lambda tell, stop: run(
            loaded, most=states, memory=memory << 20, seconds=budget, seed=seed, progress=tell, stop=stop
        )
    )
    warnings = [
        finding
        for finding in examine(loaded.identity.source)[1]
        if finding.code in ("GDL103", "GDL104", "GDL105")
    ]
    if json:
        typer.echo(
            jsonlib.dumps(found.as_json() | {"dead_rules": [str(warning) for warning in warnings]}, indent=2)
        )
    else:
        if found.exhausted:
            typer.echo(f"{found.game}: every one of {found.figures['states']:,} states was looked at")
        else:
            typer.echo(
                f"{found.game}: more than {found.figures['states_at_least']:,} states; judged by random matches"
            )
        for verdict in found.verdicts:
            sign = {True: "✓", False: "✗", None: "·"}[verdict.good]
            typer.echo(f"{sign} {verdict.question} {verdict.answer} ({verdict.known})")
            if verdict.match and verdict.good is not True:
                typer.echo(f"    shown by: {' '.join(verdict.match)}")
        typer.echo(f"· dead rules: {len(warnings) or 'none'}")
        for warning in warnings:
            typer.echo(f"    {warning}")
        goals = ", ".join(f"{role} {value}" for role, value in found.figures["mean_goals"].items())
        typer.echo(f"· random matches: {found.figures['mean_length']} moves on average; mean goals {goals}")
        if "branching" in found.figures:
            typer.echo(f"· branching {found.figures['branching']}, {found.figures['ends']:,} ends")
    raise typer.Exit(0 if found.sound else 1)
