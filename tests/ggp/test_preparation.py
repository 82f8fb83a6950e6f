"""Before any clock runs: nothing is left to do that could make the first answer late."""

from __future__ import annotations

import asyncio
import gc

from stratagem.ggp.player.preparation import prepare


def test_what_is_there_before_the_first_match_is_not_looked_at_by_the_garbage_collector():
    gc.unfreeze()  # what earlier tests have left
    try:
        asyncio.run(prepare([]))
        assert gc.get_freeze_count() > 1000
    finally:
        gc.unfreeze()
