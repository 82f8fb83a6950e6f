"""`stratagem compare`: every algorithm on one game or tree, in one table, beside the formulas."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from stratagem.cli.common.arguments import After, Json, Sizes, at_least, more_than
from stratagem.cli.search import COMPILING, Depth, Evaluation, GameOrTree, Heuristic, estimate_for
from stratagem.errors import UsageError

if TYPE_CHECKING:
    from stratagem.cli.common.targets import Target
    from stratagem.cli.common.watched import Watch
    from stratagem.search.theory.measurements import DeepeningRow, MeasuredRow

TWO_SIDES: Final = (
    "minimax",
    "negamax",
    "alpha-beta",
    "alpha-beta-second",
    "fail-soft",
    "scout",
    "negascout",
    "sss-star",
    "mtd-plus-inf",
    "dual-star",
    "mtd-minus-inf",
    "mtdf",
    "proof-number",
)
ONE_SIDE: Final = (
    "breadth-first",
    "depth-first",
    "iterative-deepening-blind",
    "uniform-cost",
    "a-star",
    "greedy",
    "bidirectional",
)
SECONDS: Final = 20.0

Seed = Annotated[
    int | None,
    typer.Option(callback=at_least(0), help="The seed of the leaves of --uniform in random order."),
]
Order = Annotated[
    str, typer.Option(help="For --uniform, the order of the leaves: random (the default), best or worst.")
]


def compare(
    game: GameOrTree = "",
    uniform: Annotated[
        tuple[int, int] | None,
        typer.Option(metavar="B D", help="A tree with B moves everywhere and D plies."),
    ] = None,
    blind: Annotated[
        tuple[int, int, int] | None,
        typer.Option(metavar="B D K", help="Blind searches: B moves, D levels, solution on level K."),
    ] = None,
    seed: Seed = None,
    order: Order = "",
    depth: Depth = None,
    evaluation: Evaluation = "",
    heuristic: Heuristic = "none",
    seconds: Annotated[
        float,
        typer.Option(
            callback=more_than(0), help="At most this many seconds per algorithm; inf means no limit."
        ),
    ] = SECONDS,
    after: After = "",
    sizes: Sizes = None,
    json: Json = False,
) -> None:
    """Run all algorithms on one game or tree and show what each finds and costs, beside the formulas.

    With --blind: breadth-first, depth-first and iterative deepening, time and space, best and worst, measured on trees
    made for the purpose beside the lecture's formulas.

    Exit code 0 if every search finished, 1 if a limit or Ctrl-C stopped one (what is known is printed), 2 for bad
    input.
    """
    if sum((bool(game), uniform is not None, blind is not None)) != 1:
        raise UsageError(
            "one of a game, a tree, --uniform and --blind is needed",
            hint="write `stratagem compare tictactoe`",
        )
    if uniform is None and (order or seed is not None):
        raise UsageError("--order and --seed are for --uniform", hint="write --uniform B D --order best")
    if blind is not None:
        _blind(*blind, json=json)
        return
    from stratagem.cli.common.targets import resolve
    from stratagem.cli.common.watched import NOT_ANSWERED, watched

    if uniform is not None:
        target = _uniform(*uniform, order=order or "random", seed=1 if seed is None else seed)
    else:
        target = resolve(game, sizes or [], after, seconds=COMPILING)
    estimate = estimate_for("a-star", target, heuristic)
    rows = watched(lambda watch: measured(target, depth, evaluation, seconds, estimate, watch))
    minimal = minimal_leaves(target.game)
    if json:
        typer.echo(jsonlib.dumps({"label": target.label, "minimal_tree": minimal, "rows": rows}, indent=2))
    else:
        _print(target.label, rows, minimal, seconds)
    raise typer.Exit(0 if all(row.get("complete", True) for row in rows) else NOT_ANSWERED)


def _uniform(branching: int, depth: int, *, order: str, seed: int) -> Target:
    from stratagem.cli.common.targets import Target
    from stratagem.machines.trees.models import ordered

    if branching < 1 or depth < 0:
        raise UsageError(f"no tree has {branching} moves and {depth} plies", hint="give at least 1 and 0")
    tree = ordered((branching,) * depth, order=order, seed=seed)
    return Target(tree, 0, f"uniform {branching}^{depth}, {order} order")


def measured(
    target: Any, depth: int | None, evaluation: str, seconds: float, estimate: Any, watch: Watch
) -> list[dict[str, Any]]:
    """One row for each algorithm that takes the game; those that do not say why. An interruption ends the comparison."""
    from stratagem.limit import Limit
    from stratagem.taught_search import compare

    players = [role for role in target.game.roles if role != "random"]
    names: tuple[str, ...] = (
        ONE_SIDE if len(players) == 1 else ("expectiminimax",) if "random" in target.game.roles else TWO_SIDES
    )
    if estimate is not None:
        names += ("ida-star",)
    compared = list(
        compare(
            names,
            target.game,
            target.start,
            begin=watch.begin,
            evaluation=evaluation,
            heuristic=estimate,
            limit=Limit(seconds=seconds, depth=depth, stop=watch.stop),
            progress=watch.progress,
        )
    )
    refusals = [each.refused for each in compared if each.refused is not None]
    if len(refusals) == len(compared) or any(isinstance(refused, UsageError) for refused in refusals):
        raise refusals[0]
    rows: list[dict[str, Any]] = []
    for each in compared:
        if each.result is None:
            rows.append(
                {"method": each.method, "refused": "" if each.refused is None else each.refused.message}
            )
        else:
            rows.append({**each.result.as_json(), "seconds": round(each.result.counters.seconds, 4)})
    whole = next(
        (row["counters"]["leaves"] for row in rows if row["method"] == "minimax" and row.get("complete")),
        0,
    )
    for row in rows:
        if "counters" in row:
            row["percent_of_minimax"] = round(100 * row["counters"]["leaves"] / whole, 2) if whole else None
    return rows


def minimal_leaves(game: Any) -> int | None:
    """Knuth and Moore's minimal tree, where the game is an explicit tree with the same number of moves on each level."""
    from stratagem.machines.trees.tree import Tree
    from stratagem.search.theory.formulas import minimal_tree_of

    if not isinstance(game, Tree) or len(set(game.players)) > 2:
        return None
    level, degrees = [0], []
    while any(game.children[node] for node in level):
        widths = {len(game.children[node]) for node in level}
        if len(widths) != 1 or len({game.players[node] for node in level}) != 1:
            return None
        degrees.append(widths.pop())
        level = [child for node in level for child in game.children[node]]
    return minimal_tree_of(degrees)


