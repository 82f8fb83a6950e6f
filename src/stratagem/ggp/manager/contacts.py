"""The players of a match as its manager reaches them: over the network, in this process, or random moves."""

from __future__ import annotations

import asyncio
from typing import Protocol

from stratagem.ggp.manager.client import TOO_LATE, Address, Connect, Failure, ask
from stratagem.ggp.player.handler import MessageHandler
from stratagem.ggp.protocol.messages import Dialect, Message, write
from stratagem.play.records.record import labelled


class Contact(Protocol):
    """A player that answers messages."""

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
    """A player of ours: the same message handler as on the network, without the network."""

    def __init__(self, handler: MessageHandler, *, name: str | None = None) -> None:
        self.handler = handler
        self.name = handler.config.name if name is None else name
        self.address = handler.config.player
        self.introduces = True

    @property
    def label(self) -> str:
        return labelled(self.name, self.address)

    def introduced(self, name: str) -> None:
        """It has its name."""

    async def ask(self, message: Message, seconds: float) -> str | Failure:
        try:
            async with asyncio.timeout(seconds):
                return (await self.handler.answer(write(message))).text
        except TimeoutError:
            return Failure(TOO_LATE, f"{self.name} did not answer within {seconds:g} s")


class Chance:
    """A role for which the manager makes random moves. It answers nothing, and that is no error."""

    def __init__(self, name: str = "random") -> None:
        self.name = self.label = self.address = name
        self.introduces = True

    def introduced(self, name: str) -> None:
        """It has its name."""

    async def ask(self, message: Message, seconds: float) -> str | Failure:
        return Failure("", f"{self.name} is played by chance")
