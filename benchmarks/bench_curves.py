"""Time and memory against the number of states: breadth-first search and backward induction.

    python -m benchmarks.bench_curves          points up to some ten million states, as a table
    python -m benchmarks.bench_curves --far    up to all 187,636,299 states of peg solitaire (minutes; 6 GB, 3 GB of files)
    ... --plot FILE                            the same as a picture

Every point is a process of its own, so that its peak of memory is its own; kernels and machine code are warm. Times are
the processor's, as other programs may be running. The signature is the number of states where it is known. Near
linear: a factor of ten in states should cost about ten in time.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from math import ceil, floor, log10
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement: what was done to which game."""

    kind: str
    game: str
    sizes: dict[str, int]
    depth: int | None = None
    states: int = 0
    """Known beforehand where not 0."""


BREADTH_FIRST = [
    *(Point("breadth-first", "hanoi", {"pegs": 4, "discs": discs}, None, 4**discs) for discs in range(7, 13)),
    *(Point("breadth-first", "pegsolitaire", {}, depth) for depth in (7, 9, 11, 13)),
]
RETROGRADE = [
    Point("backward induction", "connectfour", {"columns": 4, "rows": 3}),
    Point("backward induction", "connectfour", {"columns": 4, "rows": 4}, None, 161_029),
    Point("backward induction", "connectfour", {"columns": 5, "rows": 4}, None, 3_945_711),
    Point("backward induction", "connectfour", {"columns": 4, "rows": 6}),
    *(
        Point("backward induction", "hanoi", {"pegs": 4, "discs": discs}, None, 4**discs)
        for discs in (7, 8, 9, 10, 11)
    ),
]
FAR = [
    Point("breadth-first", "hanoi", {"pegs": 5, "discs": 11}, None, 5**11),
    Point("breadth-first", "pegsolitaire", {}, None, 187_636_299),
    Point("backward induction", "hanoi", {"pegs": 4, "discs": 12}, None, 4**12),
]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a point took."""

    kind: str
    game: str
    states: int
    seconds: float
    megabytes: float
    filed: float
    """Megabytes written to files."""


def cost(point: Point, memory: int) -> Cost:
    """Does the work of *point* in this process."""
    from stratagem.engine.space.count import count_states
    from stratagem.engine.space.explore import explore
    from stratagem.engine.space.retrograde import solve_zero_sum
    from stratagem.limit import Limit
    from stratagem.loading import load

    game = load(point.game, settings=point.sizes)
    game.compiled.compile(wait=True)
    count_states(game, limit=Limit(depth=2))
    if point.kind != "breadth-first":
        solve_zero_sum(explore(load("hexapawn").compiled))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    filed = 0
    if point.kind == "breadth-first":
        layers = count_states(game, limit=Limit(memory=memory, depth=point.depth))
        states, filed = layers.total, layers.file_bytes
    else:
        space = explore(game.compiled, memory=memory)
        solve_zero_sum(space)
        states = len(space)
    seconds = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert point.states in (0, states), f"{states:,} states, {point.states:,} expected"
    return Cost(point.kind, point.game, states, seconds, peak / 1024, filed / (1 << 20))


def measured(points: list[Point], memory: int) -> list[Cost]:
    """The costs of all points, each from a process of its own."""
    found = []
    for point in points:
        command = [sys.executable, "-m", "benchmarks.bench_curves", "--point", json.dumps(asdict(point))]
        done = subprocess.run(
            [*command, "--memory", str(memory >> 20)], check=True, capture_output=True, text=True
        )
        one = Cost(**json.loads(done.stdout))
        found.append(one)
        print(
            f"{one.kind:20} {one.game:14} {one.states:12,} states {one.seconds:9.3f} s {one.megabytes:9.1f} MB"
            f" {one.filed:9.1f} MB in files {1e6 * one.seconds / one.states:7.3f} microseconds each",
            flush=True,
        )
    return found


def plot(costs: list[Cost]) -> str:
    """Two pictures side by side with logarithmic scales: seconds and megabytes against states."""
    panels = [
        ("seconds", [cost.seconds for cost in costs]),
        ("megabytes", [cost.megabytes for cost in costs]),
    ]
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 360" font-family="sans-serif" font-size="12">',
        '<rect width="860" height="360" fill="#ffffff"/>',
    ]
    kinds = {"breadth-first": "#1f6f8b", "backward induction": "#c1440e"}
    left, right = 4, ceil(max(log10(cost.states) for cost in costs))
    for number, (unit, values) in enumerate(panels):
        low = floor(min(log10(max(value, 1e-2)) for value in values))
        high = ceil(max(log10(max(value, 1e-2)) for value in values))
        begin, width, height = 60 + 430 * number, 340, 270

        def x(states: float, begin: int = begin, width: int = width) -> float:
            return begin + width * (log10(states) - left) / (right - left)

        def y(value: float, low: int = low, high: int = high, height: int = height) -> float:
            return 300 - height * (log10(max(value, 1e-2)) - low) / (high - low)

        parts += [_line(x(10**power), 30, x(10**power), 300) for power in range(left, right + 1)]
        parts += [_text(x(10**power), 318, f"10^{power}", "middle") for power in range(left, right + 1)]
        parts += [
            _line(begin, y(10.0**power), begin + width, y(10.0**power)) for power in range(low, high + 1)
        ]
        parts += [
            _text(begin - 8, y(10.0**power) + 4, f"{10.0**power:g}", "end") for power in range(low, high + 1)
        ]
        parts += [_text(begin, 20, unit, "start"), _text(begin + width, 340, "states", "end")]
        for cost, value in zip(costs, values, strict=True):
            parts.append(
                f'<circle cx="{x(max(cost.states, 1e4)):.1f}" cy="{y(value):.1f}" r="4.5" fill="{kinds[cost.kind]}">'
                f"<title>{cost.game}: {cost.states:,} states, {value:.3g} {unit}</title></circle>"
            )
    for row, (kind, colour) in enumerate(kinds.items()):
        parts.append(f'<circle cx="{72 + 130 * row}" cy="342" r="4.5" fill="{colour}"/>')
        parts.append(_text(82 + 130 * row, 346, kind, "start"))
    return "\n".join([*parts, "</svg>", ""])


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#dddddd"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#333333">{text}</text>'


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--far", action="store_true", help="the largest spaces too")
    parser.add_argument("--plot", type=Path, help="write a picture to this file")
    parser.add_argument("--memory", type=int, default=6144, help="megabytes for the states")
    parser.add_argument("--point", help=argparse.SUPPRESS)
    chosen = parser.parse_args([] if arguments is None else arguments)
    memory = chosen.memory << 20
    if chosen.point is not None:
        print(json.dumps(asdict(cost(Point(**json.loads(chosen.point)), memory))))
        return
    costs = measured([*BREADTH_FIRST, *RETROGRADE, *(FAR if chosen.far else [])], memory)
    if chosen.plot is not None:
        chosen.plot.write_text(plot(costs), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
