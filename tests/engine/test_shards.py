"""Sharded spaces: the counts and the bytes of one process, whatever is lost on the way."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.inline_executor import DriverKilled, InlineExecutor

import stratagem
from stratagem.engine.shards import following, parallel_write
from stratagem.engine.shards.build import build_sharded, count_sharded
from stratagem.engine.shards.ends import EndTally
from stratagem.engine.shards.following import LayerFollowed
from stratagem.engine.shards.merging import Chunk, in_word_order, merged
from stratagem.engine.shards.outbox import Outboxes
from stratagem.engine.shards.parallel_write import bounds_of
from stratagem.engine.shards.progress import SpaceProgress
from stratagem.engine.shards.routing import Router, distinct, located, owner_of, owners_of
from stratagem.engine.space.database import Database
from stratagem.engine.space.run_store import RunStore
from stratagem.engine.space.sorted_runs import in_order
from stratagem.errors import LimitExceeded, OutOfTime, UnsuitableGame, UsageError
from stratagem.executor.interface import DONE, Pending, WorkerLost
from stratagem.limit import Limit
from stratagem.native.compiled import Children, StateViews

LEVELLED = [
    ("hexapawn", {}),
    ("tictactoe", {}),
    ("connectfour", {"columns": 4, "rows": 3}),
    ("pegtriangle", {}),
]
RETURNING = [("waterjugs", {}), ("missionaries", {}), ("wolfgoatcabbage", {})]
"""Games in which play can come back to a state."""

COINS = """(role a) (role b) (role c) (init (left 6)) (init (turn a))
(after a b) (after b c) (after c a) (less 6 1 5) (less 6 2 4) (less 5 1 4) (less 5 2 3) (less 4 1 3) (less 4 2 2)
(less 3 1 2) (less 3 2 1) (less 2 1 1) (less 2 2 0) (less 1 1 0)
(<= (legal ?p (take ?k)) (true (turn ?p)) (true (left ?n)) (less ?n ?k ?m))
(<= (legal ?p noop) (role ?p) (true (turn ?q)) (distinct ?p ?q))
(<= (next (left ?m)) (does ?p (take ?k)) (true (left ?n)) (less ?n ?k ?m))
(<= (next (turn ?q)) (true (turn ?p)) (after ?p ?q))
(<= terminal (true (left 0)))
(<= (goal ?p 100) (true (turn ?q)) (after ?p ?q))
(<= (goal ?p 50) (true (turn ?p)))
(<= (goal ?p 0) (role ?p) (true (turn ?q)) (distinct ?p ?q) (not (previous ?p ?q)))
(<= (previous ?p ?q) (after ?p ?q))"""
"""Three players take one or two coins: max^n."""


def alone(game: stratagem.GdlGame, folder: Path) -> bytes:
    """The database that one process builds."""
    Database.build(folder / "alone.db", game)
    return (folder / "alone.db").read_bytes()


def sharded(
    game: stratagem.GdlGame,
    folder: Path,
    executor: InlineExecutor,
    shards: int,
    *,
    resume: bool = False,
    memory: int = 1 << 20,
    sharing: bool = True,
) -> bytes:
    path = folder / "sharded.db"
    build_sharded(
        game,
        game.initial(),
        path,
        executor,
        shards=shards,
        resume=resume,
        limit=Limit(memory=memory),
        sharing=sharing,
    )
    assert not (folder / "sharded.db.partial").exists()
    return path.read_bytes()


@pytest.mark.parametrize(("name", "sizes"), LEVELLED + RETURNING)
@pytest.mark.parametrize("shards", [1, 3])
def test_shards_build_the_very_file_that_one_process_builds(
    name: str, sizes: dict[str, int], shards: int, tmp_path: Path
) -> None:
    game = stratagem.load(name, settings=sizes)
    expected = stratagem.count_states(game)
    found = stratagem.count_states(game, on=InlineExecutor(), shards=shards)
    assert (found.levels, found.complete, found.expanded) == (expected.levels, True, expected.expanded)
    assert sharded(game, tmp_path, InlineExecutor(), shards) == alone(game, tmp_path)


@pytest.mark.parametrize("sharing", [True, False])
@pytest.mark.parametrize(("name", "sizes"), [LEVELLED[2], LEVELLED[3], RETURNING[0]])
def test_shards_of_one_machine_and_of_several_build_the_same_file_with_little_memory(
    name: str, sizes: dict[str, int], sharing: bool, tmp_path: Path
) -> None:
    game = stratagem.load(name, settings=sizes)
    file = sharded(game, tmp_path, InlineExecutor(), 3, sharing=sharing, memory=1 << 10)
    assert file == alone(game, tmp_path)
    found = count_sharded(game, game.initial(), InlineExecutor(), shards=3, sharing=sharing)
    assert found.levels == stratagem.count_states(game).levels


def test_three_players_are_solved_by_max_n_as_in_one_process(tmp_path: Path) -> None:
    game = stratagem.load(COINS)
    assert sharded(game, tmp_path, InlineExecutor(), 2) == alone(game, tmp_path)
    assert Database(tmp_path / "sharded.db").head["kind"] == "max-n"


def test_states_of_several_words_are_sharded_too(tmp_path: Path) -> None:
    game = stratagem.load("eightpuzzle")
    assert game.compiled.words > 1
    expected = tuple(stratagem.count_states(game, limit=Limit(depth=9)))
    found = stratagem.count_states(game, on=InlineExecutor(), shards=3, limit=Limit(depth=9, memory=1 << 14))
    assert tuple(found) == expected
    assert (found.complete, found.stopped) == (False, "depth")


@settings(max_examples=8)
@given(st.data())
def test_whatever_shards_are_lost_and_wherever_the_driver_is_killed_the_file_is_the_same(
    data: st.DataObject,
) -> None:
    name, sizes = data.draw(st.sampled_from([LEVELLED[0], LEVELLED[2], RETURNING[0]]))
    game = stratagem.load(name, settings=sizes)
    shards, sharing = data.draw(st.integers(1, 4)), data.draw(st.booleans())
    lose = data.draw(st.lists(st.integers(1, 150), max_size=3))
    kills = data.draw(st.lists(st.integers(1, 120), max_size=2))
    with TemporaryDirectory() as folder:
        place = Path(folder)
        expected = alone(game, place)
        begun = False
        for kill in kills:
            try:
                executor = InlineExecutor(lose=lose, kill_driver=kill)
                found = sharded(game, place, executor, shards, resume=begun, memory=1 << 12, sharing=sharing)
                assert found == expected
                return
            except DriverKilled:
                begun = True
        assert sharded(game, place, InlineExecutor(lose=lose), shards, resume=begun) == expected


def test_a_shard_that_is_lost_again_and_again_ends_the_search(tmp_path: Path) -> None:
    game = stratagem.load("hexapawn")
    with pytest.raises(WorkerLost, match="has ended"):
        sharded(game, tmp_path, InlineExecutor(lose=range(1, 1000)), 2)
    assert sharded(game, tmp_path, InlineExecutor(), 2, resume=True) == alone(game, tmp_path)


def test_little_memory_spills_sorted_runs_to_files(tmp_path: Path) -> None:
    game = stratagem.load("tictactoe")
    heard: list[SpaceProgress] = []
    little = Limit(memory=1 << 10)
    found = stratagem.count_states(game, on=InlineExecutor(), shards=2, limit=little, watch=heard.append)
    plenty = stratagem.count_states(game, on=InlineExecutor(), shards=2)
    assert found.levels == plenty.levels
    assert found.file_bytes >= plenty.file_bytes
    assert heard[-1].states == 5478
    assert heard[-1].sent > 0
    assert '"phase": "forward"' in heard[-1].json_line()
    assert "5,478 states" in str(heard[-1])


def test_a_full_disk_is_one_sentence_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stratagem.engine.space import sorted_runs

    game = stratagem.load("connectfour", columns=4, rows=3)
    written = sorted_runs.RunWriter.add
    left = [400]

    def full(self: sorted_runs.RunWriter, states: np.ndarray) -> None:
        left[0] -= len(states)
        if left[0] < 0 and "0001" in str(self.path):
            raise LimitExceeded("the layers could not be written (No space left on device)", hint="make room")
        written(self, states)

    monkeypatch.setattr(sorted_runs.RunWriter, "add", full)
    with pytest.raises(LimitExceeded, match="No space left"):
        sharded(game, tmp_path, InlineExecutor(), 2)
    monkeypatch.undo()
    assert sharded(game, tmp_path, InlineExecutor(), 2, resume=True) == alone(game, tmp_path)


def test_a_build_is_stopped_and_goes_on_and_belongs_to_its_game(tmp_path: Path) -> None:
    game = stratagem.load("tictactoe")
    asked = [0]

    def stop() -> bool:
        asked[0] += 1
        return asked[0] > 3

    with pytest.raises(OutOfTime, match="the checkpoint keeps the finished layers"):
        build_sharded(
            game, game.initial(), tmp_path / "t.db", InlineExecutor(), shards=2, limit=Limit(stop=stop)
        )
    with pytest.raises(UsageError, match="an interrupted build"):
        build_sharded(game, game.initial(), tmp_path / "t.db", InlineExecutor(), shards=2)
    other = stratagem.load("hexapawn")
    with pytest.raises(UsageError, match="belongs to another game"):
        build_sharded(other, other.initial(), tmp_path / "t.db", InlineExecutor(), shards=2, resume=True)
    build_sharded(game, game.initial(), tmp_path / "t.db", InlineExecutor(), shards=7, resume=True)
    assert (tmp_path / "t.db").read_bytes() == alone(game, tmp_path)


def test_a_game_without_such_values_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    game = stratagem.load("rockpaperscissors")
    with pytest.raises(UnsuitableGame, match="several roles have a choice"):
        sharded(game, tmp_path, InlineExecutor(), 2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ["folder", "memory"])
def test_a_database_is_read_where_its_shards_lie(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, local = stratagem.load("hexapawn"), tmp_path / "local"
    local.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(local))
    if address == "memory":
        pytest.importorskip("fsspec", reason="fsspec, which comes with the extra `cluster`")
        path = "memory://shards/hexapawn"
    else:
        path = str(tmp_path / "hexapawn")
    checkpoint = None if address == "folder" else "memory://shards/checkpoint"
    database = Database.build(
        path, game, on=InlineExecutor(), shards=3, keep_shards=True, checkpoint=checkpoint
    )
    assert list(local.iterdir()) == [], "copies are removed"
    whole = Database.build(tmp_path / "whole.db", game)
    assert len(database) == len(whole) == 135
    database.check()
    state = game.initial()
    while not state.terminal:
        assert database.entry(state) == whole.entry(state)
        (mover,) = state.to_move
        state = state.play(
            database[state].best[mover] if mover in database[state].best else state.legals(mover)[0]
        )
    assert database.best_play(game.initial()).line == whole.best_play(game.initial()).line


@given(
    st.lists(st.tuples(st.booleans(), st.integers(-1, 100), st.integers(-1, 100)), min_size=1, max_size=60)
)
def test_ends_are_told_from_other_states_and_their_goals_are_noted(
    rows: list[tuple[bool, int, int]],
) -> None:
    states = np.arange(2 * len(rows), dtype=np.uint64).reshape(-1, 2)
    terminal = np.array([row[0] for row in rows])
    goals = np.array([row[1:] for row in rows], np.int16)
    tally = EndTally(2, len(rows))
    for first in range(0, len(rows), 7):
        part = slice(first, first + 7)
        views = StateViews(np.empty((0, 2, 1), np.uint64), terminal[part], goals[part])
        assert np.array_equal(tally.take(states[part], views), states[part][~terminal[part]])
    sums = sorted(set(goals[terminal].sum(axis=1).tolist()))
    assert tally.count == terminal.sum()
    assert tally.ends.goals == tuple(sorted(set(goals[terminal, 0].tolist()) - {-1}))
    assert tally.ends.sums == tuple(sums if len(sums) < 2 else (sums[0], sums[-1]))
    assert tally.ends.missing == bool((goals[terminal] < 0).any())


STATES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3)), min_size=1, max_size=200)


@given(STATES, st.integers(1, 9))
def test_routing_keeps_every_state_and_gives_equal_ones_the_same_owner(
    rows: list[tuple[int, int]], shards: int
) -> None:
    states = np.array(rows, np.uint64)
    parts, places = Router(2, shards).route(states)
    assert np.array_equal(np.concatenate(parts)[places], states)
    assert sorted(places.tolist()) == list(range(len(rows)))
    assert [len(part) for part in parts] == owners_of(states, shards).tolist()
    for shard, part in enumerate(parts):
        assert all(owner_of(state, shards) == shard for state in part)


@settings(max_examples=30)
@given(st.lists(STATES, min_size=1, max_size=4), st.integers(1, 5), st.integers(64, 80))
def test_every_state_that_is_sent_arrives_at_its_owner_in_every_layer(
    layers: list[list[tuple[int, int]]], shards: int, rows: int
) -> None:
    """Some in files, some in messages, some kept; with what was sent before left out at most."""
    arrived: list[list[tuple[int, ...]]] = [[] for _ in range(shards)]

    class Peer:
        def __init__(self, number: int) -> None:
            self.number = number

        def call(self, method: str, *arguments: Any) -> Pending[None]:
            states = arguments[0]
            if method == "receive_file":
                states = np.fromfile(arguments[0], np.uint64, 2 * arguments[1]).reshape(-1, 2)
            arrived[self.number] += map(tuple, states.tolist())
            pending: Pending[None] = Pending()
            pending.settle(DONE, None)
            return pending

    def keep(states: np.ndarray) -> None:
        arrived[0].extend(map(tuple, states.tolist()))

    with TemporaryDirectory() as folder:
        near = [number % 2 == 0 for number in range(shards)]
        boxes = Outboxes([Peer(n) for n in range(shards)], near, 0, keep, Path(folder), 2, rows)
        for layer in layers:
            for first in range(0, len(layer), 50):
                boxes.add(np.array(layer[first : first + 50], np.uint64))
            boxes.flush()
            for shard, states in enumerate(arrived):
                expected = {row for row in layer if owner_of(np.array(row, np.uint64), shards) == shard}
                assert set(states) == expected
                states.clear()


@settings(max_examples=40)
@given(
    st.lists(st.lists(st.integers(0, 300), max_size=60), min_size=1, max_size=8),
    st.sampled_from([1, 2]),
    st.integers(2, 40),
)
def test_a_run_store_keeps_what_is_new_whatever_the_states_have_in_common(
    layers: list[list[int]], words: int, rows: int
) -> None:
    with TemporaryDirectory() as folder:
        store = RunStore(Path(folder), "run", words, rows)
        known: set[int] = set()
        for layer in layers:
            store.add(np.array([[number] * words for number in layer], np.uint64).reshape(-1, words))
            found = store.turn()
            assert sorted(found.states[:, 0].tolist()) == sorted(set(layer) - known)
            known |= set(layer)
        assert store.count == len(known)
        assert (store.met > 0) == (sum(len(set(layer)) for layer in layers) > len(known))


@settings(max_examples=30)
@given(
    st.sets(st.integers(0, 4000), min_size=1, max_size=300),
    st.lists(st.integers(1, 2000) | st.integers(2**64 - 2000, 2**64 - 1), min_size=1, max_size=20),
    st.integers(1, 3),
    st.sampled_from([4, 1 << 12]),
    st.data(),
)
def test_children_are_followed_to_their_values(
    parents: set[int], differences: list[int], shards: int, kept: int, data: st.DataObject
) -> None:
    """Values in several shards, children before and after their parents and beyond a word, over several blocks.

    Where the places of four differences are kept, others take their stead again and again.
    """
    rows = np.array(sorted(parents), np.uint64)[:, None]
    edges = [
        (number, (int(row) + step) % 2**64) for number, row in enumerate(rows[:, 0]) for step in differences
    ]
    below = in_order(np.array([[child] for _, child in edges], np.uint64))
    routed, _ = Router(1, shards).route(below)
    runs = [(part.copy(), (part % 1000).astype(np.int16)) for part in routed]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(following, "DIFFERENCES", kept)
        layer = LayerFollowed(runs, 1)
    block = data.draw(st.integers(1, 100))
    for first in range(0, len(rows), block):
        mine = [edge for edge in edges if first <= edge[0] < first + block]
        children = Children(
            np.array([[child] for _, child in mine], np.uint64),
            np.array([number - first for number, _ in mine], np.int32),
            np.zeros((len(mine), 1), np.int32),
            np.zeros(len(mine), np.bool_),
            np.zeros((len(mine), 1), np.int16),
        )
        values = layer.values(rows[first : first + block], children)
        assert values is not None
        assert values[:, 0].tolist() == [child % 1000 for _, child in mine]
    lost = Children(np.array([[99999]], np.uint64), *(np.zeros(1, np.int32) for _ in range(4)))  # type: ignore[arg-type]
    assert layer.values(rows, lost) is None


@given(
    st.lists(STATES, min_size=1, max_size=4),
    st.integers(1, 9),
    st.sampled_from([1, 2]),
    st.sampled_from([1, 1 << 16]),
)
def test_ranges_of_sources_follow_each_other(
    parts: list[list[tuple[int, int]]], count: int, words: int, samples: int
) -> None:
    states = [np.unique(np.array(part, np.uint64)[:, :words], axis=0) for part in parts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel_write, "SAMPLES", samples)
        bounds = bounds_of([len(part) for part in states], states.__getitem__, count)
    assert bounds[0].tolist() == [0] * len(parts)
    assert bounds[-1].tolist() == [len(part) for part in states]
    last: tuple[int, ...] = ()
    for begin, end in pairwise(bounds.tolist()):
        piece = [
            tuple(row)
            for part, first, after in zip(states, begin, end, strict=True)
            for row in part[first:after].tolist()
        ]
        assert not piece or min(piece) > last or last == ()
        last = max(piece, default=last)


@given(STATES, STATES)
def test_states_are_found_where_they_lie_in_a_run(
    rows: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    run = in_order(np.array(rows, np.uint64))
    states = np.array(others, np.uint64)
    wanted, places = distinct(states)
    assert np.array_equal(wanted[places], states)
    found = np.full(len(wanted), -1, np.int64)
    hits = located(wanted, run, found)
    known = {tuple(row) for row in run.tolist()}
    assert hits == sum(tuple(row) in known for row in wanted.tolist())
    for row, place in zip(wanted, found.tolist(), strict=True):
        assert (place >= 0) == (tuple(row.tolist()) in known)
        assert place < 0 or np.array_equal(run[place], row)


@given(st.lists(STATES, min_size=1, max_size=4), st.integers(1, 60))
def test_chunks_are_merged_in_the_order_of_words(parts: list[list[tuple[int, int]]], rows: int) -> None:
    chunks = []
    for part in parts:
        states = np.array(part, np.uint64)
        whole = in_word_order({"states": states, "distance": np.arange(len(states), dtype=np.int32)})
        chunks.append(
            Chunk(
                len(states),
                lambda first, count, whole=whole: {
                    name: array[first : first + count] for name, array in whole.items()
                },
            )
        )
    found = np.concatenate([piece["states"] for piece in merged(chunks, rows)])
    assert found.tolist() == sorted([list(row) for part in parts for row in part])
