"""Players that were just installed: empty caches, short clocks, real processes over HTTP."""

from __future__ import annotations

import asyncio

import pytest
from benchmarks.first_contact import one_match


@pytest.mark.slow
@pytest.mark.realtime
@pytest.mark.parametrize("name", ["tictactoe", "rockpaperscissors"])
def test_new_players_are_neither_late_nor_illegal(tmp_path, name):
    row = asyncio.run(one_match(name, tmp_path, busy=0))
    assert (row.late, row.illegal, row.guesses) == (0, 0, 0)
    assert row.moves > 0
