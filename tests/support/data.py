"""Where the test data lies: known results and traces of our own sheets beside the tests, published sheets elsewhere."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import pytest

Case = TypeVar("Case")
ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
CORPUS = Path(os.environ.get("STRATAGEM_CORPUS") or ROOT.parent / "shared" / "corpus")


def oracles() -> Path:
    """The directory of known results and of trees with the leaves that each algorithm visits."""
    return DATA


def corpus() -> Path:
    """The directory of published rule sheets with traces, read in place; skips the test where it is absent."""
    if not CORPUS.is_dir():
        pytest.skip("published rule sheets needed; set STRATAGEM_CORPUS to where they are")
    return CORPUS


def of_corpus(cases: Sequence[Case]) -> Sequence[Case]:
    """Cases about published sheets, for parametrising: all of them, or the first where the corpus is absent."""
    return cases if CORPUS.is_dir() else cases[:1]
