"""Tests of the code generator keep their object code to themselves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setenv("STRATAGEM_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()
