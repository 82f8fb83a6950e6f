"""Packages whose public names are imported when they are first used, so that importing the package costs nothing.

if TYPE_CHECKING:
    from stratagem.engine.mcts.search import Mcts as Mcts
__all__, __getattr__, __dir__ = lazy_names(__name__, {"Mcts": "stratagem.engine.mcts.search"})
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def lazy_names(
    package: str, homes: Mapping[str, str], modules: Sequence[str] = ()
) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of *package*; *homes* maps each name to the module that defines it.

    *modules* are those of its own modules that are public as a whole.
    """

    def find(name: str) -> object:
        value: object
        if name in homes:
            value = getattr(import_module(homes[name]), name)
        elif name in modules:
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    names = sorted([*homes, *modules])
    return names, find, lambda: names
