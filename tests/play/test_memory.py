from __future__ import annotations

from stratagem.play.memory import LEAST, available, fair_share
from stratagem.play.nursery import _obituary


def test_what_is_left_is_the_less_of_machine_and_container(tmp_path):
    machine = tmp_path / "meminfo"
    machine.write_text("MemTotal:  100 kB\nMemAvailable:   64 kB\n")
    assert available(machine, tmp_path / "none") == 64 << 10
    (tmp_path / "memory.max").write_text("40000\n")
    (tmp_path / "memory.current").write_text("10000\n")
    assert available(machine, tmp_path) == 30_000
    (tmp_path / "memory.max").write_text("max\n")
    assert available(machine, tmp_path) == 64 << 10


def test_where_the_system_does_not_tell_nothing_is_held_back(tmp_path):
    assert available(tmp_path / "none", tmp_path / "none") is None


def test_a_search_takes_a_share_of_what_is_left_and_never_nothing():
    assert fair_share(1 << 30, 1 << 40) == 1 << 30
    assert fair_share(1 << 30, 1 << 30) == 1 << 27
    assert fair_share(1 << 30, 0) == LEAST


def test_a_process_that_was_killed_from_outside_is_said_to_lack_memory():
    assert "memory ran out" in _obituary(9)
    assert "SIGSEGV" in _obituary(11)
