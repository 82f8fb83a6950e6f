"""Steps of SSS* and DUAL*: from one record popped from OPEN to the next.

A record stands for a cluster of strategies, which keeps its number while it is refined: the first child of an expanded
node goes on with the cluster of its parent, every other child starts one; what a solved node leads to stays in its
cluster.
"""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.plural import plural
from stratagem.show.labels import figure
from stratagem.show.walkthrough.builders.tree import TreeStepBuilder
from stratagem.show.walkthrough.clusters import Clusters, large
from stratagem.show.walkthrough.model import ENTERED, LIVE, PURGED, SOLVED, VISITED, OpenEntry, Sentence
from stratagem.show.walkthrough.writer import StepWriter
from stratagem.trace.events import Enter, Event, Leaf, Pop, Purge, Push, Solve

MOST_NAMED = 6  # nodes listed in one sentence


class OpenListStepBuilder:
    """Follows OPEN. *player* is the one whose strategies are searched: MAX for SSS*, MIN for DUAL*."""

    def __init__(
        self, writer: StepWriter, tree: TreeStepBuilder, player: str, clusters: Clusters | None
    ) -> None:
        self.writer = writer
        self._tree = tree
        self._player = player
        self._other = "min" if player == "max" else "max"
        self._clusters = clusters
        self._arrivals = 0
        self._newest = 0  # the cluster started last
        self._entries: dict[int, OpenEntry] = {}

    def start(self, events: Sequence[Event]) -> None:
        """The pushes before the first record is taken out."""
        for event in events:
            if isinstance(event, Push):
                self._push(event, 1)
                self._newest = 1

    def add(self, events: Sequence[Event]) -> None:
        """One step: the record in the first event, a `Pop`, and what becomes of it."""
        pop = events[0]
        assert isinstance(pop, Pop)
        writer = self.writer
        node = writer.number(pop.node)
        entry = self._take(node)
        writer.bump("pops")
        writer.put("status", node, ENTERED if pop.status == "LIVE" else SOLVED)
        heir = entry.cluster
        kind = "pop"
        for event in events[1:]:
            if isinstance(event, Enter):
                self._tree.visit(event, ENTERED)
            elif isinstance(event, Leaf):
                self._tree.leaf(event)
                kind = "leaf"
            elif isinstance(event, Push):
                self._push(event, self._cluster(heir))
                heir = None
            elif isinstance(event, Purge):
                self._purge(event)
                kind = "purge" if event.removed else kind
            elif isinstance(event, Solve):
                solved = writer.number(event.node)
                writer.put("best", solved, None if event.child is None else writer.number(event.child))
                kind = kind if kind == "purge" else "solve"
        if writer.status(node) == ENTERED:
            writer.put("status", node, VISITED)
        writer.step(kind, node, (*self._which(entry), *self._what(events, node, entry)))

    # -- what happens to OPEN ------------------------------------------------------------------------------

    def _cluster(self, heir: int | None) -> int:
        if heir is not None:
            return heir
        self._newest += 1
        return self._newest

    def _push(self, event: Push, cluster: int) -> None:
        writer = self.writer
        node = writer.number(event.node)
        solved = event.status == "SOLVED"
        size = None if self._clusters is None else self._clusters.size(node, solved=solved)
        entry = OpenEntry(self._arrivals, node, event.priority, event.status, cluster, size)
        self._arrivals += 1
        self._entries[node] = entry
        writer.put("open", entry.arrival, entry)
        writer.put("status", node, SOLVED if solved else LIVE)
        if solved and writer.node(node).children:
            # exact at the root alone: further down h is min(bound, value), so that the value may be more
            kind = "exact" if node == 0 else "low" if self._player == "max" else "high"
            writer.put("value", node, (event.priority, kind))
        writer.most("peak_open", len(writer.fields["open"]))

    def _take(self, node: int) -> OpenEntry:
        entry = self._entries.pop(node)
        self.writer.put("open", entry.arrival, None)
        return entry

    def _purge(self, event: Purge) -> None:
        for name in event.removed:
            node = self.writer.number(name)
            self._take(node)
            self.writer.put("status", node, PURGED)
        self.writer.bump("purged", len(event.removed))

    # -- in words ------------------------------------------------------------------------------------------

    def _which(self, entry: OpenEntry) -> Sentence:
        best = "greatest" if self._player == "max" else "least"
        strategies = "" if entry.size is None else f", of {_strategies(entry.size)},"
        text = f" has the {best} h in OPEN, {figure(entry.priority)}: cluster {entry.cluster}{strategies} is refined. "
        return (entry.node, text)

    def _what(self, events: Sequence[Event], node: int, entry: OpenEntry) -> Sentence:
        me, other = self._player.upper(), self._other.upper()
        h = figure(entry.priority)
        pushed = [event for event in events if isinstance(event, Push)]
        player = self.writer.node(node).player
        if entry.status == "LIVE":
            leaf = next((event for event in events if isinstance(event, Leaf)), None)
            if leaf is not None:
                function = "min" if me == "MAX" else "max"
                result = figure(pushed[0].priority)
                sum_ = f"h = {function}({h}, {figure(leaf.value)}) = {result}"
                return (f"It is a LIVE leaf, worth {figure(leaf.value)}, and goes back SOLVED with {sum_}.",)
            if not pushed:
                return ("The budget ran out here.",)
            if player == self._player:
                moves = plural(len(pushed), "move")
                return (f"It is a LIVE {me} node: each of its {moves} begins strategies of its own, so every "
                        "child goes into OPEN, LIVE, with the same h.",)  # fmt: skip
            return (f"It is a LIVE {other} node: a strategy of {me} must answer all its moves, so its first child, ",
                    self.writer.number(pushed[0].node), ", goes into OPEN, LIVE, with the same h.")  # fmt: skip
        if not pushed:
            return (f"It is the root, SOLVED: the best strategy is complete, and h = {h} is the value.",)
        target = self.writer.number(pushed[0].node)
        if pushed[0].status == "LIVE":
            return (f"It is SOLVED below a {other} node: the strategy must answer the next move there too, so ",
                    target, f" goes into OPEN, LIVE, with h = {h}.")  # fmt: skip
        purge = next((event for event in events if isinstance(event, Purge)), None)
        if purge is None:
            return (f"It is SOLVED, and the last move of a {other} node: all replies are answered, so ",
                    target, f" is SOLVED with h = {h}.")  # fmt: skip
        return (f"It is SOLVED below a {me} node: no other strategy there can do better, so ", target,
                f" is SOLVED with h = {h}", *self._purged(purge))  # fmt: skip

    def _purged(self, purge: Purge) -> Sentence:
        nodes = [self.writer.number(name) for name in purge.removed]
        if not nodes:
            return (". Nothing else below it is left in OPEN.",)
        listed: list[str | int] = []
        for node in nodes[:MOST_NAMED]:
            listed += [", " if listed else "", node]
        more = f" and {len(nodes) - MOST_NAMED} more" if len(nodes) > MOST_NAMED else ""
        return (", and all else below it is purged from OPEN: ", *listed, f"{more}.")


def _strategies(size: int) -> str:
    return "1 strategy" if size == 1 else f"{large(size)} strategies"
