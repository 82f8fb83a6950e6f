"""What all tests share: where they keep files, how Hypothesis runs, and what is said of tests that were skipped."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from stratagem.cache import Cache
from stratagem.engine import solved_files

ROOT = Path(__file__).resolve().parents[1]
NEEDS_SHEETS = "published rule sheets"
NUMBERS = itertools.count()

# Nothing is written outside the working tree: neither compiled code nor records of matches.
os.environ.setdefault("STRATAGEM_CACHE", str(ROOT / ".cache" / "stratagem"))
os.environ.setdefault("STRATAGEM_DATA", str(ROOT / ".cache" / "data"))

# An example is never too slow: that depends on what else the machine is doing. Every run tries the same examples, so that a
# failure belongs to the change at hand; `--hypothesis-profile explore` tries new ones (nightly).
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("explore"), derandomize=True)
settings.load_profile("same")


OPTIONAL = {
    "adapters/jax_circuit.py": "jax",
    "adapters/jax_env.py": "jax",
    "adapters/open_spiel_game.py": "pyspiel",
    "adapters/gymnasium_env.py": "gymnasium",
    "adapters/pettingzoo_env.py": "pettingzoo",
    "cluster/ray_executor.py": "ray",
}
"""Modules that adapt to a library, which they import when they are imported."""


class OptionalModules:
    """Modules whose library is not installed are not searched for examples."""

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        needed = OPTIONAL.get("/".join(collection_path.parts[-2:]))
        return True if needed is not None and find_spec(needed) is None else None


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(OptionalModules())


@pytest.fixture(autouse=True)
def solved_files_of_this_test(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Players find the databases and certificates of their own test, and of no other."""
    folder = tmp_path_factory.getbasetemp() / f"solved-{next(NUMBERS)}"
    monkeypatch.setattr(solved_files, "user_cache", lambda: Cache(folder))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says in one line for each reason how many tests were skipped, and how to get what they need."""
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    sheets = sum(count for reason, count in reasons.items() if NEEDS_SHEETS in reason)
    if sheets:
        terminalreporter.write_line(
            f"{sheets} tests need {NEEDS_SHEETS}, which are not ours to ship: tests/README.md says how to get them"
        )
    for reason, count in sorted(reasons.items()):
        if NEEDS_SHEETS not in reason:
            terminalreporter.write_line(f"{count} skipped: {reason}")


def _reason(report: object) -> str:
    """Why a test was skipped: the report of a skipped test has (file, line, reason) in its `longrepr`."""
    skipped = getattr(report, "longrepr", None)
    return str(skipped[2] if isinstance(skipped, tuple) else skipped).removeprefix("Skipped: ")
