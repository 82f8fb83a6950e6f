"""The tables of a sheet's relations as kernels see them: room for rows, and indices by columns."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import LimitExceeded
from stratagem.kernels import Array, int32
from stratagem.machines.joins.kernels.memory import RelationTables
from stratagem.machines.joins.kernels.tables import add_rows, fill_index
from stratagem.machines.joins.terms import grown

ROWS: Final = 16
"""Room of a new table."""
ROWS_AT_MOST: Final = 2_000_000
GROWTH: Final = 4


PER_RELATION: Final = {
    "arity": np.int32,
    "level": np.int32,
    "count": np.int32,
    "room": np.int32,
    "first_cell": np.int64,
    "generation": np.int64,
    "first_index": np.int32,
    "old": np.int32,
    "new": np.int32,
}
PER_INDEX: Final = {
    "relation": np.int32,
    "first_column": np.int32,
    "column_count": np.int32,
    "mask": np.int64,
    "first_head": np.int64,
    "first_link": np.int64,
    "filled": np.int32,
    "filled_for": np.int64,
}


class TableStore:
    """Relations by number, in the memory of kernels; *names* are for messages."""

    def __init__(self, code: Any) -> None:
        self.code = code
        self.names: list[str] = []
        self._indices: dict[tuple[int, tuple[int, ...]], int] = {}
        self._cells = self._heads = self._links = self._columns = 0
        self.record = RelationTables(
            columns=np.zeros(1 << 8, np.int32),
            cells=np.zeros(1 << 12, np.int32),
            heads=np.zeros(1 << 12, np.int64),
            links=np.zeros(1 << 12, np.int32),
            **{name: np.zeros(1 << 6, kind) for name, kind in PER_RELATION.items()},
            **{name: np.zeros(1 << 8, kind) for name, kind in PER_INDEX.items()},
        )

    def add_relation(self, name: str, arity: int, level: int) -> int:
        """A new relation, empty; its number."""
        record, number = self.record, len(self.names)
        self.names.append(name)
        if number >= record.relations:
            record.put(**{field: grown(getattr(record, field).numpy, number + 1) for field in PER_RELATION})
        record.arity[number], record.level[number] = arity, level
        record.generation[number], record.first_index[number] = 1, -1
        self.make_room(number, ROWS)
        self.index(number, tuple(range(arity)))
        return number

    def rows(self, relation: int) -> NDArray[np.int32]:
        """The rows of a relation as they are now, a view."""
        record = self.record
        arity, count = record.arity[relation], record.count[relation]
        first = record.first_cell[relation]
        found: NDArray[np.int32] = record.cells.numpy[first : first + count * arity].reshape(count, arity)
        return found

    def index(self, relation: int, columns: tuple[int, ...]) -> int:
        """The index of a relation by some columns, made when first asked for."""
        known = self._indices.get((relation, columns))
        if known is not None:
            return known
        record, number = self.record, len(self._indices)
        if number >= record.indices:
            record.put(**{name: grown(getattr(record, name).numpy, number + 1) for name in PER_INDEX})
        if self._columns + len(columns) > record.column_room:
            record.put(columns=grown(record.columns.numpy, self._columns + len(columns)))
        record.columns.numpy[self._columns : self._columns + len(columns)] = columns
        record.relation[number] = relation
        record.first_column[number], record.column_count[number] = self._columns, len(columns)
        self._columns += len(columns)
        self._indices[relation, columns] = number
        if record.first_index[relation] < 0:
            record.first_index[relation] = number
        self._enter(number)
        return number

    def make_room(self, relation: int, rows: int) -> None:
        """Room for so many rows; past the limit the relation is refused."""
        if rows > ROWS_AT_MOST:
            raise LimitExceeded(
                f"the relation {self.names[relation]} has more than {ROWS_AT_MOST:,} facts",
                hint="bind its variables with smaller relations",
            )
        record = self.record
        arity, before = record.arity[relation], self.rows(relation)
        room = max(ROWS, 1 << (rows - 1).bit_length())
        if self._cells + room * arity > record.cell_room:
            record.put(cells=grown(record.cells.numpy, self._cells + room * arity, self._cells))
        record.cells.numpy[self._cells : self._cells + before.size] = before.reshape(-1)
        record.first_cell[relation], record.room[relation] = self._cells, room
        self._cells += room * arity
        for (other, _), number in self._indices.items():
            if other == relation:
                self._enter(number)

    def more_room(self, relation: int) -> None:
        """Room for several times as many rows."""
        self.make_room(relation, GROWTH * self.record.room[relation])

    def add(self, relation: int, rows: NDArray[np.int32]) -> None:
        """Adds rows; those that are there already change nothing."""
        needed = self.record.count[relation] + len(rows)
        if needed > self.record.room[relation]:
            self.make_room(relation, needed)
        self.code[add_rows](self.record, relation, Array(int32, rows.reshape(-1)), len(rows))

    def _enter(self, number: int) -> None:
        """Gives an index memory for the room of its relation, and enters the rows that are there."""
        record = self.record
        room = record.room[record.relation[number]]
        heads = 2 * room if record.column_count[number] else 1
        if self._heads + heads > record.head_room:
            record.put(heads=grown(record.heads.numpy, self._heads + heads, self._heads))
        if self._links + room > record.link_room:
            record.put(links=grown(record.links.numpy, self._links + room, self._links))
        record.mask[number] = heads - 1
        record.first_head[number], record.first_link[number] = self._heads, self._links
        self._heads += heads
        self._links += room
        record.filled_for[number] = 0  # no generation
        self.code[fill_index](record, number)
