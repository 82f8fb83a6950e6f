"""`stratagem play GAME --as ROLE`: a match in the terminal."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from stratagem.cli.common.arguments import GameArgument, Remember, Seed, Sizes, settings
from stratagem.cli.common.output import ascii_only

if TYPE_CHECKING:
    from stratagem.play.match_state import Match


def play(
    game: GameArgument,
    role: Annotated[str, typer.Option("--as", help="Your role; by default the first.")] = "",
    clock: Annotated[float, typer.Option(min=0.1, help="Seconds per move of the other players.")] = 5.0,
    against: Annotated[
        str, typer.Option(help="The player of the other roles: stratagem, uct, random, ...")
    ] = "stratagem",
    sizes: Sizes = None,
    seed: Seed = None,
    remember: Remember = True,
    records: Annotated[bool, typer.Option(help="Record the match.")] = True,
) -> None:
    """Play a game in the terminal against Stratagem.

    Moves are chosen by number or written out; ? shows their values, undo takes one back, an illegal one is
    explained. Type help for the rest.
    """
    from stratagem.ggp.repository import game_at
    from stratagem.play.players import player_named
    from stratagem.play.records.store import Records
    from stratagem.play.terminal import TerminalIO, TerminalMatch, TerminalSettings

    player_named(against)
    loaded = game_at(game, **settings(sizes or []))
    setting = TerminalSettings(
        role or None, against, clock=clock, startclock=clock, seed=seed, remember=remember
    )
    kept = Records() if records else None
    try:
        room = TerminalIO(typer.echo, ask, show, lambda: int(time.time() * 1000), kept)
        record = TerminalMatch(loaded, setting, room).run()
        if record.number:
            typer.echo(f"recorded as match {record.number}: stratagem replay {record.number}")
    finally:
        if kept is not None:
            kept.close()


def ask(prompt: str) -> str | None:
    """A line from the person; None when there will be no more."""
    try:
        return input(prompt)
    except EOFError:
        return None


def show(match: Match) -> None:
    """Draws the position, in colours where the terminal has them."""
    from rich.console import Console

    from stratagem.show.board.terminal.board import draw_rich

    typer.echo("")
    Console(file=sys.stdout, highlight=False, soft_wrap=True).print(
        draw_rich(match.state, ascii=ascii_only())
    )
