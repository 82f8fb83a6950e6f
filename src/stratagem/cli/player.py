"""`stratagem player`: sits down at any GGP table and plays whatever it is sent."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Annotated, Final

import typer

PATIENCE: Final = 5.0
"""Seconds that kernels may take to be found on disk before the player listens."""


def player(
    port: Annotated[int, typer.Option(help="Where to listen; 0 takes any free port.")] = 9147,
    host: Annotated[str, typer.Option(help="For whom to listen: 0.0.0.0 lets everybody in.")] = "127.0.0.1",
    name: Annotated[str, typer.Option(help="What to be called: one word.")] = "Stratagem",
    kind: Annotated[str, typer.Option("--player", help="stratagem, uct, alphabeta, ...")] = "stratagem",
    matches: Annotated[int, typer.Option(min=1, help="How many matches at once.")] = 8,
    margin: Annotated[
        float | None, typer.Option(help="Seconds to keep for the network; adapts unless given.")
    ] = None,
    memory: Annotated[float | None, typer.Option(help="Gigabytes that one thinking process may use.")] = None,
    records: Annotated[bool, typer.Option(help="Keep a record of every match.")] = True,
    seed: Annotated[int | None, typer.Option(help="Makes chance repeatable.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but where it listens.")] = False,
) -> None:
    """Play on the network, in all dialects of the game manager's protocol.

    Listens until it is stopped (Ctrl-C). Several matches may run at once; those that were running when it was stopped
    are taken up again when their manager asks for the next move.
    """
    from stratagem.errors import UsageError
    from stratagem.ggp.desk import Character, Desk
    from stratagem.ggp.server import PlayerServer
    from stratagem.play.clock import Margin
    from stratagem.play.players import player_named
    from stratagem.play.records import Records

    player_named(kind)
    if not name or set(name) & set("() \t\n;"):
        raise UsageError(f"{name!r} is no name for a player", hint="one word, without brackets")

    def log(text: str) -> None:
        if not quiet:
            typer.echo(f"{time.strftime('%H:%M:%S')}  {text}")

    async def serve() -> None:
        kept = Records(log=log) if records else None
        bytes_allowed = None if memory is None else int(memory * 2**30)
        character = Character(name, kind, seed=seed, matches=matches, memory=bytes_allowed)
        desk = Desk(character, records=kept, margin=Margin(margin), log=log)
        try:
            async with PlayerServer(desk, host=host, port=port, log=log) as server:
                await asyncio.to_thread(warm_up, log)
                typer.echo(f"{name} listens at {server.host}:{server.port}")
                await server.serve()
        finally:
            if kept is not None:
                kept.close()

    asyncio.run(serve())


def warm_up(log: Callable[[str], None]) -> None:
    """Waits until workers can be had at once, and a little for kernels: the first match needs both.

    On a new machine the kernels take longer than that to be compiled; they are ready when they are, and whoever plays
    before that does without.
    """
    from stratagem.platform import can_fork
    from stratagem.play.nursery import nursery, warm_nursery

    if can_fork():
        nursery().wait()
    warming = threading.Thread(target=warm_nursery, name="warming", daemon=True)
    warming.start()
    warming.join(PATIENCE)
    if warming.is_alive():
        log(
            "the kernels of the engine are being compiled, once for this machine; matches are played meanwhile"
        )
