"""Files of sharded builds: many layers where few files may be open, and places that are no checkpoint."""

from __future__ import annotations

import weakref
from contextlib import nullcontext
from errno import EMFILE
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.engine.test_shards import alone, sharded
from tests.support.inline_executor import InlineExecutor

import stratagem
from stratagem.engine.shards.build import build_sharded, count_sharded
from stratagem.engine.shards.checkpoint import Checkpoint, Manifest, unwritable
from stratagem.engine.shards.forward import ForwardShard
from stratagem.engine.shards.parallel_write import bounds_of
from stratagem.engine.shards.plan import ShardPlan
from stratagem.engine.shards.progress import SpaceProgress
from stratagem.engine.shards.search import ShardedSearch, _Reached
from stratagem.engine.space.database import Database
from stratagem.errors import LimitExceeded, OutOfTime, UsageError
from stratagem.limit import Limit

STEPS = 120
FEW = 256
"""Files that a process of macOS may have open at first."""
LADDER = f"""(role climber) (init (at 0)) (succ {STEPS} {STEPS + 1})
{" ".join(f"(succ {step} {step + 1})" for step in range(STEPS))}
(<= (legal climber up) (true (at ?n)))
(<= (next (at ?m)) (does climber up) (true (at ?n)) (succ ?n ?m))
(<= terminal (true (at {STEPS})))
(<= (goal climber 100) (true (at {STEPS})))
(<= (goal climber 0) (true (at ?n)) (distinct ?n {STEPS}))"""
"""As many layers as steps, each with a file for its states and one for its values."""


def test_layers_may_be_more_than_the_files_that_may_be_open_at_first(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="Windows has no such limit")
    game = stratagem.load(LADDER)
    expected = alone(game, tmp_path)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] != resource.RLIM_INFINITY and before[1] < 4 * FEW:
        pytest.skip("this process may not have more files open")
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW, before[1]))
    try:
        assert sharded(game, tmp_path, InlineExecutor(), 2) == expected
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_the_driver_maps_one_source_at_a_time() -> None:
    mapped: list[weakref.ref[NDArray[np.uint64]]] = []

    def states_of(number: int) -> NDArray[np.uint64]:
        assert sum(map_() is not None for map_ in mapped) <= 1
        states = np.arange(number, 100, 10, dtype=np.uint64)[:, None]
        mapped.append(weakref.ref(states))
        return states

    bounds = bounds_of([10] * 10, states_of, 4)
    assert bounds.sum(axis=1).tolist() == [0, 26, 51, 76, 100]


def test_files_that_cannot_be_removed_while_they_are_mapped_do_not_end_a_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = stratagem.load("tictactoe")
    expected = stratagem.count_states(game)

    def mapped(path: Path, missing_ok: bool = False) -> None:
        if path.exists():
            raise PermissionError(13, "it is used by another process", str(path))

    monkeypatch.setattr(Path, "unlink", mapped)  # as on Windows
    limit = Limit(memory=1 << 12)
    for found in (
        stratagem.count_states(game, limit=limit),
        count_sharded(game, game.initial(), InlineExecutor(), limit=limit),
    ):
        assert found.levels == expected.levels
        assert found.file_bytes > 0


def test_too_many_open_files_are_not_taken_for_a_full_disk() -> None:
    said = unwritable("t.db", OSError(EMFILE, "Too many open files"))
    assert (said.message, said.hint) == (
        "t.db cannot be written: Too many open files",
        "allow more open files (ulimit -n) and use --resume",
    )


def build_at(folder: Path, **options: Any) -> None:
    """Tic-tac-toe by two shards, into ``t.db`` in *folder*."""
    game = stratagem.load("tictactoe")
    build_sharded(game, game.initial(), folder / "t.db", InlineExecutor(), shards=2, **options)


