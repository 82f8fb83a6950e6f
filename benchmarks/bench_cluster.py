"""Shards on Ray against one process, the cost of a state, and how evenly states spread over shards.

``python -m benchmarks cluster`` needs the extra `cluster` and starts two nodes with a core each on this machine. The
signature is the number of states: 3,945,711 of connect four 5x4. Every time includes the start of the actors. "By messages"
is how shards of different machines work; those of one machine use each other's files.
``python -m benchmarks.bench_cluster model NANOSECONDS BYTES`` prints what these costs of a state mean for large spaces;
``python -m benchmarks.bench_cluster 5x5`` takes the 69,763,700 states of 5x5, by shards alone.
``python -m benchmarks.bench_cluster cores`` says what a second core is worth on this machine: no shard can do better.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

import numpy as np

import stratagem as st
from stratagem.engine.shards.build import build_sharded, count_sharded
from stratagem.engine.shards.progress import SpaceProgress
from stratagem.engine.shards.routing import Router, owners_of
from stratagem.engine.space.sorted_runs import in_order
from stratagem.engine.states.child_buffer import ChildBuffer

SIZES = {"5x4": (5, 4, 3_945_711), "5x5": (5, 5, 69_763_700)}
STORE = 200 << 20
ROUNDS = 3
"""Runs of each number of shards on the large space; the best ones are compared."""
TOUCHED = 120
"""Bytes of files written and read for each word of a state: its children in runs, its layer, four merges, both ways."""


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    found = work()
    return time.perf_counter() - begin, found


def main() -> None:
    game = st.load("connectfour", columns=5, rows=4)
    game.compiled.compile(wait=True)
    with TemporaryDirectory() as folder:
        states = spaces(game, SIZES["5x4"][2], Path(folder))
    routing(game, states)


def large() -> None:
    """Databases of 5x5 by one shard and by two in turns, which is large enough that the start of actors does not count."""
    columns, rows, states = SIZES["5x5"]
    game = st.load("connectfour", columns=columns, rows=rows)
    game.compiled.compile(wait=True)
    for name, connected in (("processes", local), ("Ray", on_ray)):
        with connected() as executor, TemporaryDirectory() as folder:
            # the first one pays for memory that was never used before
            st.count_states(game, on=executor, shards=2)
            best: dict[tuple[str, int], float] = {}
            for _ in range(ROUNDS):
                for shards in (2, 1):
                    heard: list[SpaceProgress] = []
                    count, found = seconds(lambda n=shards: st.count_states(game, on=executor, shards=n))
                    assert found.total == states
                    path = Path(folder) / f"{shards}.db"
                    build, _ = seconds(
                        lambda n=shards, path=path, heard=heard: st.Database.build(
                            path, game, on=executor, shards=n, watch=heard.append
                        )
                    )
                    path.unlink()
                    print(costs(f"{name}, {shards} of 5x5", states, count, build, heard), flush=True)
                    for what, spent in (("count", count), ("database", build)):
                        best[what, shards] = min(spent, best.get((what, shards), spent))
            ratios = " and ".join(f"{best[what, 1] / best[what, 2]:.2f}" for what in ("count", "database"))
            print(
                f"{name}: the best of {ROUNDS}: two shards are {ratios} times as fast as one (count, database)"
            )


def spaces(game: st.GdlGame, states: int, folder: Path) -> np.ndarray:
    """Times of one process and of one and two shards; all states, for the routing."""
    counted, found = seconds(lambda: st.count_states(game))
    assert found.total == states
    built, database = seconds(lambda: st.Database.build(folder / "one.db", game))
    print(f"one process: counted in {counted:.2f} s, database in {built:.2f} s")
    whole = (folder / "one.db").read_bytes()
    for name, connected in (("processes", local), ("Ray", on_ray)):
        with connected() as executor:
            st.count_states(st.load("hexapawn"), on=executor, shards=2)  # workers have imported everything
            for shards, sharing in ((1, True), (2, True), (2, False)):
                heard: list[SpaceProgress] = []
                ways: dict[str, Any] = {"shards": shards, "sharing": sharing}
                count, found = seconds(lambda w=ways: count_sharded(game, game.initial(), executor, **w))
                assert found.total == states
                path = folder / f"{shards}.db"
                build, _ = seconds(
                    lambda w=ways, path=path, heard=heard: build_sharded(
                        game, game.initial(), path, executor, watch=heard.append, **w
                    )
                )
                assert path.read_bytes() == whole
                path.unlink()
                print(
                    costs(
                        f"{name}, {shards}{'' if sharing else ' by messages'}", states, count, build, heard
                    ),
                    f"{count / counted:.2f} and {build / built:.2f} of the time of one process",
                    flush=True,
                )
    return np.array(database.arrays["states"])


def costs(name: str, states: int, count: float, build: float, heard: list[SpaceProgress]) -> str:
    """The cost of each state: forward, backward with writing, in files, and sent."""
    forward, last = ([one for one in heard if one.phase == phase][-1] for phase in ("forward", "backward"))
    return (
        f"{name}: counted in {count:.2f} s, database in {build:.2f} s; forward {1e9 * forward.seconds / states:.0f} ns, "
        f"backward {1e9 * (last.seconds - forward.seconds) / states:.0f} ns, "
        f"writing {1e9 * (build - last.seconds) / states:.0f} ns, {last.filed / states:.1f} bytes in files and "
        f"{last.sent / states:.1f} sent for each state;"
    )


def model(
    nanoseconds: float,
    sent: float,
    *,
    words: int = 2,
    cores: int = 32,
    gigabits: float = 10.0,
    layers: int = 43,
) -> None:
    """What whole spaces would take: *nanoseconds* of a core and *sent* bytes (of one word) for each state, as measured.

    A machine has so many cores, a network of so many gigabits and a disk of a gigabyte a second; every layer has two barriers of a tenth of a
    second and one file for each shard. A state takes its words twice (its layer, and the merged runs) and 12 bytes of values.
    """
    for states in (1e9, 1e10, 4.5e12):
        for machines in (10, 100, 1000):
            shards = machines * cores
            skew = 1 + 5 * (shards / states) ** 0.5
            computing = states * nanoseconds * 1e-9 * skew / shards
            network = states * sent * words * 8 / (machines * gigabits * 1e9)
            disks = states * TOUCHED * words / (machines * 1e9)
            total = computing + network + disks + 2 * 0.1 * layers
            disk = states * (16 * words + 12) / machines
            print(
                f"{states:8.1e} states, {machines:4} machines: computing {computing:,.0f} s, network {network:,.0f} s, disks {disks:,.0f} s, "
                f"in all {total:,.0f} s ({total / 3600:,.1f} h), {disk / 1e9:,.0f} GB of disk each"
            )


def expanding() -> Callable[[], Any]:
    """Expands the same states again and again: native code within the caches."""
    game = st.load("connectfour", columns=5, rows=4)
    game.compiled.compile(wait=True)
    buffer, states = ChildBuffer(game.compiled, 1 << 12), game.initial().packed.copy()[None]
    for _ in range(6):
        states = in_order(buffer.expand(states).states.copy())
    states = np.ascontiguousarray(states[~game.compiled.evaluate(states).terminal])
    return lambda: [buffer.expand(states) for _ in range(300)]


def sorting() -> Callable[[], Any]:
    """Sorts numbers beyond the caches."""
    numbers = np.random.default_rng(0).integers(0, 1 << 62, 1 << 22)
    return lambda: np.sort(numbers)


def faulting() -> Callable[[], Any]:
    """Uses memory for the first time."""

    def fault() -> None:
        for _ in range(4):
            np.empty(1 << 23, np.uint64)[::512] = 1

    return fault


def filing() -> Callable[[], Any]:
    """Writes a file that never comes to the disk."""
    numbers = np.ones(1 << 19, np.uint64)

    def write() -> None:
        with TemporaryFile(buffering=0) as file:
            for _ in range(16):
                file.write(numbers)  # type: ignore[arg-type]

    return write


def at_work(made: Callable[[], Callable[[], Any]], line: Connection) -> None:
    """Does some work whenever it is told to, and says how long that took."""
    work = made()
    work()
    line.send(None)
    while line.recv():
        processor = time.process_time()
        line.send((seconds(work)[0], time.process_time() - processor))


def cores() -> None:
    """The best times of work done by one process, and by two at the same time."""
    for made in (expanding, sorting, faulting, filing):
        lines = []
        for _ in range(2):
            here, there = Pipe()
            Process(target=at_work, args=(made, there), daemon=True).start()
            here.recv()
            lines.append(here)
        times: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
        for number in range(100):
            used = lines[: 1 + number % 2]
            for line in used:
                line.send(True)
            slowest = [max(each) for each in zip(*[line.recv() for line in used], strict=True)]
            times[len(used)].append((slowest[0], slowest[1]))
        for line in lines:
            line.send(False)
        for what, place in (("seconds", 0), ("processor seconds", 1)):
            alone, together = (min(each[place] for each in times[count]) for count in (1, 2))
            print(
                f"{made.__name__}: {1e3 * alone:.1f} ms alone, {1e3 * together:.1f} ms for each of two ({what}): "
                f"two cores do {2 * alone / together:.2f} times the work",
                flush=True,
            )


def local() -> Any:
    return st.cluster.connect("local:2")


class on_ray:
    """Two nodes with a core each, for as long as it is used."""

    def __enter__(self) -> Any:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.cluster.add_node(num_cpus=1, object_store_memory=STORE)
        self.cluster.wait_for_nodes()
        self.executor = st.cluster.connect(self.cluster.address)
        return self.executor

    def __exit__(self, *_: object) -> None:
        self.executor.close()
        self.cluster.shutdown()


def routing(game: st.GdlGame, states: np.ndarray) -> None:
    """How evenly all states spread over shards, and what a shard sends for a million states that it expands."""
    views = game.compiled.evaluate(states[:: max(1, len(states) // (1 << 20))])
    live = np.ascontiguousarray(states[:: max(1, len(states) // (1 << 20))][~views.terminal])[: 1 << 18]
    buffer = ChildBuffer(game.compiled, 1 << 12)
    children = np.concatenate(
        [buffer.expand(live[first : first + 4096]).states.copy() for first in range(0, len(live), 4096)]
    )
    for shards in (1, 2, 4, 16, 64, 256, 1024):
        counts = owners_of(states, shards)
        parts, _ = Router(game.compiled.words, shards).route(children)
        distinct = sum(len(in_order(part.copy())) for part in parts if len(part))
        sent = (shards - 1) / shards * distinct * 8 * game.compiled.words / len(live)
        print(
            f"{shards:5} shards: the largest has {counts.max() / counts.mean():.4f} of the mean; "
            f"{len(children) / shards:10,.0f} children for each of {len(live):,} states expanded, "
            f"{sent:.1f} bytes sent for each state"
        )


if __name__ == "__main__":
    if "5x5" in sys.argv[1:]:
        large()
    elif "cores" in sys.argv[1:]:
        cores()
    elif "model" in sys.argv[1:]:
        model(*map(float, sys.argv[2:4]))
    else:
        main()
