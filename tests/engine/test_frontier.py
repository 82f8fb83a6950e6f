"""Layers in memory and in files: the same counts, however little memory there is."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.data import oracles

from stratagem.engine.space.count import count_states
from stratagem.engine.space.explore import explore
from stratagem.engine.space.sorted_runs import RunWriter, in_order, ranges, remove_known
from stratagem.errors import LimitExceeded, UsageError
from stratagem.limit import INTERRUPTED, NODES, Limit
from stratagem.loading import load

TINY = 1 << 16
SMALL = [
    ("tictactoe", {}),
    ("hanoi", {"discs": 6}),
    ("pancakes", {}),
    ("missionaries", {}),
    ("lightsout", {"rows": 3, "columns": 4}),
    ("buttonsandlights", {}),
    ("waterjugs", {}),
    ("wolfgoatcabbage", {}),
    ("pegtriangle", {}),
    ("hexapawn", {}),
]


@pytest.mark.parametrize(("name", "sizes"), SMALL, ids=[name for name, _ in SMALL])
def test_layers_in_files_are_those_of_the_whole_space(
    name: str, sizes: dict[str, int], tmp_path: Path
) -> None:
    game = load(name, settings=sizes)
    space = explore(game.compiled, edges=False)
    wide = count_states(game)
    narrow = count_states(game, limit=Limit(memory=1), directory=tmp_path)
    assert tuple(wide) == tuple(narrow) == space.layers
    assert wide.levels == narrow.levels
    assert sum(level.terminal for level in wide.levels) == int(space.terminal.sum())
    assert wide.complete
    assert narrow.complete
    assert wide.file_bytes == 0 < narrow.file_bytes
    assert not list(tmp_path.iterdir()), "the files are gone afterwards"


def test_the_eight_puzzle_has_its_published_layers_though_memory_is_short() -> None:
    data = json.loads((oracles() / "oracles.json").read_text())
    game = load("eightpuzzle")
    counted = count_states(game, limit=Limit(memory=1 << 20))
    assert counted.total == 181_440
    assert counted.complete
    assert counted.file_bytes > 1 << 20
    assert list(counted) == data["sliding_3x3_blank_in_corner"]["by_depth"]


@pytest.mark.slow
@pytest.mark.parametrize("memory", [1 << 30, 1 << 24])
def test_the_pocket_cube_is_counted_by_depth(memory: int) -> None:
    counted = count_states(load("pocketcube"), limit=Limit(memory=memory))
    assert counted.total == 3_674_160
    assert counted.complete
    assert tuple(counted) == (1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644)


def test_the_first_layers_of_peg_solitaire_are_known() -> None:
    counted = count_states(load("pegsolitaire"), limit=Limit(depth=8, memory=1 << 20))
    assert tuple(counted) == (1, 4, 12, 60, 296, 1338, 5648, 21842, 77559)
    assert not counted.complete


def test_a_search_that_is_stopped_reports_whole_layers_only() -> None:
    asked = iter([False] * 9 + [True] * 1000)
    stopped = count_states(load("eightpuzzle"), limit=Limit(stop=lambda: next(asked)))
    full = count_states(load("eightpuzzle"))
    assert not stopped.complete
    assert stopped.stopped == INTERRUPTED
    assert tuple(stopped) == full[: len(stopped)]
    few = count_states(load("eightpuzzle"), limit=Limit(nodes=1000))
    assert not few.complete
    assert few.stopped == NODES
    assert few.total <= 1000


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a directory"):
        count_states(load("eightpuzzle"), directory=tmp_path / "absent")
    with pytest.raises(UsageError, match="at least 1 byte"):
        count_states(load("eightpuzzle"), limit=Limit(memory=0))
    with pytest.raises(LimitExceeded, match="could not be written"):
        RunWriter(tmp_path / "absent" / "run", 1)


def test_a_full_disk_is_one_sentence() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    writer = RunWriter.__new__(RunWriter)
    writer.path, writer.words, writer.count = Path("/dev/full"), 1, 0
    writer._file = writer.path.open("wb", buffering=0)
    with pytest.raises(LimitExceeded, match="No space left"):
        writer.add(np.ones((10, 1), np.uint64))


@settings(max_examples=30)
@given(
    st.integers(1, 3),
    st.lists(st.lists(st.integers(0, 40), max_size=60), min_size=1, max_size=4),
    st.lists(st.integers(0, 40), max_size=60),
    st.integers(1, 9),
)
def test_runs_merge_and_subtract_like_sets(
    words: int, several: list[list[int]], known: list[int], rows: int
) -> None:
    import tempfile

    def states(numbers: list[int]) -> np.ndarray:
        rows = [[number // 7**word % 7 for word in range(words)] for number in numbers]
        return np.array(rows, np.uint64).reshape(-1, words)

    def as_set(found: np.ndarray) -> set[tuple[int, ...]]:
        return {tuple(map(int, row)) for row in found}

    with tempfile.TemporaryDirectory() as place:
        runs = []
        for number, numbers in enumerate(several):
            writer = RunWriter(Path(place) / str(number), words)
            writer.add(in_order(states(numbers)))
            runs.append(writer.close())
        pieces = list(ranges(runs, rows))
        merged = np.concatenate(pieces) if pieces else states([])
        everything = as_set(states([number for numbers in several for number in numbers]))
        assert len(merged) == len(everything)
        assert as_set(merged) == everything
        other = in_order(states(known))
        fresh = np.ones(len(merged), np.bool_)
        remove_known(merged, other, 0, fresh)
        assert as_set(merged[fresh]) == everything - as_set(states(known))
