"""Every rule sheet of the corpus from text to circuit: how many, how large, how long.

    python -m benchmarks.ground_corpus [--json] [NAME ...]

Each sheet is compiled in a process of its own, from nothing, without the store. Times are seconds of computing, so
that a busy machine does not change them; ``in all`` counts from the start of the process, with Python, clingo and
numpy to load.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CORPUS = Path(os.environ.get("STRATAGEM_CORPUS") or ROOT.parent / "shared" / "corpus") / "games"
SECONDS = 60
COLUMNS = ("rules", "gates_before", "gates", "bases", "moves", "loops")


def one(path: Path) -> dict[str, Any]:
    """The figures of one sheet, compiled here under the limits that a child process has."""
    import gc
    import time

    time.perf_counter = time.process_time
    from stratagem.circuit.compiler.budget import BUDGET
    from stratagem.circuit.compiler.child_process import limit
    from stratagem.circuit.compiler.compile import quietly
    from stratagem.circuit.compiler.pipeline import compile_here
    from stratagem.gdl.parse import parse
    from stratagem.gdl.text.files import read_file
    from stratagem.ground.rewrite.prepare import prepare

    limit(SECONDS, BUDGET.memory)
    gc.disable()
    sheet = parse(read_file(path))
    start = time.perf_counter()
    prepared = prepare(sheet, thorough=True)
    compiled = compile_here(prepared, time.perf_counter() - start, quietly)
    circuit = compiled.circuit
    return {
        "name": path.stem,
        **dict(compiled.figures),
        "gates": circuit.gate_count,
        "bases": len(circuit.bases),
        "moves": sum(map(len, circuit.moves)),
        "loops": len(circuit.loops),
        "here": prepared.instances <= BUDGET.instances_here,
        "seconds": dict(compiled.seconds),
        "in_all": time.process_time(),
    }


def run(path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.ground_corpus", "--one", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode == 0:
        found: dict[str, Any] = json.loads(done.stdout)
        return found
    return {"name": path.stem, "refused": f"more than {SECONDS} s or memory (exit {done.returncode})"}


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def summary(results: list[dict[str, Any]]) -> str:
    sound = [result for result in results if "refused" not in result]
    compile_times = [sum(result["seconds"].values()) - result["seconds"]["libraries"] for result in sound]
    totals = [result["in_all"] for result in sound]
    gates = [float(result["gates"]) for result in sound]
    lines = [f"{len(sound)} of {len(results)} sheets compiled within {SECONDS} s"]
    for title, values, digits in (
        ("seconds to compile", compile_times, 2),
        ("seconds in all", totals, 2),
        ("gates", gates, 0),
    ):
        shares = ", ".join(f"{round(100 * s)} % {quantile(values, s):,.{digits}f}" for s in (0.75, 0.9, 0.95))
        lines.append(
            f"{title}: median {median(values):,.{digits}f}, {shares}, most {max(values):,.{digits}f}"
        )
    lines.append(f"{sum(result['loops'] > 0 for result in sound)} sheets have loops")
    lines.append(
        f"{sum(result['here'] for result in sound)} sheets are small enough to need no child process"
    )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(one(options.one)))
        return
    paths = sorted(CORPUS.glob("*.kif"))
    if options.names:
        paths = [path for path in paths if path.stem in options.names]
    results = []
    for path in paths:
        result = run(path)
        results.append(result)
        if not options.json:
            figures = " ".join(f"{result.get(name, '-'):>9}" for name in COLUMNS)
            spent = "refused" if "refused" in result else f"{result['in_all']:7.2f}"
            print(f"{result['name']:<34}{figures} {spent}", flush=True)
    print(json.dumps(results, indent=1) if options.json else summary(results))


if __name__ == "__main__":
    main()
