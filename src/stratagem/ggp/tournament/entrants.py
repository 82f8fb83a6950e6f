"""The players of a tournament: players of ours, programs to be started, addresses on the network.

stratagem, uct, random ...         a player of ours
cmd:./my-player --port {port}      a program, started for the tournament and ended after it
host:port or http://host:port      a player that is running already
NAME=any of these                  under another name
"""

from __future__ import annotations

import asyncio
import shlex
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from stratagem.errors import UsageError
from stratagem.ggp.manager.client import Address, player_or_address
from stratagem.ggp.manager.contacts import Contact, Local, Remote
from stratagem.ggp.manager.introductions import all_there, ask_who_is_there
from stratagem.ggp.player.handler import MessageHandler, PlayerConfig
from stratagem.ggp.player.preparation import prepare
from stratagem.loading import MachineName
from stratagem.play.players import PLAYERS
from stratagem.play.records.store import Records

COMMAND: Final = "cmd:"
STARTING: Final = 30.0
"""Seconds that a program has to answer its first INFO."""
GETTING_READY: Final = 120.0
"""Seconds for which a program that was just started may call itself busy, as our own player does while it compiles."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of a tournament: its name in the ranking, and what it is."""

    name: str
    what: str

    @classmethod
    def of(cls, text: str) -> Entrant:
        """An entrant as the command line writes it.

        >>> Entrant.of("uct"), Entrant.of("mine=cmd:./play {port}")
        (Entrant(name='uct', what='uct'), Entrant(name='mine', what='cmd:./play {port}'))
        """
        name, equals, what = text.partition("=")
        if not equals or not name.replace("-", "").replace("_", "").isalnum():
            name, what = text, text
        if not what.startswith(COMMAND):
            player_or_address(what)
        elif "{port}" not in what:
            raise UsageError(f"{what} does not say where its port goes", hint="write {port} in the command")
        return cls(name.replace(" ", "_"), what)


class Entrants:
    """All players of a tournament; use it with ``async with``, so that programs are ended."""

    def __init__(
        self,
        entrants: list[Entrant],
        *,
        seed: int | None = None,
        machine: MachineName | None = None,
        remember: bool = False,
        records: Records | None = None,
        play_on: bool = False,
        patience: float = 0.0,
        log: Callable[[str], None] = lambda text: None,
    ) -> None:
        """*play_on*: go on without those who cannot be reached or are busy, after *patience* seconds."""
        names = [entrant.name for entrant in entrants]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise UsageError(f"two players are called {twice[0]}", hint="give one another name: NAME=PLAYER")
        self.entrants = {entrant.name: entrant for entrant in entrants}
        self.seed = seed
        self.machine = machine
        self.remember = remember
        self.records = records
        """Where our players keep the searches behind their moves."""
        self.play_on = play_on
        self.patience = patience
        self.log = log
        self._handlers: dict[tuple[str, int], MessageHandler] = {}
        self._programs: dict[str, asyncio.subprocess.Process] = {}
        self._addresses: dict[str, Address] = {}

    async def __aenter__(self) -> Entrants:
        try:
            for entrant in self.entrants.values():
                if entrant.what.startswith(COMMAND):
                    self._addresses[entrant.name] = await self._start(entrant)
                elif (address := address_of(entrant)) is not None:
                    self._addresses[entrant.name] = address
            await self._see_who_is_there()
            if self.machine is None:  # a clock that runs is no time to compile in
                await prepare({one.what for one in self.entrants.values()} & PLAYERS.keys())
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        for handler in self._handlers.values():
            handler.close()
        for program in self._programs.values():
            if program.returncode is None:
                with suppress(ProcessLookupError):
                    program.terminate()
                try:
                    async with asyncio.timeout(5):
                        await program.wait()
                except TimeoutError:
                    program.kill()
                    await program.wait()

    def contact(self, name: str, seat: int) -> Contact:
        """The contact of the player *name* in role number *seat*."""
        entrant = self.entrants[name]
        if name in self._addresses:
            return Remote(self._addresses[name], name=name)
        key = name, seat
        if key not in self._handlers:
            config = PlayerConfig(
                name, entrant.what, machine=self.machine, seed=self.seed, remember=self.remember
            )
            self._handlers[key] = MessageHandler(config, records=self.records)
        return Local(self._handlers[key], name=name)

    async def _see_who_is_there(self) -> None:
        """Refuses to begin while a player on the network is not there."""
        if self.play_on:
            return
        remote = [name for name, entrant in self.entrants.items() if address_of(entrant) is not None]
        named = [(name, Remote(self._addresses[name], name=name)) for name in remote]
        await all_there(named, patience=self.patience, waiting=self.log)

    async def _start(self, entrant: Entrant) -> Address:
        port = _free_port()
        words = shlex.split(entrant.what.removeprefix(COMMAND).replace("{port}", str(port)))
        try:
            program = await asyncio.create_subprocess_exec(
                *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL
            )
        except (OSError, ValueError) as failure:
            raise UsageError(f"{words[0] if words else 'nothing'} cannot be started: {failure}") from failure
        self._programs[entrant.name] = program
        address = Address("127.0.0.1", port)
        contacts = [Remote(address, name=entrant.name)]
        there = asyncio.ensure_future(ask_who_is_there(contacts, patience=STARTING, busy_is_fine=True))
        ended = asyncio.ensure_future(program.wait())
        await asyncio.wait([there, ended], return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        if not there.done():
            there.cancel()
            raise UsageError(f"{entrant.name} ended at once with exit code {program.returncode}")
        if there.result()[0].fault:
            raise UsageError(f"{entrant.name} does not answer at port {port}", hint="does it listen there?")
        await ask_who_is_there(
            contacts, patience=GETTING_READY
        )  # one that is busy for longer plays all the same
        return address


def address_of(entrant: Entrant) -> Address | None:
    """Where an entrant listens that was running before the tournament; None for all others."""
    return None if entrant.what.startswith(COMMAND) else player_or_address(entrant.what)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
