"""A shard: the actor that owns the states of a part of the hashes, expands them, and takes in what others send.

On the way back the children of a block are looked up: in the files of shards of this machine, and elsewhere by asking their
owners, with a few blocks on their way. Then the shard writes its part of the database.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratagem.engine.shards.backward import NEVER, Induction
from stratagem.engine.shards.checkpoint import Checkpoint, Manifest, layer_name, unwritable, values_name
from stratagem.engine.shards.chunks import FiledChunk, sorted_chunks
from stratagem.engine.shards.following import LayerFollowed
from stratagem.engine.shards.forward import BLOCK, ForwardShard
from stratagem.engine.shards.merging import Chunk, Rows, merged
from stratagem.engine.shards.parallel_write import Section, WritePlan, checksums, write_range
from stratagem.engine.shards.plan import LayerBelow, ShardPlan
from stratagem.engine.shards.routing import Router, distinct, located, looked_up
from stratagem.engine.space.database_file import DatabaseFacts, write_database
from stratagem.errors import BrokenFile
from stratagem.executor.interface import Pending

ASKED: Final = 1 << 15
"""States whose children are asked for together, within the memory: questions cost a round trip each."""
BLOCKS_WAITING: Final = 6
"""Blocks that wait for answers while others are expanded, within the memory."""
CELLS: Final = 1 << 17
"""Numbers of the values of a block whose children are followed: theirs fit the processor's cache then, or nearly."""
HELD: Final = 128
"""Bytes that a state of one word takes while its children are asked for, about."""


