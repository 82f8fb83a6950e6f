"""`stratagem matches` and `stratagem replay`: recorded matches."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from stratagem.cli.common.arguments import Json
from stratagem.cli.common.output import board


def matches(
    most: Annotated[int, typer.Option("--most", "-n", min=1, help="The number of matches to list.")] = 20,
    game: Annotated[str | None, typer.Option(help="Only matches of this game.")] = None,
    json: Json = False,
) -> None:
    """List the recorded matches, the newest first."""
    from json import dumps

    from stratagem.play.records.store import Records

    with Records() as records:
        found = records.newest(most, game=game)
    if json:
        rows = [
            {
                "number": one.number,
                "matchId": one.id,
                "game": one.game,
                "keeper": one.keeper,
                "role": one.role,
                "players": list(one.players),
                "addresses": list(one.addresses),
                "roles": list(one.roles),
                "status": one.status,
                "goals": None if one.goals is None else list(one.goals),
                "started": one.started,
            }
            for one in found
        ]
        typer.echo(dumps(rows, indent=2))
        return
    if not found:
        typer.echo("no matches yet: `stratagem play tictactoe` plays one")
    for one in found:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.started / 1000))
        goals = (
            "" if one.goals is None else " ".join("?" if goal is None else str(goal) for goal in one.goals)
        )
        who = ", ".join(one.labels) or "?"
        typer.echo(
            f"{one.number:5}  {when}  {one.game:18} {one.keeper:8} {one.status:9} {goals:12} {who}   {one.id}"
        )


def replay(
    match: Annotated[str, typer.Argument(help="The number of a match in the list, or its id.")],
    json: Annotated[
        bool, typer.Option("--json", help="Print the record as JSON, in the format of GGP servers.")
    ] = False,
    turn: Annotated[
        int | None, typer.Option(min=0, help="Show only the position after this many moves.")
    ] = None,
    draw: Annotated[bool, typer.Option(help="Draw the positions.")] = True,
) -> None:
    """Show a recorded match, move by move, with the search report of each."""
    from json import dumps

    from stratagem.errors import UsageError
    from stratagem.play.records.store import Records
    from stratagem.play.terminal import told

    with Records() as records:
        record = records.get(match)
    game = record.load()
    if json:
        typer.echo(dumps(record.as_json(game), indent=2))
        return
    if turn is not None and turn > len(record.moves):
        raise UsageError(f"match {record.id} has only {len(record.moves)} moves")
    typer.echo(f"{record.id}: {record.game}, {record.status}")
    for role, name in zip(record.roles, record.labels, strict=False):
        typer.echo(f"  {role}: {name}")
    for number, position in enumerate(record.positions(game)):
        if turn is not None and number != turn:
            continue
        if number:
            joint = zip(position.roles, position.node.moves, strict=True)
            typer.echo(f"\n{number}. " + "   ".join(f"{role} {game.spell(move)}" for role, move in joint))
            errors = record.steps[number].errors if number < len(record.steps) else ()
            for role, error in zip(position.roles, errors, strict=False):
                if error:
                    typer.echo(f"   {role}: {error}")
            for remark in record.remarks:
                if remark.turn == number - 1 and remark.thought.why:
                    typer.echo(f"   {remark.role}: {told(remark.thought)}")
        if draw:
            typer.echo(board(position.state))
    if record.goals is not None:
        goals = zip(record.roles, record.goals, strict=False)
        typer.echo("over: " + ", ".join(f"{role} {'?' if goal is None else goal}" for role, goal in goals))
