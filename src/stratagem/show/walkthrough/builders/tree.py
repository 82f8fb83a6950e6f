"""Tells what happens in searches that walk a tree from the left: minimax to MTD(f), and proof-number search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stratagem.show.figures import figure
from stratagem.show.walkthrough import sentences
from stratagem.show.walkthrough.model import CUT, ENTERED, KNOWN, LEAF, LIVE, VISITED, Sentence
from stratagem.show.walkthrough.writer import Pen
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


class TreeTeller:
    """Changes the nodes on the way down and up; one call of `tell` is one step."""

    def __init__(self, pen: Pen, algorithm: str = "") -> None:
        self.pen = pen
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
            Again: lambda event: ("again", sentences.again(pen, event)),
            Recall: self._recall,
            Reorder: lambda event: ("reorder", sentences.reorder(pen, event)),
        }

    def tell(self, scene: Sequence[Event]) -> None:
        """One step from one scene: most have one event, an evaluated leaf has two."""
        if isinstance(scene[0], Expand):
            self._proof_step(scene)
            return
        kind = ""
        sentence: Sentence = ()
        focus: Name = ()
        for event in scene:
            kind, sentence = self._handlers[type(event)](event)
            focus = event.node  # type: ignore[union-attr]
        self.pen.step(kind, self.pen.number(focus), sentence)

    def visit(self, event: Enter, status: str) -> int:
        """Counts a visit and notes who has been looked at."""
        pen = self.pen
        node = pen.number(event.node)
        pen.put("status", node, status)
        pen.bump("nodes")
        pen.most("depth", pen.node(node).depth)
        self._looked_at[node] = set()
        self._see(node)
        self._met.add(node)
        if not self._has_open:  # then it holds a table or a tree, or else the path it is on
            pen.most("peak_open", len(self._met) if self._remembers else pen.count("depth") + 1)
        return node

    def leaf(self, event: Leaf) -> tuple[str, Sentence]:
        """A leaf is evaluated; different ones are counted apart from evaluations."""
        pen = self.pen
        node = pen.number(event.node)
        pen.put("status", node, LEAF)
        pen.put("value", node, (event.value, "exact"))
        pen.bump("evaluations")
        self._leaves.add(node)
        pen.put("counter", "leaves", len(self._leaves))
        return "leaf", sentences.leaf(pen, event)

    def _see(self, node: int) -> None:
        parent = self.pen.node(node).parent
        if parent is not None:
            self._looked_at.setdefault(parent, set()).add(node)

    def _enter(self, event: Enter) -> tuple[str, Sentence]:
        pen = self.pen
        self._go_up(pen.node(pen.number(event.node)).depth)
        node = self.visit(event, ENTERED)
        self._path.append(node)
        for field in ("value", "best"):
            pen.put(field, node, None)
        for child in pen.node(node).children:
            if pen.status(child) == CUT:  # in an earlier pass: now it may be looked at after all
                pen.put("status", child, None)
        if event.alpha is not None and event.beta is not None:
            pen.put("window", node, (event.alpha, event.beta))
        return "enter", sentences.enter(pen, event)

    def _go_up(self, depth: int) -> None:
        """Leaves behind the part of the path that is as deep as *depth* or deeper."""
        for node in self._path[depth:]:
            self.pen.put("window", node, None)
            if self.pen.status(node) == ENTERED:
                self.pen.put("status", node, VISITED)
        del self._path[depth:]

    def _raise(self, event: RaiseAlpha) -> tuple[str, Sentence]:
        self._better(event, "low")
        return "raise", sentences.raise_alpha(self.pen, event)

    def _lower(self, event: LowerBeta) -> tuple[str, Sentence]:
        self._better(event, "high")
        return "lower", sentences.lower_beta(self.pen, event)

    def _better(self, event: RaiseAlpha | LowerBeta, kind: str) -> None:
        pen = self.pen
        node = pen.number(event.node)
        self._go_up(pen.node(node).depth + 1)
        alpha, beta = pen.fields["window"].get(node, (None, None))
        if alpha is not None:
            pen.put("window", node, (event.after, beta) if kind == "low" else (alpha, event.after))
        pen.put("value", node, (event.after, kind))
        pen.put("best", node, pen.number(event.child))

    def _cut(self, event: Cut) -> tuple[str, Sentence]:
        pen = self.pen
        node = pen.number(event.node)
        self._go_up(pen.node(node).depth + 1)
        seen = self._looked_at.get(node, set())
        for child in pen.node(node).children:
            if child not in seen and pen.status(child) in (None, KNOWN):
                pen.put("status", child, CUT)
        pen.bump("cutoffs")
        return "cut", sentences.cut(pen, event)

    def _leave(self, event: Leave) -> tuple[str, Sentence]:
        pen = self.pen
        node = pen.number(event.node)
        self._go_up(pen.node(node).depth)
        pen.put("status", node, VISITED)
        pen.put("value", node, (event.value, event.kind))
        if isinstance(event.leaf, tuple) and isinstance(event.node, tuple):
            pen.put("best", node, pen.skeleton.numbers.get(event.leaf[: len(event.node) + 1]))
        return "leave", sentences.leave(pen, event)

    def _test(self, event: Test) -> tuple[str, Sentence]:
        pen = self.pen
        node = pen.number(event.node)
        self._go_up(pen.node(node).depth)
        if pen.status(node) != LEAF:
            kinds = ("above", "high") if event.strict else ("low", "below")
            pen.put("status", node, VISITED)
            pen.put("value", node, (event.bound, kinds[0] if event.holds else kinds[1]))
        return "test", sentences.answered(pen, event)

    def _recall(self, event: Recall) -> tuple[str, Sentence]:
        node = self.pen.number(event.node)
        self._go_up(self.pen.node(node).depth)
        self._see(node)
        if self.pen.status(node) == CUT:
            self.pen.put("status", node, VISITED)
        self.pen.bump("duplicates")
        return "recall", sentences.recall(self.pen, event)

    def _proof_step(self, scene: Sequence[Event]) -> None:
        """Proof-number search makes the children of one node and brings the numbers above up to date."""
        pen = self.pen
        node = pen.number(scene[0].node)  # type: ignore[union-attr]
        pen.put("status", node, VISITED if pen.node(node).moves else LEAF)
        made = 0
        for event in scene[1:]:
            if isinstance(event, Enter):
                self.visit(event, LIVE)
                made += 1
            elif isinstance(event, Leaf):
                self.leaf(event)
            elif isinstance(event, Proof):
                pen.put("proof", pen.number(event.node), (event.proof, event.disproof))
        pen.step("expand", node, self._proof_words(node, made))

    def _proof_words(self, node: int, made: int) -> Sentence:
        proof, disproof = self.pen.fields["proof"].get(0, (1, 1))
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
