from __future__ import annotations

from stratagem.play.process.fork_server import _exit_reason
from stratagem.play.process.memory_share import LEAST, fair_share


def test_a_search_takes_a_share_of_what_is_left_and_never_nothing():
    assert fair_share(1 << 30, 1 << 40) == 1 << 30
    assert fair_share(1 << 30, 1 << 30) == 1 << 27
    assert fair_share(1 << 30, 0) == LEAST


def test_a_process_that_was_killed_from_outside_is_said_to_lack_memory():
    assert "memory ran out" in _exit_reason(9)
    assert "SIGSEGV" in _exit_reason(11)
