"""Tells searches of state spaces: from one state taken out of the fringe to the next is one step."""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.show.figures import count, figure
from stratagem.show.walkthrough.model import ENTERED, GOAL, LEAF, LIVE, VISITED, Entry, Link, Sentence
from stratagem.show.walkthrough.writer import Pen
from stratagem.trace.events import Duplicate, Event, Expand, Goal, Leaf, Meet, Pop, Push

ORDERS = {
    "breadth-first": "first",
    "backward": "first",
    "bidirectional": "first",
    "depth-first": "last",
    "iterative-deepening-blind": "last",
    "ida-star": "last",
    "uniform-cost": "cheapest",
    "a-star": "cheapest",
    "greedy": "cheapest",
}
TESTED_WHEN_MADE = ("breadth-first", "backward", "bidirectional", "greedy")  # others test when they take out
REASONS = {
    "first": "has waited longest",
    "last": "came into the fringe last",
    "cheapest": "has the least priority",
}


class FringeTeller:
    """Follows the fringe of *algorithm* and the states behind it."""

    def __init__(self, pen: Pen, algorithm: str) -> None:
        self.pen = pen
        self._algorithm = algorithm
        self._order = ORDERS.get(algorithm, "first")
        self._links = {link: number for number, link in enumerate(pen.skeleton.links)}
        self._side = "backward" if algorithm == "backward" else "forward"
        self._starts = 0
        self._arrivals = 0
        self._waiting: dict[int, list[Entry]] = {}
        self._ends: set[int] = set()

    def start(self, scene: Sequence[Event]) -> None:
        """What goes into the fringe before anything is taken out."""
        for event in scene:
            if isinstance(event, Push | Goal | Leaf):
                self._note(event)

    def new_round(self) -> None:
        """A round of deepening begins with an empty fringe."""
        for entries in self._waiting.values():
            for entry in entries:
                self.pen.put("open", entry.arrival, None)
        self._waiting.clear()

    def tell(self, scene: Sequence[Event]) -> None:
        """One step: the state in the first event, a `Pop`, and what lies behind it."""
        pop = scene[0]
        assert isinstance(pop, Pop)
        pen = self.pen
        node = pen.number(pop.node)
        self._take(node, pop.priority)
        pen.bump("pops")
        pen.put("status", node, ENTERED)
        skipped = len(scene) > 1 and isinstance(scene[1], Duplicate) and scene[1].node == pop.node
        if self._algorithm not in TESTED_WHEN_MADE and not skipped:
            self._visit(node)
        for event in scene[1:]:
            self._note(event)
        if pen.status(node) == ENTERED:
            pen.put("status", node, VISITED)
        found = any(isinstance(event, Goal) for event in scene)
        meet = any(isinstance(event, Meet) for event in scene)
        kind = "meet" if meet else "goal" if found else "pop"
        pen.step(kind, node, self._words(scene, node, pop))

    def _note(self, event: Event) -> None:
        pen = self.pen
        if isinstance(event, Push):
            self._push(event)
        elif isinstance(event, Expand):
            self._side = event.side
            pen.bump("expanded")
        elif isinstance(event, Duplicate):
            pen.bump("duplicates")
            self._link(event, "better" if event.better else "known")
        elif isinstance(event, Leaf | Goal):
            node = pen.number(event.node)
            if isinstance(event, Leaf) or self._algorithm not in ("backward", "bidirectional"):
                # searches from the goal only confirm at the end what they were told
                self._ends.add(node)
                pen.put("counter", "leaves", len(self._ends))
                pen.bump("evaluations")
            pen.put("status", node, GOAL if isinstance(event, Goal) else LEAF)
            pen.put("value", node, (event.value, "exact"))

    def _visit(self, node: int) -> None:
        self.pen.bump("nodes")

    def _push(self, event: Push) -> None:
        pen = self.pen
        node = pen.number(event.node)
        if event.parent is None:
            self._starts += 1
            if self._algorithm == "bidirectional":
                self._side = "forward" if self._starts == 1 else "backward"
        else:
            self._link(event, "known")
        same = self._waiting.setdefault(node, [])
        if self._order == "cheapest" and len(pen.fields["open"]) >= event.size and same:
            pen.put("open", same.pop(0).arrival, None)  # a better way has taken its place
        entry = Entry(self._arrivals, node, event.priority, side=self._side)
        self._arrivals += 1
        same.append(entry)
        pen.put("open", entry.arrival, entry)
        if pen.status(node) != GOAL:
            pen.put("status", node, LIVE)
        pen.most("peak_open", len(pen.fields["open"]))
        if self._algorithm in TESTED_WHEN_MADE:
            self._visit(node)

    def _take(self, node: int, priority: float) -> None:
        entries = self._waiting[node]
        matching = [entry for entry in entries if entry.priority == priority] or entries
        entry = matching[-1] if self._order == "last" else matching[0]
        entries.remove(entry)
        self.pen.put("open", entry.arrival, None)

    def _link(self, event: Push | Duplicate, status: str) -> None:
        """Shows an edge that is not part of the tree."""
        numbers = self.pen.skeleton.numbers
        if isinstance(event.parent, int) and isinstance(event.node, int):
            way = Link(numbers[event.parent], numbers[event.node], event.move or "", self._side)
            link = self._links.get(way)
            if link is not None and self.pen.fields["link"].get(link) != "better":
                self.pen.put("link", link, status)

    # -- in words ------------------------------------------------------------------------------------------

    def _words(self, scene: Sequence[Event], node: int, pop: Pop) -> Sentence:
        priority = f", {figure(pop.priority)}," if self._order == "cheapest" else ","
        first: Sentence = (node, f" {REASONS[self._order]}{priority} so it is next. ")
        rest = self._behind(scene, node)
        for event in scene:
            if isinstance(event, Meet):
                return (*first, rest, " The two searches meet in ", self.pen.number(event.node), ".")
            if isinstance(event, Goal):
                goal = self.pen.number(event.node)
                worth = f"a goal, worth {figure(event.value)}, at a cost of {figure(event.cost)}."
                if self._algorithm == "backward":
                    return (*first, rest, f" The start is reached, at a cost of {figure(event.cost)}.")
                if goal == node:
                    return (*first, f"It is {worth}")
                return (*first, rest, " Among them is ", goal, f", {worth}")
        return (*first, rest)

    def _behind(self, scene: Sequence[Event], node: int) -> str:
        """What is found behind the state that was taken out."""
        new = sum(isinstance(event, Push) for event in scene)
        known = sum(isinstance(event, Duplicate) for event in scene)
        expansion = next((event for event in scene if isinstance(event, Expand)), None)
        if expansion is not None:
            verb = "Moves into it come from" if expansion.side == "backward" else "Its moves lead to"
            found = f"{count(new, 'state')} for the fringe" if new else "nothing for the fringe"
            return f"{verb} {found}" + (f" and {count(known, 'state')} known already." if known else ".")
        if known:
            return "It was looked at before, on another way."
        value = self.pen.fields["value"].get(node)
        if value is None:
            return "It lies at the limit of this search, so its moves are not looked at."
        return f"It is an end, worth {figure(value[0])}."
