"""The executor of one machine: tasks and actors in processes, lost ones replaced, and nothing left behind."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

import stratagem as st
from stratagem.cluster.local import LocalExecutor
from stratagem.errors import OutOfTime, UsageError
from stratagem.executor.interface import WorkerLost

pytestmark = pytest.mark.realtime
PATIENCE = 120.0
"""Seconds that nothing here takes, however busy the machine is."""


@pytest.fixture(scope="module")
def executor():
    with st.cluster.connect("local:2") as made:
        yield made


def test_tasks_come_back_as_they_end_with_their_numbers(executor: LocalExecutor) -> None:
    told: list[tuple[int, int]] = []
    items = [(2, number) for number in range(7)]
    found = dict(executor.map(pow, items, progress=lambda done, all: told.append((done, all))))
    assert found == {number: 2**number for number in range(7)}
    assert told[-1] == (7, 7)
    assert executor.submit(os.getpid).result() != os.getpid()


def test_a_fault_of_a_task_is_raised_where_it_is_waited_for(executor: LocalExecutor) -> None:
    with pytest.raises(UsageError, match="no game"):
        executor.submit(st.load, "no such game at all").result()
    with pytest.raises(ZeroDivisionError):
        executor.submit(divmod, 1, 0).result()


def test_a_task_that_is_cancelled_ends_and_gives_its_core_back(executor: LocalExecutor) -> None:
    sleeping = [executor.submit(time.sleep, 600) for _ in range(2)]
    time.sleep(0.2)
    assert all(one.cancel() for one in sleeping)
    assert executor.submit(abs, -3).result(PATIENCE) == 3


def test_a_map_is_stopped(executor: LocalExecutor) -> None:
    with pytest.raises(OutOfTime):
        list(executor.map(time.sleep, [(600,)] * 3, stop=lambda: True))
    assert executor.submit(abs, -3).result(PATIENCE) == 3


def test_a_task_whose_process_is_killed_runs_again_until_it_is_given_up(executor: LocalExecutor) -> None:
    with pytest.raises(WorkerLost, match="ended before it returned a result"):
        executor.submit(end_this_process).result(PATIENCE)
    assert executor.submit(abs, -3).result(PATIENCE) == 3


def end_this_process() -> None:
    os._exit(3)


def test_an_actor_keeps_its_state_is_called_by_others_and_is_missed(executor: LocalExecutor) -> None:
    names = executor.actor(dict, {"a": 1})
    assert names.call("setdefault", "b", 2).result() == 2
    assert sorted(names.call("copy").result()) == ["a", "b"]
    calling = executor.submit(call_from_elsewhere, names)
    assert calling.result() == 2
    names.kill()
    with pytest.raises(WorkerLost):
        call_until_it_is_gone(names)


def call_until_it_is_gone(actor) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        actor.call("copy").result()
        time.sleep(0.05)


def call_from_elsewhere(actor) -> int:
    found: int = actor.call("get", "b").result()
    return found


def test_all_that_is_split_comes_out_as_in_one_process(executor: LocalExecutor, tmp_path: Path) -> None:
    game = st.load("tictactoe")
    here, there = game.playouts(n=200_000, seed=5), game.playouts(n=200_000, seed=5, on=executor)
    assert (there.outcomes, there.plies, there.longest, there.goals) == (
        here.outcomes,
        here.plies,
        here.longest,
        here.goals,
    )
    by_move = game.playouts(n=9_001, seed=5, by_move=True, on=executor)
    assert by_move.moves == game.playouts(n=9_001, seed=5, by_move=True).moves
    alone = st.play.tournament(["tictactoe"], ["legal", "random"], rounds=3, clock=PATIENCE)
    apart = st.play.tournament(["tictactoe"], ["legal", "random"], rounds=3, clock=PATIENCE, on=executor)
    assert [(each.fixture, each.goals) for each in alone.results] == [
        (each.fixture, each.goals) for each in apart.results
    ]
    hanoi = st.load("hanoi")
    start = hanoi.compiled.initial[None]
    assert (
        st.engine.pattern_database(hanoi, entries=81, on=executor).tables.moves.numpy
        == st.engine.pattern_database(hanoi, entries=81).tables.moves.numpy
    ).all()
    assert st.engine.pattern_database(hanoi, entries=81, on=executor).bounds(start)[0] == 16
    sliding = st.load("slidingpuzzle")
    assert (
        st.engine.pattern_database(sliding, entries=120, on=executor).tables.moves.numpy
        == st.engine.pattern_database(sliding, entries=120).tables.moves.numpy
    ).all()
    hexapawn, limit = st.load("hexapawn"), st.Limit(nodes=600)
    learned = st.engine.learn_evaluation(hexapawn, limit, seed=3, threads=2)
    taught = st.engine.learn_evaluation(hexapawn, limit, seed=3, threads=2, on=executor)
    assert (learned.early == taught.early).all()
    assert (learned.late == taught.late).all()


def test_shards_in_processes_build_the_database_of_one_process(
    executor: LocalExecutor, tmp_path: Path
) -> None:
    game = st.load("connectfour", columns=4, rows=4)
    st.Database.build(tmp_path / "one.db", game)
    killed: list[int] = []

    def kill_one(progress) -> None:
        if progress.layer == 6 and not killed:
            killed.append(progress.processes[0])
            os.kill(progress.processes[0], signal.SIGKILL)

    st.Database.build(tmp_path / "two.db", game, on=executor, shards=2, watch=kill_one)
    assert killed
    assert (tmp_path / "two.db").read_bytes() == (tmp_path / "one.db").read_bytes()


@pytest.mark.parametrize("text", ["nowhere", "ray://", "local:x", "local:0", "http://host:1"])
def test_a_place_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not a place to run on|needs a core"):
        st.cluster.connect(text)
