"""The nodes and links of a walkthrough: all that the events of a search mention, collected before the steps are built.

Trees: the outline, where there is one, or else the nodes met and the children that were cut. Graphs: the states by
their numbers; each is a child of the state it was first reached from, and every other edge to it is a link.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from stratagem.show.walkthrough.model import Link, WalkthroughNode
from stratagem.show.walkthrough.outline import OutlineNode
from stratagem.trace.events import (
    Begin,
    Cut,
    Duplicate,
    Enter,
    Event,
    Expand,
    Goal,
    Leaf,
    Meet,
    Name,
    Path,
    Push,
    Recall,
)

STACKS = ("depth-first", "iterative-deepening-blind", "ida-star")


@dataclass(frozen=True, slots=True)
class NodeTable:
    """The nodes of a walkthrough and the number of each by its name in events; *shape* "tree" or "graph"."""

    shape: str
    nodes: tuple[WalkthroughNode, ...]
    numbers: Mapping[Name, int]
    links: tuple[Link, ...] = ()

    def child(self, node: int, index: int) -> int | None:
        """Child number *index* of a node of a tree, if it is in the table."""
        name = self.nodes[node].name
        return self.numbers.get((*name, index)) if isinstance(name, tuple) else None


def node_table_of(events: Sequence[Event], outline: Mapping[Path, OutlineNode] | None = None) -> NodeTable:
    """All nodes in *events* and the *outline*."""
    names = (name for event in events if isinstance(name := getattr(event, "node", None), int | tuple))
    if isinstance(next(iter(names), ()), int):
        return _graph(events)
    return _tree(events, outline)


# -- trees -------------------------------------------------------------------------------------------------


def _tree(events: Sequence[Event], outline: Mapping[Path, OutlineNode] | None) -> NodeTable:
    places: dict[Path, OutlineNode] = dict(outline or {})
    unknown = OutlineNode("", "", 0)
    places.setdefault((), unknown)
    looked_at: dict[Path, set[Path]] = {}
    for event in events:
        if isinstance(event, Enter) and isinstance(event.node, tuple):
            known = places.get(event.node, unknown)
            moves = max(known.moves, event.children)
            places[event.node] = replace(known, player=event.player, move=event.move or "", moves=moves)
            looked_at[event.node] = set()
            looked_at.get(event.node[:-1], set()).add(event.node)
        elif isinstance(event, Push | Recall | Leaf) and isinstance(event.node, tuple):
            looked_at.get(event.node[:-1], set()).add(event.node)
            if isinstance(event, Push):
                known = places.get(event.node, unknown)
                places[event.node] = replace(known, player=event.player, move=event.move or "")
            places.setdefault(event.node, unknown)
        elif isinstance(event, Cut) and isinstance(event.node, tuple):
            seen = looked_at.get(event.node, set())
            stubs = ((*event.node, index) for index in range(len(seen) + event.skipped + 1))
            for stub in [stub for stub in stubs if stub not in seen][: event.skipped]:
                places.setdefault(stub, unknown)
    return _numbered(_with_ancestors(places))


def _with_ancestors(places: dict[Path, OutlineNode]) -> dict[Path, OutlineNode]:
    """A trace without its beginning may mention nodes without their ancestors."""
    missing = {path[:depth] for path in places for depth in range(len(path))} - places.keys()
    return {**places, **{path: OutlineNode("", "", 0) for path in missing}}


def _numbered(places: Mapping[Path, OutlineNode]) -> NodeTable:
    order = sorted(places)  # which is pre-order
    numbers: dict[Name, int] = {path: number for number, path in enumerate(order)}
    children: dict[int, list[int]] = {}
    for number, path in enumerate(order[1:], 1):
        children.setdefault(numbers[path[:-1]], []).append(number)
    nodes = []
    for number, path in enumerate(order):
        place = places[path]
        below = tuple(children.get(number, ()))
        parent = numbers[path[:-1]] if path else None
        moves = max(place.moves, len(below))
        nodes.append(
            WalkthroughNode(
                path,
                parent,
                place.move,
                place.player,
                len(path),
                moves,
                below,
                place.printed,
                odds=place.odds,
            )
        )
    return NodeTable("tree", tuple(nodes), numbers)


# -- graphs ------------------------------------------------------------------------------------------------


Above = tuple[int | None, str, str]
"""The parent of a state, the move between the two, and the side that came this way."""


def _graph(events: Sequence[Event]) -> NodeTable:
    above: dict[int, Above] = {}
    ways: dict[Link, None] = {}
    mentioned = {0}
    side = "forward"
    for event in events:
        if isinstance(event, Expand):
            side = event.side
        elif isinstance(event, Push | Duplicate) and isinstance(event.node, int):
            mentioned.add(event.node)
            parent = event.parent if isinstance(event.parent, int) else None
            move = event.move or ""
            if isinstance(event, Push):
                above.setdefault(event.node, (parent, move, side))
            if parent is not None:
                ways[Link(parent, event.node, move, side)] = None
        elif isinstance(event, Leaf | Goal | Meet) and isinstance(event.node, int):
            mentioned.add(event.node)
    for way in ways:
        if way.node != 0:  # states that were never pushed, because nothing leads on from them
            above.setdefault(way.node, (way.parent, way.move, way.side))
    order = sorted(mentioned)
    numbers: dict[Name, int] = {name: number for number, name in enumerate(order)}
    links = [
        Link(numbers[way.parent], numbers[way.node], way.move, way.side)
        for way in ways
        if above.get(way.node) != (way.parent, way.move, way.side)
    ]
    stack = any(isinstance(event, Begin) and event.algorithm in STACKS for event in events[:1])
    return NodeTable("graph", _graph_nodes(order, numbers, above, stack), numbers, tuple(links))


def _graph_nodes(
    order: Iterable[int],
    numbers: Mapping[Name, int],
    above: Mapping[int, Above],
    last_first: bool,
) -> tuple[WalkthroughNode, ...]:
    children: dict[int, list[int]] = {}
    depths: dict[int, int] = {}
    for name, (parent, _, _) in above.items():  # in order of first arrival: parents before children
        depths[name] = 0
        if parent is not None:
            depths[name] = depths.get(parent, 0) + 1
            children.setdefault(parent, []).append(numbers[name])
    nodes = []
    for name in order:
        parent, move, side = above.get(name, (None, "", "forward"))
        below = children.get(name, [])
        if last_first:  # a stack is filled from the right
            below = below[::-1]
        number = None if parent is None else numbers[parent]
        depth = depths.get(name, 0)
        nodes.append(WalkthroughNode(name, number, move, "", depth, len(below), tuple(below), side=side))
    return tuple(nodes)
