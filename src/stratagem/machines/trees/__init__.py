"""Games given as explicit trees and graphs: the lecture's trees, random ones, your own, and mazes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.lazy import lazy_names

if TYPE_CHECKING:
    from stratagem.machines.trees.graph import maze as maze
    from stratagem.machines.trees.models import lecture_tree as lecture_tree
    from stratagem.machines.trees.models import ordered as ordered
    from stratagem.machines.trees.models import thirty_six_leaves as thirty_six_leaves
    from stratagem.machines.trees.models import uniform as uniform
    from stratagem.machines.trees.tree import Tree as Tree

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Tree": "stratagem.machines.trees.tree",
        "lecture_tree": "stratagem.machines.trees.models",
        "maze": "stratagem.machines.trees.graph",
        "ordered": "stratagem.machines.trees.models",
        "thirty_six_leaves": "stratagem.machines.trees.models",
        "uniform": "stratagem.machines.trees.models",
    },
)
