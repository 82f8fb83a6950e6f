from __future__ import annotations

import sys

import pytest

from stratagem.play.nursery import nursery


@pytest.fixture(scope="session", autouse=True)
def warm_nursery() -> None:
    """The process that workers come from is up before the first clock runs, as it is in a player that serves."""
    if sys.platform == "linux":
        nursery().wait()
