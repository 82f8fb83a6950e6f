"""A tree as lines of text: one node per line, folded away from the current node.

Small trees are written whole. In larger ones the path to the node in focus is open, with the siblings along it; a folded
node shows the size of its subtree. At the end a star marks best play, or the solution.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from stratagem.plural import plural
from stratagem.show.tree.svg import node_label, shown_statuses
from stratagem.show.walkthrough.model import Frame, Walkthrough

WHOLE = 40  # nodes that are written without folding
SIBLINGS = 12  # children of one node that get a line each
SIGNS = {"max": "□", "min": "○", "chance": "◇", "": "·"}
NOTES = {
    "cut": "cut",
    "purged": "purged",
    "": "not visited",
    "live": "LIVE",
    "solved": "SOLVED",
    "known": "earlier",
}
NOTES_OF_STATES = {"live": "in the fringe", "known": "earlier", "goal": "goal", "leaf": "end"}


class TreeLine(NamedTuple):
    """One line: the *rails* that lead to it, its *text*, the *status* of its node, and whether it is in focus."""

    rails: str
    text: str
    status: str
    focus: bool = False


def lines_of(walkthrough: Walkthrough, frame: Frame, *, whole: int = WHOLE) -> list[TreeLine]:
    """The tree or graph of *walkthrough* at the moment *frame*."""
    return list(_TreeWriter(walkthrough, frame, whole).lines())


class _TreeWriter:
    def __init__(self, walkthrough: Walkthrough, frame: Frame, whole: int) -> None:
        self.walkthrough = walkthrough
        self.frame = frame
        self.status = shown_statuses(walkthrough, frame)
        self.path = set(walkthrough.path(frame.focus))
        if frame.finished:
            self.path.update(walkthrough.line)
        self.all_open = len(self.status) <= whole

    def lines(self) -> Iterator[TreeLine]:
        waiting: list[tuple[int, str, str]] = [
            (root, "", "") for root in reversed(self._shown(self.walkthrough.roots()))
        ]
        while waiting:
            number, rails, onward = waiting.pop()
            if number < 0:
                yield TreeLine(rails, f"… {plural(-number, 'move')} more", "")
                continue
            yield self._line(number, rails)
            children = self._shown(self.walkthrough.nodes[number].children)
            if not children or not (self.all_open or number in self.path):
                continue
            below = self._gathered(children)
            for place in range(len(below) - 1, -1, -1):
                last = place == len(below) - 1
                branch, rest = ("└─", "  ") if last else ("├─", "│ ")
                waiting.append((below[place], onward + branch, onward + rest))

    def _shown(self, nodes: tuple[int, ...]) -> list[int]:
        return [node for node in nodes if node in self.status]

    def _gathered(self, children: list[int]) -> list[int]:
        """*children*, or those near the path where they are many; a negative number stands for so many others."""
        if len(children) <= SIBLINGS:
            return children
        at = next((place for place, child in enumerate(children) if child in self.path), 0)
        start = max(0, min(at - SIBLINGS // 2, len(children) - SIBLINGS))
        end = start + SIBLINGS
        before = [-start] if start else []
        after = [end - len(children)] if end < len(children) else []
        return [*before, *children[start:end], *after]

    def _line(self, number: int, rails: str) -> TreeLine:
        node = self.walkthrough.nodes[number]
        status = self.status[number]
        focus = number == self.frame.focus
        label = node_label(self.walkthrough, self.frame.value, self.frame.proof, number)
        sign = "" if self.walkthrough.shape == "graph" or not node.moves else SIGNS[node.player] + " "
        words = [f"{sign}{label}".strip() or sign.strip()]
        if node.move:
            words.insert(0, f"{node.move}:")
        children = self._shown(node.children)
        above = None if node.parent is None else self.status[node.parent]
        if self.walkthrough.shape == "graph":
            words.append(NOTES_OF_STATES.get(status, ""))
        elif above != status:
            words.append(NOTES.get(status, ""))
        window = self.frame.window.get(number)
        if self.frame.finished and number in self.walkthrough.line:
            words.append("*")
        if focus:
            words.append("◀")
        elif window is None and children and not (self.all_open or number in self.path):
            words.append(f"(+{self._below(number):,})")
        return TreeLine(rails, " ".join(filter(None, words)), status, focus)

    def _below(self, number: int) -> int:
        found = 0
        waiting = self._shown(self.walkthrough.nodes[number].children)
        while waiting:
            node = waiting.pop()
            found += 1
            waiting.extend(self._shown(self.walkthrough.nodes[node].children))
        return found
