"""The kernels of the engine, compiled before anybody waits for them.

numba compiles a kernel when it is first called, which takes some tens of seconds for all of them on a new machine, and
keeps it on disk; from then on every process finds it there within the second. A player that listens for matches has
this done at once, beside it and at low priority, so that the first match on a new machine is not the one that waits.
"""

from __future__ import annotations

import os
import subprocess
import sys

from stratagem.native.kernel_cache import keep_kernels


def warm() -> None:
    """Calls every kernel that players use, on games so small that the calls take no time."""
    from stratagem.engine.alpha_beta import AlphaBeta
    from stratagem.engine.evaluation_learning import learn
    from stratagem.engine.mcts import Mcts
    from stratagem.engine.solve import solve
    from stratagem.load import load

    keep_kernels()
    duel = load("tictactoe")
    Mcts(duel, memory=1 << 20).search(duel.initial(), simulations=2)
    evaluation = learn(duel, states=40)
    AlphaBeta(duel, evaluation, memory=0).search(duel.initial(), depth=3)
    for name in ("buttonsandlights", "hanoi"):
        solve(load(name), seconds=5.0)


def warm_beside() -> subprocess.Popen[bytes]:
    """The same in a process of its own, which gives way to everybody else; it ends by itself."""
    polite = "import os; os.nice(10); " if sys.platform != "win32" else ""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.Popen(
        [sys.executable, "-c", f"{polite}from {__name__} import warm; warm()"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
