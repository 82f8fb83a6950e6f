"""Seconds from a new process to its first result: on a new machine, with an empty cache, and the next time.

Each program imports the package, loads a game and searches it. Cold, rules and kernels are compiled; warm, they are found
on disk. Seconds are of the wall clock, with those of the processor beside them, since both cores are used; the yardstick
is a Python that starts and imports numpy, timed in turns with the others.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from typing import Final, NamedTuple

YARDSTICK: Final = "import numpy"
ROUNDS: Final = 3
WARM_AIM: Final = 0.5


class Program(NamedTuple):
    """What is run, and the seconds in which it should have its result on a new machine."""

    source: str
    cold_aim: float


PROGRAMS: Final = {
    "Mcts.search of connect four": Program(
        "import stratagem as st\n"
        "from stratagem.engine import Mcts\n"
        "game = st.load('connectfour')\n"
        "print(Mcts(game).search(game.initial(), st.Limit(nodes=100)).best_move)",
        5.0,
    ),
    "alpha-beta with a learned evaluation": Program(
        "import stratagem as st\n"
        "from stratagem.engine import AlphaBeta, learn_evaluation\n"
        "game = st.load('connectfour')\n"
        "evaluation = learn_evaluation(game, st.Limit(nodes=200))\n"
        "print(AlphaBeta(game, evaluation).search(game.initial(), st.Limit(depth=5)).best_move)",
        6.0,
    ),
    "solve of connect four 4x4": Program(
        "import stratagem as st\nprint(st.solve(st.load('connectfour', columns=4, rows=4)).value)", 4.0
    ),
}


class Taken(NamedTuple):
    """Seconds of the wall clock and of the processor."""

    wall: float
    processor: float


def run(source: str, cache: str) -> Taken:
    """One new process, with its cache at *cache*."""
    before, begin = os.times(), time.perf_counter()
    environment = {**os.environ, "STRATAGEM_CACHE": cache}
    subprocess.run([sys.executable, "-c", source], check=True, stdout=subprocess.DEVNULL, env=environment)
    wall, after = time.perf_counter() - begin, os.times()
    own = after.children_user - before.children_user + after.children_system - before.children_system
    return Taken(wall, own)


def line(name: str, when: str, found: Taken, yardstick: Taken, aim: float) -> None:
    """One measurement beside its aim."""
    ratio = found.wall / yardstick.wall
    reached = "reached" if found.wall <= aim else "MISSED"
    print(
        f"  {name:38} {when:4} {found.wall:6.2f} s ({found.processor:5.2f} s of the processor), "
        f"{ratio:5.1f} x; at most {aim:g} s wanted: {reached}"
    )


def main() -> None:
    yardstick = Taken(float("inf"), float("inf"))
    cold = dict.fromkeys(PROGRAMS, yardstick)
    warm = dict.fromkeys(PROGRAMS, yardstick)
    for _ in range(ROUNDS):
        yardstick = min(yardstick, run(YARDSTICK, "off"))
        for name, program in PROGRAMS.items():
            with tempfile.TemporaryDirectory() as cache:
                cold[name] = min(cold[name], run(program.source, cache))
                warm[name] = min(warm[name], run(program.source, cache))
    print(f"a new process to its first result; Python with numpy takes {yardstick.wall:.2f} s (x)")
    for name, program in PROGRAMS.items():
        line(name, "cold", cold[name], yardstick, program.cold_aim)
        line(name, "warm", warm[name], yardstick, WARM_AIM)


if __name__ == "__main__":
    main()