def _print(label: str, rows: list[dict[str, Any]], minimal: int | None, seconds: float) -> None:
    from stratagem.cli.common.tables import Column, Screen, print_table

    one_side = any(row.get("solution") is not None for row in rows) or rows[0]["method"] == "breadth-first"
    many = ["value", "best move", "nodes", "leaves", "% of all", "cuts", "peak", "seconds"]
    heads = ["value", "moves", "nodes", "peak", "seconds"] if one_side else many
    console = Screen()
    print_table(
        console,
        [Column("algorithm", left=True), *(Column(head) for head in heads)],
        [_cells(row, one_side=one_side, width=1 + len(heads)) for row in rows],
        title=label,
    )
    for line in _footnotes(rows, minimal, seconds):
        console.print(line, markup=False, highlight=False)


def _cells(row: dict[str, Any], *, one_side: bool, width: int) -> list[str]:
    """One line of the table."""
    if "refused" in row:
        return [row["method"], "refused", *[""] * (width - 2)]
    counters = row["counters"]
    value = "?" if row["value"] is None else f"{row['value']:g}"
    if not row["complete"]:
        value += " (stopped)"
    last = [f"{counters['peak_open']:,}", f"{row['seconds']:.3f}"]
    if one_side:
        moves = "-" if row["solution"] is None else f"{len(row['solution']):,}"
        return [row["method"], value, moves, f"{counters['nodes']:,}", *last]
    share = row["percent_of_minimax"]
    return [
        row["method"],
        value,
        str(row["best_move"]),
        f"{counters['nodes']:,}",
        f"{counters['leaves']:,}",
        "" if share is None else f"{share:.1f}",
        f"{counters['cutoffs']:,}",
        *last,
    ]


