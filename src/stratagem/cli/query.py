"""`stratagem query`: the value of a position from a database."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING, Annotated

import typer

from stratagem.cli.common.arguments import Json, after
from stratagem.cli.common.output import board
from stratagem.plural import plural

if TYPE_CHECKING:
    from stratagem.engine.space.database import Database, DatabaseEntry
    from stratagem.gdl_game import State
    from stratagem.result import Result


def query(
    file: Annotated[str, typer.Argument(help="A database written by `stratagem solve --database`.")],
    moves: Annotated[
        str, typer.Argument(help='Moves from the start of the database, as in "(drop 4) (drop 4)".')
    ] = "",
    check: Annotated[bool, typer.Option("--check", help="Verify all checksums first.")] = False,
    json: Json = False,
) -> None:
    """Print the value of a position from a database, and the value after every move.

    Exit code 0 if every role's value is known, 1 if only bounds are (play need not end), 2 if the file or the moves are
    wrong.
    """
    from stratagem.engine.space.database import Database

    database = Database(file)
    if check:
        database.check()
    game = database.game
    state = after(game, moves, start=database.start)
    found = database[state]
    options = _options(database, state)
    if json:
        data = {
            "low": {role: value.low for role, value in found.values.items()},
            "high": {role: value.high for role, value in found.values.items()},
            "distance": -1 if found.distance is None else found.distance,
            "moves": [
                {"move": move, "low": entry.low, "high": entry.high, "distance": entry.distance}
                for move, entry in options
            ],
        }
        typer.echo(jsonlib.dumps(data, indent=2))
    else:
        _print(state, found, options)
    raise typer.Exit(0 if found.proved else 1)


def _options(database: Database, state: State) -> list[tuple[str, DatabaseEntry]]:
    """Every move of the role that has the choice, with what the database keeps of the position after it."""
    if state.terminal or len(state.to_move) != 1:
        return []
    (mover,) = state.to_move
    return [(str(move), database.entry(state.play(move))) for move in state.legals(mover)]


def _print(state: State, found: Result, options: list[tuple[str, DatabaseEntry]]) -> None:
    typer.echo(board(state))
    for role, value in found.values.items():
        typer.echo(f"{role}: {value}")
    if state.terminal:
        typer.echo("the match is over")
    else:
        typer.echo(
            "the match need not end"
            if found.distance is None
            else f"ends after {plural(found.distance, 'move')}"
        )
    for move, entry in options:
        worth = " ".join(
            str(low) if low == high else f"{low}..{high}"
            for low, high in zip(entry.low, entry.high, strict=True)
        )
        typer.echo(f"  {move}: {worth}" + (f" in {entry.distance}" if entry.distance >= 0 else ""))
