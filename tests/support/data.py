"""Where the shared test data lies: rule sheets and known results, read in place and never copied."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def corpus() -> Path:
    """The directory of rule sheets with traces; skips the test where it is absent."""
    return _directory("STRATAGEM_CORPUS", "corpus", "rule sheets with traces")


def oracles() -> Path:
    """The directory of known results; skips the test where it is absent."""
    return _directory("STRATAGEM_ORACLES", "oracles", "known results")


def _directory(variable: str, name: str, what: str) -> Path:
    place = Path(os.environ.get(variable) or ROOT.parent / "shared" / name)
    if not place.is_dir():
        pytest.skip(f"the {what} are not at {place}; set {variable} to where they are")
    return place
