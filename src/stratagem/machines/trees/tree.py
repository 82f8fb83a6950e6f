"""Explicit game trees as a `Game`: from the lecture, from nested lists or from a file.

    7                                                      a leaf worth 7 to MAX
    [3, 12, 8]                                             a node with three leaves
    {"player": "min", "children": [3, 12, 8]}              a node that says who decides in it
    {"chances": [0.5, 0.25, 0.25], "children": [3, 12, 8]}    a node where chance decides
    {"children": [3, 12, 8], "estimate": 6}                a node with a value for searches that stop here

MAX decides at the root and the players alternate, unless a node names its player. Below a chance node it is the turn of
the opponent of the last player. States are numbers of nodes in pre-order, the root is
0; a move is the number of a child, from 0; leaves are numbered from the left, from 0.

The whole tree is in memory and nothing here recurses, so a tree may have any depth.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isclose
from pathlib import Path
from typing import Any, TypeAlias

from stratagem.errors import UsageError
from stratagem.game import JointMove, Role

MAX, MIN, CHANCE = "max", "min", "chance"
RANDOM = "random"  # the role that moves at chance nodes, by its name in GDL
NOOP = "noop"
LARGEST = 2**53  # beyond it neighbouring whole numbers are the same floating-point number

Spec: TypeAlias = Any
"""Nested lists and objects as JSON has them; `Tree.of` checks them."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A game tree with MAX and MIN, and chance where it has chance nodes; implements `Game`.

    >>> tree = Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
    >>> tree.leaves
    (3, 12, 8, 2, 4, 6, 14, 5, 2)
    >>> second = tree.next(tree.initial(), {"max": 1, "min": "noop"})
    >>> tree.legals(second, "min"), tree.player(second)
    ((0, 1, 2), 'min')
    """

    children: tuple[tuple[int, ...], ...]
    players: tuple[str, ...]
    values: tuple[float | None, ...]
    """Of each node: a leaf's value, the estimate of an inner node, or None."""
    odds: Mapping[int, tuple[float, ...]] = field(default_factory=dict, hash=False)
    """The probabilities of the children, of chance nodes only."""
    leaf_nodes: tuple[int, ...] = field(init=False, repr=False, compare=False)
    _leaf_numbers: Mapping[int, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        leaf_nodes = tuple(node for node, below in enumerate(self.children) if not below)
        object.__setattr__(self, "leaf_nodes", leaf_nodes)
        object.__setattr__(self, "_leaf_numbers", {node: number for number, node in enumerate(leaf_nodes)})

    @classmethod
    def of(cls, spec: Spec, *, root: str = MAX) -> Tree:
        """The tree that *spec* describes (see the top of this file); *root* decides first: "max" or "min"."""
        if root not in (MAX, MIN):
            raise UsageError(f"the root must be max or min, not {root!r}")
        return _build(spec, root)

    @classmethod
    def parse(cls, text: str, *, root: str = MAX, name: str = "tree") -> Tree:
        """The tree in JSON *text*; *name* stands for the text in messages."""
        try:
            spec = json.loads(text)
        except ValueError as fault:
            raise UsageError(
                f"{name}: a tree in JSON was expected: {fault}",
                hint="write nested lists of numbers, like [[3, 12, 8], [2, 4, 6]]",
            ) from fault
        except RecursionError as fault:
            raise UsageError(
                f"{name}: the brackets are nested too deeply for a JSON reader",
                hint="build the tree in Python with Tree.of",
            ) from fault
        return cls.of(spec, root=root)

    @classmethod
    def load(cls, path: str | Path, *, root: str = MAX) -> Tree:
        """The tree in the JSON file at *path*."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as fault:
            raise UsageError(f"{path}: cannot be read as a tree: {fault}") from fault
        return cls.parse(text, root=root, name=str(path))

    @property
    def roles(self) -> tuple[Role, ...]:
        return (MAX, MIN, RANDOM) if self.odds else (MAX, MIN)

    def initial(self) -> int:
        return 0

    def legals(self, state: int, role: Role) -> tuple[int | str, ...]:
        if self._role(state) == role and self.children[state]:
            return tuple(range(len(self.children[state])))
        return (NOOP,)

    def next(self, state: int, joint: JointMove) -> int:
        role = self._role(state)
        move = joint[role] if isinstance(joint, Mapping) else joint[self.roles.index(role)]
        return self.children[state][move]

    def terminal(self, state: int) -> bool:
        return not self.children[state]

    def goal(self, state: int, role: Role) -> float | None:
        """A leaf's value for MAX and its negative for MIN; the estimate of an inner node, None without one."""
        value = self.values[state]
        if value is None or role == MAX:
            return value
        return -value if role == MIN else 0

    def player(self, state: int) -> str:
        """Who decides in *state*: "max", "min" or "chance". A leaf belongs to the player who would be next."""
        return self.players[state]

    def chances(self, state: int) -> tuple[float, ...]:
        """The probabilities of the children of a chance node, in their order; empty at other nodes."""
        return self.odds.get(state, ())

    def leaf_number(self, state: int) -> int:
        """Which leaf *state* is, from the left, from 0; -1 for an inner node."""
        return self._leaf_numbers.get(state, -1)

    @property
    def leaves(self) -> tuple[float, ...]:
        """The values of the leaves, from left to right."""
        return tuple(value for node in self.leaf_nodes if (value := self.values[node]) is not None)

    def spec(self) -> Spec:
        """The tree as nested lists and objects again: ``Tree.of(tree.spec())`` is this tree."""
        turns = [MAX] * len(self)
        for node, below in enumerate(self.children):
            for child in below:
                turns[child] = turns[node] if self.players[node] == CHANCE else _opponent(self.players[node])
        specs: list[Spec] = list(self.values)
        for node in reversed(range(len(self))):
            if below := self.children[node]:
                specs[node] = self._inner_spec(node, turns[node], [specs[child] for child in below])
        return specs[0]

    def to_json(self) -> str:
        """The tree as JSON text, for `Tree.parse`."""
        return json.dumps(self.spec())

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.children)

    def _role(self, state: int) -> Role:
        player = self.players[state]
        return RANDOM if player == CHANCE else player

    def _inner_spec(self, node: int, turn: str, below: list[Spec]) -> Spec:
        extras: dict[str, Spec] = {}
        if node in self.odds:
            extras["chances"] = list(self.odds[node])
        elif self.players[node] != turn:
            extras["player"] = self.players[node]
        if self.values[node] is not None:
            extras["estimate"] = self.values[node]
        return {**extras, "children": below} if extras else below


