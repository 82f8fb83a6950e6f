"""Workers without processes: for tests of those who hire them."""

from __future__ import annotations

import threading
import time
from queue import SimpleQueue

from tests.support.virtual_time import Ticking

from stratagem.play.process.fork_server import Heard
from stratagem.play.process.protocol import Order
from stratagem.play.process.worker import Employment, Worker


class Dismissed(Exception):
    """Ends the thread of a worker."""


class InProcess:
    """A worker in a thread of this process, for whom each look at the clock takes *tick* seconds."""

    def __init__(self, employment: Employment, heard: Heard, tick: float = 0.05) -> None:
        self._orders: SimpleQueue[Order | None] = SimpleQueue()
        now = Ticking(tick, start=time.monotonic())
        self._worker = Worker(employment, self, heard, now=now)
        threading.Thread(target=self._run, name="worker", daemon=True).start()

    def tell(self, order: Order) -> None:
        self._orders.put(order)

    def dismiss(self) -> None:
        self._orders.put(None)

    def waiting(self) -> bool:
        return not self._orders.empty()

    def take(self) -> Order:
        order = self._orders.get()
        if order is None:
            raise Dismissed
        return order

    def _run(self) -> None:
        try:
            self._worker.run()
        except Dismissed:
            return
