"""Selectivity: how many rows of a relation agree with what is known, from the rows that are there."""

from __future__ import annotations

from typing import Final

import numpy as np

from stratagem.machines.joins.tables import TableStore

SAMPLE: Final = 2_000
"""Rows that are looked at."""
UNSEEN: Final = 8.0
"""Rows that a table is thought to get which has none yet."""
TESTED: Final = 2.0
"""The cost of asking with all columns known, in rows."""
ON_DEMAND: Final = 30.0
"""Values that a column is thought to have in a relation on demand."""


class Selectivity:
    """Estimates for tables as they are filled now."""

    def __init__(self, tables: TableStore) -> None:
        self.tables = tables
        self._known: dict[tuple[int, tuple[int, ...], int], float] = {}

    def matches(self, relation: int, columns: tuple[int, ...]) -> float:
        """How many rows have given values in these *columns*, in the mean over the values that occur."""
        count, arity = self.tables.record.count[relation], self.tables.record.arity[relation]
        if count == 0:
            return UNSEEN ** ((arity - len(columns)) / arity) if arity else 1.0
        if not columns:
            return float(count)
        known = self._known.get((relation, columns, count))
        if known is None:
            rows = self.tables.rows(relation)
            sample = rows[:: max(1, count // SAMPLE)][:, list(columns)]
            different = len(np.unique(sample, axis=0))
            share = count / len(sample)
            known = count / (different if 2 * different < len(sample) else different * share)
            self._known[relation, columns, count] = known
        return known

    def on_demand(self, arity: int, columns: int) -> float:
        """The same for a relation that is worked out on demand."""
        return TESTED * ON_DEMAND ** (arity - columns)
