"""Large circuits: a dozen sheets from 5,000 gates up, from the text of the rules, on one thread.

    python -m benchmarks big
    python -m benchmarks.bench_big [--json FILE] [NAME ...]

For each sheet: its gates, the kilobytes of rows that the code of a ply reads and writes for 512 matches, the share of
the peak of vector logic (gates times states per second), matches and children per second, and the seconds of loading
stage by stage (ground and gates as they were when the circuit was made; code: until the best code is ready, where it is
not on disk). Two yardsticks that do not depend on the package's kernels are measured in the same run: the peak itself,
and a bitboard program for connect four. Published sheets are measured where the corpus is present; names choose sheets.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import yardsticks
from benchmarks.loading import CORPUS
from benchmarks.measure import rates
from stratagem.circuit.circuit import CompiledRules
from stratagem.circuit.compiler.compile import compile_sheet
from stratagem.circuit.compiler.store import user_store
from stratagem.loading import sheet_of
from stratagem.native.compiled import CompiledGame
from stratagem.native.emit.chunks import emit_pieces
from stratagem.native.jit.peak import peak_by_width
from stratagem.native.phases.phase_tables import PhaseTable, PhaseTables
from stratagem.native.playouts.kernels import WalkKernel

OWN = ("gomoku", "reversi", "checkers")
PUBLISHED = (
    "reversi",
    "checkers-newgoals",
    "amazons_8x8",
    "speedChess.v1",
    "skirmish",
    "linesOfAction",
    "chess_200",
    "hex",
    "othelloSuicide",
    "amazons.v1",
)
SECONDS = 0.35
"""Processor time of one measurement; the best of `ROUNDS` counts."""
ROUNDS = 5
PARENTS = 4096
CHILDREN = 200_000
"""At most so many children are made in one measurement."""
LARGE_GATES = 200_000
"""Larger circuits are measured in the tier that they start in where code would take minutes."""


@dataclass(frozen=True, slots=True)
class Figures:
    """One row of the table."""

    sheet: str
    gates: int
    kilobytes: float
    share: float
    matches: float
    children: float
    stages: dict[str, float]
    tier: str


def kilobytes_touched(phases: PhaseTables, table: PhaseTable) -> float:
    """The rows that the compiled phases of one ply of random matches read and write, for 512 matches; of a loop two sweeps."""
    touched = 0
    for name in [each for each in table.names if each.startswith(("open", "next"))]:
        for part in table.parts[name]:
            pieces = phases.prepared(part).pieces
            for number in range(len(pieces.pieces)):
                text = emit_pieces(pieces, range(number, number + 1), table.shape, part)
                touched += text.count("= load <") + text.count("  store <")
            touched += 2 * len(pieces.copies)
    return touched * 64 / 1024 / max(1, len(table.moves))


def children_rate(game: CompiledGame) -> float:
    """Children per second of states in the middle of random matches."""
    batch = game.batch(PARENTS, threads=1)
    for ply in range(12):
        batch.step_random(ply)
    states = batch.states()[~batch.terminated()]
    few = game.expand(states[:64])
    states = states[: max(64, int(CHILDREN * 64 / max(1, len(few))))]
    return rates({"children": lambda _: float(len(game.expand(states)))}, rounds=ROUNDS)["children"]


def measure(name: str, rules: CompiledRules, peak: float) -> Figures:
    """All figures of one sheet."""
    circuit = rules.circuit
    game = CompiledGame(circuit, background=False)
    stages = {stage: round(seconds, 2) for stage, seconds in rules.seconds}
    begin = time.perf_counter()
    playouts = game.playouts
    playouts.play(matches=64, threads=1)
    kernel = playouts.kernels.kernel(circuit.initial)
    table = kernel.phases if isinstance(kernel, WalkKernel) and not playouts.kernels.fused else None
    if table is not None and circuit.gate_count <= LARGE_GATES:
        table.wait()
    stages["code"] = round(time.perf_counter() - begin, 2)
    matches = 4096
    begin = time.thread_time()
    report = playouts.play(matches=matches, seed=1, threads=1)
    spent = max(time.thread_time() - begin, 1e-3)
    while spent < SECONDS / 8:
        matches, spent = matches * 4, spent * 4
    matches = max(4096, int(matches * min(64.0, SECONDS / spent)))
    found = rates(
        {"playouts": lambda seed: playouts.play(matches=matches, seed=seed, threads=1).matches},
        rounds=ROUNDS,
    )["playouts"]
    share = circuit.gate_count * report.mean_length * found / peak
    if circuit.gate_count <= LARGE_GATES:
        game.compile(wait=True)
    measured = table is not None and circuit.gate_count <= LARGE_GATES
    touched = kilobytes_touched(game.phases, table) if table is not None and measured else 0.0
    tier = "fused" if table is None else table.tier
    return Figures(name, circuit.gate_count, touched, share, found, children_rate(game), stages, tier)


def sheets() -> dict[str, str]:
    """The sheets at hand: a name for the table, and what to load."""
    published = {name: CORPUS / f"{name}.kif" for name in PUBLISHED}
    found = {f"our {name}": name for name in OWN}
    return found | {name: str(path) for name, path in published.items() if path.exists()}


def main(chosen: list[str] | None = None, report: Path | None = None) -> None:
    peak = max(peak_by_width().values())
    yardsticks.connect_four_playouts(1000, 1)
    by_hand = rates({"by hand": lambda seed: yardsticks.connect_four_playouts(100_000, seed) is None or 1e5})
    print(f"peak of vector logic {peak / 1e12:.2f} trillion bit operations per second")
    print(f"connect four by hand {by_hand['by hand'] / 1e6:.2f} million matches per second")
    print(
        f"{'sheet':<20}{'gates':>9}{'KB/ply':>9}{'share':>8}{'matches/s':>12}{'children/s':>12}  tier; stages"
    )
    rows = []
    for name, where in sheets().items():
        if chosen and name not in chosen:
            continue
        rules = compile_sheet(sheet_of(where), store=user_store())
        row = measure(name, rules, peak)
        stages = " ".join(f"{stage} {seconds:g}" for stage, seconds in row.stages.items())
        print(
            f"{name:<20}{row.gates:>9,}{row.kilobytes:>9,.0f}{row.share:>8.3f}{row.matches:>12,.0f}"
            f"{row.children:>12,.0f}  {row.tier}; {stages}",
            flush=True,
        )
        rows.append(asdict(row))
    if report is not None:
        kept = {"peak": peak, "connect four by hand": by_hand["by hand"], "sheets": rows}
        report.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    main(options.names, options.json)
