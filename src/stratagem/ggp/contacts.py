"""Whom a manager can talk to: players somewhere on the network, players of this house, and chance."""

from __future__ import annotations

import asyncio
from typing import Protocol

from stratagem.ggp.client import TOO_LATE, Address, Failure, ask
from stratagem.ggp.desk import Desk
from stratagem.ggp.messages import Dialect, Message, write


class Contact(Protocol):
    """Somebody who answers messages."""

    name: str

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
    ) -> None:
        self.address = address
        self.name = str(address) if name is None else name
        self.receiver = self.name if receiver is None else receiver
        self.dialect: Dialect = dialect

    async def ask(self, message: Message, seconds: float) -> str | Failure:
        return await ask(self.address, self.receiver, write(message, self.dialect), seconds)


class Local:
    """A player of this house: the same desk as on the network, without the network."""

    def __init__(self, desk: Desk, *, name: str | None = None) -> None:
        self.desk = desk
        self.name = desk.character.name if name is None else name

    async def ask(self, message: Message, seconds: float) -> str | Failure:
        try:
            async with asyncio.timeout(seconds):
                return (await self.desk.answer(write(message))).text
        except TimeoutError:
            return Failure(TOO_LATE, f"{self.name} did not answer within {seconds:g} s")


class Chance:
    """Nobody: the manager moves for this role, at random. It answers nothing, and nothing is its fault."""

    def __init__(self, name: str = "random") -> None:
        self.name = name

    async def ask(self, message: Message, seconds: float) -> str | Failure:
        return Failure("", f"{self.name} is played by chance")
