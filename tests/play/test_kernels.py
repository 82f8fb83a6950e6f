"""Which kernels are compiled is known on disk; what is missing is compiled elsewhere."""

from __future__ import annotations

import sys

import pytest

from stratagem.play.interface import Player
from stratagem.play.players import player_named, player_names
from stratagem.play.process import kernel_compilation as kernels
from stratagem.play.process import warmup as warming
from stratagem.play.process.kernel_compilation import (
    COMPILER,
    ORDER,
    PLAYERS,
    POLITENESS,
    Compiler,
    can_start,
    compile_missing,
    compiled,
    note_compiled,
)


def waits_for_its_parent(politeness: int) -> tuple[str, ...]:
    """A compiler that has nothing to do."""
    return sys.executable, "-c", "import sys; sys.stdin.read()"


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path))
    return tmp_path


def test_on_a_new_machine_nothing_is_compiled_and_a_note_says_when_it_is(empty_cache):
    assert [compiled(one) for one in ORDER] == [False, False, False]
    note_compiled("mcts")
    assert [compiled(one) for one in ORDER] == [False, True, False]


def test_a_note_is_found_by_every_later_process(empty_cache, monkeypatch):
    note_compiled("puzzle")
    monkeypatch.setattr(kernels, "_known", set())
    assert [compiled(one) for one in ORDER] == [True, False, False]


def test_a_note_is_void_for_another_version(empty_cache, monkeypatch):
    note_compiled("puzzle")
    monkeypatch.setattr(kernels, "_known", set())
    monkeypatch.setattr(kernels, "_surroundings", lambda: "another source")
    assert not compiled("puzzle")


@pytest.mark.parametrize("place", ["off", "file"])
def test_where_nothing_can_be_kept_every_process_compiles_for_itself(tmp_path, monkeypatch, place):
    """Nobody would ever find on disk what another process has compiled."""
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("STRATAGEM_CACHE", "off" if place == "off" else str(tmp_path / "file"))
    assert all(map(compiled, ORDER))


def test_what_is_missing_is_compiled_in_the_order_in_which_matches_need_it(empty_cache, monkeypatch):
    called: list[str] = []
    monkeypatch.setattr(warming, "call_kernels", called.append)
    note_compiled("mcts")
    compile_missing()
    assert called == ["puzzle", "alphabeta"]


def test_a_search_that_cannot_start_has_its_kernels_compiled(empty_cache, monkeypatch):
    begun: list[bool] = []
    monkeypatch.setattr(COMPILER, "start", lambda: begun.append(True))
    assert not can_start("mcts")
    assert begun == [True]
    note_compiled("mcts")
    assert can_start("mcts")
    assert begun == [True]


def wants_kernels(player: Player) -> bool:
    """Whether *player*, or another player to whom it leaves moves, asks for kernels."""
    asks = hasattr(sys.modules[type(player).__module__], "can_start")
    parts = (part for part in vars(player).values() if Player in type(part).__mro__)
    return asks or any(map(wants_kernels, parts))


def test_kernels_are_compiled_for_every_player_that_wants_them_and_for_no_other():
    assert set(PLAYERS) == {name for name in player_names() if wants_kernels(player_named(name))}


def test_the_compiler_is_one_process_and_ends_when_it_is_told_to(empty_cache):
    compiler = Compiler(waits_for_its_parent)
    process = compiler.start()
    assert process is not None
    assert compiler.start() is process
    assert process.poll() is None
    compiler.stop()
    assert process.poll() is not None


def test_the_compiler_ends_with_the_process_that_started_it(empty_cache):
    process = Compiler(waits_for_its_parent).start()
    assert process is not None and process.stdin is not None
    process.stdin.close()  # as the system does when we end
    assert process.wait(60) == 0


def test_nothing_is_started_where_all_is_there_or_a_parent_sees_to_it(empty_cache):
    child = Compiler(waits_for_its_parent)
    child.leave_to_others()
    assert child.start() is None
    for one in ORDER:
        note_compiled(one)
    assert Compiler(waits_for_its_parent).start() is None


def test_who_waits_for_the_compiler_is_not_polite_and_who_plays_meanwhile_is(empty_cache):
    asked: list[int] = []

    def quick(politeness: int) -> tuple[str, ...]:
        asked.append(politeness)
        return sys.executable, "-c", ""

    Compiler(quick).wait()
    process = Compiler(quick).start()
    assert process is not None
    process.wait(60)
    assert asked == [0, POLITENESS]
