"""`stratagem collapse`: how many nodes the tree of a game has, and how few states they stand for."""

from __future__ import annotations

import json as jsonlib
from typing import Annotated, Any

import typer


def collapse(
    game: Annotated[str, typer.Argument(help="A bundled game, a .kif or .hrf file, or a tree.")],
    depth: Annotated[
        int | None, typer.Option(help="Count so many moves deep; to the end unless given.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Stop after so many seconds with what is counted.")] = 60.0,
    after: Annotated[str, typer.Option(help="Moves made before.")] = "",
    sizes: Annotated[list[str] | None, typer.Option("--set", help="A size of the board: columns=5.")] = None,
    symmetry: Annotated[
        bool, typer.Option(help="Count symmetry classes too, where the rules have any.")
    ] = True,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count the nodes of a game's tree, its distinct states and its symmetry classes, depth by depth.

    The tree is not walked: ways are counted state by state, so trees of any size are counted exactly.
    """
    from stratagem.cli.targets import resolve
    from stratagem.search.budget import Budget
    from stratagem.search.collapse import PRINTED
    from stratagem.search.collapse import collapse as count

    target = resolve(game, sizes or [], after)
    classes = symmetries(target.game) if symmetry else None
    canonical = None if classes is None else classes.canonical
    found = count(target.game, target.start, depth=depth, canonical=canonical, budget=Budget(seconds=seconds))
    if json:
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
            "label": target.label,
            "tree_nodes": found.tree_nodes,
            "states": found.states,
            "classes": found.classes,
            "matches": found.matches,
            "ratio": found.ratio,
            "complete": found.complete,
            "endless": found.endless,
            "levels": levels,
        }
        typer.echo(jsonlib.dumps(data, indent=2))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(title=target.label, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    columns = [
        "depth",
        "tree nodes",
        "states",
        "ratio",
        "new states",
        *(["classes"] if classes else []),
        "matches end",
    ]
    for column in columns:
        table.add_column(column, justify="right")
    for level in found.levels:
        more = [f"{level.classes:,}"] if level.classes is not None else []
        table.add_row(
            f"{level.depth}",
            f"{level.tree_nodes:,}",
            f"{level.states:,}",
            f"{level.ratio:,.1f}",
            f"{level.new_states:,}",
            *more,
            f"{level.matches:,}",
        )
    total = [f"{found.classes:,}"] if found.classes is not None else []
    table.add_section()
    table.add_row(
        "all",
        f"{found.tree_nodes:,}",
        f"{found.states:,}",
        f"{found.ratio:,.1f}",
        "",
        *total,
        f"{found.matches:,}",
    )
    console = Console()
    console.print(table)
    if found.endless:
        console.print("play can come back to a state, so the tree has no end")
    elif not found.complete:
        console.print("not counted to the end: give a larger --depth or --seconds")
    if target.label == "tictactoe" and found.complete:
        console.print(
            f"the lecture says about {PRINTED.tree_nodes:,} nodes, {PRINTED.states:,} states, ratio {PRINTED.ratio}; "
            f"counted: {found.tree_nodes:,}, {found.states:,}, {found.ratio:.0f}"
        )


def symmetries(game: Any) -> Any:
    """The symmetries of a GDL game's board, or None where it has none or is no GDL game."""
    from stratagem.machines.gdl_game import GdlGame

    if not isinstance(game, GdlGame) or game.fallback is not None:
        return None
    from stratagem.machines.symmetry import symmetries_of

    return symmetries_of(game)
