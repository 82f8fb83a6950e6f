"""Workers without processes: for tests of those who spawn them."""

from __future__ import annotations

import threading
import time
from queue import SimpleQueue

from tests.support.virtual_time import Ticking

from stratagem.play.process.fork_server import Hear
from stratagem.play.process.protocol import Command
from stratagem.play.process.worker import Worker, WorkerConfig


class Dismissed(Exception):
    """Ends the thread of a worker."""


class InProcess:
    """A worker in a thread of this process, for whom each look at the clock takes *tick* seconds."""

    def __init__(self, config: WorkerConfig, heard: Hear, tick: float = 0.05) -> None:
        self._commands: SimpleQueue[Command | None] = SimpleQueue()
        now = Ticking(tick, start=time.monotonic())
        self._worker = Worker(config, self, heard, now=now)
        threading.Thread(target=self._run, name="worker", daemon=True).start()

    def send(self, command: Command) -> None:
        self._commands.put(command)

    def kill(self) -> None:
        self._commands.put(None)

    def waiting(self) -> bool:
        return not self._commands.empty()

    def take(self) -> Command:
        command = self._commands.get()
        if command is None:
            raise Dismissed
        return command

    def _run(self) -> None:
        try:
            self._worker.run()
        except Dismissed:
            return
