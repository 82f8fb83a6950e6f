"""The theory around the searches: the lectures' formulas, measurements beside them, strategies, and state collapse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.lazy import lazy_names

if TYPE_CHECKING:
    from stratagem.search.theory import formulas as formulas
    from stratagem.search.theory.measurements import UniformTree as UniformTree
    from stratagem.search.theory.measurements import measure as measure
    from stratagem.search.theory.measurements import measure_deepening as measure_deepening
    from stratagem.search.theory.state_collapse import collapse as collapse
    from stratagem.search.theory.strategies import best_strategy as best_strategy
    from stratagem.search.theory.strategies import construct_strategy as construct_strategy
    from stratagem.search.theory.strategies import count_strategies as count_strategies
    from stratagem.search.theory.strategies import enumerate_strategies as enumerate_strategies
    from stratagem.search.theory.strategies import guaranteed_value as guaranteed_value
    from stratagem.search.theory.strategies import initial_clusters as initial_clusters

_HOMES = {
    "UniformTree": "stratagem.search.theory.measurements",
    "best_strategy": "stratagem.search.theory.strategies",
    "construct_strategy": "stratagem.search.theory.strategies",
    "collapse": "stratagem.search.theory.state_collapse",
    "count_strategies": "stratagem.search.theory.strategies",
    "enumerate_strategies": "stratagem.search.theory.strategies",
    "guaranteed_value": "stratagem.search.theory.strategies",
    "initial_clusters": "stratagem.search.theory.strategies",
    "measure": "stratagem.search.theory.measurements",
    "measure_deepening": "stratagem.search.theory.measurements",
}

__all__, __getattr__, __dir__ = lazy_names(__name__, _HOMES, ("formulas",))
