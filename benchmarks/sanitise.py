"""Every rule sheet under check mode: random walks in native code, between forbidden pages, with poisoned scratch.

    python -m benchmarks.sanitise [--seconds 600] [--only NAME] [FILE_OR_DIRECTORY ...]

For each sheet and each tier random matches are played from the initial state with buffers that cannot be
overrun, for several poisons; the results must be the same, and the same as those of the plain Python reference where
that is affordable. Then MCTS searches the initial state, in batches of leaves; alpha-beta, both provers, the puzzle searches, breadth-first
counting, backward induction and self-play work on it as far as a few seconds go; and compiled joins play matches and
expand states: all with the arrays of their modules between such pages. Each sheet runs in a child process: a stray access ends that child, and is reported.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tests.support.guarded_memory import Guarded, UncheckedAccess, guarded_allocations, same_for_all_poisons

from stratagem.circuit.circuit import Circuit
from stratagem.engine.alpha_beta.search import AlphaBeta
from stratagem.engine.evaluation.learning import learn_evaluation
from stratagem.engine.solve import solve
from stratagem.engine.space.count import count_states
from stratagem.errors import LimitExceeded, UnsuitableGame
from stratagem.limit import Limit
from stratagem.native.emit.playout import PlayoutPlan
from stratagem.native.jit.vector_width import vector_words
from stratagem.native.phases.phase_tables import TIERS, PhaseTables
from stratagem.native.playouts import block as blocks
from stratagem.native.playouts.bigint_circuit import IntegerCircuit
from stratagem.native.playouts.kernels import FusedKernel, KernelSet, PlayoutKernel, WalkKernel
from stratagem.native.playouts.lane_block import BEGIN, LIVE, RESULTS, SEED_HIGH, SEED_LOW, STUCK_NOW
from stratagem.native.playouts.lane_kernels import LaneKernel
from stratagem.native.playouts.log import LogLayout
from stratagem.native.playouts.reference import PlayoutTally, play
from stratagem.native.playouts.report import PlayoutReport, Sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from stratagem.gdl_game import GdlGame

WORDS = 16
QUOTA = 3
"""Matches per word, and fewer than lanes: lanes without a match are part of the test."""
LIMIT = 60
REFERENCE_GATES = 1500
SIMULATIONS = 200
SEARCH_MEMORY = 4 << 20
JOIN_MATCHES = 8
PROOF_METHODS = ("space", "prove", "df-pn")
PUZZLE_METHODS = ("space", "breadth-first", "a-star", "ida-star", "bidirectional", "any")
SOLVING = 0.5
"""Seconds for each method of the solver and each poison."""
SOLVER_MEMORY = 64 << 20
COUNTED = 20_000
LEARNED = 500
SEARCH_POISONS = (0x0000000000000000, 0xFFFFFFFFFFFFFFFF)
FIRST_SHARE = 20.0
"""Seconds for a sheet in the first round; those that need more get four times as many in the next."""
OUT_OF_TIME = "out of time"


def play_guarded(circuit: Circuit, kernel: PlayoutKernel, poison: int, seed: int) -> str:
    """WORDS words on guarded memory; everything they report, as text."""
    layout = LogLayout.of(circuit)
    sums = Sums(circuit)
    words = kernel.words
    for first in range(0, WORDS, words):
        room = Guarded(*kernel.room().shape, poison)
        block = Guarded(blocks.block_rows(len(kernel.outcomes)), words, poison)
        log = Guarded(1 + QUOTA * words * layout.record, 1, poison)
        root_rows = kernel.root(np.repeat(circuit.initial[None], words, axis=0))
        root = Guarded(*root_rows.shape, 0)
        root.rows[:] = root_rows
        streams = np.arange(first, first + words, dtype=np.uint64)
        blocks.fill_block(block.rows, seed, streams, np.full(words, QUOTA, np.uint64), LIMIT)
        log.rows[0] = 0
        kernel.play(room.rows, root.rows, block.rows, log.rows)
        for buffer, name in ((room, "the frame"), (block, "the block"), (log, "the log"), (root, "the root")):
            buffer.verify(name)
        sums.add_block(block.rows, kernel.outcomes)
        records = layout.records(log.rows[:, 0])
        if len(records):
            sums.add_log(records)
    return summary(PlayoutReport.of(circuit, sums))


def summary(report: PlayoutReport | PlayoutTally) -> str:
    outcomes = sorted(report.outcomes.items(), key=repr)
    return repr((outcomes, report.plies, report.longest, report.over, report.stuck))


def kernels_of(circuit: Circuit) -> Iterator[tuple[str, PlayoutKernel]]:
    """Every kernel that could play the game."""
    phases = PhaseTables(circuit)
    family = KernelSet(phases)
    if family.fused:
        plan = PlayoutPlan(family.tokens, 0, True, family.expected())
        yield "fused", FusedKernel(circuit, plan, vector_words())
    for tier in TIERS:
        table = phases.walk_up_to(tier)
        table.wait()
        if table.tier == tier:
            yield tier, WalkKernel(table, family.tokens.period)
    if family.in_steps:
        table = phases.stepped(family.tokens)
        table.wait()
        yield "step by step", WalkKernel(table, family.tokens.period)


def lane_kernels_of(circuit: Circuit) -> Iterator[tuple[str, LaneKernel]]:
    """Every lane kernel that could play the game."""
    phases = PhaseTables(circuit)
    family = KernelSet(phases)
    if family.fused:
        yield "fused lanes", LaneKernel(circuit, tokens=family.tokens, recorded=True, words=vector_words())
    tables = {"walked lanes": phases.walk}
    if family.in_steps:
        tables["lanes step by step"] = phases.stepped(family.tokens)
    for name, table in tables.items():
        table.wait()
        yield name, LaneKernel(circuit, tokens=family.tokens, phases=table, recorded=True)


def play_lanes_guarded(kernel: LaneKernel, states: Sequence[Sequence[bool]], poison: int, seed: int) -> str:
    """A match in every lane, from one of *states* in turn, on guarded memory; the results as text."""
    room = Guarded(*kernel.room().shape, poison)
    root, block = Guarded(*kernel.root().shape, 0), Guarded(*kernel.block().shape, 0)
    block.rows[LIVE] = block.rows[STUCK_NOW] = np.uint64(poison)
    streams = np.arange(kernel.words, dtype=np.uint64)
    block.rows[SEED_LOW], block.rows[SEED_HIGH] = blocks.generators(seed, streams)
    lanes = [sum(1 << lane for lane in range(first, 64, len(states))) for first in range(len(states))]
    for mine, state in zip(lanes, states, strict=True):
        step = kernel.tokens.phase(state)
        assert step is not None
        block.rows[BEGIN + step] |= np.uint64(mine)
        root.rows[: len(state)] |= np.where(state, np.uint64(mine), np.uint64(0))[:, None]
    kernel.play(room.rows, root.rows, block.rows, LIMIT)
    for buffer, name in ((room, "the frame"), (block, "the block"), (root, "the root")):
        buffer.verify(name)
    return repr((block.rows[LIVE].tolist(), block.rows[RESULTS:].tolist()))


def check_lanes(circuit: Circuit, seed: int = 1) -> list[str]:
    """The lane kernels from the initial state and one after it; the names of what was run."""
    start = circuit.initial.tolist()
    machine = IntegerCircuit(circuit)
    if machine.final(start, 1)[0]:
        return []
    states = [start]
    legal = [own.index(1) if 1 in own else None for own in machine.legal(start, 1)]
    if None not in legal:
        does = [
            [int(place == number) for place in range(len(own))]
            for number, own in zip(legal, circuit.moves, strict=True)
        ]
        following = machine.next(start, does, 1)
        states += [] if machine.final(following, 1)[0] else [[bool(bit) for bit in following]]
    found = []
    for name, kernel in lane_kernels_of(circuit):
        same_for_all_poisons(
            lambda poison, kernel=kernel: play_lanes_guarded(kernel, states, poison, seed),  # type: ignore[misc]
            name,
        )
        found.append(name)
    return found


def check(circuit: Circuit, seed: int = 1) -> list[str]:
    """Play under check; the names of what was run."""
    if IntegerCircuit(circuit).final(circuit.initial.tolist(), 1)[0]:
        return []
    found = {}
    for name, kernel in kernels_of(circuit):
        period = kernel.period
        found[name] = same_for_all_poisons(
            lambda poison, kernel=kernel: play_guarded(circuit, kernel, poison, seed),  # type: ignore[misc]
            name,
        )
    if circuit.gate_count <= REFERENCE_GATES:
        low, high = blocks.generators(seed, np.arange(WORDS, dtype=np.uint64))
        seeds = (low.tolist(), high.tolist())
        start = circuit.initial.tolist()
        found["reference"] = summary(play(circuit, start, seeds, [QUOTA] * WORDS, period=period, limit=LIMIT))
    if len(set(found.values())) != 1:
        raise AssertionError(f"the kernels differ: {found}")
    return list(found)


def check_mcts(game: GdlGame) -> list[str]:
    """MCTS on one position, all of its arrays guarded; what was run: nothing where the match is over.

    A position with more joint moves than a tree can hold is refused, which is no fault.
    """
    from stratagem.engine.mcts.search import Mcts

    start = game.initial()
    if start.terminal:
        return []

    def run(poison: int) -> str:
        with guarded_allocations(poison, "stratagem.engine.mcts"):
            search = Mcts(game, memory=SEARCH_MEMORY, seed=1)
            found = search.search(start, Limit(nodes=SIMULATIONS))
        return repr((found.values, found.best, found.moves, found.counters.visits, found.counters.playouts))

    try:
        same_for_all_poisons(run, "MCTS", SEARCH_POISONS)
    except (UnsuitableGame, LimitExceeded):
        return ["mcts refuses"]
    return ["mcts"]


def check_engine(game: GdlGame) -> list[str]:
    """The other searches of the engine on guarded arrays; those that came to an end for every poison.

    Alpha-beta, counting and learning end by nodes, depth or states, so that their results may be compared; the
    solvers end by the clock, and are compared where all of them finished.
    """
    start = game.initial()
    if start.terminal:
        return []
    methods = (
        PUZZLE_METHODS if len(game.roles) == 1 else PROOF_METHODS if len(game.roles) == 2 else ("space",)
    )
    works: dict[str, Callable[[], str | None]] = {
        "alpha-beta": lambda: alpha_beta(game),
        "count": lambda: repr(tuple(count_states(game, limit=Limit(depth=2, nodes=COUNTED)))),
        "learning": lambda: repr(learn_evaluation(game, Limit(nodes=LEARNED), seed=1)),
        **{method: lambda method=method: solved(game, method) for method in methods},  # type: ignore[misc]
    }
    return [name for name, work in works.items() if finished_on_guarded_arrays(name, work)]


def finished_on_guarded_arrays(name: str, work: Callable[[], str | None]) -> bool:
    """Whether *work* came to an end for every poison; its results must then be the same."""
    results = set()
    for poison in SEARCH_POISONS:
        with guarded_allocations(poison, "stratagem.engine"):
            try:
                results.add(work())
            except (UnsuitableGame, LimitExceeded):
                return False
    if None in results:
        return False
    if len(results) != 1:
        raise UncheckedAccess(f"{name}: the result depends on what was in the memory before")
    return True


def alpha_beta(game: GdlGame) -> str:
    found = AlphaBeta(game, memory=SEARCH_MEMORY).search(game.initial(), Limit(depth=3))
    return repr((found.values, found.best, found.counters.visits))


def solved(game: GdlGame, method: str) -> str | None:
    """What the solver proves within its share of seconds; None: it did not finish."""
    found = solve(game, method=method, limit=Limit(seconds=SOLVING, memory=SOLVER_MEMORY))
    if not found.proved:
        return None
    # How long a solution "any" finds depends on what was done first when the time was up.
    return repr(found.values if method == "any" else (found.values, found.distance))


def check_joins(source: Path | str) -> list[str]:
    """Random matches by compiled joins, and expansions where moves can be numbered, all of their arrays guarded; what was run."""
    from stratagem.loading import load
    from stratagem.machines.joins import packed, playouts  # noqa: F401  (so that their arrays are guarded too)

    first = load(source, machine="joins")
    first.playouts(n=1, limit=LIMIT)  # all modules are there
    try:
        numbered = first.expandable.words > 0
    except UnsuitableGame:
        numbered = False

    def run(poison: int) -> str:
        with guarded_allocations(poison, "stratagem.machines.joins"):
            game = load(source, machine="joins")
            found = summary(game.playouts(n=JOIN_MATCHES, seed=1, limit=LIMIT))
            if numbered:
                children = game.expandable.expand(game.expandable.initial[None])
                found += repr((children.states.tolist(), children.goals.tolist()))
        return found

    same_for_all_poisons(run, "joins", SEARCH_POISONS)
    return ["joins" if numbered else "joins without expansions"]


def child(path: str, answers: multiprocessing.Queue[str]) -> None:
    """Check one sheet and say how it went."""
    from stratagem.errors import StratagemError
    from stratagem.loading import load

    try:
        game = load(Path(path), machine="native")
    except StratagemError as refusal:
        answers.put(f"no circuit: {refusal}")
        return
    try:
        run = [*check(game.circuit), *check_lanes(game.circuit)]
        run += [*check_mcts(game), *check_engine(game), *check_joins(Path(path))]
        answers.put(f"ok {game.circuit.gate_count} gates: {', '.join(run) or 'over at the start'}")
    except (StratagemError, AssertionError) as failure:
        answers.put(f"WRONG {failure}")


def one_sheet(path: Path, seconds: float) -> str:
    """The verdict on a sheet."""
    context = multiprocessing.get_context("spawn")
    answers: multiprocessing.Queue[str] = context.Queue()
    process = context.Process(target=child, args=(str(path), answers))
    process.start()
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()
        return OUT_OF_TIME
    if not answers.empty():
        return answers.get()
    return f"WRONG the process died with status {process.exitcode}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sanitise", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("places", nargs="*", type=Path)
    chosen = parser.parse_args(arguments)
    default = (
        Path(os.environ.get("STRATAGEM_CORPUS") or Path(__file__).parents[2] / "shared" / "corpus") / "games"
    )
    places = chosen.places or [default]
    sheets = sorted(
        path
        for place in places
        for path in (place.glob("*.kif") if place.is_dir() else [place])
        if chosen.only in path.name
    )
    if not sheets:
        print(f"no rule sheets at {', '.join(map(str, places))}; set STRATAGEM_CORPUS to where they are")
        return 2
    deadline = time.monotonic() + chosen.seconds
    waiting = sorted(sheets, key=lambda path: path.stat().st_size)
    share = FIRST_SHARE
    verdicts: dict[Path, str] = {}

    def examine(path: Path) -> None:
        left = deadline - time.monotonic()
        if left > 1:
            verdicts[path] = one_sheet(path, min(share, left))
            print(f"{path.stem}: {verdicts[path]}", flush=True)

    while waiting and time.monotonic() < deadline:
        with ThreadPoolExecutor(chosen.jobs) as crew:
            list(crew.map(examine, waiting))
        waiting = [path for path in waiting if verdicts.get(path, OUT_OF_TIME) == OUT_OF_TIME]
        share *= 4
    done = len(sheets) - len(waiting)
    wrong = sum(verdict.startswith("WRONG") for verdict in verdicts.values())
    print(f"{done} of {len(sheets)} sheets to the end, {wrong} wrong")
    if waiting:
        print(f"not done in time: {', '.join(path.stem for path in waiting)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
