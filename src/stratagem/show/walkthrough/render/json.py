"""A walkthrough as compact JSON for a page: lists instead of objects, numbers as text."""

from __future__ import annotations

from math import inf, isinf
from typing import Any

from stratagem.show.labels import figure, title
from stratagem.show.walkthrough.clusters import large
from stratagem.show.walkthrough.model import (
    FIELDS,
    Change,
    OpenEntry,
    Walkthrough,
    WalkthroughNode,
    WalkthroughStep,
)
from stratagem.show.walkthrough.sentences import SIGNS

VERSION = 1
PRIORITIES = {"a-star": "f", "uniform-cost": "cost", "greedy": "h"}


def walkthrough_data(walkthrough: Walkthrough) -> dict[str, Any]:
    """The argument of `Stratagem.explain` in the page."""
    whole = range(len(walkthrough.nodes))
    return {
        "version": VERSION,
        "title": title(walkthrough.algorithm) or "Tree",
        "label": walkthrough.label,
        "shape": walkthrough.shape,
        "order": walkthrough.order,
        "priority": PRIORITIES.get(walkthrough.algorithm, "depth"),
        "outlined": walkthrough.outlined,
        "value": None if walkthrough.value is None else figure(walkthrough.value),
        "range": _range(walkthrough),
        "notes": list(walkthrough.notes),
        "strategy": sorted(walkthrough.strategy),
        "line": list(walkthrough.line),
        "names": walkthrough.names(whole),
        "positions": {str(node): text for node, text in walkthrough.positions.items()},
        "nodes": [_node(node) for node in walkthrough.nodes],
        "children": [
            [number, list(node.children)]
            for number, node in enumerate(walkthrough.nodes)
            if list(node.children) != sorted(node.children)
        ],
        "links": [[link.parent, link.node, link.move] for link in walkthrough.links],
        "steps": [_step(step) for step in walkthrough.steps],
    }


def _node(node: WalkthroughNode) -> list[Any]:
    printed = None if node.printed is None else figure(node.printed)
    name = node.name if isinstance(node.name, int) else ""
    parent = -1 if node.parent is None else node.parent
    odds = None if node.odds is None else figure(node.odds)
    return [parent, node.move, node.player, node.moves, printed, name, node.side, odds]


def _step(step: WalkthroughStep) -> list[Any]:
    return [step.kind, step.focus, list(step.sentence), [_change(change) for change in step.changes]]


def _change(change: Change) -> list[Any]:
    return [FIELDS.index(change.field), change.key, _plain(change.field, change.after)]


def _plain(field: str, value: Any) -> Any:
    if value is None:
        return None
    if field == "value":
        return [figure(value[0]), SIGNS[value[1]].strip()]
    if field in ("window", "proof"):
        return [figure(value[0]), figure(value[1])]
    if isinstance(value, OpenEntry):
        size = None if value.size is None else large(value.size).removeprefix("about ")
        key = "inf" if value.priority == inf else "-inf" if value.priority == -inf else value.priority
        return [value.node, key, figure(value.priority), value.status, value.cluster, size, value.side]
    return value


def _range(walkthrough: Walkthrough) -> list[float]:
    """The least and the greatest value of a leaf, for drawing windows on a line."""
    values = [
        change.after[0]
        for step in walkthrough.steps
        for change in step.changes
        if change.field == "value" and change.after is not None and not isinf(change.after[0])
    ]
    values += [
        node.printed for node in walkthrough.nodes if node.printed is not None and not isinf(node.printed)
    ]
    return [min(values), max(values)] if values else [0, 100]
