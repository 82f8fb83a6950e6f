"""`stratagem collapse`: the nodes of a game tree, and the distinct states among them."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratagem.cli.common.arguments import After, Json, Sizes, more_than
from stratagem.cli.search import Depth

if TYPE_CHECKING:
    from stratagem.search.theory.state_collapse import Collapse


def collapse(
    game: Annotated[str, typer.Argument(help="A bundled game, a .kif or .hrf file, or a tree.")],
    depth: Depth = None,
    seconds: Annotated[
        float,
        typer.Option(
            callback=more_than(0),
            help="Stop after this many seconds and print what was counted; inf means no limit.",
        ),
    ] = 60.0,
    after: After = "",
    sizes: Sizes = None,
    symmetry: Annotated[
        bool, typer.Option(help="Count symmetry classes too, where the rules have any.")
    ] = True,
    json: Json = False,
) -> None:
    """Count the nodes of a game's tree, its distinct states and its symmetry classes, depth by depth.

    The tree is not traversed: paths are counted state by state, so trees of any size are counted exactly.

    Exit code 0 if everything asked for was counted, 1 if the time or Ctrl-C stopped it (the levels counted are printed),
    2 for bad input.
    """
    from stratagem.circuit.compiler.budget import time_left
    from stratagem.cli.common.targets import resolve
    from stratagem.cli.common.watched import NOT_ANSWERED, Watch, reason, watched
    from stratagem.limit import Limit
    from stratagem.search.theory.state_collapse import collapse as count

    left = time_left(seconds)
    target = resolve(game, sizes or [], after, seconds=left())
    classes = symmetries(target.game) if symmetry else None
    canonical = None if classes is None else classes.canonical

    def work(watch: Watch) -> Collapse:
        watch.begin("counting")
        limit = Limit(seconds=max(0.0, left()), depth=depth, stop=watch.stop)
        return count(target.game, target.start, canonical=canonical, limit=limit, progress=watch.progress)

    found = watched(work)
    if json:
        _print_json(target.label, found)
    else:
        _print(target.label, found, "" if found.stopped is None else reason(found.stopped, seconds=seconds))
    raise typer.Exit(0 if found.stopped is None else NOT_ANSWERED)


def _print_json(label: str, found: Collapse) -> None:
    levels = [
        {
            "depth": level.depth,
            "tree_nodes": level.tree_nodes,
            "states": level.states,
            "new_states": level.new_states,
            "classes": level.classes,
            "matches": level.matches,
        }
        for level in found.levels
    ]
    data: dict[str, Any] = {
        "label": label,
        "tree_nodes": found.tree_nodes,
        "states": found.states,
        "classes": found.classes,
        "matches": found.matches,
        "ratio": found.ratio,
        "complete": found.complete,
        "endless": found.endless,
        "stopped": found.stopped,
        "levels": levels,
    }
    typer.echo(jsonlib.dumps(data, indent=2))


def _print(label: str, found: Collapse, stopped: str) -> None:
    from stratagem.cli.common.tables import Column, Screen, print_table
    from stratagem.search.theory.state_collapse import PRINTED

    classes = ["classes"] if found.classes is not None else []
    heads = ["depth", "tree nodes", "states", "ratio", "new states", *classes, "matches end"]
    rows = [
        [
            f"{level.depth}",
            f"{level.tree_nodes:,}",
            f"{level.states:,}",
            f"{level.ratio:,.1f}",
            f"{level.new_states:,}",
            *([] if level.classes is None else [f"{level.classes:,}"]),
            f"{level.matches:,}",
        ]
        for level in found.levels
    ]
    total = [
        "all",
        f"{found.tree_nodes:,}",
        f"{found.states:,}",
        f"{found.ratio:,.1f}",
        "",
        *([] if found.classes is None else [f"{found.classes:,}"]),
        f"{found.matches:,}",
    ]
    console = Screen()
    print_table(console, [Column(head) for head in heads], rows, title=label, total=total)
    if found.endless:
        console.print("play can return to a state, so the tree is infinite")
    elif stopped:
        console.print(f"count incomplete: {stopped}", highlight=False)
    elif not found.complete:
        console.print("count incomplete: a larger --depth continues it")
    if label == "tictactoe" and found.complete:
        console.print(
            f"the lecture says about {PRINTED.tree_nodes:,} nodes, {PRINTED.states:,} states, ratio {PRINTED.ratio}; "
            f"counted: {found.tree_nodes:,}, {found.states:,}, {found.ratio:.0f}"
        )


def symmetries(game: Any) -> Any:
    """The symmetries of a GDL game's board, or None where it has none or is no GDL game."""
    from stratagem.gdl_game import GdlGame

    if not isinstance(game, GdlGame) or game.fallback is not None:
        return None
    from stratagem.machines.symmetry import symmetries_of

    return symmetries_of(game)
