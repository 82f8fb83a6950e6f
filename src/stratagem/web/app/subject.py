"""The subject of a search in an address: a tree, or a position of a game.

    tree=lecture, tree=lecture36            the lecture's trees
    tree=uniform:3:4:7:iid10                3 moves everywhere, 4 plies, seed 7, leaves by a model
    tree=shape:3-2-2-3:7:worst              3 moves, then 2, 2 and 3, seed 7, the best move always last
    tree=[[3,12,8],[2,4,6]]                 a tree as JSON
    game=..., rules=..., moves=..., depth=  a position of a game

>>> Subject.from_query({"tree": "lecture"}).title
"the lecture's tree"
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Final

from stratagem.errors import LimitExceeded, UsageError
from stratagem.web.app.address import Sheet, moves_from, moves_text, packed, unpacked
from stratagem.web.app.limits import TREE_CHARACTERS, TREE_LEAVES

LECTURE: Final = "lecture"
NAMES: Final = {"lecture": "the lecture's tree", "lecture36": "the lecture's tree of 36 leaves"}
UNIFORM: Final = re.compile(r"uniform:(\d{1,3}):(\d{1,3})(?::(\d{1,9})(?::([a-z0-9:]{1,20}))?)?")
SHAPE: Final = re.compile(r"shape:(\d{1,3}(?:-\d{1,3}){0,59})(?::(\d{1,9})(?::(random|best|worst))?)?")
"""A tree by its number of moves on every level; without a seed it is 1."""
PACKED: Final = "packed."
SHORT: Final = 600
"""Trees whose JSON is longer are packed in addresses."""
DEEPEST: Final = 60
EVALUATIONS: Final = ("even", "mobility")
HEURISTICS: Final = ("none", "patterns", "relaxed")


@dataclass(frozen=True, slots=True)
class Subject:
    """A *tree* by name or as JSON; or else the game of *sheet* after *moves*, *depth* plies ahead."""

    tree: str = ""
    sheet: Sheet | None = None
    moves: tuple[str, ...] = ()
    depth: int | None = None
    evaluation: str = "even"
    heuristic: str = "none"
    """For informed searches, on games only."""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Subject:
        """The subject in an address; the lecture's tree by default."""
        depth = query.get("depth", "")
        plies = min(int(depth), DEEPEST) if depth.isdecimal() and depth.isascii() and len(depth) < 4 else None
        evaluation = query.get("evaluation", "even")
        heuristic = query.get("heuristic", "none")
        if "game" in query or "rules" in query:
            sheet = Sheet.from_query(query)
            return cls("", sheet, moves_from(query.get("moves", "")), plies, evaluation, heuristic).checked()
        tree = query.get("tree", LECTURE)
        if tree.startswith(PACKED):
            tree = unpacked(tree.removeprefix(PACKED))
        return cls(tree, depth=plies).checked()

    def checked(self) -> Subject:
        """This subject, if it is well formed and not too large."""
        if self.evaluation not in EVALUATIONS:
            return replace(self, evaluation="even").checked()
        if self.heuristic not in HEURISTICS:
            return replace(self, heuristic="none").checked()
        if self.sheet is not None or self.tree in NAMES:
            return self
        if len(self.tree) > TREE_CHARACTERS:
            raise LimitExceeded(
                f"this tree has {len(self.tree):,} characters",
                hint=f"at most {TREE_CHARACTERS:,} are allowed",
            )
        degrees = degrees_of(self.tree)
        if degrees is not None:
            if len(degrees) > DEEPEST or min(degrees, default=1) < 1 or prod(degrees) > TREE_LEAVES:
                raise LimitExceeded(
                    f"a tree of {len(degrees)} levels with {'-'.join(map(str, degrees[:20]))} moves cannot be shown",
                    hint=f"every inner node needs a move, and there may be at most {TREE_LEAVES:,} leaves",
                )
        elif not self.tree.lstrip().startswith(("[", "{")):
            raise UsageError(f"{self.tree[:40]} is not a tree", hint="write one like [[3, 12, 8], [2, 4, 6]]")
        return self

    def query(self) -> dict[str, str]:
        """The part of an address that gives this subject."""
        depth = "" if self.depth is None else str(self.depth)
        if self.sheet is not None:
            evaluation = "" if self.evaluation == "even" else self.evaluation
            heuristic = "" if self.heuristic == "none" else self.heuristic
            moves = moves_text(self.moves)
            return {
                **self.sheet.query(),
                "moves": moves,
                "depth": depth,
                "evaluation": evaluation,
                "heuristic": heuristic,
            }
        tree = self.tree if len(self.tree) <= SHORT else f"{PACKED}{packed(self.tree)}"
        return {"tree": tree, "depth": depth}

    @property
    def title(self) -> str:
        if self.sheet is not None:
            return self.sheet.title
        return NAMES.get(self.tree) or ("a random tree" if self.kind == "random" else "your tree")

    @property
    def kind(self) -> str:
        """``lecture``, ``lecture36``, ``random``, ``own`` or ``game``."""
        if self.sheet is not None:
            return "game"
        made = self.tree.startswith(("uniform", "shape"))
        return self.tree if self.tree in NAMES else "random" if made else "own"


def degrees_of(tree: str) -> tuple[int, ...] | None:
    """How many moves there are on each level of a random tree; None where *tree* names none.

    >>> degrees_of("uniform:3:2"), degrees_of("shape:3-2-2"), degrees_of("[1, 2]")
    ((3, 3), (3, 2, 2), None)
    """
    uniform, shape = UNIFORM.fullmatch(tree), SHAPE.fullmatch(tree)
    if uniform is not None:
        return (int(uniform[1]),) * int(uniform[2])
    return None if shape is None else tuple(map(int, shape[1].split("-")))


def edited(spec: Any, path: list[int], value: float) -> Any:
    """*spec* with the leaf at *path* worth *value*; refuses a path that does not lead to a leaf.

    >>> edited([[3, 12], 8], [0, 1], 5)
    [[3, 5], 8]
    """
    if not path:
        if isinstance(spec, list | dict):
            raise UsageError("only leaves have values that can be changed", hint="choose a leaf")
        return value
    below = spec["children"] if isinstance(spec, dict) else spec
    if not isinstance(below, list) or not 0 <= path[0] < len(below):
        raise UsageError("there is no such leaf", hint="choose a leaf")
    changed = [edited(child, path[1:], value) if at == path[0] else child for at, child in enumerate(below)]
    return {**spec, "children": changed} if isinstance(spec, dict) else changed
