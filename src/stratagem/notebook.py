"""Trees and results in notebooks: ``display(tree)``, ``display(result)``, or once per notebook

    %load_ext stratagem.notebook

after which a cell that ends in a tree or a result shows it. An `Explanation` shows itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from html import escape
from typing import Any, Protocol

from stratagem.errors import UsageError
from stratagem.explanation import Explanation
from stratagem.machines.trees.tree import Tree
from stratagem.result import Result
from stratagem.show.labels import figure, title
from stratagem.show.tree.svg import svg_of
from stratagem.show.walkthrough.build import build_walkthrough
from stratagem.show.walkthrough.model import VISITED, Cursor
from stratagem.show.walkthrough.outline import OutlineNode, outline_of
from stratagem.trace.events import Begin, Path


@dataclass(frozen=True, slots=True)
class NotebookPicture:
    """A picture: *html* for a notebook, *svg* if it is a drawing."""

    html: str
    svg: str = ""

    def _repr_html_(self) -> str:
        return self.html


def display(thing: Tree | Result | Explanation) -> NotebookPicture:
    """*thing* as a notebook shows it.

    >>> picture = display(Tree.of([[3, 12, 8], [2, 4, 6]]))
    >>> picture.svg.count("<ellipse"), picture.svg.startswith("<svg")
    (2, True)
    """
    if isinstance(thing, Tree):
        return _of_tree(thing)
    if isinstance(thing, Result):
        return _of_result(thing)
    if isinstance(thing, Explanation):
        return NotebookPicture(thing._repr_html_(), thing.svg())
    raise UsageError(
        f"no picture is known for {type(thing).__name__}", hint="there are pictures of Tree and Result"
    )


def _of_tree(tree: Tree) -> NotebookPicture:
    outline = outline_of(tree)
    if outline is None:
        text = f"a tree of {len(tree):,} nodes: too large to be drawn"
        return NotebookPicture(f"<p>{text}</p>")
    svg = _drawn(outline)
    return NotebookPicture(_scrolling(svg), svg)


def _drawn(
    outline: dict[Path, OutlineNode], values: Mapping[Path, float] | None = None, result: Result | None = None
) -> str:
    """The tree of *outline* with *values* and the strategy in *result*."""
    walkthrough = build_walkthrough([Begin("")], outline=outline, result=result)
    numbers = {node.name: number for number, node in enumerate(walkthrough.nodes)}
    frame = replace(
        Cursor(walkthrough).frame(),
        status=dict.fromkeys(range(len(walkthrough.nodes)), VISITED),
        value={numbers[path]: (value, "exact") for path, value in (values or {}).items()},
        finished=result is not None,
    )
    return svg_of(walkthrough, frame, caption=False, legend=False)


def _of_result(result: Result) -> NotebookPicture:
    value = "unknown" if result.value is None else figure(result.value)
    rows = [
        ("algorithm", title(result.method)),
        ("value", value if result.complete else f"{value} so far (stopped early)"),
        ("best move", "none" if result.best_move is None else str(result.best_move)),
        ("line", " ".join(map(str, result.solution or result.principal_variation)) or "none"),
        *(
            (name.replace("_", " "), f"{number:,}")
            for name, number in asdict(result.counters).items()
            if number and name != "seconds"
        ),
    ]
    cells = "".join(
        f"<tr><th style='text-align:left'>{name}</th><td>{escape(text)}</td></tr>" for name, text in rows
    )
    svg = _strategy_svg(result)
    table = f"<table>{cells}</table>"
    return NotebookPicture(table + (f"<p>the strategy found:</p>{_scrolling(svg)}" if svg else ""), svg)


def _strategy_svg(result: Result, most: int = 400) -> str:
    """The strategy: one move for its player, every reply of the other."""
    if result.strategy is None:
        return ""
    places: dict[Path, OutlineNode] = {}
    values: dict[Path, float] = {}
    for solution in result.strategy.solutions():
        if len(places) == most:
            return ""
        node = solution.node
        move = "" if node.move is None else str(node.move)
        places[node.path] = OutlineNode(node.player, move, len(solution.kept))
        values[node.path] = solution.value
    return _drawn(places, values, result)


def _scrolling(svg: str) -> str:
    return f'<div style="overflow-x:auto">{svg}</div>'


class _Formatter(Protocol):
    def for_type(self, kind: type, function: Callable[[Any], str]) -> object: ...


class _Shell(Protocol):
    @property
    def display_formatter(self) -> Any: ...


def load_ipython_extension(shell: _Shell) -> None:
    """What ``%load_ext stratagem.notebook`` calls."""
    formatter: _Formatter = shell.display_formatter.formatters["text/html"]
    for kind in (Tree, Result):
        formatter.for_type(kind, lambda thing: display(thing).html)
