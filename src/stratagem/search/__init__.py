"""The taught algorithms: one readable file each, for explicit trees and for any game.

`ALGORITHMS` maps each name to its function, which is imported when it is first asked for.

>>> from stratagem.machines.trees.tree import Tree
>>> ALGORITHMS["minimax"](Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])).value
3
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType

from stratagem.errors import UsageError
from stratagem.limit import UNLIMITED, Limit
from stratagem.result import Counters, Result
from stratagem.search.adversarial_table import ADVERSARIAL
from stratagem.search.single_table import INFORMED, SINGLE

__all__ = ["ADVERSARIAL", "ALGORITHMS", "INFORMED", "SINGLE", "UNLIMITED", "Counters", "Limit", "Result"]


class Algorithms(Mapping[str, Callable[..., Result]]):
    """Names to search functions, each found at ``module:function`` below this package when it is needed."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = MappingProxyType(dict(places))

    def __getitem__(self, name: str) -> Callable[..., Result]:
        module, _, function = self._places[name].partition(":")
        found: Callable[..., Result] = getattr(import_module(f"{__name__}.{module}"), function)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def find(self, name: str) -> Callable[..., Result]:
        """The function of that *name*, or a `UsageError` that lists the names there are."""
        if name not in self._places:
            raise UsageError(f"there is no algorithm {name!r}", hint=f"there are: {', '.join(self._places)}")
        return self[name]


ALGORITHMS = Algorithms({**ADVERSARIAL, **SINGLE})
