"""The tables of the course: measurements beside the formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from stratagem.errors import UsageError
from stratagem.web.app.address import Sheet
from stratagem.web.app.subject import Subject
from stratagem.web.tasks.loaded import FASTEST, game_of
from stratagem.web.workers.worker_process import Heard

LARGEST: Final = 9
"""Branching factors and depths that are measured."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A table with a note."""

    head: tuple[str, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]
    note: str = ""


def measure(kind: str, words: tuple[str, ...], *, tell: Heard) -> Measured:
    """The table of that *kind*; numbers are clamped to their ranges."""
    numbers = [max(1, min(int(word), LARGEST)) for word in words if word.isdecimal()]
    match kind:
        case "deepening":
            return _deepening(*numbers[:2])
        case "blind":
            return _blind(*numbers[:3])
        case "ordering":
            return _ordering(*numbers[:2])
        case "strategies":
            return _strategies(*numbers[:2])
        case "clusters":
            return _clusters()
        case "collapse":
            return _collapse(words[0])
        case "compare":
            return _compare(tell)
    raise UsageError(f"there is no table called {kind}")


def _deepening(b: int, levels: int) -> Measured:
    from stratagem.search.theory.measurements import measure_deepening

    rows = tuple(
        (row.levels, row.iterative_deepening, row.depth_first, row.expected, round(float(row.ratio), 4))
        for row in measure_deepening(b, levels)
    )
    return Measured(
        ("levels", "deepening, measured", "depth first, measured", "deepening, formula", "ratio"), rows
    )


def _blind(b: int, d: int, k: int) -> Measured:
    from stratagem.search.theory.measurements import measure as measured

    rows = tuple(
        (
            row.algorithm,
            f"{row.quantity}, {row.case}",
            None if row.printed is None else float(row.printed),
            float(row.expected),
            float(row.measured),
        )
        for row in measured(b, d, min(k, d))
    )
    note = f"b = {b}, d = {d}, k = {min(k, d)}."
    return Measured(("search", "", "printed", "right", "measured"), rows, note)


def _ordering(b: int, most: int) -> Measured:
    from stratagem.machines.trees.models import ordered
    from stratagem.search.adversarial.alpha_beta import alpha_beta
    from stratagem.search.theory.formulas import minimal_tree

    rows = []
    for depth in range(1, most + 1):
        found = {
            order: alpha_beta(ordered((b,) * depth, order=order)).counters.leaves
            for order in ("best", "random", "worst")
        }
        rows.append((depth, minimal_tree(b, depth), found["best"], found["random"], found["worst"], b**depth))
    head = ("plies", "minimal tree", "best order", "random order", "worst order", f"all leaves, {b}^d")
    return Measured(head, tuple(rows), "Leaves that alpha-beta looks at.")


def _strategies(b: int, most: int) -> Measured:
    from stratagem.machines.trees.models import ordered
    from stratagem.search.theory.formulas import max_strategies
    from stratagem.search.theory.strategies import count_strategies

    rows = tuple(
        (
            plies,
            str(max_strategies(b, plies)),
            str(count_strategies(ordered((b,) * plies, order="random"))),
            b ** ((plies + 1) // 2),
        )
        for plies in range(1, most + 1)
    )
    return Measured(("plies", "formula", "counted", "initial clusters"), rows)


def _clusters() -> Measured:
    from stratagem.machines.trees.models import lecture_tree
    from stratagem.search.theory.strategies import initial_clusters

    rows = tuple(
        (number, ".".join(map(str, cluster.leaf.path)), float(cluster.bound), cluster.size)
        for number, cluster in enumerate(initial_clusters(lecture_tree()), start=1)
    )
    return Measured(("cluster", "leaf", "bound", "strategies"), rows)


def _collapse(name: str) -> Measured:
    from stratagem.limit import Limit
    from stratagem.search.theory.state_collapse import collapse

    found = collapse(game_of(Sheet(name), FASTEST), limit=Limit(seconds=30))
    rows: list[tuple[Any, ...]] = [
        (str(level.depth), level.tree_nodes, level.states, round(level.ratio, 1)) for level in found.levels
    ]
    rows.append(("all", found.tree_nodes, found.states, round(found.ratio, 1)))
    return Measured(("moves made", "nodes of the tree", "states", "ratio"), tuple(rows))


def _compare(tell: Heard) -> Measured:
    from stratagem.web.tasks.searches import compare

    rows = tuple(
        (row.algorithm, row.value, row.counters["leaves"], row.counters["nodes"], row.counters["peak_open"])
        for row in compare(Subject("lecture"), tell=tell)
        if row.counters is not None
    )
    return Measured(("algorithm", "value", "leaves", "nodes", "peak size"), rows)
