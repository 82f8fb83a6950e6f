"""A search step by step, as data: its nodes, and what changes at each step. The model behind every renderer.

A step is one evaluated leaf, one change of a bound, one cut; for searches with an OPEN list or a fringe, everything from
one pop to the next. It has a sentence and changes, and a change holds the values before and after, so that steps go
backwards as easily as forwards, at a cost independent of the size of the tree. `build_walkthrough` makes walkthroughs
from events; a `Cursor` moves through one.

The state at a step is kept in fields, each a mapping without entries for defaults:

    status    node -> its status, see below                  open     arrival number -> `OpenEntry` of OPEN or the fringe
    value     node -> (value, "exact" | "low" | "high")      link     number of a link -> "known" | "better" | "meet"
    window    node -> (alpha, beta)                          counter  name -> number
    best      node -> the child its value comes from         now      "focus" -> node, "round" -> what is asked
    proof     node -> (proof number, disproof number)

    known     met in an earlier round      leaf      evaluated                   solved    SOLVED
    live      in OPEN or the fringe        visited   finished                    purged    removed from OPEN
    entered   being searched               cut       need not be searched        goal      a goal of a puzzle
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from stratagem.trace.events import Name

KNOWN, LIVE, ENTERED, LEAF, VISITED = "known", "live", "entered", "leaf", "visited"
CUT, SOLVED, PURGED, GOAL = "cut", "solved", "purged", "goal"
FIELDS = ("status", "value", "window", "best", "proof", "open", "link", "counter", "now")

Sentence: TypeAlias = tuple[str | int, ...]
"""Text in parts; a number stands for the name of that node, so that a page can link it."""


@dataclass(frozen=True, slots=True)
class WalkthroughNode:
    """The constant data of a node. *children* and *parent* are numbers of nodes of the walkthrough.

    *moves* says how many children there are in the game, *printed* what an explicit tree says a leaf is worth.
    *odds* is the probability that chance leads here. *side* is "backward" where a search from the goal came here: the move then
    leads from this node to the parent.
    """

    name: Name
    parent: int | None
    move: str
    player: str
    depth: int
    moves: int
    children: tuple[int, ...] = ()
    printed: float | None = None
    side: str = "forward"
    odds: float | None = None


class Link(NamedTuple):
    """A further edge to a known state, which is not part of the drawn tree; *side* as for nodes."""

    parent: int
    node: int
    move: str
    side: str = "forward"


class OpenEntry(NamedTuple):
    """A record of OPEN or of the fringe, by order of *arrival*.

    *cluster* numbers the strategies it stands for, *size* says how many those are (None: not known).
    *side* is "backward" for the half of a search that comes from the goal.
    """

    arrival: int
    node: int
    priority: float
    status: str = ""
    cluster: int | None = None
    size: int | None = None
    side: str = "forward"


class Change(NamedTuple):
    """One entry of one field becomes another; None stands for no entry."""

    field: str
    key: int | str
    before: Any
    after: Any


class WalkthroughStep(NamedTuple):
    """One step: *kind* is the event in one word, *focus* the node concerned."""

    kind: str
    focus: int | None
    sentence: Sentence
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Walkthrough:
    """A whole search, step by step. *nodes* are in pre-order; those of a graph in order of discovery."""

    algorithm: str
    label: str
    roles: tuple[str, ...]
    nodes: tuple[WalkthroughNode, ...]
    links: tuple[Link, ...]
    steps: tuple[WalkthroughStep, ...]
    shape: str = "tree"
    """"tree", or "graph" where nodes are states."""
    order: str = ""
    """How OPEN is read, best first: "greatest", "least", "first", "last", "cheapest"; "" where there is none."""
    outlined: bool = False
    """Whether *nodes* is the whole tree, not only what the search visited."""
    strategy: frozenset[int] = frozenset()
    line: tuple[int, ...] = ()
    """The nodes of best play, or of the solution, from the start on; known at the end."""
    value: float | None = None
    notes: tuple[str, ...] = ()
    positions: Mapping[int, str] = field(default_factory=dict)
    """Drawings of the nodes as positions of the game, where they are known."""

    def call(self, node: int) -> str:
        """The name of *node* in a sentence."""
        return self.names([node])[0]

    def names(self, nodes: Sequence[int]) -> list[str]:
        return [name_of(self.nodes, node) for node in nodes]

    def text(self, number: int) -> str:
        """The sentence of a step, as plain text."""
        return spoken(self.steps[number].sentence, self.call)

    def path(self, node: int | None) -> tuple[int, ...]:
        """The nodes from the root down to *node*."""
        found: list[int] = []
        while node is not None:
            found.append(node)
            node = self.nodes[node].parent
        return tuple(reversed(found))

    def roots(self) -> tuple[int, ...]:
        return tuple(number for number, node in enumerate(self.nodes) if node.parent is None)

    def find(self, kind: str, after: int = -1) -> int | None:
        """The first step of that *kind* behind step *after*; a purge counts as a cut."""
        kinds = ("cut", "purge") if kind == "cut" else (kind,)
        for number in range(after + 1, len(self.steps)):
            if self.steps[number].kind in kinds:
                return number
        return None


@dataclass(frozen=True, slots=True)
class Frame:
    """The state at one step, as data. *open* is sorted, the best first."""

    number: int
    kind: str
    focus: int | None
    sentence: str
    status: Mapping[int, str]
    value: Mapping[int, tuple[float, str]]
    window: Mapping[int, tuple[float, float]]
    best: Mapping[int, int]
    proof: Mapping[int, tuple[float, float]]
    open: tuple[OpenEntry, ...]
    link: Mapping[int, str]
    counters: Mapping[str, int]
    round: str
    finished: bool


@dataclass(slots=True)
class Cursor:
    """A place in a *walkthrough*, with the state there. `seek` costs the changes of the steps in between.

    >>> from stratagem.machines.trees.models import lecture_tree
    >>> from stratagem.explanation import explain
    >>> cursor = Cursor(explain(lecture_tree(), "sss-star").walkthrough)
    >>> cursor.seek(-1).frame().value[0]
    (12, 'exact')
    """

    walkthrough: Walkthrough
    number: int = -1
    fields: dict[str, dict[Any, Any]] = field(default_factory=lambda: {name: {} for name in FIELDS})

    def __post_init__(self) -> None:
        self.seek(0)

    def seek(self, number: int) -> Cursor:
        """Goes to step *number*, or the nearest there is; negative ones count from the end."""
        steps = self.walkthrough.steps
        if number < 0:
            number += len(steps)
        number = max(0, min(number, len(steps) - 1))
        while self.number < number:
            self.number += 1
            for change in steps[self.number].changes:
                self._put(change.field, change.key, change.after)
        while self.number > number:
            for change in reversed(steps[self.number].changes):
                self._put(change.field, change.key, change.before)
            self.number -= 1
        return self

    def _put(self, name: str, key: int | str, value: Any) -> None:
        if value is None:
            del self.fields[name][key]
        else:
            self.fields[name][key] = value

    def open(self) -> tuple[OpenEntry, ...]:
        """OPEN or the fringe, the next to be taken out first."""
        return tuple(sorted(self.fields["open"].values(), key=reading_order(self.walkthrough)))

    def frame(self) -> Frame:
        """A copy of the state at this step."""
        step = self.walkthrough.steps[self.number]
        now = self.fields["now"]
        return Frame(
            number=self.number,
            kind=step.kind,
            focus=step.focus,
            sentence=self.walkthrough.text(self.number),
            open=self.open(),
            counters=dict(self.fields["counter"]),
            round=now.get("round", ""),
            finished="finished" in now,
            **{
                name: dict(self.fields[name])
                for name in ("status", "value", "window", "best", "proof", "link")
            },
        )


def reading_order(walkthrough: Walkthrough) -> Callable[[OpenEntry], tuple[Any, ...]]:
    """The key that puts the entries of OPEN in the order in which they would be taken out."""
    if walkthrough.order == "greatest":
        return lambda entry: (-entry.priority, entry.node)  # numbers of nodes grow from left to right
    if walkthrough.order == "least":
        return lambda entry: (entry.priority, entry.node)
    if walkthrough.order == "last":
        return lambda entry: (-entry.arrival,)
    if walkthrough.order == "cheapest":
        return lambda entry: (entry.priority, entry.arrival)
    return lambda entry: (entry.arrival,)


def name_of(nodes: Sequence[WalkthroughNode], number: int, most: int = 3) -> str:
    """A name for people: the moves to a node of a tree, the last *most* of them; the number of a state."""
    node = nodes[number]
    if isinstance(node.name, int):
        return f"state {node.name}"
    if node.parent is None:
        return "the root"
    moves: list[str] = []
    above: int | None = number
    while above is not None and nodes[above].parent is not None:
        moves.append(nodes[above].move or "?")
        above = nodes[above].parent
    moves.reverse()
    if all(len(move) <= 2 for move in moves):
        return f"node {'.'.join(moves)}"
    return f"node {'… ' if len(moves) > most else ''}{' '.join(moves[-most:])}"


def spoken(sentence: Sentence, call: Callable[[int], str]) -> str:
    """A sentence as plain text, beginning with a capital letter; a leaf is not called a node as well."""
    text = ""
    for part in sentence:
        if isinstance(part, int):
            name = call(part)
            if text.endswith("leaf "):
                name = name.removeprefix("node ")
            elif text.endswith(". "):
                name = name[:1].upper() + name[1:]
            text += name
        else:
            text += part
    return text[:1].upper() + text[1:]
