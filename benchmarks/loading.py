"""From ``import stratagem`` to the first legal move, for every rule sheet of the corpus and every bundled game.

    python -m benchmarks.loading [--json FILE] [--computing] [NAME ...]

Each load is a process of its own; the clock starts before the import. *Cold* begins with an empty store, *warm* is the
same again with what the cold run has left there: not the circuits that were still being compiled in the background when
the first legal moves were there. The machine that answers is named where it is not the native one.
With --computing the clock is the time of the processor, child processes and the start of Python included: for machines
that have other things to do.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
CORPUS = Path(os.environ.get("STRATAGEM_CORPUS") or ROOT.parent / "shared" / "corpus") / "games"

LOAD = """
import time
begin = time.perf_counter()
import os, sys, warnings, stratagem
warnings.simplefilter("ignore")
game = stratagem.load(sys.argv[1])
state = game.initial()
moves = [state.legals(role) for role in game.roles]
seconds = time.perf_counter() - begin
if sys.argv[2] == "computing":
    spent = os.times()
    seconds = spent.user + spent.system + spent.children_user + spent.children_system
assert all(moves) or state.terminal
print(game.machine.name, seconds)
"""


def load(sheet: str, store: str, clock: str) -> tuple[str, float]:
    """The machine that took *sheet* and the seconds until it named its first legal moves."""
    environment = {**os.environ, "STRATAGEM_CACHE": store}
    command = [sys.executable, "-c", LOAD, sheet, clock]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1], float("inf")
    machine, seconds = done.stdout.split()
    return machine, float(seconds)


def shares(values: list[float]) -> str:
    ordered = sorted(values)
    at = {share: ordered[min(int(share * len(ordered)), len(ordered) - 1)] for share in (0.75, 0.9, 0.95)}
    others = ", ".join(f"{round(100 * share)} % {value:.2f}" for share, value in at.items())
    return f"median {median(values):.2f} s, {others}, most {max(values):.2f}"


def main() -> None:
    from stratagem.sheets import catalogue

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--computing", action="store_const", const="computing", default="wall")
    options = parser.parse_args()
    corpus = {path.stem: str(path) for path in sorted(CORPUS.glob("*.kif"))}
    sheets = corpus | {f"our {name}": name for name in (one.name for one in catalogue.games())}
    chosen = {name: sheet for name, sheet in sheets.items() if not options.names or name in options.names}
    results: dict[str, tuple[str, float, float]] = {}
    with tempfile.TemporaryDirectory() as store:
        for name, sheet in chosen.items():
            machine, cold = load(sheet, store, options.computing)
            machine, warm = load(sheet, store, options.computing)
            results[name] = machine, cold, warm
            print(f"{name:<34}{cold:8.2f}{warm:8.2f}  {'' if machine == 'native' else machine}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    for title, names in (("corpus", corpus), ("bundled", sheets.keys() - corpus.keys())):
        there = [results[name] for name in names if name in results]
        if there:
            print(f"{title}, {len(there)} sheets, cold: {shares([cold for _, cold, _ in there])}")
            print(f"{title}, {len(there)} sheets, warm: {shares([warm for _, _, warm in there])}")


if __name__ == "__main__":
    main()
