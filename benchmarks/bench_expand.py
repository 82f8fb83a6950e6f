"""Children per second: the package, from the text of the rules, against a bitboard generator written by hand.

Both make all children of the same connect four positions, with parents, joint moves, ends and goals in the same
arrays. The signature is the number of children, and that both find the same number of ends and of wins. The aim is 0.6
of the hand-written generator's rate; the latency of a single position is what alpha-beta pays per node.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.yardsticks import BOARD, BOTTOM, COLUMN, four_in_line, popcount
from stratagem.circuit.compiler.compile import circuit_of
from stratagem.engine.states.child_buffer import ChildRows, child_rows, expand_block
from stratagem.kernels import Array, kernel, uint64
from stratagem.kernels.translate.family import KernelFamily
from stratagem.loading import sheet_of
from stratagem.native.compiled import Children, CompiledGame
from stratagem.native.driver.build import EXPAND
from stratagem.native.jit.kernel_families import compiled_family
from stratagem.native.jit.llvm import compile_optimised

PLY = 6
REPEATS = 40
SINGLES = 2000
BATCH = 1_000_000


@njit(nogil=True)
def by_hand(states, children, parents, moves, terminal, goals):  # type: ignore[no-untyped-def]
    """All children of positions that are not over: two words of stones, the first player's first."""
    made = 0
    for number in range(len(states)):
        first, second = states[number, 0], states[number, 1]
        both = first | second
        free = (both + BOTTOM) & BOARD
        turn = popcount(both) & np.uint64(1)
        own = second if turn else first
        for column in range(7):
            stone = free & (COLUMN << np.uint64(7 * column))
            if stone == np.uint64(0):
                continue
            mine = own | stone
            won = four_in_line(mine)
            children[made, turn] = mine
            children[made, 1 - turn] = first if turn else second
            parents[made] = number
            moves[made, turn] = column
            moves[made, 1 - turn] = 7
            over = won or (both | stone) == BOARD
            terminal[made] = over
            goals[made, turn] = 100 if won else 50
            goals[made, 1 - turn] = 0 if won else 50
            made += 1
    return made


@kernel
def by_rules(children: ChildRows, states: Array[uint64], count: int, times: int) -> int:
    made = 0
    for _ in range(times):
        made = expand_block(children, 0, states, count)
    return made


FAMILY = KernelFamily("benchmark of expand", (by_rules,))


def room(capacity: int, words: int) -> Children:
    """Arrays for the children of a generator."""
    return Children(
        np.zeros((capacity, words), np.uint64),
        np.zeros(capacity, np.int32),
        np.zeros((capacity, 2), np.int32),
        np.zeros(capacity, np.bool_),
        np.zeros((capacity, 2), np.int16),
    )


def arrays(children: Children) -> tuple[NDArray[np.generic], ...]:
    return children.states, children.parents, children.moves, children.terminal, children.goals


def fastest(work: Callable[[], object]) -> float:
    """Seconds of the fastest of some repetitions."""
    best = float("inf")
    for _ in range(REPEATS):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def hand_layer(ply: int) -> NDArray[np.uint64]:
    """The distinct positions after *ply* plies that are not over, by the hand-written generator."""
    layer = np.zeros((1, 2), np.uint64)
    for _ in range(ply):
        children = room(7 * len(layer), 2)
        made = by_hand(layer, *arrays(children))
        layer = np.unique(children.states[:made][~children.terminal[:made]], axis=0)
    return layer


def rules_layer(compiled: CompiledGame, ply: int) -> NDArray[np.uint64]:
    """The same by the rules."""
    layer = compiled.initial[None]
    for _ in range(ply):
        children = compiled.expand(layer)
        layer = np.unique(children.states[~children.terminal], axis=0)
    return layer


def batch_rate(compiled: CompiledGame) -> float:
    """Matches times plies per second of a batch of random matches, on all cores."""
    batch = compiled.batch(BATCH)
    batch.step_random(0)
    begin = time.perf_counter()
    for ply in range(1, 8):
        batch.step_random(ply)
    return 7 * BATCH / (time.perf_counter() - begin)


def measure() -> dict[str, float]:
    """All numbers of this page."""
    compiled = CompiledGame(circuit_of(sheet_of("connectfour")), background=False)
    hand, rules = hand_layer(PLY), rules_layer(compiled, PLY)
    assert len(hand) == len(rules), "the two generators disagree on the positions"
    ours, theirs = room(7 * len(rules), compiled.words), room(7 * len(hand), 2)
    rows, code = child_rows(compiled, ours), compiled_family(FAMILY)

    def run(states: NDArray[np.uint64], times: int) -> int:
        return code[by_rules](rows, Array(uint64, states), len(states), times)

    result: dict[str, float] = {}
    begin = time.process_time()
    compile_optimised(EXPAND.assembly())
    result["driver_seconds"] = time.process_time() - begin
    for tier in ("interpreted", "compiled"):
        if tier == "compiled":
            begin = time.process_time()
            compiled.compile(wait=True)
            result["game_seconds"] = time.process_time() - begin
        made = run(rules, 1)
        result[f"{tier}_children_per_second"] = made / fastest(lambda: run(rules, 1))
        seconds = fastest(lambda: run(compiled.initial[None], SINGLES)) / SINGLES
        result[f"{tier}_microseconds_for_one_state"] = 1e6 * seconds
    run(rules, 1)
    found = by_hand(hand, *arrays(theirs))
    assert found == made, "the two generators disagree on the children"
    assert ours.terminal[:made].sum() == theirs.terminal[:made].sum()
    assert (ours.goals[:made] == 100).sum() == (theirs.goals[:made] == 100).sum()
    result["children"] = made
    result["batch_steps_per_second"] = batch_rate(compiled)
    result["by_hand_children_per_second"] = found / fastest(lambda: by_hand(hand, *arrays(theirs)))
    result["ratio"] = result["compiled_children_per_second"] / result["by_hand_children_per_second"]
    return result


def main() -> None:
    with tempfile.TemporaryDirectory() as empty:
        os.environ["STRATAGEM_CACHE"] = empty
        result = measure()
        del os.environ["STRATAGEM_CACHE"]
    print(f"connect four, all {result['children']:,.0f} children of the positions after {PLY} plies")
    print(f"  by hand       {result['by_hand_children_per_second'] / 1e6:8.1f} million children per second")
    for tier in ("interpreted", "compiled"):
        rate = result[f"{tier}_children_per_second"] / 1e6
        single = result[f"{tier}_microseconds_for_one_state"]
        print(f"  {tier:12}  {rate:8.1f} million children per second; one state in {single:.2f} microseconds")
    print(f"  ratio         {result['ratio']:8.2f} (at least 0.6 wanted)")
    print(
        f"  a batch of {BATCH:,} random matches: {result['batch_steps_per_second'] / 1e6:.0f} million plies per second"
    )
    print(f"  compiling with nothing on disk: {result['driver_seconds']:.2f} s for the driver of all games,")
    print(f"  {result['game_seconds']:.2f} s more for connect four, in the background")


if __name__ == "__main__":
    main()
