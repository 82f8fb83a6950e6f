"""`stratagem player`: a player for the GGP protocol."""

from __future__ import annotations

import asyncio
import time
from math import inf
from typing import Annotated, Final

import typer

from stratagem.cli.common.arguments import Remember, Seed

MOST_MARGIN: Final = 60.0
LEAST_MEMORY: Final = 0.25
"""Gigabytes: Python and its libraries take most of that."""


def player(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any free one.")] = 9147,
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 accepts all machines.")
    ] = "127.0.0.1",
    name: Annotated[str, typer.Option(help="The name of the player: one word.")] = "Stratagem",
    kind: Annotated[str, typer.Option("--player", help="stratagem, uct, alphabeta, ...")] = "stratagem",
    matches: Annotated[int, typer.Option(min=1, help="The number of matches at once.")] = 8,
    margin: Annotated[
        float | None, typer.Option(help="Seconds reserved for the network; by default adaptive.")
    ] = None,
    memory: Annotated[float | None, typer.Option(help="Gigabytes for one search process.")] = None,
    records: Annotated[bool, typer.Option(help="Record every match.")] = True,
    remember: Remember = True,
    seed: Seed = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the address.")] = False,
) -> None:
    """Run a player for the GGP protocol, in all its dialects.

    The player opens its port when the engine is ready (a few seconds the first time on a machine) and listens until it is
    stopped (Ctrl-C). Several matches may run at once; those that were running when it was stopped are resumed when
    their manager asks for the next move.
    """
    from stratagem.errors import UsageError
    from stratagem.ggp.player.handler import MessageHandler, PlayerConfig
    from stratagem.ggp.player.preparation import prepare
    from stratagem.ggp.player.server import PlayerServer
    from stratagem.play.clock import Margin
    from stratagem.play.players import player_named
    from stratagem.play.records.store import Records

    player_named(kind)
    if not name or set(name) & set("() \t\n;"):
        raise UsageError(f"{name!r} is not a name for a player", hint="one word, without brackets")
    if margin is not None and not 0 <= margin <= MOST_MARGIN:
        raise UsageError(f"{margin:g} is not a margin", hint=f"give seconds from 0 to {MOST_MARGIN:g}")
    if memory is not None and not LEAST_MEMORY <= memory < inf:
        raise UsageError(
            f"{memory:g} GB is too little for a search",
            hint=f"give {LEAST_MEMORY:g} or more, or leave it out",
        )

    def log(text: str) -> None:
        if not quiet:
            typer.echo(f"{time.strftime('%H:%M:%S')}  {text}")

    async def serve() -> None:
        kept = Records(log=log) if records else None
        bytes_allowed = None if memory is None else int(memory * 2**30)
        config = PlayerConfig(name, kind, seed=seed, matches=matches, memory=bytes_allowed, remember=remember)
        handler = MessageHandler(config, records=kept, margin=Margin(margin), log=log)

        try:
            async with PlayerServer(handler, host=host, port=port, log=log, opens=False) as server:
                await prepare([kind])
                await server.open()
                typer.echo(f"{name} listens at {server.host}:{server.port}")
                await server.serve()
        finally:
            if kept is not None:
                kept.close()

    try:
        asyncio.run(serve())
    except KeyboardInterrupt:
        log("stopped")
