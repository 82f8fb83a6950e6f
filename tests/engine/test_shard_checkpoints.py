"""Checkpoints of sharded builds: the manifest may be behind what was worked out, and says what is not known yet."""

from __future__ import annotations

import threading
from errno import ENOSPC
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.test_shards import LEVELLED, RETURNING, alone, sharded
from tests.support.inline_executor import DriverKilled, InlineExecutor

import stratagem
from stratagem.engine.shards.build import build_sharded
from stratagem.engine.shards.checkpoint import Checkpoint
from stratagem.engine.shards.search import ShardedSearch
from stratagem.errors import LimitExceeded, OutOfTime, UnsuitableGame
from stratagem.limit import Limit

RING = """(role a) (role b) (role c) (init (at 0)) (init (turn a)) (after a b) (after b c) (after c a)
(way 0 go 1) (way 0 stop 9) (way 1 go 2) (way 2 go 3) (way 3 go 4) (way 3 stop 9) (way 4 go 3)
(<= (legal ?p ?m) (true (turn ?p)) (true (at ?n)) (way ?n ?m ?k))
(<= (legal ?p noop) (role ?p) (true (turn ?q)) (distinct ?p ?q))
(<= (next (at ?k)) (does ?p ?m) (true (at ?n)) (way ?n ?m ?k))
(<= (next (turn ?q)) (true (turn ?p)) (after ?p ?q))
(<= terminal (true (at 9)))
(<= (goal ?p 100) (true (turn ?p)) (true (at 9)))
(<= (goal ?p 0) (role ?p) (true (turn ?q)) (distinct ?p ?q))"""
"""Three players, and play that can come back to a state: no values of max^n."""


class SlowestDisk:
    """Of manifests that are written beside the work the *first* ones reach this disk at once, and others when they are waited for.

    After a kill none does.
    """

    def __init__(self, patch: pytest.MonkeyPatch, first: int) -> None:
        self.changed, self.awaited, self.dead, self.left = threading.Condition(), False, False, first
        write, keep, kept = Checkpoint.write_manifest, ShardedSearch._keep, ShardedSearch._kept

        def written(place: Checkpoint, content: bytes) -> None:
            if threading.current_thread() is not threading.main_thread():
                with self.changed:
                    self.changed.wait_for(lambda: self.awaited or self.dead)
                    if self.dead:
                        return
            write(place, content)

        def waited(search: ShardedSearch) -> None:
            self.says(awaited=True)
            kept(search)
            self.says()

        def begun(search: ShardedSearch) -> None:
            keep(search)
            if self.left > 0:
                self.left -= 1
                waited(search)

        patch.setattr(ShardedSearch, "_keep", begun)
        patch.setattr(Checkpoint, "write_manifest", written)
        patch.setattr(ShardedSearch, "_kept", waited)

    def says(self, *, awaited: bool = False, dead: bool = False) -> None:
        with self.changed:
            self.awaited, self.dead = awaited, dead
            self.changed.notify_all()


class Killed(InlineExecutor):
    """Kills the driver at a call, and with it what it was writing."""

    def __init__(self, disk: SlowestDisk, kill_driver: int) -> None:
        super().__init__()
        self.disk, self.end = disk, kill_driver

    @property
    def kill_driver(self) -> int | None:
        if self.calls == self.end:
            self.disk.says(dead=True)
        return self.end

    @kill_driver.setter
    def kill_driver(self, number: int | None) -> None:
        pass


@settings(max_examples=15, deadline=None)
@given(
    st.sampled_from([LEVELLED[2], *RETURNING]),
    st.integers(1, 3),
    st.integers(0, 40),
    st.lists(st.integers(20, 150), min_size=1, max_size=2),
)
def test_a_manifest_that_is_far_behind_is_enough_to_go_on_from(
    game: tuple[str, dict[str, int]], shards: int, first: int, kills: list[int]
) -> None:
    rules, begun = stratagem.load(game[0], settings=game[1]), False
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        place, disk = Path(folder), SlowestDisk(patch, first)
        expected = alone(rules, place)
        for kill in kills:
            disk.says()
            try:
                found = sharded(rules, place, Killed(disk, kill), shards, resume=begun)
                assert found == expected
                return
            except DriverKilled:
                begun = True
        disk.says()
        assert sharded(rules, place, InlineExecutor(), shards, resume=True) == expected


def test_a_manifest_that_cannot_be_written_ends_the_build_with_the_name_of_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, write, written = stratagem.load("waterjugs"), Checkpoint.write_manifest, [0]

    def full(place: Checkpoint, content: bytes) -> None:
        written[0] += 1
        if written[0] > 3:
            raise OSError(ENOSPC, "No space left on device")
        write(place, content)

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "write_manifest", full)
        with pytest.raises(LimitExceeded, match=r"sharded\.db\.partial cannot be written: No space left"):
            sharded(game, tmp_path, InlineExecutor(), 2)
    assert sharded(game, tmp_path, InlineExecutor(), 2, resume=True) == alone(game, tmp_path)


def test_wherever_a_build_is_stopped_values_that_are_not_known_are_refused(tmp_path: Path) -> None:
    game, path = stratagem.load(RING), tmp_path / "ring.db"
    outcomes = []
    for most in range(40):
        asked = [0]

        def stop(asked: list[int] = asked, most: int = most) -> bool:
            asked[0] += 1
            return asked[0] > most

        with pytest.raises((OutOfTime, UnsuitableGame)) as ended:
            build_sharded(game, game.initial(), path, InlineExecutor(), shards=1, limit=Limit(stop=stop))
        outcomes.append(ended.type)
        if ended.type is OutOfTime:
            with pytest.raises(UnsuitableGame, match="states can repeat"):
                build_sharded(game, game.initial(), path, InlineExecutor(), shards=1, resume=True)
        assert list(tmp_path.iterdir()) == []
    assert 5 < outcomes.count(OutOfTime) < 40
