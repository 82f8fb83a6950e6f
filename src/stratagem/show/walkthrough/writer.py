"""The writer of steps: holds the current state of all fields and the changes of the current step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stratagem.show.walkthrough.model import FIELDS, Change, Sentence, WalkthroughNode, WalkthroughStep
from stratagem.show.walkthrough.node_table import NodeTable
from stratagem.trace.events import Name


class StepWriter:
    """Changes fields and records their values before; `step` closes the current step."""

    def __init__(self, table: NodeTable) -> None:
        self.table = table
        self.steps: list[WalkthroughStep] = []
        self.fields: dict[str, dict[Any, Any]] = {name: {} for name in FIELDS}
        self._before: dict[tuple[str, int | str], Any] = {}

    def put(self, field: str, key: int | str, value: Any) -> None:
        """Sets an entry of a *field*; None removes it."""
        entries = self.fields[field]
        self._before.setdefault((field, key), entries.get(key))
        if value is None:
            entries.pop(key, None)
        else:
            entries[key] = value

    def bump(self, counter: str, by: int = 1) -> None:
        self.put("counter", counter, self.count(counter) + by)

    def most(self, counter: str, value: int) -> None:
        """Raises a *counter* that holds a greatest value."""
        if value > self.count(counter):
            self.put("counter", counter, value)

    def count(self, counter: str) -> int:
        return int(self.fields["counter"].get(counter, 0))

    def number(self, name: Name) -> int:
        return self.table.numbers[name]

    def node(self, number: int) -> WalkthroughNode:
        return self.table.nodes[number]

    def status(self, node: int) -> str | None:
        found = self.fields["status"].get(node)
        return None if found is None else str(found)

    def step(self, kind: str, focus: int | None, sentence: Sentence) -> None:
        """Closes the current step."""
        self.put("now", "focus", focus)
        changes = tuple(
            Change(field, key, before, self.fields[field].get(key))
            for (field, key), before in self._before.items()
            if before != self.fields[field].get(key)
        )
        self.steps.append(WalkthroughStep(kind, focus, sentence, changes))
        self._before.clear()

    def forget(self, statuses: Mapping[str, str]) -> None:
        """Starts a round: statuses change as *statuses* says, values and windows of the last round go."""
        for node, status in list(self.fields["status"].items()):
            self.put("status", node, statuses.get(status, status))
        for field in ("value", "window", "best"):
            for node in list(self.fields[field]):
                self.put(field, node, None)
