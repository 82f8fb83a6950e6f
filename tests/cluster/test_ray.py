"""The executor on Ray, with real nodes on this machine: the results of one process, and faults that lose nothing."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import stratagem as st
from stratagem.engine.shards.build import build_sharded
from stratagem.engine.shards.progress import SpaceProgress
from stratagem.errors import LimitExceeded, MissingExtra, UsageError
from stratagem.executor.interface import DONE, FAILED, WorkerLost

pytestmark = pytest.mark.realtime
NEEDS_RAY = "Ray, which comes with the extra `cluster` (make cluster)"
STORE = 80 << 20
"""Bytes of each node's object store: the least that Ray takes is 75 MB."""
SMALL = {"columns": 4, "rows": 4}
PATIENCE = 60.0


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes with a core each, and their own raylets."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    utilities = pytest.importorskip("ray.cluster_utils", reason=NEEDS_RAY)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    head = {
        "num_cpus": 1,
        "object_store_memory": STORE,
        "include_dashboard": False,
        "ray_client_server_port": port,
    }
    made = utilities.Cluster(initialize_head=True, head_node_args=head)
    try:
        made.add_node(num_cpus=1, object_store_memory=STORE)
        made.wait_for_nodes()
        made.client = f"ray://127.0.0.1:{port}"
        yield made
    finally:
        made.shutdown()


@pytest.fixture(scope="module")
def executor(cluster: Any) -> Iterator[Any]:
    with st.cluster.connect(cluster.address) as made:
        yield made


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("alone") / "alone.db"
    st.Database.build(path, st.load("connectfour", **SMALL))
    return path.read_bytes()


def test_tasks_and_actors_run_on_the_cluster(executor: Any) -> None:
    assert executor.cores == 2
    assert dict(executor.map(pow, [(2, number) for number in range(5)])) == {n: 2**n for n in range(5)}
    with pytest.raises(UsageError, match="no game"):
        executor.submit(st.load, "no such game at all").result()
    with pytest.raises(UsageError, match="no node of the cluster has 3 cores; the largest has 1"):
        executor.submit(abs, -3, cores=3)
    names = executor.actor(dict, {"a": 1}, cores=0.5)
    assert names.call("setdefault", "b", 2).result() == 2
    assert executor.submit(call_from_elsewhere, names).result() == 2
    names.release()
    again = executor.actor(dict, {"b": 3}, cores=0.5)  # in the same process, which has forgotten the first
    assert (again.call("get", "a").result(), again.call("get", "b").result()) == (None, 3)
    names = again
    names.kill()
    with pytest.raises(WorkerLost, match="worker of the cluster ended before it returned"):
        call_for_ever(names)  # the order to end takes a moment to arrive


def test_a_process_that_is_used_again_and_again_answers_for_its_newest_object(executor: Any) -> None:
    for number in range(100):
        actor = executor.actor(dict, {"number": number}, cores=0.5)
        assert actor.call("get", "number").result(PATIENCE) == number
        actor.release()


def test_calls_that_overtake_each_other_reach_the_object_that_they_are_meant_for() -> None:
    pytest.importorskip("ray", reason=NEEDS_RAY)
    from stratagem.cluster.ray_executor import ActorHost

    host = ActorHost(dict, ({"a": 1},))
    with ThreadPoolExecutor(1) as other:
        early = other.submit(host.call, 2, "get", ("b",))
        assert host.call(1, "get", ("a",)) == (DONE, 1)
        host.make(2, dict, ({"b": 3},))
        host.end(1)
        assert early.result(PATIENCE) == (DONE, 3)
    assert host.call(2, "get", ("a",)) == (DONE, None)
    host.end(2)
    assert [host.call(generation, "get", ("b",))[0] for generation in (1, 2)] == [FAILED, FAILED]


def call_for_ever(actor: Any) -> None:
    while True:
        actor.call("copy").result()


def call_from_elsewhere(actor: Any) -> int:
    found: int = actor.call("get", "b").result()
    return found


def test_playouts_self_play_patterns_and_matches_are_those_of_one_process(executor: Any) -> None:
    game = st.load("tictactoe")
    here, there = game.playouts(n=300_000, seed=5), game.playouts(n=300_000, seed=5, on=executor)
    assert (there.outcomes, there.plies, there.goals) == (here.outcomes, here.plies, here.goals)
    alone = st.play.tournament(["tictactoe"], ["legal", "random"], rounds=2, clock=60)
    apart = st.play.tournament(["tictactoe"], ["legal", "random"], rounds=2, clock=60, on=executor)
    assert [each.goals for each in alone.results] == [each.goals for each in apart.results]
    hexapawn, limit = st.load("hexapawn"), st.Limit(nodes=400)
    learned = st.engine.learn_evaluation(hexapawn, limit, seed=3, threads=2)
    taught = st.engine.learn_evaluation(hexapawn, limit, seed=3, threads=2, on=executor)
    assert (learned.early == taught.early).all()
    hanoi = st.load("hanoi")
    ours, theirs = (st.engine.pattern_database(hanoi, entries=81, on=on) for on in (None, executor))
    assert (ours.tables.moves.numpy == theirs.tables.moves.numpy).all()


