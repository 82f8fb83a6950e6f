"""`stratagem query`: ask a database of perfect play."""

from __future__ import annotations

import json as jsonlib
from typing import Annotated, Any

import typer

from stratagem.cli.arguments import joint_move, steps
from stratagem.cli.output import board


def query(
    file: Annotated[str, typer.Argument(help="A database written by `stratagem solve --database`.")],
    moves: Annotated[str, typer.Argument(help='Moves from its start, as in "(drop 4) (drop 4)".')] = "",
    check: Annotated[bool, typer.Option("--check", help="Compare all checksums first.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what a position is worth by a database, and what every move leads to."""
    from stratagem.engine.database import Database

    database = Database(file)
    if check:
        database.check()
    game = database.game()
    state = database.start(game)
    for written, joint in steps(moves):
        state = state.next(joint_move(state, written)) if joint else state.play(written[0])
    found = database.answer(game, state)
    options: list[dict[str, Any]] = []
    if not state.terminal and len(state.to_move) == 1:
        (mover,) = state.to_move
        for move in state.legals(mover):
            child = state.play(move)
            answer = database.answer(game, child)
            options.append(
                {"move": str(move), "low": answer.low, "high": answer.high, "distance": answer.distance}
            )
    if json:
        data = {
            "low": dict(zip(game.roles, found.low, strict=False)),
            "high": dict(zip(game.roles, found.high, strict=False)),
            "distance": found.distance,
            "moves": options,
        }
        typer.echo(jsonlib.dumps(data, indent=2))
        return
    typer.echo(board(state))
    for role, low, high in zip(game.roles, found.low, found.high, strict=False):
        typer.echo(f"{role}: {low}" if low == high else f"{role}: at least {low}, at most {high}")
    typer.echo("it need not end" if found.distance < 0 else f"ends after {found.distance} moves")
    for option in options:
        worth = " ".join(map(str, option["low"]))
        typer.echo(
            f"  {option['move']}: {worth}" + (f" in {option['distance']}" if option["distance"] >= 0 else "")
        )
