"""The product on systems that are not Linux, as far as they can be had here: their modules and functions are taken away.

A `sitecustomize` that every process of the test imports first removes what the system lacks, so that child processes
lack it too.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import stratagem

NOT_LINUX = """
import os
for name in ("sched_getaffinity", "sched_setaffinity", "process_cpu_count", "fork", "forkpty"):
    if hasattr(os, name):
        delattr(os, name)
"""
SYSTEMS = {
    "macOS": NOT_LINUX
    + """
import resource
whole = resource.setrlimit
def setrlimit(kind, limits):
    if kind == resource.RLIMIT_AS and limits[0] != resource.RLIM_INFINITY:
        raise ValueError("current limit exceeds maximum limit")
    whole(kind, limits)
resource.setrlimit = setrlimit
""",
    "Windows": NOT_LINUX
    + """
import sys
sys.modules["resource"] = None
for name in ("nice", "getloadavg", "sysconf", "setsid", "killpg"):
    delattr(os, name)
""",
}
PLAYOUTS = """
import stratagem
game = stratagem.load("tictactoe")
print(game.playouts(n=1000, seed=1).matches, len(game.batch(4).legal("xplayer")))
"""
IN_A_CHILD = """
import sys
from dataclasses import replace
from stratagem.circuit.compiler.compile import circuit_of
from stratagem.gdl.build import build
from stratagem.gdl.text.kif import read
from stratagem.gdl.text.syntax import Source
from stratagem.circuit.compiler.budget import BUDGET

source = Source(open(sys.argv[1], encoding="utf-8").read(), "tictactoe.kif")
sheet, _ = build(source, read(source)[0])
print(circuit_of(sheet, budget=replace(BUDGET, instances_here=0)).gate_count > 0)
"""


@pytest.fixture(params=SYSTEMS)
def system(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The environment of a process on another system; its standard output is not UTF-8."""
    place = tmp_path / "system"
    place.mkdir()
    (place / "sitecustomize.py").write_text(SYSTEMS[request.param])
    source = str(Path(stratagem.__file__).parents[1])
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(place), source]),
        "PYTHONIOENCODING": "cp1252",
        "STRATAGEM_DATA": str(tmp_path / "data"),
    }


def run(system: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], env=system, capture_output=True, check=False, encoding="cp1252"
    )


def test_playouts_and_batches(system):
    done = run(system, "-c", PLAYOUTS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1000 4\n", "")


def test_a_sheet_is_compiled_in_a_child_process_without_a_limit_on_memory(system):
    sheet = Path(stratagem.__file__).parent / "sheets" / "tictactoe.kif"
    done = run(system, "-c", IN_A_CHILD, str(sheet))
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_a_sheet_is_judged(system):
    done = run(system, "-m", "stratagem", "judge", "hexapawn")
    assert (done.returncode, done.stderr) == (0, "")
    assert "all 135 states were examined" in done.stdout


def test_a_sheet_is_measured(system, tmp_path):
    result = tmp_path / "result.txt"
    done = run(system, "-m", "stratagem", "perf", "tictactoe", str(result), "0.1")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^numStateChanges=[1-9]", result.read_text(), re.MULTILINE)


@pytest.mark.realtime
def test_a_match_is_played_by_processes_that_are_started_afresh(system):
    done = run(
        system, *("-m", "stratagem", "host", "tictactoe", "legal", "random"),
        *("--startclock", "60", "--playclock", "30", "--seed", "1"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "random legal move" not in done.stdout
    assert re.search(r"xplayer.*100|oplayer.*100|50", done.stdout)
