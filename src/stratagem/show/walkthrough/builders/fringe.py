"""Steps of state-space searches: from one state popped from the fringe to the next."""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.plural import plural
from stratagem.show.labels import figure
from stratagem.show.walkthrough.model import ENTERED, GOAL, LEAF, LIVE, VISITED, Link, OpenEntry, Sentence
from stratagem.show.walkthrough.writer import StepWriter
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


class FringeStepBuilder:
    """Follows the fringe of *algorithm* and the states behind it."""

    def __init__(self, writer: StepWriter, algorithm: str) -> None:
        self.writer = writer
        self._algorithm = algorithm
        self._order = ORDERS.get(algorithm, "first")
        self._links = {link: number for number, link in enumerate(writer.table.links)}
        self._side = "backward" if algorithm == "backward" else "forward"
        self._starts = 0
        self._arrivals = 0
        self._waiting: dict[int, list[OpenEntry]] = {}
        self._ends: set[int] = set()

    def start(self, events: Sequence[Event]) -> None:
        """What goes into the fringe before anything is taken out."""
        for event in events:
            if isinstance(event, Push | Goal | Leaf):
                self._note(event)

    def new_round(self) -> None:
        """A round of deepening begins with an empty fringe."""
        for entries in self._waiting.values():
            for entry in entries:
                self.writer.put("open", entry.arrival, None)
        self._waiting.clear()

    def add(self, events: Sequence[Event]) -> None:
        """One step: the state in the first event, a `Pop`, and what lies behind it."""
        pop = events[0]
        assert isinstance(pop, Pop)
        writer = self.writer
        node = writer.number(pop.node)
        self._take(node, pop.priority)
        writer.bump("pops")
        writer.put("status", node, ENTERED)
        skipped = len(events) > 1 and isinstance(events[1], Duplicate) and events[1].node == pop.node
        if self._algorithm not in TESTED_WHEN_MADE and not skipped:
            self._visit(node)
        for event in events[1:]:
            self._note(event)
        if writer.status(node) == ENTERED:
            writer.put("status", node, VISITED)
        found = any(isinstance(event, Goal) for event in events)
        meet = any(isinstance(event, Meet) for event in events)
        kind = "meet" if meet else "goal" if found else "pop"
        writer.step(kind, node, self._words(events, node, pop))

    def _note(self, event: Event) -> None:
        writer = self.writer
        if isinstance(event, Push):
            self._push(event)
        elif isinstance(event, Expand):
            self._side = event.side
            writer.bump("expanded")
        elif isinstance(event, Duplicate):
            writer.bump("duplicates")
            self._link(event, "better" if event.better else "known")
        elif isinstance(event, Leaf | Goal):
            node = writer.number(event.node)
            if isinstance(event, Leaf) or self._algorithm not in ("backward", "bidirectional"):
                # searches from the goal only confirm a known goal at the end
                self._ends.add(node)
                writer.put("counter", "leaves", len(self._ends))
                writer.bump("evaluations")
            writer.put("status", node, GOAL if isinstance(event, Goal) else LEAF)
            writer.put("value", node, (event.value, "exact"))

    def _visit(self, node: int) -> None:
        self.writer.bump("nodes")

    def _push(self, event: Push) -> None:
        writer = self.writer
        node = writer.number(event.node)
        if event.parent is None:
            self._starts += 1
            if self._algorithm == "bidirectional":
                self._side = "forward" if self._starts == 1 else "backward"
        else:
            self._link(event, "known")
        same = self._waiting.setdefault(node, [])
        if self._order == "cheapest" and len(writer.fields["open"]) >= event.size and same:
            writer.put("open", same.pop(0).arrival, None)  # a better way has taken its place
        entry = OpenEntry(self._arrivals, node, event.priority, side=self._side)
        self._arrivals += 1
        same.append(entry)
        writer.put("open", entry.arrival, entry)
        if writer.status(node) != GOAL:
            writer.put("status", node, LIVE)
        writer.most("peak_open", len(writer.fields["open"]))
        if self._algorithm in TESTED_WHEN_MADE:
            self._visit(node)

    def _take(self, node: int, priority: float) -> None:
        entries = self._waiting[node]
        matching = [entry for entry in entries if entry.priority == priority] or entries
        entry = matching[-1] if self._order == "last" else matching[0]
        entries.remove(entry)
        self.writer.put("open", entry.arrival, None)

    def _link(self, event: Push | Duplicate, status: str) -> None:
        """Shows an edge that is not part of the tree."""
        numbers = self.writer.table.numbers
        if isinstance(event.parent, int) and isinstance(event.node, int):
            way = Link(numbers[event.parent], numbers[event.node], event.move or "", self._side)
            link = self._links.get(way)
            if link is not None and self.writer.fields["link"].get(link) != "better":
                self.writer.put("link", link, status)

    # -- in words ------------------------------------------------------------------------------------------

    def _words(self, events: Sequence[Event], node: int, pop: Pop) -> Sentence:
        priority = f", {figure(pop.priority)}," if self._order == "cheapest" else ","
        first: Sentence = (node, f" {REASONS[self._order]}{priority} so it is next. ")
        rest = self._behind(events, node)
        for event in events:
            if isinstance(event, Meet):
                return (*first, rest, " The two searches meet in ", self.writer.number(event.node), ".")
            if isinstance(event, Goal):
                goal = self.writer.number(event.node)
                worth = f"a goal, worth {figure(event.value)}, at a cost of {figure(event.cost)}."
                if self._algorithm == "backward":
                    return (*first, rest, f" The start is reached, at a cost of {figure(event.cost)}.")
                if goal == node:
                    return (*first, f"It is {worth}")
                return (*first, rest, " Among them is ", goal, f", {worth}")
        return (*first, rest)

    def _behind(self, events: Sequence[Event], node: int) -> str:
        """What is found behind the state that was taken out."""
        new = sum(isinstance(event, Push) for event in events)
        known = sum(isinstance(event, Duplicate) for event in events)
        expansion = next((event for event in events if isinstance(event, Expand)), None)
        if expansion is not None:
            verb = "Moves into it come from" if expansion.side == "backward" else "Its moves lead to"
            found = plural(new, "new state") if new else "no new state"
            return f"{verb} {found}" + (f" and {plural(known, 'known state')}." if known else ".")
        if known:
            return "It was visited before, by another path."
        value = self.writer.fields["value"].get(node)
        if value is None:
            return "It lies at the limit of this search, so it is not expanded."
        return f"It is terminal, worth {figure(value[0])}."