def test_a_space_is_counted_and_solved_byte_for_byte(executor: Any, expected: bytes, tmp_path: Path) -> None:
    game = st.load("connectfour", **SMALL)
    assert st.count_states(game, on=executor, shards=3).levels == st.count_states(game).levels
    heard: list[SpaceProgress] = []
    st.Database.build(tmp_path / "two.db", game, on=executor, shards=2, watch=heard.append)
    assert (tmp_path / "two.db").read_bytes() == expected
    assert {one.phase for one in heard} >= {"forward"}
    build_sharded(game, game.initial(), tmp_path / "sent.db", executor, shards=2, sharing=False)
    assert (tmp_path / "sent.db").read_bytes() == expected


def killer(when: int, how: str, cluster: Any) -> Any:
    """Kills a worker, or a node (which is replaced), when *when* reports have come."""
    heard: list[SpaceProgress] = []

    def watch(progress: SpaceProgress) -> None:
        heard.append(progress)
        if len(heard) == when:
            if how == "worker":
                os.kill(progress.processes[-1], signal.SIGKILL)
            else:
                cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)
                cluster.add_node(num_cpus=1, object_store_memory=STORE)

    watch.heard = heard  # type: ignore[attr-defined]
    return watch


@pytest.mark.parametrize("how", ["worker", "node"])
def test_a_lost_worker_or_node_does_not_change_the_database(
    how: str, executor: Any, cluster: Any, expected: bytes, tmp_path: Path
) -> None:
    watch = killer(6, how, cluster)
    game = st.load("connectfour", **SMALL)
    st.Database.build(tmp_path / "two.db", game, on=executor, shards=2, watch=watch)
    assert (tmp_path / "two.db").read_bytes() == expected
    assert any("was lost" in one.note for one in watch.heard)


def command(address: str, path: Path, sizes: dict[str, int], *more: str) -> list[str]:
    chosen = [word for name, value in sizes.items() for word in ("--set", f"{name}={value}")]
    words = ["solve", "connectfour", *chosen, "--database", str(path), "--on", address, "--shards", "2"]
    return [sys.executable, "-m", "stratagem", *words, "--progress", "json", *more]


def kill_driver_after(lines: int, words: list[str]) -> None:
    """Starts a command and kills it when it has reported so often."""
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as driver:
        assert driver.stderr is not None
        for line in driver.stderr:
            if not line.startswith("{"):
                continue  # Ray speaks of nodes that an earlier test has killed
            assert json.loads(line)["phase"] in ("forward", "backward", "writing")
            lines -= 1
            if lines == 0:
                driver.kill()
                break


DRIVER = """
import os
import signal
import sys
import stratagem as st

heard = []

def watch(progress):
    heard.append(progress)
    if len(heard) == 7:
        os.kill(os.getpid(), signal.SIGKILL)

with st.cluster.connect(sys.argv[1]) as cluster:
    st.Database.build(sys.argv[2], st.load("connectfour", columns=4, rows=4), on=cluster, shards=2, watch=watch)
"""


