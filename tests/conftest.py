"""What all tests share: where they keep files, how Hypothesis runs, and what is said of tests that were skipped."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
NEEDS_SHEETS = "published rule sheets"

# Nothing is written outside the working tree: neither compiled code nor records of matches.
os.environ.setdefault("STRATAGEM_CACHE", str(ROOT / ".cache" / "stratagem"))
os.environ.setdefault("STRATAGEM_DATA", str(ROOT / ".cache" / "data"))

# Whether a kernel has been compiled before is no part of what a command prints.

# An example is never too slow: that depends on what else the machine is doing. In CI every run tries the same
# examples; at a desk each run tries new ones.
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


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