@pytest.mark.parametrize("below", ["", "folder"])
@pytest.mark.parametrize("resume", [False, True])
def test_a_file_is_no_checkpoint(below: str, resume: bool, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    with pytest.raises(UsageError, match="checkpoint"):
        build_at(tmp_path, resume=resume, force=not resume, checkpoint=str(tmp_path / "file" / below))
    assert [place.name for place in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "precious"


@pytest.mark.parametrize(
    "name", ["2024/photo.jpg", "2024", "0000/notes.txt", "0000/000001.values", ".profile"]
)
def test_a_folder_of_other_files_is_no_checkpoint_even_if_its_names_are_numbers(
    name: str, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text("precious")
    for force in (False, True):
        with pytest.raises(UsageError, match="was not written by a sharded build"):
            build_at(tmp_path, checkpoint=str(folder), force=force, resume=not force)
    assert (folder / name).read_text() == "precious"


@pytest.mark.parametrize("protocol", ["memory://", "file://"])
@pytest.mark.parametrize("name", ["thesis.txt", "2024/photo.jpg", "0000/000001.values"])
def test_an_address_of_other_files_is_no_checkpoint(protocol: str, name: str, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="fsspec comes with the extra `cluster`")
    address = f"{protocol}{tmp_path.as_posix()}/place"
    files = fsspec.core.url_to_fs(address)[0]
    files.makedirs(f"{address}/{name}".rpartition("/")[0], exist_ok=True)
    files.pipe_file(f"{address}/{name}", b"precious")
    for again in ({}, {"resume": True}, {"force": True}):
        with pytest.raises(UsageError, match="was not written by a sharded build"):
            build_at(tmp_path, checkpoint=address, **again)
    assert files.cat_file(f"{address}/{name}") == b"precious"


@pytest.mark.parametrize("protocol", ["", "memory://", "file://"])
def test_files_that_came_to_a_checkpoint_meanwhile_stay(protocol: str, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="fsspec comes with the extra `cluster`")
    address = f"{protocol}{tmp_path.as_posix()}/place"
    files = fsspec.core.url_to_fs(address)[0]
    heard: list[SpaceProgress] = []

    def watch(progress: SpaceProgress) -> None:
        heard.append(progress)
        files.pipe_file(f"{address}/notes.txt", b"precious")

    build_at(tmp_path, checkpoint=address, watch=watch)
    assert heard
    assert [each.rpartition("/")[2] for each in files.find(address)] == ["notes.txt"]
    assert (tmp_path / "t.db").read_bytes() == alone(stratagem.load("tictactoe"), tmp_path)


def test_an_address_that_may_not_be_listed_is_no_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Checkpoint) -> list[str]:
        raise PermissionError("Access Denied")

    monkeypatch.setattr(Checkpoint, "names", refused)
    with pytest.raises(UsageError, match="cannot be listed: Access Denied"):
        build_at(tmp_path)


def test_a_build_by_shards_and_one_by_one_process_do_not_take_each_other_for_rubbish(tmp_path: Path) -> None:
    game, path, now = stratagem.load("tictactoe"), tmp_path / "t.db", Limit(stop=lambda: True)
    for on, other, said in (
        (InlineExecutor(), None, "holds an interrupted build by shards"),
        (None, InlineExecutor(), "holds an interrupted build by one process"),
    ):
        with pytest.raises(OutOfTime, match="the finished layers"):
            Database.build(path, game, on=on, limit=now)
        with pytest.raises(UsageError, match=said):
            Database.build(path, game, on=other, resume=True)
        Database.build(path, game, on=on, resume=True)
        path.unlink()


def test_what_a_build_leaves_that_was_killed_at_its_begin_is_begun_again(tmp_path: Path) -> None:
    game, folder = stratagem.load("tictactoe"), tmp_path / "sharded.db.partial"
    for name in ("0000/000000.states", "0001/000003.values.12", "0001/scratch/1a2b/run-1", ".x1y2.part"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("unfinished")
    assert sharded(game, tmp_path, InlineExecutor(), 2, resume=True) == alone(game, tmp_path)


def test_a_count_that_cannot_write_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(EMFILE, "Too many open files")

    game = stratagem.load("tictactoe")
    monkeypatch.setattr(ForwardShard, "load", refused)
    with pytest.raises(LimitExceeded, match="Too many open files"):
        count_sharded(game, game.initial(), InlineExecutor(), shards=2, directory=tmp_path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError, match="is not a directory"):
        stratagem.count_states(game, on=InlineExecutor(), directory=tmp_path / "none")


@pytest.mark.parametrize("reached", [False, True])
def test_a_count_leaves_nothing_on_other_machines(reached: bool, tmp_path: Path) -> None:
    game, place = stratagem.load("tictactoe"), tmp_path / "count"
    plan = ShardPlan(game, game.initial().packed.copy(), 2, str(place), 1 << 20, sharing=False, kept=False)
    search = ShardedSearch(InlineExecutor(), plan, None, Manifest("", 2), Limit().start())

    def work() -> None:
        search.forward()
        assert list(place.rglob("*.states"))
        if reached:
            raise _Reached("time")

    with pytest.raises(_Reached) if reached else nullcontext():
        search.run(work)
    assert not place.exists()
