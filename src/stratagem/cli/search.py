"""`stratagem search`: one search by one algorithm, its result and its counters."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable
from typing import Annotated, Any

import typer

from stratagem.cli.output_files import Force, checked_output
from stratagem.errors import UsageError

Heuristic = Annotated[
    str, typer.Option(help="For a-star, ida-star and greedy: none, patterns, patterns:1000 or relaxed.")
]


def search(
    game: Annotated[
        str, typer.Argument(help="A game, a tree in JSON, a .json file, lecture or uniform:3:4.")
    ] = "",
    tree: Annotated[str, typer.Option(help="A tree: JSON, a .json file, lecture, uniform:B:D:SEED.")] = "",
    algorithm: Annotated[
        str, typer.Option("--algorithm", "-a", help="The name of the algorithm.")
    ] = "alpha-beta",
    depth: Annotated[
        int | None, typer.Option(help="Look so many plies ahead; no limit unless given.")
    ] = None,
    evaluation: Annotated[str, typer.Option(help="For states at the horizon: even or mobility.")] = "even",
    heuristic: Heuristic = "none",
    nodes: Annotated[int | None, typer.Option(help="Visit at most so many nodes.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Search for at most so many seconds.")] = None,
    role: Annotated[str, typer.Option(help="Who is MAX; the first role unless given.")] = "",
    after: Annotated[str, typer.Option(help='Moves made before, as in "(mark 1 1) (mark 2 2)".')] = "",
    sizes: Annotated[list[str] | None, typer.Option("--set", help="A size of the board: columns=5.")] = None,
    trace: Annotated[
        str, typer.Option(help="Write every step to this file, as JSON lines; - for the screen.")
    ] = "",
    force: Force = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Run one search and print what it found and what it cost.

    Adversarial: minimax, negamax, alpha-beta, sss-star, dual-star, scout, negascout, mtdf, proof-number, ... For one
    player: breadth-first, depth-first, a-star, ida-star, bidirectional, ... A wrong name lists them all.
    """
    from stratagem.cli.targets import resolve
    from stratagem.search import ALGORITHMS

    run = ALGORITHMS.find(algorithm)
    if bool(game) == bool(tree):
        raise UsageError(
            "one game or one tree is needed", hint="write `stratagem search tictactoe`, or give --tree"
        )
    if trace not in ("", "-"):
        checked_output(trace, force=force)
    target = resolve(tree or game, sizes or [], after)
    estimate = estimate_for(algorithm, target, heuristic)
    options = options_for(algorithm, target, depth, evaluation, nodes, seconds, role, estimate)
    if not trace:
        result = run(options.pop("subject"), **options)
    else:
        result = traced(run, options, trace)
    if json:
        made = {} if estimate is None else {"heuristic": str(estimate)}
        typer.echo(jsonlib.dumps({**result.as_json(), **made}, indent=2))
        return
    if trace == "-":
        return
    typer.echo("\n".join(described(result, target.label, estimate)))


def estimate_for(algorithm: str, target: Any, heuristic: str) -> Any:
    """The heuristic of that name for *target*; None where none is asked for, and for searches that take none."""
    if heuristic == "none":
        return None
    from stratagem.engine.estimates import estimate
    from stratagem.search import INFORMED

    if algorithm not in INFORMED:
        raise UsageError(
            f"{algorithm} asks no heuristic", hint=f"take one of {', '.join(INFORMED)}, or leave it out"
        )
    return estimate(heuristic, target.game, target.start)


def options_for(
    algorithm: str,
    target: Any,
    depth: int | None,
    evaluation: str,
    nodes: int | None,
    seconds: float | None,
    role: str,
    estimate: Any = None,
) -> dict[str, Any]:
    """What *algorithm* is called with; under ``subject`` the game itself, seen backwards where that is asked."""
    from stratagem.search import ADVERSARIAL, Budget
    from stratagem.search.evaluations import evaluation as evaluation_of

    players = [name for name in target.game.roles if name != "random"]
    maximiser = role or players[0]
    if maximiser not in players:
        raise UsageError(f"no role {maximiser} in this game", hint=f"its roles are {', '.join(players)}")
    options: dict[str, Any] = {
        "subject": target.game,
        "start": target.start,
        "budget": Budget(nodes, seconds),
    }
    if depth is not None:
        options["depth"] = depth
    if estimate is not None:
        options["heuristic"] = estimate
    if algorithm in ADVERSARIAL:
        options["maximiser"] = maximiser
        if depth is not None:
            options["evaluate"] = evaluation_of(evaluation, target.game, maximiser)
    elif algorithm in ("backward", "bidirectional"):
        from stratagem.machines.backward_game import BackwardGame
        from stratagem.machines.gdl_game import GdlGame

        if isinstance(target.game, GdlGame):
            options["subject"] = BackwardGame(target.game)
    return options


def traced(run: Callable[..., Any], options: dict[str, Any], path: str) -> Any:
    """The result of a search whose every step goes to a file."""
    import sys

    from stratagem.trace.stream import Writer

    subject = options.pop("subject")
    if path == "-":
        return run(subject, trace=Writer(sys.stdout), **options)
    try:
        with open(path, "w", encoding="utf-8") as file:
            return run(subject, trace=Writer(file), **options)
    except OSError as fault:
        raise UsageError(f"{path} cannot be written: {fault.strerror}") from fault


def described(result: Any, label: str, estimate: Any = None) -> list[str]:
    """A result in words."""
    from dataclasses import asdict

    lines = [f"{result.algorithm} on {label}"]
    if estimate is not None:
        lines.append(f"heuristic            {estimate}")
    value = "unknown" if result.value is None else f"{result.value:g}"
    if not result.complete:
        value += f" so far; at least {result.low:g}, at most {result.high:g} (the budget ran out)"
    lines.append(f"value                {value}")
    if result.solution is not None:
        lines.append(
            f"solution             {len(result.solution)} moves: {' '.join(map(str, result.solution))}"
        )
    else:
        lines.append(f"best move            {'none' if result.best_move is None else result.best_move}")
        lines.append(f"principal variation  {' '.join(map(str, result.principal_variation))}")
    if result.leaf_order is not None:
        lines.append(f"leaves in order      {' '.join(map(str, result.leaf_order))}")
    counters = [
        f"{name.replace('_', ' ')} {count:,}" for name, count in asdict(result.counters).items() if count
    ]
    lines.append(f"counters             {', '.join(counters)}")
    return lines