def _footnotes(rows: list[dict[str, Any]], minimal: int | None, seconds: float) -> Iterator[str]:
    """The notes below the table."""
    from stratagem.cli.common.watched import reason

    if minimal is not None:
        yield f"the minimal tree (Knuth and Moore: b^ceil(d/2) + b^floor(d/2) - 1) has {minimal:,} leaves"
    for row in rows:
        if "refused" in row:
            yield f"{row['method']} refused: {row['refused']}"
    for stopped in sorted({row["stopped"] for row in rows if row.get("stopped")}):
        yield f"{reason(stopped, seconds=seconds)}; values marked (stopped) are the best found until then"


def _blind(b: int, d: int, k: int, *, json: bool) -> None:
    from stratagem.search.theory.measurements import measure, measure_deepening

    if b < 1 or d < 1 or not 1 <= k <= d:
        raise UsageError(
            f"no tree has {b} moves, {d} levels and a solution on level {k}", hint="1 <= K <= D, B >= 1"
        )
    rows, rounds = measure(b, d, k), measure_deepening(b, d)
    if json:
        typer.echo(jsonlib.dumps(_blind_data(rows, rounds), indent=2))
        return
    _print_blind(rows, rounds, f"blind search: {b} moves, {d} levels, the solution on level {k}")


def _blind_data(rows: Sequence[MeasuredRow], rounds: Sequence[DeepeningRow]) -> dict[str, Any]:
    return {
        "rows": [
            {
                "algorithm": row.algorithm,
                "quantity": row.quantity,
                "case": row.case,
                "printed": None if row.printed is None else float(row.printed),
                "expected": row.expected,
                "measured": row.measured,
            }
            for row in rows
        ],
        "deepening": [
            {
                "levels": row.levels,
                "iterative_deepening": row.iterative_deepening,
                "depth_first": row.depth_first,
                "expected": row.expected,
                "ratio": float(row.ratio),
                "ratio_printed": None if row.ratio_printed is None else float(row.ratio_printed),
            }
            for row in rounds
        ],
    }


def _print_blind(rows: Sequence[MeasuredRow], rounds: Sequence[DeepeningRow], title: str) -> None:
    from stratagem.cli.common.tables import Column, Screen, print_table

    console = Screen()
    print_table(
        console,
        [Column("search", left=True), Column("the lecture prints"), Column("right"), Column("measured")],
        [
            [
                f"{row.algorithm}, {row.quantity}, {row.case}",
                _printed(row.printed, row.expected),
                f"{row.expected:,}",
                f"{row.measured:,}",
            ]
            for row in rows
        ],
        title=title,
    )
    print_table(
        console,
        [Column(head) for head in ("levels", "deepening", "formula", "depth-first", "ratio", "b/(b-1)")],
        [
            [
                f"{line.levels}",
                f"{line.iterative_deepening:,}",
                f"{line.expected:,}",
                f"{line.depth_first:,}",
                f"{float(line.ratio):.3f}",
                "" if line.ratio_printed is None else f"{float(line.ratio_printed):.3f}",
            ]
            for line in rounds
        ],
        title="iterative deepening against depth-first, no solution",
    )


def _printed(printed: Any, expected: int) -> str:
    """What the lecture prints, marked where it is not right; *printed* may be a fraction."""
    if printed is None:
        return ""
    shown = f"{float(printed):,g}"
    return shown if printed == expected else f"{shown} ✗"
