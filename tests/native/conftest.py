"""Tests of the code generator keep their object code to themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module", autouse=True)
def _use_own_cache(own_cache: Path) -> Iterator[None]:
    """Only while these tests run: others find their kernels where they were before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STRATAGEM_CACHE", str(own_cache))
        yield
