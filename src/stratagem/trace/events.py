"""The events of a search: one frozen class per kind of step, sent in the order in which they happen.

A trace is any callable that takes an event: ``heard.append``, `Recorder`, a writer of files. Algorithms build an
event only behind ``if trace is not None``, so that a search without a trace pays nothing.

Nodes are named by where they are. In a tree the name is the path: the numbers of the children taken from the
root, counted from 0 in the game's own order of moves, so that ``()`` is the root and ``(2, 0)`` the first child of
its third child, whatever order a search visits them in and however often. In a graph of states
the name is a number, in the order of first sight: the start is 0. So a renderer can rebuild the tree or graph from the
events alone. Moves are given as text.

The order of the classes below is the order of the lectures: trees, windows, OPEN, proofs, state spaces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Path: TypeAlias = tuple[int, ...]
Name: TypeAlias = int | Path
"""A node of a graph of states, or of a tree."""


@dataclass(frozen=True, slots=True)
class Begin:
    """A search starts. *source* names the game or tree where the caller knows it; *roles*: MAX first."""

    algorithm: str
    roles: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Finish:
    """The search is over; *complete* is False where a limit stopped it."""

    value: float | None
    best_move: str | None
    complete: bool


@dataclass(frozen=True, slots=True)
class Pass:
    """One more pass over the same tree begins: MTD's next question, or the next round of deepening.

    MTD asks whether the root is worth at least *bound* (more than *bound* where *strict*); deepening and IDA*
    go down to *limit*, a depth or a cost.
    """

    number: int
    bound: float | None = None
    strict: bool = False
    limit: float | None = None


# -- trees -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Enter:
    """The search goes down into *node* by *move*, with the window (*alpha*, *beta*) where it has one.

    *player* decides here: "max", "min" or "chance". *children* is how many moves there are; 0 at a leaf.
    """

    node: Name
    player: str
    move: str | None
    children: int
    alpha: float | None = None
    beta: float | None = None


@dataclass(frozen=True, slots=True)
class Leaf:
    """*node* is evaluated: a terminal state (*terminal*) or a node at the horizon.

    *number* counts the leaves of an explicit tree from the left; None in a game.
    """

    node: Name
    value: float
    number: int | None = None
    terminal: bool = True


@dataclass(frozen=True, slots=True)
class Leave:
    """The search goes up from *node* with *value*: exact, or only a lower ("low") or upper ("high") bound.

    *leaf* is where the value comes from, along best play; *move* the move chosen here.
    """

    node: Name
    value: float
    kind: str = "exact"
    move: str | None = None
    leaf: Name | None = None


# -- windows -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RaiseAlpha:
    """MAX, in *node*, has found something better: alpha goes up, because of *leaf* below *child*."""

    node: Name
    child: Name
    before: float
    after: float
    leaf: Name | None = None


@dataclass(frozen=True, slots=True)
class LowerBeta:
    """MIN, in *node*, has found something better: beta goes down, because of *leaf* below *child*."""

    node: Name
    child: Name
    before: float
    after: float
    leaf: Name | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """The children of *node* still to come (*skipped* of them) cannot matter: *value* is past *bound*.

    *node* could have mattered only with a value strictly between *low* and *high*, the window it was entered
    with. *side* "beta": a MAX node is worth at least *bound*, which *ancestor*, a MIN node, need not allow, because
    of *leaf*. *side* "alpha": the same with the players exchanged. *ancestor* and *leaf* are None where the bound
    was there from the start: the question of a pass, or a window given by the caller.
    """

    node: Name
    side: str
    value: float
    bound: float
    low: float
    high: float
    skipped: int
    ancestor: Name | None = None
    leaf: Name | None = None


@dataclass(frozen=True, slots=True)
class Test:
    """A question with an empty window: is *node* worth more than *bound* (at least, where not *strict*)?"""

    node: Name
    bound: float
    strict: bool
    holds: bool


Test.__test__ = False  # type: ignore[attr-defined]  # pytest would take the name for a test class


@dataclass(frozen=True, slots=True)
class Again:
    """*node* did better than its test: it is searched again for its value, with a real window."""

    node: Name
    alpha: float
    beta: float


@dataclass(frozen=True, slots=True)
class Recall:
    """*node* is in the table: its value is known to lie in [*low*, *high*], which settles the question."""

    node: Name
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Reorder:
    """The children of *node* are visited in this *order* from now on (numbers in the game's own order)."""

    node: Name
    order: tuple[int, ...]


# -- OPEN --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Push:
    """*node* goes into OPEN (or the fringe) with *priority*: h of SSS*, f of A*, the depth of a blind search.

    *status* is "LIVE" or "SOLVED" for SSS* and DUAL*, "" elsewhere; *parent* and *move* tell how a state was
    reached; *size* is how many OPEN holds afterwards.
    """

    node: Name
    priority: float
    size: int
    player: str = ""
    status: str = ""
    parent: Name | None = None
    move: str | None = None


@dataclass(frozen=True, slots=True)
class Pop:
    """*node*, the best of OPEN, is taken out; *size* remain."""

    node: Name
    priority: float
    size: int
    player: str = ""
    status: str = ""


@dataclass(frozen=True, slots=True)
class Solve:
    """*node* is SOLVED with *value*, because of *child*: the best of its children, or the last of all."""

    node: Name
    value: float
    child: Name | None = None


@dataclass(frozen=True, slots=True)
class Purge:
    """*node* is solved, so everything below it leaves OPEN: *removed*, from left to right."""

    node: Name
    removed: tuple[Name, ...]


# -- proofs ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Proof:
    """How many leaves must still be settled to prove *node* true, or to disprove it; inf: impossible."""

    node: Name
    proof: float
    disproof: float


# -- state spaces ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expand:
    """The moves of *node* are played out. *side* "forward" or "backward"; *cost*: of the path to it."""

    node: Name
    depth: int
    cost: float = 0
    side: str = "forward"


@dataclass(frozen=True, slots=True)
class Duplicate:
    """*move* leads from *parent* to *node*, a state known already: the edge is kept, the state not kept twice.

    *better* where the new path is cheaper and replaces the old one.
    """

    node: Name
    parent: Name
    move: str | None
    better: bool = False


@dataclass(frozen=True, slots=True)
class Goal:
    """*node* is a goal, worth *value*, reached at *cost*."""

    node: Name
    value: float
    cost: float = 0


@dataclass(frozen=True, slots=True)
class Meet:
    """The forward and the backward search have both reached *node*, at these costs from start and goal."""

    node: Name
    forward: float
    backward: float


Event: TypeAlias = (
    Begin | Finish | Pass
    | Enter | Leaf | Leave
    | RaiseAlpha | LowerBeta | Cut | Test | Again | Recall | Reorder
    | Push | Pop | Solve | Purge
    | Proof
    | Expand | Duplicate | Goal | Meet
)  # fmt: skip

Trace: TypeAlias = Callable[[Event], object]
"""A function that is called with every event of a search."""
