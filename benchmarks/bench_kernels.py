"""The kernel language against numba: time to the first result, speed, and the price of a call.

The same two programs are written in both: an exact set of packed states, and a negamax of connect four on bitboards with
a transposition table. The signatures are the numbers of different states and of nodes. The aim is numba's speed and a
quarter of its time to the first result.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Final

import numpy as np

from benchmarks.measure import rates, table, verdict
from stratagem.kernels import Array, Record, dims, inlined, kernel, record_rows, size, uint64
from stratagem.kernels.library.exact_set import ExactSet, add_states
from stratagem.kernels.library.random_numbers import mixed
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import CompiledKernels
from stratagem.native.jit.llvm import compile_optimised

COLUMNS: Final = 5
HEIGHT: Final = 4
NODES: Final = 524_425
UNKNOWN: Final = -2
LOWER, UPPER, EXACT = 1, 2, 3
STATES: Final = 200_000
RANGE: Final = 400


class Ply(Record):
    """A node on the line that is searched."""

    mine: uint64
    both: uint64
    alpha: int
    beta: int
    best: int
    floor: int
    following: int
    """The column to try next, -1 where the node was not entered yet."""


class Solver(Record):
    """What a search of connect four needs."""

    plies: int = size()
    entries: int = size()
    line: Array[Ply] = dims("plies")
    rows: Array[uint64] = dims("entries", 2)
    columns: int
    height: int
    nodes: int = 0


@inlined
def won(stones: uint64, height: int) -> bool:
    """Whether four of these stones stand in a line."""
    for way in range(4):
        step = 1 if way == 0 else height + way - 1
        pairs = stones & (stones >> step)
        if pairs & (pairs >> (2 * step)):
            return True
    return False


@inlined
def look_up(solver: Solver, key: uint64) -> uint64:
    place = int(mixed(key)) & (solver.entries - 1)
    known = solver.rows[place, 1]
    return known if solver.rows[place, 0] ^ known == key else uint64(0)


@inlined
def keep(solver: Solver, key: uint64, known: uint64) -> None:
    place = int(mixed(key)) & (solver.entries - 1)
    solver.rows[place, 0] = key ^ known
    solver.rows[place, 1] = known


@inlined
def enter(solver: Solver, node: Ply, ply: int) -> int:
    """The value of a node where the table or a full board decides it, else UNKNOWN."""
    solver.nodes += 1
    known = look_up(solver, node.mine + node.both + 1)
    if known != 0:
        bound, kind = int(known & 3) - 1, int(known >> 2)
        if kind == EXACT or (kind == LOWER and bound >= node.beta) or (kind == UPPER and bound <= node.alpha):
            return bound
    if ply == solver.columns * solver.height:
        return 0
    node.following = 0
    node.best = UNKNOWN
    node.floor = node.alpha
    return UNKNOWN


@inlined
def advance(solver: Solver, node: Ply, child: Ply) -> bool:
    """Tries the next column; whether *child* is to be searched."""
    low = uint64(1) << (node.following * (solver.height + 1))
    node.following += 1
    moved = node.both | (node.both + low)
    if moved & (low << solver.height):
        return False
    if won(node.mine | (moved ^ node.both), solver.height):
        node.best = 1
        node.alpha = 1
        return False
    child.mine, child.both = node.both ^ node.mine, moved
    child.alpha, child.beta = -node.beta, -node.alpha
    child.following = -1
    return True


@inlined
def finish(solver: Solver, node: Ply) -> int:
    """Keeps what a node turned out to be worth."""
    value = node.best
    kind = LOWER if value >= node.beta else UPPER if value <= node.floor else EXACT
    keep(solver, node.mine + node.both + 1, uint64(value + 1) | uint64(kind) << 2)
    return value


@kernel
def solve(solver: Solver) -> int:
    """Fail-soft negamax of connect four from the empty board; 1, 0 or -1 for the side to move."""
    ply = 0
    root = solver.line[0]
    root.mine, root.both = uint64(0), uint64(0)
    root.alpha, root.beta, root.following = -1, 1, -1
    while True:
        node = solver.line[ply]
        value = enter(solver, node, ply) if node.following < 0 else UNKNOWN
        if value == UNKNOWN:
            if node.following < solver.columns and node.best < node.beta:
                if advance(solver, node, solver.line[ply + 1]):
                    ply += 1
                continue
            value = finish(solver, node)
        if ply == 0:
            return value
        ply -= 1
        parent = solver.line[ply]
        parent.best = max(parent.best, -value)
        parent.alpha = max(parent.alpha, -value)


@kernel
def nothing(states: ExactSet, number: int) -> int:
    """A call and no more."""
    return number + states.used


FAMILY: Final = KernelFamily("benchmark", (solve, add_states, nothing))


def new_solver() -> Solver:
    return Solver(
        line=record_rows(Ply, COLUMNS * HEIGHT + 2),
        rows=np.zeros((1 << 20, 2), np.uint64),
        columns=COLUMNS,
        height=HEIGHT,
    )


def some_states() -> np.ndarray:
    return np.random.default_rng(1).integers(0, RANGE, (STATES, 2)).astype(np.uint64)


def solvers(code: CompiledKernels) -> dict[str, Callable[[int], float]]:
    from benchmarks import kernels_by_numba as numba_kernels

    solver = new_solver()
    frames = np.zeros((COLUMNS * HEIGHT + 2, 7), np.int64)
    rows, counters = np.zeros((1 << 20, 2), np.uint64), np.zeros(1, np.int64)

    def ours(_: int) -> float:
        solver.rows.numpy[:] = 0
        solver.nodes = 0
        code[solve](solver)
        assert solver.nodes == NODES, solver.nodes
        return NODES

    def theirs(_: int) -> float:
        rows[:] = 0
        counters[0] = 0
        numba_kernels.solve(frames, rows, counters, COLUMNS, HEIGHT)
        assert counters[0] == NODES, counters[0]
        return NODES

    return {"numba": theirs, "kernel language": ours}


def sets(code: CompiledKernels) -> dict[str, Callable[[int], float]]:
    from benchmarks import kernels_by_numba as numba_kernels

    states = some_states()
    different = len(np.unique(states, axis=0))
    added = Array(uint64, states.reshape(-1))
    numbers = np.zeros(STATES, np.int64)
    pool, slots = np.zeros((STATES, 2), np.uint64), np.zeros(1 << 19, np.int64)
    own = ExactSet(table=np.zeros(1 << 19, np.int64), pool=np.zeros((STATES, 2), np.uint64))
    own_numbers, fresh = Array(int, np.zeros(STATES, np.int64)), Array(int, np.zeros(STATES, np.int64))

    def ours(_: int) -> float:
        own.table.numpy[:] = 0
        own.used = 0
        code[add_states](own, added, STATES, own_numbers, fresh)
        assert own.used == different
        return STATES

    def theirs(_: int) -> float:
        slots[:] = 0
        assert numba_kernels.add_states(slots, pool, 0, states, STATES, numbers) == different
        return STATES

    return {"numba": theirs, "kernel language": ours}


def compiled(level: int) -> tuple[CompiledKernels, float, float]:
    """The family at one level, and the seconds that translating and compiling took."""
    begin = time.thread_time()
    text = FAMILY.assembly()
    translated = time.thread_time()
    code = compile_optimised(text, level)
    return CompiledKernels(FAMILY, code), translated - begin, time.thread_time() - translated


def call_price(code: CompiledKernels) -> float:
    """Seconds for a call from Python that does nothing."""
    function = code[nothing]
    states = ExactSet(table=np.zeros(2, np.int64), pool=np.zeros((1, 1), np.uint64))
    best = float("inf")
    for _ in range(20):
        begin = time.thread_time()
        for number in range(10_000):
            function(states, number)
        best = min(best, (time.thread_time() - begin) / 10_000)
    return best


COLD: Final = {
    "kernel language": (
        "from benchmarks.bench_kernels import compiled, new_solver, solve\n"
        "code = compiled(2)[0]\nprint(code[solve](new_solver()))"
    ),
    "numba": (
        "import numpy as np\nfrom benchmarks.kernels_by_numba import add_states, solve\n"
        "words, numbers = np.zeros((8, 2), np.uint64), np.zeros(8, np.int64)\n"
        "add_states(numbers, words, 0, words, 1, numbers)\n"
        "print(solve(np.zeros((22, 7), np.int64), np.zeros((1 << 20, 2), np.uint64), numbers, 5, 4))"
    ),
}


def first_result(program: str) -> float:
    """Seconds of processor time that a new process takes to its first result, compilation included."""
    before = os.times()
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def main() -> None:
    cold = {name: min(first_result(program) for _ in range(3)) for name, program in COLD.items()}
    print("a new process to its first result, nothing on disk")
    for name, seconds in cold.items():
        print(f"  {name:28} {seconds:12.2f} s of processor time")
    verdict("numba's time over ours", cold["numba"] / cold["kernel language"], 4)
    codes = {}
    for level in (1, 2, 3):
        codes[level], translating, compiling = compiled(level)
        print(
            f"level {level}: translated in {1e3 * translating:.0f} ms, compiled in {1e3 * compiling:.0f} ms"
        )
    for title, works in (("negamax of connect four 5x4", solvers), ("exact set, two words", sets)):
        unit = "nodes" if works is solvers else "states"
        both = works(codes[2])
        for level in (1, 3):
            both[f"level {level}"] = works(codes[level])["kernel language"]
        found = rates(both)
        table(title, found, unit, "numba")
        verdict("of numba's rate", found["kernel language"] / found["numba"], 0.95)
    print(f"a call from Python: {1e9 * call_price(codes[2]):.0f} ns")


if __name__ == "__main__":
    main()
