"""`stratagem query`: ask a database of perfect play."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING, Annotated

import typer

from stratagem.cli.common.arguments import after
from stratagem.cli.common.output import board
from stratagem.plural import plural

if TYPE_CHECKING:
    from stratagem.engine.space.database import Answer, Database
    from stratagem.gdl_game import GdlGame, State


def query(
    file: Annotated[str, typer.Argument(help="A database written by `stratagem solve --database`.")],
    moves: Annotated[str, typer.Argument(help='Moves from its start, as in "(drop 4) (drop 4)".')] = "",
    check: Annotated[bool, typer.Option("--check", help="Compare all checksums first.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what a position is worth by a database, and what every move leads to.

    Exit code 0 if every role's value is known, 1 if only bounds are (play need not end), 2 if the file or the moves are
    wrong.
    """
    from stratagem.engine.space.database import Database

    database = Database(file)
    if check:
        database.check()
    game = database.game()
    state = after(game, moves, start=database.start(game))
    found = database.answer(game, state)
    options = _options(database, game, state)
    if json:
        data = {
            "low": dict(zip(game.roles, found.low, strict=True)),
            "high": dict(zip(game.roles, found.high, strict=True)),
            "distance": found.distance,
            "moves": [
                {"move": move, "low": answer.low, "high": answer.high, "distance": answer.distance}
                for move, answer in options
            ],
        }
        typer.echo(jsonlib.dumps(data, indent=2))
    else:
        _print(game, state, found, options)
    raise typer.Exit(0 if found.low == found.high else 1)


def _options(database: Database, game: GdlGame, state: State) -> list[tuple[str, Answer]]:
    """Every move of the role that has the choice, with what the database says about the position after it."""
    if state.terminal or len(state.to_move) != 1:
        return []
    (mover,) = state.to_move
    return [(str(move), database.answer(game, state.play(move))) for move in state.legals(mover)]


def _print(game: GdlGame, state: State, found: Answer, options: list[tuple[str, Answer]]) -> None:
    typer.echo(board(state))
    for role, low, high in zip(game.roles, found.low, found.high, strict=True):
        typer.echo(f"{role}: {low}" if low == high else f"{role}: at least {low}, at most {high}")
    if state.terminal:
        typer.echo("the match is over")
    else:
        typer.echo(
            "it need not end" if found.distance < 0 else f"ends after {plural(found.distance, 'move')}"
        )
    for move, answer in options:
        worth = " ".join(
            str(low) if low == high else f"{low}..{high}"
            for low, high in zip(answer.low, answer.high, strict=True)
        )
        typer.echo(f"  {move}: {worth}" + (f" in {answer.distance}" if answer.distance >= 0 else ""))
