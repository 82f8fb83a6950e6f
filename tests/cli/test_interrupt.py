"""Ctrl-C is a polite request: what is proved so far is printed, and nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")


@pytest.mark.parametrize(
    "arguments",
    [
        ["connectfour", "--method", "prove"],
        ["connectfour", "--method", "df-pn"],
        ["connectfour", "--method", "space"],
        ["fifteenpuzzle", "--method", "breadth-first"],
    ],
)
def test_an_interrupted_solve_prints_bounds_that_hold(arguments: list[str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "stratagem", "solve", *arguments, "--budget", "600", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests themselves run in the background the shell has them ignore Ctrl-C, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(4)
    try:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 1, err
    assert "Traceback" not in err
    if out:  # not where Ctrl-C came while something was compiled
        found = json.loads(out)
        assert not found["proved"]
        for low, high in found["bounds"].values():
            assert 0 <= low <= high <= 100