class Shard(ForwardShard):
    """Number *number* of a search."""

    def __init__(self, plan: ShardPlan, number: int) -> None:
        super().__init__(plan, number)
        self.asked = max(1 << 10, min(ASKED, plan.memory // (512 * self.words)))
        self.waiting = max(1, min(BLOCKS_WAITING, plan.memory // (4 * HELD * self.words * self.asked)))
        self.values: dict[int, NDArray[np.int16]] = {}
        self._values_paths: dict[int, Path] = {}
        self.induction: Induction | None = None
        self.levelled = True
        self._followed: LayerFollowed | None = None
        self._below: dict[int, tuple[NDArray[np.uint64], NDArray[np.int16]]] = {}
        """The states and values of the layer below in other shards of this machine."""
        self.router = Router(self.words, plan.shards)
        self.reached: set[int] = set()
        self._chunks: list[Rows] = []

    # -- backward ------------------------------------------------------------------------------------------

    def prepare(self, manifest: Manifest, induction: Induction) -> None:
        """Gets ready to go backward; takes the values that are finished."""
        self.induction, self.levelled = induction, manifest.levelled
        for layer, sweep in manifest.values.items():
            self.adopt(int(layer), sweep)

    def adopt(self, layer: int, sweep: int) -> None:
        """Uses the values of a layer that a sweep has written."""
        assert self.induction is not None
        name = values_name(self.number, layer, sweep)
        count = len(self.layers[layer])
        self.values[layer] = self.checkpoint.rows(name, count, self.induction.columns, np.int16)
        self._values_paths[layer] = self.checkpoint.folder / name

    def forget(self, layer: int, sweep: int) -> None:
        """Removes the values of an earlier sweep."""
        self.checkpoint.remove(values_name(self.number, layer, sweep))

    def induce(self, layer: int, sweep: int, below: LayerBelow | None) -> tuple[bool, bool, set[int]]:
        """Works out and writes the values of a layer: whether any differs from before, whether any is not known.

        And the layers that moves from there lead to. *below* is the only one of these, where there is only one.
        """
        assert self.induction is not None
        self._below = {} if below is None else self._maps_of(layer + 1, below, self.induction)
        self._followed = None
        if below is not None and self.words == 1 and all(self.near):
            own = self.layers[layer + 1].states, self.values[layer + 1]
            runs = [self._below.get(shard, own) for shard in range(self.plan.shards)]
            self._followed = LayerFollowed(runs, self.induction.columns)
        name = values_name(self.number, layer, sweep)
        self.reached = set()
        try:
            writer = self.checkpoint.writer(name, self.induction.columns, np.int16)
            before, first, changed, unknown = self.values.get(layer), 0, False, False
            for result in self._induced(layer, self.induction):
                if not (self.levelled and self.induction.zero_sum):  # else one sweep is enough
                    old = NEVER if before is None else before[first : first + len(result)]
                    changed = changed or bool(np.any(result != old))
                    unknown = unknown or bool(np.any(result[:, -1:] == NEVER))
                    first += len(result)
                writer.add(result)
            writer.close()
            self.checkpoint.publish(name)
        except OSError as refused:
            raise unwritable(self.checkpoint.folder / name, refused) from refused
        self.adopt(layer, sweep)
        return changed, unknown, self.reached

    def _maps_of(
        self, layer: int, below: LayerBelow, induction: Induction
    ) -> dict[int, tuple[NDArray[np.uint64], NDArray[np.int16]]]:
        """What the other shards of this machine have of a layer."""
        found = {}
        for shard, count in enumerate(below.counts):
            if self.near[shard] and shard != self.number:
                states = self.checkpoint.states(layer_name(shard, layer), count, self.words)
                name = values_name(shard, layer, below.sweep)
                found[shard] = states.states, self.checkpoint.rows(name, count, induction.columns, np.int16)
        return found

    def _induced(self, layer: int, induction: Induction) -> Iterator[NDArray[np.int16]]:
        """The values of a layer, block by block; some blocks wait for answers while others are expanded."""
        if self._followed is not None:
            rows = min(BLOCK, self.asked, max(1 << 6, CELLS // max(1, induction.columns)))
            for block in self._blocks(self.layers[layer], rows):
                yield self._looked_up(block, self._followed, induction)
                self.expanded += len(block)
            self.reached.add(layer + 1)
            return
        waiting: deque[Callable[[], NDArray[np.int16]]] = deque()
        for block in self._blocks(self.layers[layer], self.asked):
            waiting.append(self._asked(layer, block, induction))
            self.expanded += len(block)
            while len(waiting) > self.waiting:
                yield waiting.popleft()()
        while waiting:
            yield waiting.popleft()()

    def _looked_up(
        self, block: NDArray[np.uint64], below: LayerFollowed, induction: Induction
    ) -> NDArray[np.int16]:
        """The values of a *block* from those of its children, all of which lie in the layer *below* on this machine."""
        result, live, parents = induction.at_ends(block, self.compiled.evaluate(block))
        if len(live):
            children = self.buffer.expand(parents)
            values = below.values(parents, children)
            if values is None:
                raise _missing()
            induction.back_up(result, live, children, None, values)
        return result

    def _asked(
        self, layer: int, block: NDArray[np.uint64], induction: Induction
    ) -> Callable[[], NDArray[np.int16]]:
        """Asks for the values of the children of a *block*; what is returned waits for them and gives the block's own."""
        from stratagem.native.compiled import Children

        result, live, parents = induction.at_ends(block, self.compiled.evaluate(block))
        made = self.buffer.expand(parents) if len(live) else None
        if made is None or not len(made):  # ends, and states without a legal move
            return lambda: result
        kept = Children(
            made.states[:0], made.parents.copy(), made.moves.copy(), made.terminal[:0], made.goals[:0]
        )
        wanted, places = self._questions(made.states)
        answers: list[Any] = []
        for shard, states in enumerate(wanted):
            if not len(states):
                continue
            if shard == self.number:
                answers.append(self.values_of(layer, states))
                continue
            self.sent += states.nbytes + 2 * induction.columns * len(states)
            if shard in self._below:
                answers.append((values_in(*self._below[shard], states), {layer + 1}))
            else:
                answers.append(self.peers[shard].call("values_of", layer, states))

        def finish() -> NDArray[np.int16]:
            found = [one.result() if isinstance(one, Pending) else one for one in answers]
            self.reached.update(*(levels for _, levels in found))
            values = np.concatenate([values for values, _ in found])
            induction.back_up(result, live, kept, places, values)
            return result

        return finish

    def _questions(self, children: NDArray[np.uint64]) -> tuple[list[NDArray[np.uint64]], NDArray[np.int32]]:
        """What to ask each shard, and for every child its place among all answers, one after another."""
        states, places = distinct(children)
        if self.plan.shards == 1:
            return [states], places
        parts, order = self.router.route(states)
        return parts, order[places]

    def values_of(self, layer: int, states: NDArray[np.uint64]) -> tuple[NDArray[np.int16], set[int]]:
        """The values of sorted *states* of this shard, children of states of *layer*; and the layers that they are in."""
        assert self.induction is not None
        if not states.flags.writeable:  # from an object store; kernels want memory that can be written
            states = states.copy()
        if self.levelled:
            below = self.layers[layer + 1].states, self.values[layer + 1]
            return values_in(*below, states), {layer + 1}
        result = np.full((len(states), self.induction.columns), NEVER, np.int16)
        rows, levels = np.arange(len(states)), set[int]()
        highest = min(layer + 1, len(self.layers) - 1)
        for level in range(highest, -1, -1):
            found = np.full(len(rows), -1, np.int64)
            hits = located(np.ascontiguousarray(states[rows]), self.layers[level].states, found)
            if hits:
                levels.add(level)
            if hits and level in self.values:
                there = found >= 0
                result[rows[there]] = self.values[level][found[there]]
            rows = rows[found < 0] if hits else rows
            if not len(rows):
                return result, levels
        raise _missing()

    # -- the database --------------------------------------------------------------------------------------

    def sources(self) -> list[FiledChunk]:
        """All states of this shard in files, in the order of their words: its layers, if that is theirs, else chunks."""
        assert self.induction is not None
        if self.words > 1:  # layers are in the order of their hashes
            return [filed for _, filed in self._sorted_chunks(in_files=True)]
        manifest = [(layer, len(run)) for layer, run in enumerate(self.layers) if len(run)]
        return [
            FiledChunk(
                count,
                {
                    "states": (str(self.layers[layer].path), "<u8", (count, 1)),
                    "values": (str(self._values_paths[layer]), "<i2", (count, self.induction.columns)),
                },
            )
            for layer, count in manifest
        ]

    def _sorted_chunks(self, *, in_files: bool) -> list[tuple[Rows, FiledChunk]]:
        assert self.induction is not None
        layers = [(run.states, self.values[layer]) for layer, run in enumerate(self.layers) if len(run)]
        return sorted_chunks(layers, self.induction, self.rows, self.scratch, in_files=in_files)

    def chunks(self) -> list[int]:
        """Sorts all states with what a database keeps of them, in chunks that fit into the memory: the lengths of these."""
        self._chunks = [rows for rows, _ in self._sorted_chunks(in_files=False)]
        return [len(rows["states"]) for rows in self._chunks]

    def write_range(self, plan: WritePlan, bounds: NDArray[np.int64]) -> None:
        """Writes a range of the states of all shards into the database that these write together."""
        write_range(plan, bounds)

    def checksums(self, path: str, sections: Sequence[Section]) -> dict[str, str]:
        """The checksums of some sections of a file."""
        return checksums(path, sections)

    def rows_of(self, chunk: int, first: int, count: int) -> Rows:
        """Some rows of a chunk."""
        return {name: array[first : first + count].copy() for name, array in self._chunks[chunk].items()}

    def write_part(self, facts: DatabaseFacts, name: str, address: str) -> str:
        """Writes the database of this shard alone as the file *name* at *address*."""
        assert self.induction is not None
        lengths = self.chunks()
        sources = [
            Chunk(length, lambda first, count, number=number: self.rows_of(number, first, count))  # type: ignore[misc]
            for number, length in enumerate(lengths)
        ]
        place = Checkpoint(address, self.scratch / "part")
        columns = 1 if self.induction.zero_sum else self.induction.roles
        write_database(place.folder / name, facts, sum(lengths), columns, merged(sources, self.rows))
        place.publish(name)
        return name


def values_in(
    run: NDArray[np.uint64], values: NDArray[np.int16], states: NDArray[np.uint64]
) -> NDArray[np.int16]:
    """The *values* of sorted *states*, all of which must be in *run*."""
    found = looked_up(states, run, values)
    if found is None:
        raise _missing()
    return found


def _missing() -> BrokenFile:
    return BrokenFile("a state is missing from the layers of its shard", hint="start over with --force")
