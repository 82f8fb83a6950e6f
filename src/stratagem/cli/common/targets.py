"""The argument GAME|TREE of the commands that search: a game or a tree, and the state to start from.

tictactoe, sheets/mine.kif, "(role x) ..."    rules, by name, path or text
"[[3, 12, 8], [2, 4, 6]]"                     a tree in JSON, MAX to move at its root
tree.json                                     the same in a file
lecture, lecture36                            the lecture's trees, of 16 and of 36 leaves
uniform:3:4, uniform:3:4:7                    3 moves everywhere, 4 plies, leaves shuffled by seed 1, or 7
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stratagem.errors import IllegalMove, UsageError
from stratagem.game import Game


class Target(NamedTuple):
    """The game to search, the state to start from, and a short name for both; unpacks in that order."""

    game: Game[Any]
    start: Any
    label: str


def resolve(text: str, sizes: Sequence[str] = (), after: str = "", *, seconds: float | None = None) -> Target:
    """The game or tree that *text* names, with the position after the moves in *after*.

    *sizes* are settings like ``columns=5`` and belong to games only. In a tree a move is the number of a child. Compiling
    rules may take *seconds*, as `load` says.

    >>> game, start, label = resolve("[[3, 12, 8], [2, 4, 6]]", after="1")
    >>> game.legals(start, "min"), label
    ((0, 1, 2), 'tree after 1')
    """
    tree = _tree(text)
    if tree is None:
        return _rules(text, sizes, after, seconds)
    if sizes:
        raise UsageError("a tree has no sizes to set", hint="leave --set out, or name a game")
    game, name = tree
    return Target(game, _descend(game, after), _label(name, after))


def is_tree(text: str) -> bool:
    """Whether *text* names a tree: JSON, a .json file, or one of the names of trees."""
    return (
        text in ("lecture", "lecture36")
        or text.lstrip()[:1] in ("[", "{")
        or text.startswith("uniform:")
        or Path(text).suffix == ".json"
    )


def _tree(text: str) -> tuple[Any, str] | None:
    if not is_tree(text):
        return None
    from stratagem.machines.trees.models import lecture_tree, thirty_six_leaves
    from stratagem.machines.trees.tree import Tree

    if text == "lecture":
        return lecture_tree(), "the lecture's tree"
    if text == "lecture36":
        return thirty_six_leaves(), "the lecture's tree of 36 leaves"
    if text.startswith("uniform:"):
        return _uniform(text), text
    if Path(text).suffix == ".json":
        return Tree.load(text), Path(text).name
    return Tree.parse(text), "tree"


def _uniform(text: str) -> Any:
    from stratagem.machines.trees.models import uniform

    match = re.fullmatch(r"uniform:(\d{1,4}):(\d{1,4})(?::(\d{1,19}))?", text)
    if match is None:
        raise UsageError(
            f"{text}: a uniform tree was expected", hint="write uniform:BRANCHING:DEPTH or with :SEED"
        )
    return uniform(int(match[1]), int(match[2]), seed=int(match[3] or 1))


def _descend(tree: Any, after: str) -> int:
    """The node reached from the root of *tree* by the children numbered in *after*."""
    state: int = tree.initial()
    for word in after.replace(",", " ").split():
        children = tree.children[state]
        if not word.isdecimal() or int(word) >= len(children):
            legal = f"a number from 0 to {len(children) - 1}" if children else "nothing: this is a leaf"
            raise IllegalMove(f"{word} is not a move here", hint=f"legal is {legal}")
        state = children[int(word)]
    return state


def _rules(text: str, sizes: Sequence[str], after: str, seconds: float | None) -> Target:
    from stratagem.cli.common.arguments import after as position_after
    from stratagem.cli.common.arguments import settings
    from stratagem.loading import load

    game = load(text, settings=settings(list(sizes)), seconds=seconds)
    return Target(game, position_after(game, after), _label(game.identity.name, after))


def _label(name: str, after: str) -> str:
    return f"{name} after {after.strip()}" if after.strip() else name
