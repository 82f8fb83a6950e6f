"""Outboxes: states on their way to the shards that own them.

To another machine they go in messages, sorted and each once, as the network is what is scarce. A shard of the same machine gets
them in files, as they come, which costs one copy. Either way only so many may be unanswered (back-pressure). Rooms and
files are used again and again: fresh ones cost as much as what is put into them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratagem.engine.shards.routing import KERNELS, OutgoingRows, owner_of, send_off
from stratagem.engine.space.sorted_runs import RunWriter, in_order
from stratagem.executor.interface import Actor, Pending
from stratagem.kernels import Array, uint64
from stratagem.native.jit.kernel_families import compiled_family

UNANSWERED: Final = 8
"""Messages that may be on their way from one shard."""
FILE: Final = 1 << 22
"""Bytes of states in one file."""
RECENT: Final = 1 << 18
"""Bytes of states that are remembered, so that they are not sent again: they fit the processor's cache."""

AHEAD: Final = 1 << 9
"""States that are hashed at a time."""


class Outboxes:
    """One for each of *peers*, with room for so many *rows*: those that are *near* get files in *folder*, others messages.

    States of shard *own* are handed to *keep*.
    """

    def __init__(
        self,
        peers: Sequence[Actor],
        near: Sequence[bool],
        own: int,
        keep: Callable[[NDArray[np.uint64]], None],
        folder: Path,
        words: int,
        rows: int,
    ) -> None:
        self.peers, self.near, self.own, self.keep, self.folder = peers, near, own, keep, folder
        self.sent = 0
        """Bytes so far."""
        self._room = np.empty((len(peers), rows, words), np.uint64)
        self._counts = np.zeros(len(peers), np.int64)
        slots = 1 << (RECENT // (8 * words)).bit_length() - 1
        self._recent = np.empty((slots, words), np.uint64)
        self._rows = OutgoingRows(
            states=self._room, counts=self._counts, recent=self._recent, spreads=np.empty(AHEAD, np.uint64)
        )
        self._send_off = compiled_family(KERNELS)[send_off]
        self._begun = False
        self._files: list[RunWriter | None] = [None] * len(peers)
        self._free: list[list[Path]] = [[] for _ in peers]
        self._unanswered: deque[tuple[Pending[Any], int, Path | None]] = deque()
        self._number = 0

    def add(self, states: NDArray[np.uint64]) -> None:
        """Sends *states* to their owners, sooner or later; the array may be used for others afterwards."""
        if not len(states):
            return
        if not self._begun:  # all that is remembered must have been sent
            self._begun = True
            self._recent[:] = states[0]
            owner = owner_of(states[0], len(self.peers))
            self._room[owner, self._counts[owner]] = states[0]
            self._counts[owner] += 1
        first, room = 0, self._room.shape[1]
        while True:
            first = self._send_off(self._rows, Array(uint64, states), first, len(states))
            if first == len(states):
                return
            for shard in np.flatnonzero(self._counts == room).tolist():
                self._empty(shard)

    def flush(self) -> None:
        """Sends what is left, and waits until all has arrived; what is sent afterwards is of another layer."""
        self._begun = False
        for shard in range(len(self.peers)):
            self._empty(shard)
            if self._files[shard] is not None:
                self._send_file(shard)
        while self._unanswered:
            self._await()

    def _empty(self, shard: int) -> None:
        """Empties the room of a shard."""
        states = self._room[shard, : self._counts[shard]]
        self._counts[shard] = 0
        if not len(states):
            return
        if shard == self.own:
            self.keep(states)
        elif self.near[shard]:
            file = self._files[shard]
            if file is None:
                file = self._files[shard] = self._file(shard)
            file.add(states)
            self.sent += states.nbytes
            if states.shape[1] * 8 * file.count >= FILE:
                self._send_file(shard)
        else:
            rows = in_order(states.copy())
            self.sent += rows.nbytes
            self._called(self.peers[shard].call("receive", rows), shard, None)

    def _file(self, shard: int) -> RunWriter:
        """A file for a shard: one that has been read, if there is any."""
        words = self._room.shape[2]
        if self._free[shard]:
            return RunWriter(self._free[shard].pop(), words, over=True)
        self._number += 1
        return RunWriter(self.folder / f"sent-{shard}-{self._number}", words)

    def _send_file(self, shard: int) -> None:
        file, self._files[shard] = self._files[shard], None
        assert file is not None
        file.end()
        pending = self.peers[shard].call("receive_file", str(file.path), file.count)
        self._called(pending, shard, file.path)

    def _called(self, pending: Pending[Any], shard: int, path: Path | None) -> None:
        self._unanswered.append((pending, shard, path))
        while len(self._unanswered) > UNANSWERED:
            self._await()

    def _await(self) -> None:
        pending, shard, path = self._unanswered.popleft()
        pending.result()
        if path is not None:
            self._free[shard].append(path)
