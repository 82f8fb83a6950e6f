"""Sharded search: the driver that has shards count a space, solve it backward, and write its database.

The driver moves no states: it has all shards expand a layer, waits, has them write what is new, and keeps the manifest. A
shard that is lost ends the present layer; all shards are started again from the checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict
from socket import gethostname
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar

from stratagem.engine.request import without_values
from stratagem.engine.shards.backward import Induction
from stratagem.engine.shards.checkpoint import Checkpoint, Manifest, unwritable
from stratagem.engine.shards.ends import Ends
from stratagem.engine.shards.plan import LayerBelow, ShardPlan
from stratagem.engine.shards.progress import Reporter, WatchSpace
from stratagem.engine.shards.shard import Shard
from stratagem.engine.space.counts import CountedLevel, Counts
from stratagem.engine.space.retrograde import stuck
from stratagem.errors import OutOfTime, UnsuitableGame
from stratagem.executor.interface import Actor, Executor, Pending, WorkerLost
from stratagem.limit import DEPTH, INTERRUPTED

if TYPE_CHECKING:
    from stratagem.limit import Started

Found = TypeVar("Found")
POLL: Final = 0.5
"""Seconds between two looks at the shards."""
CLEANING: Final = 10.0
"""Seconds that shards have to remove their files once all is done."""
FAILURES: Final = 3
"""How often shards may be lost without a layer being finished in between."""


class _Reached(Exception):
    """A limit was reached; its name."""


class ShardedSearch:
    """The search of one space by the shards of an executor, from a checkpoint on; None where the manifest is not kept."""

    def __init__(
        self,
        executor: Executor,
        plan: ShardPlan,
        checkpoint: Checkpoint | None,
        manifest: Manifest,
        limit: Started,
        watch: WatchSpace | None = None,
    ) -> None:
        self.executor, self.plan, self.checkpoint, self.manifest = executor, plan, checkpoint, manifest
        self.limit = limit
        self.reporter = Reporter(watch)
        self.shards: list[Actor] = []
        self.hosts: list[str] = []
        self.expanded = self.filed = 0
        self._writer = ThreadPoolExecutor(1, "manifest")
        self._writing: Future[None] | None = None
        self._keeping = Lock()
        self._content: bytes | None = None
        self._at_work = False
        self._phase, self._layer, self._done, self._note = "forward", 0, 0, ""
        self._steps = 0
        self._computed: dict[int, int] = {}
        """The step at which the values of a layer were worked out last ..."""
        self._changed: dict[int, int] = {}
        """... at which any of them changed ..."""
        self._reached: dict[int, set[int]] = {}
        """... and the layers that its moves lead to."""

    # -- shards --------------------------------------------------------------------------------------------

    def run(self, work: Callable[[], Found]) -> Found:
        """What *work* returns with shards at hand; after a loss it is begun again, with what is finished by then."""
        failures, before = 0, self._finished()
        with self._writer:
            while True:
                try:
                    with self._started():
                        return work()
                except WorkerLost:
                    failures = failures + 1 if self._finished() == before else 1
                    before = self._finished()
                    if failures > FAILURES:
                        raise
                    self._note = "a shard was lost and started again"

    def _finished(self) -> tuple[int, int, int]:
        manifest = self.manifest
        return len(manifest.layers), manifest.sweep, len(manifest.values)

    @contextmanager
    def _started(self) -> Iterator[None]:
        count = self.plan.shards
        # More shards than cores share them: a part of a core may fit on no machine, and nothing fits everywhere.
        cores = 1 if count <= self.executor.cores else 0
        try:
            for number in range(count):
                self.shards.append(self.executor.actor(Shard, self.plan, number, cores=cores))
            self.hosts = self._all("host")
            self._all("connect", tuple(self.shards), self.hosts)
            self._all("load", self.manifest)
            yield
            self._clean()
            while self.shards:
                self.shards.pop().release()
        except _Reached:
            if not self.plan.kept and any(host != gethostname() for host in self.hosts):
                self._clean()  # there is nobody else to do it on other machines
            raise
        finally:
            while self.shards:
                self.shards.pop().kill()

    def _clean(self) -> None:
        """Has the shards remove their files; one that is lost now is not missed."""
        wait([shard.call("clean") for shard in self.shards], CLEANING)

    def _all(self, method: str, *arguments: Any) -> list[Any]:
        """What a method of every shard returns; the limit is looked at meanwhile."""
        return self._answers([shard.call(method, *arguments) for shard in self.shards])

    def each(self, method: str, arguments: Sequence[tuple[Any, ...]] | None = None) -> list[Any]:
        """What a method of every shard returns, each with arguments of its own."""
        given = [()] * len(self.shards) if arguments is None else arguments
        return self._answers(
            [shard.call(method, *own) for shard, own in zip(self.shards, given, strict=True)]
        )

    def answer(self, pending: Pending[Found]) -> Found:
        """What the call of a method of one shard returns."""
        found: Found = self._answers([pending])[0]
        return found

    def _answers(self, pending: Sequence[Pending[Any]]) -> list[Any]:
        while True:
            ended, waiting = wait(pending, POLL, FIRST_EXCEPTION)
            for one in ended:
                one.result()  # raises what went wrong
            if not waiting:
                return [one.result() for one in pending]
            self._look()

    def _look(self) -> None:
        """Reports, and stops where a limit is reached."""
        reached = self.limit.reached(sum(map(sum, self.manifest.layers)))
        if reached is not None:
            raise _Reached(reached)
        if self.reporter.watch is not None:
            asked = [shard.call("progress") for shard in self.shards]
            wait(asked, POLL)
            if all(one.done() for one in asked):
                self._report([one.result() for one in asked])

    def _report(self, counts: Sequence[dict[str, int]]) -> None:
        layers = [sum(layer) for layer in self.manifest.layers]
        self.reporter.tell(self._phase, self._layer, layers, counts, done=self._done, note=self._note)
        self._note = ""

    def _keep(self) -> None:
        """Has the manifest written while the work goes on: layers that take less time than the disk are written together."""
        if self.checkpoint is None:
            return
        if self._writing is not None and self._writing.done():
            self._writing.result()  # raises what went wrong
        with self._keeping:
            self._content = self.manifest.content()
            if self._at_work:
                return
            self._at_work = True
        self._writing = self._writer.submit(self._write_manifests, self.checkpoint)

    def _write_manifests(self, checkpoint: Checkpoint) -> None:
        """Writes the manifest, and again where there is a newer one by then."""
        while True:
            with self._keeping:
                content, self._content = self._content, None
                if content is None:
                    self._at_work = False
                    return
            try:
                checkpoint.write_manifest(content)
            except OSError as refused:
                raise unwritable(checkpoint.address, refused) from refused

    def _kept(self) -> None:
        """Waits until the manifest is written; raises what went wrong."""
        if self._writing is not None:
            self._writing.result()

    # -- forward -------------------------------------------------------------------------------------------

    def forward(self) -> None:
        """Finds all states, layer by layer, or as many layers as the limit of depth allows."""
        manifest = self.manifest
        if not manifest.layers:
            self._turn()
        depth = self.limit.limit.depth
        while not manifest.complete and (depth is None or len(manifest.layers) <= depth):
            self._layer = len(manifest.layers) - 1
            found = self._all("expand")
            manifest.ends = asdict(_ends(manifest).plus(_sum_of([each.ends for each in found])))
            del manifest.terminal[self._layer :]
            manifest.terminal.append(sum(each.terminal for each in found))
            self._turn()

    def _turn(self) -> None:
        """Has what came in written as the next layer, and keeps that in the manifest."""
        layer = len(self.manifest.layers)
        found = self._all("turn", layer)
        counts = [each.states for each in found]
        manifest = self.manifest
        manifest.levelled = manifest.levelled and not any(each.met for each in found)
        if sum(counts):
            manifest.layers.append(counts)
        else:
            manifest.complete = True
        self._keep()
        progress = [each.progress for each in found]
        self.expanded = sum(each["expanded"] for each in progress)
        self.filed = sum(each["filed"] for each in progress)
        self._report(progress)

    def counted(self) -> Counts:
        """The states by distance."""
        stopped = None
        try:
            self.run(self.forward)
        except _Reached as reached:
            stopped = str(reached)
        manifest = self.manifest
        totals = [sum(layer) for layer in manifest.layers]
        terminal = manifest.terminal + [0] * (len(totals) - len(manifest.terminal))
        if (
            stopped is not None
        ):  # the last layer was not expanded: how many of its states are ends is not known
            totals = totals[: len(manifest.terminal)]
        if stopped is None and not manifest.complete:
            stopped = DEPTH
        levels = tuple(CountedLevel(*each) for each in zip(totals, terminal, strict=False))
        expanded = sum(level.states - level.terminal for level in levels)
        return Counts(
            "distance", levels, manifest.complete, stopped, expanded, self.filed, self.limit.elapsed
        )

    # -- backward ------------------------------------------------------------------------------------------

    def solve(self, write: Callable[[Induction], Found]) -> Found:
        """Forward, backward, and what *write* makes of it while the shards are there."""

        def work() -> Found:
            self.forward()
            if not any(self.manifest.terminal):
                raise without_values(sum(map(sum, self.manifest.layers)))
            induction = Induction.of(_ends(self.manifest), len(self.plan.game.roles))
            self._phase = "backward"
            self._all("prepare", self.manifest, induction)
            self._backward(induction)
            self._kept()
            self._phase = "writing"
            return write(induction)

        try:
            return self.run(work)
        except _Reached as reached:
            said = "stopped" if str(reached) == INTERRUPTED else f"the limit of {reached} is reached"
            raise OutOfTime(
                f"{said}; the checkpoint keeps the finished layers", hint="continue with --resume"
            ) from None

    def _backward(self, induction: Induction) -> None:
        """Sweeps over the layers from the last to the first; once where moves lead from layer to layer only."""
        manifest = self.manifest
        while True:
            unknown = self._sweep(induction)
            again = manifest.changed and not manifest.levelled
            if not induction.zero_sum:
                again = unknown and again
                if unknown and manifest.levelled:
                    raise stuck()
                if unknown and not again:
                    raise UnsuitableGame(
                        "states can repeat, and this is not a two-player zero-sum game",
                        hint="add a step limit to the rules",
                    )
            if not again:
                return
            manifest.sweep, manifest.changed = manifest.sweep + 1, False
            self._keep()

    def _sweep(self, induction: Induction) -> bool:
        """One sweep, or what is left of it; whether any value is not known yet (max^n)."""
        manifest, sweep = self.manifest, self.manifest.sweep
        for layer in range(len(manifest.layers) - 1, -1, -1):
            before = manifest.values.get(str(layer))
            if before == sweep or self._settled(layer):
                continue
            self._layer, self._steps = layer, self._steps + 1
            found = self._all("induce", layer, sweep, self._below(layer))
            changed = any(each[0] for each in found)
            self._computed[layer] = self._steps
            self._reached[layer] = set().union(*(each[2] for each in found))
            unknown = [layer] if any(each[1] for each in found) else []
            manifest.unknown = [each for each in manifest.unknown if each != layer] + unknown
            if changed:
                self._changed[layer] = self._steps
            manifest.changed = manifest.changed or changed
            manifest.values[str(layer)] = sweep
            self._keep()
            if before is not None:
                self._kept()
                self._all("forget", layer, before)
            self._done += sum(manifest.layers[layer])
            self._look()
        return bool(manifest.unknown)

    def _below(self, layer: int) -> LayerBelow | None:
        manifest, below = self.manifest, layer + 1
        if not manifest.levelled or below == len(manifest.layers):
            return None
        return LayerBelow(manifest.values[str(below)], manifest.layers[below])

    def _settled(self, layer: int) -> bool:
        """Whether nothing has changed that the values of a layer depend on since they were worked out."""
        if layer not in self._computed:
            return False
        return all(self._changed.get(each, 0) < self._computed[layer] for each in self._reached[layer])


def _ends(manifest: Manifest) -> Ends:
    data = manifest.ends
    return Ends(tuple(data["goals"]), tuple(data["sums"]), data["missing"]) if data else Ends()


def _sum_of(several: Sequence[Ends]) -> Ends:
    total = Ends()
    for each in several:
        total = total.plus(each)
    return total
