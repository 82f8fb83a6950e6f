"""`stratagem host GAME PLAYER ...`: runs a match between players."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Annotated

import typer

from stratagem.cli.common.arguments import PlayOn, Remember, Seed, Sizes, Wait, settings

if TYPE_CHECKING:
    from stratagem.gdl_game import GdlGame
    from stratagem.ggp.manager.manager import Event, Terms
    from stratagem.play.match_state import Match
    from stratagem.play.records.record import MatchRecord
    from stratagem.play.records.store import Records


def host(
    game: Annotated[
        str, typer.Argument(help="A bundled game, a .kif or .hrf file, a folder or URL of a repository.")
    ] = "",
    players: Annotated[
        list[str] | None,
        typer.Argument(metavar="PLAYER...", help="host:port, or stratagem, uct, random ...; one per role."),
    ] = None,
    startclock: Annotated[float, typer.Option(min=0, help="Seconds before the first move.")] = 15,
    playclock: Annotated[float, typer.Option(min=0, help="Seconds for each move.")] = 10,
    preview: Annotated[
        float | None, typer.Option(min=0, help="Seconds to show the rules before the match.")
    ] = None,
    grace: Annotated[float, typer.Option(min=0, help="Extra seconds before a move counts as late.")] = 1.0,
    scramble: Annotated[
        bool, typer.Option("--scramble", help="Replace all names by meaningless words.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Moves must be spelled as in the rules.")] = False,
    dialect: Annotated[str, typer.Option(help="base, bare, stanford or dresden.")] = "base",
    name: Annotated[str, typer.Option("--id", help="The id of the match; by default a new one.")] = "",
    play_on: PlayOn = False,
    wait: Wait = 0,
    resume: Annotated[str, typer.Option(help="Continue this match (number or id).")] = "",
    sizes: Sizes = None,
    seed: Seed = None,
    remember: Remember = True,
    json: Annotated[bool, typer.Option("--json", help="Print the record as JSON at the end.")] = False,
    draw: Annotated[bool, typer.Option("--draw", help="Draw every position.")] = False,
) -> None:
    """Host a match: clocks, illegal and late moves, the record. A role called random is played by chance.

    If a player is absent or busy at the start, there is no match: exit code 1. During a match a player that is late, gone
    or answers with an illegal move gets a random legal move, and the record says so.
    """
    from json import dumps

    from stratagem.errors import UsageError
    from stratagem.ggp.manager.manager import Terms
    from stratagem.ggp.protocol.messages import DIALECTS
    from stratagem.ggp.repository import game_at
    from stratagem.play.records.store import Records

    if dialect not in DIALECTS:
        raise UsageError(f"no dialect called {dialect}", hint=f"choose one of {', '.join(DIALECTS)}")
    watcher = Watcher(silent=json, draw=draw)
    with Records(log=watcher.say) as records:
        if resume:
            before = records.get(resume)
            rules, startclock, playclock = before.load(), before.startclock, before.playclock
            where = list(players or []) if not game else [game, *(players or [])]
            players = where or list(before.addresses or before.players)
        elif game:
            before, rules = None, game_at(game, **settings(sizes or []))
        else:
            raise UsageError(
                "which game?", hint="write `stratagem host tictactoe localhost:9147 localhost:9148`"
            )
        terms = Terms(
            startclock,
            playclock,
            preview,
            grace,
            scramble and not resume,
            strict,
            seed=seed,
            play_on=play_on,
            patience=wait,
        )
        hosting = _run(
            rules,
            players or [],
            terms,
            dialect,
            records,
            watcher,
            name=name,
            before=before,
            remember=remember,
        )
        try:
            record = asyncio.run(hosting)
        except KeyboardInterrupt as stopped:
            typer.echo(f"stopped: {watcher.progress()}", err=True)
            raise typer.Exit(1) from stopped
        if json:
            typer.echo(dumps(record.as_json(), indent=2))
    if record.status != "completed":
        raise typer.Exit(1)


async def _run(
    game: GdlGame,
    players: list[str],
    terms: Terms,
    dialect: str,
    records: Records,
    watcher: Watcher,
    *,
    name: str = "",
    before: MatchRecord | None = None,
    remember: bool = False,
) -> MatchRecord:
    from stratagem.ggp.manager.client import player_or_address
    from stratagem.ggp.manager.contacts import Chance, Contact, Local, Remote
    from stratagem.ggp.manager.manager import Manager
    from stratagem.ggp.player.handler import MessageHandler, PlayerConfig
    from stratagem.ggp.player.preparation import prepare

    handlers: list[MessageHandler] = []

    def contact(text: str) -> Contact:
        if text == "random":
            return Chance()
        address = player_or_address(text)
        if address is None:
            config = PlayerConfig(text, text, seed=terms.seed, remember=remember)
            handlers.append(MessageHandler(config, records=records))
            return Local(handlers[-1])
        return Remote(address, dialect=dialect)  # type: ignore[arg-type]

    try:
        contacts = [contact(text) for text in players]
        manager = Manager(game, contacts, terms, records=records, watch=watcher.see)
        # a clock that runs is no time to compile in
        await prepare([handler.config.player for handler in handlers])
        return await (manager.run(name or None) if before is None else manager.resume(before))
    finally:
        for handler in handlers:
            handler.close()


class Watcher:
    """Prints a match as it goes on."""

    def __init__(self, *, silent: bool, draw: bool) -> None:
        self.silent = silent
        self.draw = draw
        self.begun = time.monotonic()
        self.match: Match | None = None

    def progress(self) -> str:
        """How far the match has come: printed when it is interrupted."""
        if self.match is None:
            return "no match was started"
        return f"match {self.match.id} was aborted after {self.match.turn} moves; its players were notified"

    def say(self, text: str) -> None:
        if not self.silent:
            typer.echo(f"[{time.monotonic() - self.begun:7.2f} s] {text}")

    def see(self, event: Event) -> None:
        match = event.match
        if event.kind in ("start", "state"):
            self.match = match
        if event.kind == "start":
            self.say(f"match {match.id}: {', '.join(match.roles)}")
        elif event.kind == "waiting":
            self.say(event.text)
        elif event.kind in ("info", "error"):
            self.say(f"{event.role}: {event.text}")
        elif event.kind == "state":
            joint = zip(match.roles, match.node.moves, strict=True)
            self.say(
                f"{match.turn:3}  " + "   ".join(f"{role} {match.rules.spell(move)}" for role, move in joint)
            )
            if self.draw and not self.silent:
                typer.echo(str(match.state))
        elif event.kind == "over":
            goals = zip(match.roles, match.goals(), strict=True)
            self.say("over: " + ", ".join(f"{role} {'?' if goal is None else goal}" for role, goal in goals))