def test_a_driver_that_is_killed_is_resumed(cluster: Any, expected: bytes, tmp_path: Path) -> None:
    path = tmp_path / "two.db"
    words = [sys.executable, "-c", DRIVER, cluster.address, str(path)]
    assert subprocess.run(words, capture_output=True, check=False).returncode == -signal.SIGKILL
    assert (tmp_path / "two.db.partial").exists()
    done = subprocess.run(command(cluster.address, path, SMALL, "--resume"), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert path.read_bytes() == expected


CLIENT = """
import sys
import stratagem as st

game = st.load("connectfour", columns=4, rows=3)
with st.cluster.connect(sys.argv[1]) as cluster:
    assert cluster.name == sys.argv[1]
    assert dict(cluster.map(pow, [(2, 3), (3, 2)])) == {0: 8, 1: 9}
    assert st.count_states(game, on=cluster, shards=2).levels == st.count_states(game).levels
    st.Database.build(sys.argv[2], game, on=cluster, shards=2)
"""


@pytest.mark.slow
def test_a_client_of_a_cluster_elsewhere_gets_the_same_file(cluster: Any, tmp_path: Path) -> None:
    words = [sys.executable, "-c", CLIENT, cluster.client, str(tmp_path / "two.db")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    alone = st.Database.build(tmp_path / "one.db", st.load("connectfour", columns=4, rows=3))
    assert (tmp_path / "two.db").read_bytes() == alone.path.read_bytes()


def test_a_client_whose_server_was_not_started_asks_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray", reason=NEEDS_RAY)
    from stratagem.cluster import ray_executor

    asked: list[str] = []

    def aborted(address: str, **options: object) -> None:
        asked.append(address)
        if len(asked) != 2:
            raise ConnectionAbortedError("Starting Ray client server failed.")

    monkeypatch.setattr(ray, "init", aborted)
    with socket.create_server(("127.0.0.1", 0)) as there:
        address = f"ray://127.0.0.1:{there.getsockname()[1]}"
        ray_executor._connect(address)
        assert asked == [address] * 2
        with pytest.raises(LimitExceeded, match="cannot be reached"):
            ray_executor._connect(address)
    assert len(asked) == 4


def test_versions_that_differ_are_one_sentence(executor: Any) -> None:
    from stratagem.cluster import ray_executor

    ray_executor.check_versions(ray_executor.version_here())
    with pytest.raises(UsageError, match=r"has Stratagem .* and this machine has 0\.0\.9"):
        ray_executor.check_versions(("0.0.9", "abc", "3.11"))


def test_a_node_that_leaves_while_versions_are_compared_is_passed_over(
    executor: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray

    from stratagem.cluster import ray_executor

    nodes = ray.nodes()
    monkeypatch.setattr(ray, "nodes", lambda: [*nodes, {**nodes[0], "NodeID": "ab" * 28, "Alive": True}])
    ray_executor.check_versions(ray_executor.version_here())


def test_a_missing_extra_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "stratagem.cluster.ray_executor", raising=False)
    with pytest.raises(MissingExtra, match="pip install 'stratagem\\[cluster\\]'"):
        st.cluster.connect("ray")


def test_a_cluster_that_cannot_be_reached_is_one_sentence() -> None:
    pytest.importorskip("ray", reason=NEEDS_RAY)
    script = "import stratagem as st; st.cluster.connect('127.0.0.1:9')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "LimitExceeded: the Ray cluster at 127.0.0.1:9 cannot be reached" in done.stderr


@pytest.mark.slow
def test_two_hundred_matches_and_a_sweep(executor: Any, cluster: Any, tmp_path: Path) -> None:
    alone = st.play.tournament(["tictactoe"], ["legal", "random"], rounds=100, clock=60)
    apart = st.play.tournament(["tictactoe"], ["legal", "random"], rounds=100, clock=60, on=executor)
    assert len(apart.results) == 200
    assert [each.goals for each in alone.results] == [each.goals for each in apart.results]
    sweep = ["sweep", "connectfour", "--set", "columns=3..4", "--set", "rows=3..4", "--json"]
    here, there = (
        subprocess.run(
            [sys.executable, "-m", "stratagem", *sweep, *more], capture_output=True, text=True, check=True
        )
        for more in ([], ["--on", cluster.address])
    )
    assert json.loads(there.stdout) == json.loads(here.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows", "states"), [(5, 4, 3_945_711), (5, 5, 69_763_700)])
def test_connect_four_is_counted_and_solved(
    columns: int, rows: int, states: int, executor: Any, tmp_path: Path
) -> None:
    game = st.load("connectfour", columns=columns, rows=rows)
    assert st.count_states(game, on=executor, shards=2, limit=st.Limit(memory=1 << 28)).total == states
    st.Database.build(tmp_path / "two.db", game, on=executor, shards=2, limit=st.Limit(memory=1 << 28))
    found = st.Database(tmp_path / "two.db")
    assert len(found) == states
    st.Database.build(tmp_path / "one.db", game, limit=st.Limit(memory=16 << 30))
    assert found.head == st.Database(tmp_path / "one.db").head  # with the checksums of all sections


@pytest.mark.slow
def test_twenty_faults_at_random_moments(executor: Any, cluster: Any, tmp_path: Path) -> None:
    sizes, chance = {"columns": 5, "rows": 4}, random.Random(16)
    game = st.load("connectfour", **sizes)
    expected = st.Database.build(tmp_path / "one.db", game).path.read_bytes()
    for number in range(20):
        path, how = tmp_path / f"{number}.db", chance.choice(["worker", "node", "driver"])
        when = chance.randint(1, 30)
        if how == "driver":
            kill_driver_after(when, command(cluster.address, path, sizes))
            if not path.exists():
                subprocess.run(
                    command(cluster.address, path, sizes, "--resume"), capture_output=True, check=True
                )
        else:
            st.Database.build(path, game, on=executor, shards=2, watch=killer(when, how, cluster))
        assert path.read_bytes() == expected, (number, how, when)
        path.unlink()


def test_a_limit_is_kept_on_the_cluster(executor: Any, tmp_path: Path) -> None:
    game = st.load("connectfour", **SMALL)
    found = st.count_states(game, on=executor, shards=2, limit=st.Limit(depth=4))
    assert (found.stopped, len(found)) == ("depth", 5)
    with pytest.raises(LimitExceeded):
        st.Database.build(tmp_path / "x.db", game, on=executor, shards=2, limit=st.Limit(stop=lambda: True))
