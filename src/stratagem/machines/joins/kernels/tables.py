"""Kernels on tables: adding rows, finding them by an index, emptying levels."""

from __future__ import annotations

from stratagem.kernels import Array, inlined, int32, kernel, uint64
from stratagem.kernels.splitmix import GOLDEN
from stratagem.machines.joins.kernels.memory import RelationTables
from stratagem.machines.joins.kernels.terms import folded


@inlined
def cell_of(tables: RelationTables, relation: int, row: int) -> int:
    """Where a row begins."""
    return tables.first_cell[relation] + row * tables.arity[relation]


@inlined
def head_of(tables: RelationTables, index: int, hashed: uint64) -> int:
    """Where the chain for a hash begins."""
    return tables.first_head[index] + (int(hashed >> 8) & tables.mask[index])


@inlined
def newest(tables: RelationTables, index: int, head: int) -> int:
    """The first row of a chain, -1 where it is empty."""
    value = tables.heads[head]
    return value & 0xFFFFFFFF if value >> 32 == tables.generation[tables.relation[index]] else -1


@inlined
def hash_row(tables: RelationTables, index: int, cell: int) -> uint64:
    """The hash of the columns of an index in the row at *cell*."""
    value = uint64(GOLDEN)
    first = tables.first_column[index]
    for place in range(tables.column_count[index]):
        value = folded(value, tables.cells[cell + tables.columns[first + place]])
    return value


@inlined
def link_row(tables: RelationTables, index: int, row: int, cell: int) -> None:
    """Puts a row in front of its chain."""
    head = head_of(tables, index, hash_row(tables, index, cell))
    tables.links[tables.first_link[index] + row] = newest(tables, index, head)
    tables.heads[head] = tables.generation[tables.relation[index]] << 32 | row


@kernel
def add_row(tables: RelationTables, relation: int) -> bool:
    """Adds the row that was put behind the last one of a relation; whether it is new. There must be room for it."""
    row = tables.count[relation]
    arity = tables.arity[relation]
    cell = cell_of(tables, relation, row)
    index = tables.first_index[relation]
    head = head_of(tables, index, hash_row(tables, index, cell))
    first = newest(tables, index, head)
    known = first
    while known >= 0:
        there = cell_of(tables, relation, known)
        same = True
        for column in range(arity):
            if tables.cells[there + column] != tables.cells[cell + column]:
                same = False
                break
        if same:
            return False
        known = tables.links[tables.first_link[index] + known]
    tables.links[tables.first_link[index] + row] = first
    tables.heads[head] = tables.generation[relation] << 32 | row
    tables.count[relation] = row + 1
    return True


@kernel
def fill_index(tables: RelationTables, index: int) -> None:
    """Enters the rows of a relation that are not yet in an index."""
    relation = tables.relation[index]
    if tables.filled_for[index] != tables.generation[relation]:
        tables.filled_for[index] = tables.generation[relation]
        tables.filled[index] = 0
    for row in range(tables.filled[index], tables.count[relation]):
        link_row(tables, index, row, cell_of(tables, relation, row))
    tables.filled[index] = tables.count[relation]


@inlined
def is_filled(tables: RelationTables, index: int) -> bool:
    """Whether an index has all rows of its relation."""
    relation = tables.relation[index]
    return index == tables.first_index[relation] or (
        tables.filled_for[index] == tables.generation[relation]
        and tables.filled[index] == tables.count[relation]
    )


@kernel
def add_rows(tables: RelationTables, relation: int, rows: Array[int32], count: int) -> None:
    """Adds *count* rows, for which there must be room."""
    arity = tables.arity[relation]
    for row in range(count):
        cell = cell_of(tables, relation, tables.count[relation])
        for column in range(arity):
            tables.cells[cell + column] = rows[row * arity + column]
        add_row(tables, relation)


@kernel
def empty_levels(tables: RelationTables, level: int) -> None:
    """Empties all relations of *level* and above."""
    for relation in range(tables.relations):
        if tables.level[relation] >= level:
            tables.count[relation] = 0
            tables.old[relation] = 0
            tables.new[relation] = 0
            tables.generation[relation] += 1
