"""Outboxes: states on their way to the shards that own them.

To another machine they go in messages, sorted and each once, as the network is what is scarce. A shard of the same machine gets
them in files, as they come, which costs one copy. Either way only so many may be unanswered (back-pressure).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratagem.engine.space.sorted_runs import RunWriter, in_order
from stratagem.executor.interface import Actor, Pending

UNANSWERED: Final = 8
"""Messages that may be on their way from one shard."""
FILE: Final = 1 << 22
"""Bytes of states in one file."""


class Outboxes:
    """One for each of *peers*; those that are *near* get files in *folder*, others messages of about so many *rows*."""

    def __init__(
        self, peers: Sequence[Actor], near: Sequence[bool], folder: Path, words: int, rows: int
    ) -> None:
        self.peers, self.near, self.folder, self.words = peers, near, folder, words
        self.sent = 0
        """Bytes so far."""
        self._rows = [max(rows, FILE // (8 * words)) if each else rows for each in near]
        self._gathered: list[list[NDArray[np.uint64]]] = [[] for _ in peers]
        self._files: list[RunWriter | None] = [None] * len(peers)
        self._counts = [0] * len(peers)
        self._unanswered: deque[Pending[Any]] = deque()
        self._number = 0

    def add(self, shard: int, states: NDArray[np.uint64]) -> None:
        """Puts *states* of a *shard* into its outbox; the array may be used for others afterwards."""
        if self.near[shard]:
            file = self._files[shard]
            if file is None:
                self._number += 1
                file = self._files[shard] = RunWriter(
                    self.folder / f"sent-{shard}-{self._number}", self.words
                )
            file.add(states)
        else:
            self._gathered[shard].append(states.copy())
        self._counts[shard] += len(states)
        if self._counts[shard] >= self._rows[shard]:
            self._send(shard)

    def flush(self) -> None:
        """Sends what is left, and waits until all has arrived."""
        for shard, count in enumerate(self._counts):
            if count:
                self._send(shard)
        while self._unanswered:
            self._unanswered.popleft().result()

    def _send(self, shard: int) -> None:
        file = self._files[shard]
        if file is not None:
            file.close()
            self._files[shard] = None
            self.sent += 8 * self.words * file.count
            pending = self.peers[shard].call("receive_file", str(file.path), file.count)
        else:
            rows = in_order(np.concatenate(self._gathered[shard]))
            self._gathered[shard] = []
            self.sent += rows.nbytes
            pending = self.peers[shard].call("receive", rows)
        self._counts[shard] = 0
        self._unanswered.append(pending)
        while len(self._unanswered) > UNANSWERED:
            self._unanswered.popleft().result()
