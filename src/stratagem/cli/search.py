"""`stratagem search`: one search by one algorithm, its result and its counters."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Final

import typer

from stratagem.cli.common.arguments import After, Json, Sizes, at_least, more_than
from stratagem.cli.common.output_files import Force, checked_output
from stratagem.errors import UsageError
from stratagem.plural import plural

GameOrTree = Annotated[
    str, typer.Argument(help="A game, a tree in JSON, a .json file, lecture or uniform:3:4.")
]
Algorithm = Annotated[str, typer.Option("--algorithm", "-a", help="The name of the algorithm.")]
Role = Annotated[str, typer.Option(help="The role of MAX; by default the first.")]
Nodes = Annotated[int | None, typer.Option(callback=at_least(1), help="Visit at most this many nodes.")]
Seconds = Annotated[
    float,
    typer.Option(
        callback=more_than(0), help="Stop after this many seconds, including compilation; inf means no limit."
    ),
]
TraceFile = Annotated[
    str, typer.Option(help="Write every step to this file, as JSON lines; - for standard output.")
]
Depth = Annotated[
    int | None,
    typer.Option(callback=at_least(0), help="The depth limit in plies; by default none."),
]
Evaluation = Annotated[
    str,
    typer.Option(
        help="The evaluation at the horizon: even, mobility or a number. By default games count as even "
        "there, and trees need estimates."
    ),
]
Heuristic = Annotated[
    str, typer.Option(help="For a-star, ida-star and greedy: none, patterns, patterns:1000 or relaxed.")
]
SECONDS: Final = 60.0
COMPILING: Final = 60.0
"""Seconds for rules that have to be compiled, where a command gives each search a time of its own."""


def search(
    game: GameOrTree = "",
    tree: Annotated[str, typer.Option(help="A tree: JSON, a .json file, lecture, uniform:B:D:SEED.")] = "",
    algorithm: Algorithm = "alpha-beta",
    depth: Depth = None,
    evaluation: Evaluation = "",
    heuristic: Heuristic = "none",
    nodes: Nodes = None,
    seconds: Seconds = SECONDS,
    role: Role = "",
    after: After = "",
    sizes: Sizes = None,
    trace: TraceFile = "",
    force: Force = False,
    json: Json = False,
) -> None:
    """Run one search and print its result and its cost.

    Adversarial: minimax, negamax, alpha-beta, sss-star, dual-star, scout, negascout, mtdf, proof-number, ... For one
    player: breadth-first, depth-first, a-star, ida-star, bidirectional, ... An unknown name lists them all.

    Exit code 0 if the search finished, 1 if a limit or Ctrl-C stopped it (what is known is printed), 2 for bad input.
    """
    from stratagem.circuit.compiler.budget import time_left
    from stratagem.cli.common.targets import resolve
    from stratagem.cli.common.watched import NOT_ANSWERED, Watch, reason, watched
    from stratagem.limit import Limit
    from stratagem.search import ALGORITHMS
    from stratagem.taught_search import search_by_name

    ALGORITHMS.find(algorithm)
    if bool(game) == bool(tree):
        raise UsageError(
            "one game or one tree is needed", hint="write `stratagem search tictactoe`, or give --tree"
        )
    if trace not in ("", "-"):
        checked_output(trace, force=force)
    left = time_left(seconds)
    target = resolve(tree or game, sizes or [], after, seconds=left())
    estimate = estimate_for(algorithm, target, heuristic)

    def work(watch: Watch) -> Any:
        watch.begin(algorithm)
        limit = Limit(seconds=max(0.0, left()), nodes=nodes, depth=depth, stop=watch.stop)
        chosen = {"evaluation": evaluation, "heuristic": estimate, "maximiser": role}
        with writer_of(trace) as writer:
            options = {"limit": limit, "trace": writer, "progress": watch.progress, **chosen}
            return search_by_name(algorithm, target.game, target.start, **options)

    result = watched(work)
    why = "" if result.complete else reason(result.stopped, nodes=nodes, seconds=seconds)
    if json:
        made = {} if estimate is None else {"heuristic": str(estimate)}
        typer.echo(jsonlib.dumps({**result.as_json(), **made}, indent=2))
    elif trace != "-":
        typer.echo("\n".join(described(result, target.label, estimate, why)))
    elif why:
        typer.echo(why, err=True)
    raise typer.Exit(0 if result.complete else NOT_ANSWERED)


def estimate_for(algorithm: str, target: Any, heuristic: str) -> Any:
    """The heuristic of that name for *target*; None where none is asked for, and for searches that take none."""
    if heuristic == "none":
        return None
    from stratagem.engine.heuristics.by_name import estimate
    from stratagem.search import INFORMED

    if algorithm not in INFORMED:
        raise UsageError(
            f"{algorithm} uses no heuristic", hint=f"take one of {', '.join(INFORMED)}, or leave it out"
        )
    return estimate(heuristic, target.game, target.start)


@contextmanager
def writer_of(path: str) -> Iterator[Any]:
    """A trace that writes every step to the file *path*; "-" is standard output, and without a path there is no trace."""
    from stratagem.trace.stream import TraceWriter

    if not path:
        yield None
    elif path == "-":
        yield TraceWriter(sys.stdout)
    else:
        try:
            with open(path, "w", encoding="utf-8") as file:
                yield TraceWriter(file)
        except OSError as fault:
            raise UsageError(f"{path} cannot be written: {fault.strerror}") from fault


NO_END = "none: no terminal state that has a goal can be reached"


def described(result: Any, label: str, estimate: Any = None, why: str = "") -> list[str]:
    """A result in words; *why* says what stopped a search that is not complete."""
    from dataclasses import asdict

    lines = [f"{result.method} on {label}"]
    if estimate is not None:
        lines.append(f"heuristic            {estimate}")
    endless = result.complete and result.value is None
    nothing = NO_END if endless else "unknown"
    value = nothing if result.value is None else f"{result.value:g}"
    lines.append(f"value                {value}{bounds(result)}")
    if not result.complete:
        lines.append(f"not complete         {why}")
    if result.solution is not None:
        lines.append(
            f"solution             {plural(len(result.solution), 'move')}: {' '.join(map(str, result.solution))}"
        )
    else:
        move = "none" if result.best_move is None or endless else str(result.best_move)
        if not result.complete and result.value is None and result.best_move is not None:
            move = f"not known yet; the search would play {move}"
        lines.append(f"best move            {move}")
        if result.principal_variation:
            lines.append(f"principal variation  {' '.join(map(str, result.principal_variation))}")
    if result.leaf_order is not None:
        lines.append(f"leaves in order      {' '.join(map(str, result.leaf_order))}")
    counters = [
        f"{name.replace('_', ' ')} {count:,}"
        for name, count in asdict(result.counters).items()
        if count and name != "seconds"
    ]
    lines.append(f"counters             {', '.join(counters)}")
    return lines


def bounds(result: Any) -> str:
    """What is proved by a search that was stopped, as the end of a sentence."""
    from math import inf

    if result.complete:
        return ""
    interval = result.interval
    proved = [
        *([f"at least {interval.low:g}"] if interval.low > -inf else []),
        *([f"at most {interval.high:g}"] if interval.high < inf else []),
    ]
    return f" so far; {', '.join(proved) or 'nothing is proved yet'}"