def _opponent(player: str) -> str:
    return MIN if player == MAX else MAX


def _build(spec: Spec, root: str) -> Tree:
    children: list[list[int]] = []
    players: list[str] = []
    values: list[float | None] = []
    odds: dict[int, tuple[float, ...]] = {}
    parents: list[int] = []
    waiting: list[tuple[Spec, int, str]] = [(spec, -1, root)]  # with its parent and whose turn it would be
    while waiting:
        item, parent, turn = waiting.pop()
        node = len(children)
        if parent >= 0:
            children[parent].append(node)
        parents.append(parent)
        children.append([])
        try:
            below, player, value, chances = _read(item, turn)
        except ValueError as fault:
            raise UsageError(f"{_place(node, parents, children)}: {fault}") from None
        players.append(player)
        values.append(value)
        if player == CHANCE:
            odds[node] = chances
        after = turn if player == CHANCE else _opponent(player)
        waiting.extend((child, node, after) for child in reversed(below))
    return Tree(tuple(map(tuple, children)), tuple(players), tuple(values), odds)


def _place(node: int, parents: list[int], children: list[list[int]]) -> str:
    """Where *node* is, as Python would write it: ``tree[1][0]``."""
    steps: list[str] = []
    while parents[node] >= 0:
        steps.append(f"[{children[parents[node]].index(node)}]")
        node = parents[node]
    return "tree" + "".join(reversed(steps))


def _read(item: Spec, turn: str) -> tuple[Sequence[Spec], str, float | None, tuple[float, ...]]:
    """The children, the player, the value and the chances that one node's *item* states, or a ValueError."""
    if isinstance(item, list | tuple):
        return _children(item), turn, None, ()
    if not isinstance(item, dict):
        return (), turn, _number(item, "a number, a list of children or an object with children"), ()
    if unknown := set(item) - {"children", "player", "chances", "estimate"}:
        raise ValueError(
            f"the key {min(map(str, unknown))!r} is not one of children, player, chances, estimate"
        )
    below = _children(item.get("children"))
    estimate = _number(item["estimate"], "a number as estimate") if "estimate" in item else None
    if "chances" in item:
        if item.get("player", CHANCE) != CHANCE:
            raise ValueError(f"chances are given, so chance decides here and not {item['player']!r}")
        return below, CHANCE, estimate, _chances(item["chances"], len(below))
    player = item.get("player", turn)
    if player == CHANCE:
        return below, CHANCE, estimate, (1 / len(below),) * len(below)
    if player not in (MAX, MIN):
        raise ValueError(f"the player must be max, min or chance, not {player!r}")
    return below, player, estimate, ()


def _children(items: Spec) -> Sequence[Spec]:
    if not isinstance(items, list | tuple) or not items:
        raise ValueError(f"a list of at least one child was expected, found {_short(items)}")
    return items


def _number(item: Spec, expected: str) -> float:
    if isinstance(item, bool) or not isinstance(item, int | float):
        raise ValueError(f"{expected} was expected, found {_short(item)}")
    if not (abs(item) <= LARGEST or item in (inf, -inf)):  # NaN, too, is neither
        raise ValueError(f"{_short(item)} cannot be compared exactly: numbers go up to 2^53, or are infinite")
    return item


def _chances(items: Spec, count: int) -> tuple[float, ...]:
    if not isinstance(items, list | tuple) or len(items) != count:
        raise ValueError(f"{count} chances were expected, one per child, found {_short(items)}")
    chances = tuple(_number(item, "a number as chance") for item in items)
    if any(chance < 0 for chance in chances) or not isclose(sum(chances), 1):
        raise ValueError(
            f"chances must not be negative and must add up to 1, these add up to {sum(chances):g}"
        )
    return chances


def _short(item: Spec) -> str:
    return reprlib.repr(item)  # it cuts what is long, and what is deep
