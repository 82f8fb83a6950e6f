"""The way forward of a shard: its states, their children, and what others send.

The states of the last layer are expanded block by block, and children go to their owners through outboxes. A turn makes what has
come in and is new the next layer. The states themselves lie in files; *memory* bounds the buffers, not what the
operating system lends for files.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from socket import gethostname
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stratagem.engine.shards.checkpoint import Checkpoint, Manifest, layer_name, unwritable
from stratagem.engine.shards.ends import EndTally
from stratagem.engine.shards.outbox import Outboxes
from stratagem.engine.shards.plan import Expanded, ShardPlan, Turned
from stratagem.engine.shards.routing import owner_of
from stratagem.engine.space.run_store import RunStore
from stratagem.engine.space.sorted_runs import SortedRun
from stratagem.engine.states.child_buffer import ChildBuffer
from stratagem.errors import BrokenFile
from stratagem.executor.interface import Actor
from stratagem.platform import allow_open_files

BLOCK: Final = 1 << 13
"""States expanded at a time: their children fit the processor's cache."""
MESSAGE: Final = 1 << 20
"""Bytes of states in one message, if as many come together within the memory."""


class ForwardShard:
    """What shard *number* of a search is, and what it does on the way forward."""

    def __init__(self, plan: ShardPlan, number: int) -> None:
        self.plan, self.number = plan, number
        allow_open_files()  # every layer is a map of a file, and so are those of other shards at the end
        self.compiled = plan.game.compiled
        self.compiled.compile(wait=True)
        self.words = self.compiled.words
        local = "://" not in plan.address
        self._own = None if local else tempfile.mkdtemp(prefix="stratagem-shard-")
        scratch = Path(plan.address) / f"{number:04d}" / "scratch" if self._own is None else Path(self._own)
        shutil.rmtree(scratch, ignore_errors=True)
        self.scratch = scratch / os.urandom(4).hex()  # one that was lost may write to its own for a moment
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.checkpoint = Checkpoint(plan.address, self.scratch)
        row = 8 * self.words
        self.rows = max(1 << 10, plan.memory // (4 * row + 16))
        self.message = max(64, min(MESSAGE, plan.memory // (8 * max(1, plan.shards))) // row)
        self.store = RunStore(self.scratch, "run", self.words, self.rows)
        self.layers: list[SortedRun] = []
        self.peers: Sequence[Actor] = ()
        self.near: Sequence[bool] = ()
        self._outboxes: Outboxes | None = None
        self.buffer = ChildBuffer(self.compiled, BLOCK)
        self.expanded = self.sent = 0
        self._storing = threading.Lock()

    def host(self) -> str:
        """The machine that this is, if its files may be used by others there; else a name of its own."""
        return gethostname() if self._own is None and self.plan.sharing else f"shard {self.number}"

    def connect(self, peers: Sequence[Actor], hosts: Sequence[str]) -> None:
        """Gets to know all shards, and which of them are on this machine: those share their files with us."""
        self.peers, self.near = peers, [host == hosts[self.number] for host in hosts]
        self._outboxes = Outboxes(
            peers, self.near, self.number, self.receive, self.scratch, self.words, self.message
        )

    def load(self, manifest: Manifest) -> None:
        """Takes the layers that are finished; the start is the first one."""
        for layer, counts in enumerate(manifest.layers):
            name = layer_name(self.number, layer)
            run = self.checkpoint.states(name, counts[self.number], self.words)
            self.layers.append(run)
            self.store.learn(run)
        start = self.plan.start[None]
        if not manifest.layers and owner_of(start, self.plan.shards) == self.number:
            self.store.add(start)

    def progress(self) -> dict[str, int]:
        """States known and expanded, bytes sent and written so far; and the number of the process."""
        return {
            "process": os.getpid(),
            "states": self.store.count,
            "expanded": self.expanded,
            "sent": self.sent,
            "filed": self.store.filed,
        }

    def expand(self) -> Expanded:
        """Expands the last layer; all children are with their owners when this returns."""
        tally = EndTally(self.words, BLOCK)
        outboxes = self._outboxes
        assert outboxes is not None
        before = self.sent - outboxes.sent
        for block in self._blocks(self.layers[-1]):
            live = tally.take(block, self.compiled.evaluate(block))
            if len(live):
                outboxes.add(self.buffer.expand(live).states)
            self.expanded += len(block)
            self.sent = before + outboxes.sent
        outboxes.flush()
        self.sent = before + outboxes.sent
        return Expanded(tally.count, tally.ends)

    def receive(self, states: NDArray[np.uint64]) -> None:
        """Takes in states that belong here."""
        with self._storing:
            self.store.add(states)

    def receive_file(self, path: str, count: int) -> None:
        """Takes in so many states that a shard of this machine has left in a file."""
        with self._storing, open(path, "rb", buffering=0) as file:
            for part in self.store.room(count):
                content = part.reshape(-1).view(np.uint8).data
                while len(content):
                    read = file.readinto(content)
                    if not read:
                        raise BrokenFile(f"{path} is truncated", hint="restart with --resume")
                    content = content[read:]

    def turn(self, layer: int) -> Turned:
        """Writes what is new as *layer*."""
        name = layer_name(self.number, layer)
        try:
            run = self.store.turn(into=self.checkpoint.writer(name, self.words))
            self.checkpoint.publish(name)
        except OSError as refused:
            raise unwritable(self.checkpoint.folder / name, refused) from refused
        self.layers.append(run)
        return Turned(len(run), self.store.met > 0, self.progress())

    def _blocks(self, run: SortedRun, rows: int = BLOCK) -> Iterator[NDArray[np.uint64]]:
        for first in range(0, len(run), rows):
            yield np.ascontiguousarray(run.states[first : first + rows])

    def clean(self) -> None:
        """Removes what was for this search alone: copies of a checkpoint that lies elsewhere, and layers that are none."""
        shutil.rmtree(self.scratch if self._own is None else self._own, ignore_errors=True)
        if not self.plan.kept:
            shutil.rmtree(Path(self.plan.address) / f"{self.number:04d}", ignore_errors=True)
            with suppress(OSError):  # others are not ready yet
                Path(self.plan.address).rmdir()
