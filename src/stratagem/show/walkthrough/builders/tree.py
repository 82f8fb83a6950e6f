"""Steps of tree searches: from minimax to MTD(f), whose leaves come from left to right, and proof-number search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stratagem.show.labels import figure
from stratagem.show.walkthrough import sentences
from stratagem.show.walkthrough.model import CUT, ENTERED, KNOWN, LEAF, LIVE, VISITED, Sentence
from stratagem.show.walkthrough.writer import StepWriter
from stratagem.trace.events import (
    Again,
    Cut,
    Enter,
    Event,
    Expand,
    Leaf,
    Leave,
    LowerBeta,
    Name,
    Proof,
    RaiseAlpha,
    Recall,
    Reorder,
    Test,
)


class TreeStepBuilder:
    """Changes the nodes on the way down and up; one call of `add` is one step."""

    def __init__(self, writer: StepWriter, algorithm: str = "") -> None:
        self.writer = writer
        self._remembers = algorithm.startswith("mtd") or algorithm == "proof-number"
        self._has_open = algorithm in ("sss-star", "dual-star")
        self._path: list[int] = []
        self._looked_at: dict[int, set[int]] = {}
        self._leaves: set[int] = set()
        self._met: set[int] = set()
        self._handlers: dict[type, Callable[[Any], tuple[str, Sentence]]] = {
            Enter: self._enter,
            Leaf: self.leaf,
            RaiseAlpha: self._raise,
            LowerBeta: self._lower,
            Cut: self._cut,
            Leave: self._leave,
            Test: self._test,
            Again: lambda event: ("again", sentences.again(writer, event)),
            Recall: self._recall,
            Reorder: lambda event: ("reorder", sentences.reorder(writer, event)),
        }

    def add(self, events: Sequence[Event]) -> None:
        """Adds one step: most have one event, an evaluated leaf has two."""
        if isinstance(events[0], Expand):
            self._proof_step(events)
            return
        kind = ""
        sentence: Sentence = ()
        focus: Name = ()
        for event in events:
            kind, sentence = self._handlers[type(event)](event)
            focus = event.node  # type: ignore[union-attr]
        self.writer.step(kind, self.writer.number(focus), sentence)

    def visit(self, event: Enter, status: str) -> int:
        """Counts a visit and notes who has been looked at."""
        writer = self.writer
        node = writer.number(event.node)
        writer.put("status", node, status)
        writer.bump("nodes")
        writer.most("depth", writer.node(node).depth)
        self._looked_at[node] = set()
        self._see(node)
        self._met.add(node)
        if not self._has_open:  # then it holds a table or a tree, or else the path it is on
            writer.most("peak_open", len(self._met) if self._remembers else writer.count("depth") + 1)
        return node

    def leaf(self, event: Leaf) -> tuple[str, Sentence]:
        """A leaf is evaluated; different ones are counted apart from evaluations."""
        writer = self.writer
        node = writer.number(event.node)
        writer.put("status", node, LEAF)
        writer.put("value", node, (event.value, "exact"))
        writer.bump("evaluations")
        self._leaves.add(node)
        writer.put("counter", "leaves", len(self._leaves))
        return "leaf", sentences.leaf(writer, event)

    def _see(self, node: int) -> None:
        parent = self.writer.node(node).parent
        if parent is not None:
            self._looked_at.setdefault(parent, set()).add(node)

    def _enter(self, event: Enter) -> tuple[str, Sentence]:
        writer = self.writer
        self._go_up(writer.node(writer.number(event.node)).depth)
        node = self.visit(event, ENTERED)
        self._path.append(node)
        for field in ("value", "best"):
            writer.put(field, node, None)
        for child in writer.node(node).children:
            if writer.status(child) == CUT:  # in an earlier pass: now it may be looked at after all
                writer.put("status", child, None)
        if event.alpha is not None and event.beta is not None:
            writer.put("window", node, (event.alpha, event.beta))
        return "enter", sentences.enter(writer, event)

    def _go_up(self, depth: int) -> None:
        """Leaves behind the part of the path that is as deep as *depth* or deeper."""
        for node in self._path[depth:]:
            self.writer.put("window", node, None)
            if self.writer.status(node) == ENTERED:
                self.writer.put("status", node, VISITED)
        del self._path[depth:]

    def _raise(self, event: RaiseAlpha) -> tuple[str, Sentence]:
        self._better(event, "low")
        return "raise", sentences.raise_alpha(self.writer, event)

    def _lower(self, event: LowerBeta) -> tuple[str, Sentence]:
        self._better(event, "high")
        return "lower", sentences.lower_beta(self.writer, event)

    def _better(self, event: RaiseAlpha | LowerBeta, kind: str) -> None:
        writer = self.writer
        node = writer.number(event.node)
        self._go_up(writer.node(node).depth + 1)
        alpha, beta = writer.fields["window"].get(node, (None, None))
        if alpha is not None:
            writer.put("window", node, (event.after, beta) if kind == "low" else (alpha, event.after))
        writer.put("value", node, (event.after, kind))
        writer.put("best", node, writer.number(event.child))

    def _cut(self, event: Cut) -> tuple[str, Sentence]:
        writer = self.writer
        node = writer.number(event.node)
        self._go_up(writer.node(node).depth + 1)
        seen = self._looked_at.get(node, set())
        for child in writer.node(node).children:
            if child not in seen and writer.status(child) in (None, KNOWN):
                writer.put("status", child, CUT)
        writer.bump("cutoffs")
        return "cut", sentences.cut(writer, event)

    def _leave(self, event: Leave) -> tuple[str, Sentence]:
        writer = self.writer
        node = writer.number(event.node)
        self._go_up(writer.node(node).depth)
        writer.put("status", node, VISITED)
        writer.put("value", node, (event.value, event.kind))
        if isinstance(event.leaf, tuple) and isinstance(event.node, tuple):
            writer.put("best", node, writer.table.numbers.get(event.leaf[: len(event.node) + 1]))
        return "leave", sentences.leave(writer, event)

    def _test(self, event: Test) -> tuple[str, Sentence]:
        writer = self.writer
        node = writer.number(event.node)
        self._go_up(writer.node(node).depth)
        if writer.status(node) != LEAF:
            kinds = ("above", "high") if event.strict else ("low", "below")
            writer.put("status", node, VISITED)
            writer.put("value", node, (event.bound, kinds[0] if event.holds else kinds[1]))
        return "test", sentences.answered(writer, event)

    def _recall(self, event: Recall) -> tuple[str, Sentence]:
        node = self.writer.number(event.node)
        self._go_up(self.writer.node(node).depth)
        self._see(node)
        if self.writer.status(node) == CUT:
            self.writer.put("status", node, VISITED)
        self.writer.bump("duplicates")
        return "recall", sentences.recall(self.writer, event)

    def _proof_step(self, events: Sequence[Event]) -> None:
        """Proof-number search makes the children of one node and brings the numbers above up to date."""
        writer = self.writer
        node = writer.number(events[0].node)  # type: ignore[union-attr]
        writer.put("status", node, VISITED if writer.node(node).moves else LEAF)
        made = 0
        for event in events[1:]:
            if isinstance(event, Enter):
                self.visit(event, LIVE)
                made += 1
            elif isinstance(event, Leaf):
                self.leaf(event)
            elif isinstance(event, Proof):
                writer.put("proof", writer.number(event.node), (event.proof, event.disproof))
        writer.step("expand", node, self._proof_words(node, made))

    def _proof_words(self, node: int, made: int) -> Sentence:
        proof, disproof = self.writer.fields["proof"].get(0, (1, 1))
        done = "so its child is made" if made == 1 else f"so its {made} children are made"
        if made == 0:
            done = "and is settled"
        first: Sentence = (node, f" takes part in the cheapest proof and in the cheapest disproof, {done}. ")
        if proof == 0:
            return (*first, "The root is proved: the answer is yes.")
        if disproof == 0:
            return (*first, "The root is disproved: the answer is no.")
        needed = f"{figure(proof)} leaves more to be proved, {figure(disproof)} to be disproved"
        return (*first, f"The root needs {needed}.")
