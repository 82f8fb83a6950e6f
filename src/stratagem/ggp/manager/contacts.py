"""Whom a manager can talk to: players somewhere on the network, players of this house, and chance."""

from __future__ import annotations

import asyncio
from typing import Protocol

from stratagem.ggp.manager.client import TOO_LATE, Address, Connect, Failure, ask
from stratagem.ggp.player.handler import Desk
from stratagem.ggp.protocol.messages import Dialect, Message, write
from stratagem.play.records.record import labelled


class Contact(Protocol):
    """Somebody who answers messages."""

    name: str
    address: str
    """What has to be written to reach it again: host and port, or the name of a player of ours."""
    introduces: bool
    """Whether it can be expected to answer INFO."""

    @property
    def label(self) -> str:
        """The name, and the address where that is something else."""
        raise NotImplementedError

    def introduced(self, name: str) -> None:
        """Takes note of the *name* by which it introduces itself, unless it was given one."""
        raise NotImplementedError

    async def ask(self, message: Message, seconds: float) -> str | Failure:
        """The answer to *message* within *seconds*, or why there is none."""
        raise NotImplementedError


class Remote:
    """A player at an address; *receiver* is what the manager calls it on the envelope."""

    def __init__(
        self,
        address: Address,
        *,
        name: str | None = None,
        receiver: str | None = None,
        dialect: Dialect = "base",
        connect: Connect = asyncio.open_connection,
    ) -> None:
        self.connect = connect
        self.place = address
        self.address = str(address)
        self.named = name is not None
        self.name = str(address) if name is None else name
        self.receiver = self.name if receiver is None else receiver
        self.dialect: Dialect = dialect
        self.introduces = dialect == "base"

    @property
    def label(self) -> str:
        return labelled(self.name, self.address)

    def introduced(self, name: str) -> None:
        if name and not self.named:
            self.name = name

    async def ask(self, message: Message, seconds: float) -> str | Failure:
        text = write(message, self.dialect)
        return await ask(self.place, self.receiver, text, seconds, connect=self.connect)


class Local:
    """A player of this house: the same desk as on the network, without the network."""

    def __init__(self, desk: Desk, *, name: str | None = None) -> None:
        self.desk = desk
        self.name = desk.character.name if name is None else name
        self.address = desk.character.player
        self.introduces = True

    @property
    def label(self) -> str:
        return labelled(self.name, self.address)

    def introduced(self, name: str) -> None:
        """It has its name."""

    async def ask(self, message: Message, seconds: float) -> str | Failure:
        try:
            async with asyncio.timeout(seconds):
                return (await self.desk.answer(write(message))).text
        except TimeoutError:
            return Failure(TOO_LATE, f"{self.name} did not answer within {seconds:g} s")


class Chance:
    """Nobody: the manager moves for this role, at random. It answers nothing, and nothing is its fault."""

    def __init__(self, name: str = "random") -> None:
        self.name = self.label = self.address = name
        self.introduces = True

    def introduced(self, name: str) -> None:
        """It has its name."""

    async def ask(self, message: Message, seconds: float) -> str | Failure:
        return Failure("", f"{self.name} is played by chance")
