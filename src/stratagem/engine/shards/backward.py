"""Backward induction over layers: what a block of states is worth, from the values of its children.

Two roles whose goals add up, or one role: for each goal value v that ends have, the least number of moves in which the
first role can force an end worth at least v, and the other one worth at most v (NEVER where it cannot). They are the rounds
of retrograde analysis, so that values and distances come out as `engine.space.retrograde` has them. Where play can come
back to a layer, sweeps over all layers are repeated until nothing changes: numbers only fall, in whatever order.

More roles, or goals that do not add up (max^n): what every role gets, and the distance, once all children are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from stratagem.engine.shards.ends import Ends
from stratagem.errors import LimitExceeded, UnsuitableGame
from stratagem.kernels import Array, Record, dims, inlined, int16, int32, kernel, size, uint64
from stratagem.kernels.library.hashing import copy_state
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from stratagem.native.compiled import Children, StateViews

NEVER: Final = 32767
"""More moves than any: it cannot be forced, or is not known yet."""
FARTHEST: Final = 32000
NO_CHOICE: Final = -1
SEVERAL: Final = -2


class BackedUpBlock(Record):
    """States that are no ends with their children: *parents* are places in *live* in ascending order, *children* rows of *values*."""

    states: int = size()
    going: int = size()
    edges: int = size()
    known: int = size()
    columns: int = size()
    roles: int = size()
    live: Array[int] = dims("going")
    parents: Array[int32] = dims("edges")
    children: Array[int32] = dims("edges")
    moves: Array[int32] = dims("edges", "roles")
    values: Array[int16] = dims("known", "columns")
    result: Array[int16] = dims("states", "columns")


class EndRows(Record):
    """States, what the rules say about their ends, and room for their values and for those that are no ends."""

    rows: int = size()
    words: int = size()
    roles: int = size()
    columns: int = size()
    levels: int = size()
    """The goal values; none for max^n."""
    states: Array[uint64] = dims("rows", "words")
    terminal: Array[bool] = dims("rows")
    goals: Array[int16] = dims("rows", "roles")
    worth: Array[int16] = dims("levels")
    values: Array[int16] = dims("rows", "columns")
    live: Array[int] = dims("rows")
    going: Array[uint64] = dims("rows", "words")


@kernel
def value_ends(block: EndRows) -> int:
    """The values of ends, of other states that nothing is known; how many of the latter there are."""
    count, levels = 0, block.levels
    for row in range(block.rows):
        values = block.values.row(row)
        for column in range(block.columns):
            values[column] = NEVER
        if not block.terminal[row]:
            block.live[count] = row
            copy_state(block.states.row(row), block.going.row(count), block.words)
            count += 1
            continue
        first = block.goals[row, 0]
        for level in range(levels):
            if first >= block.worth[level]:
                values[level] = 0
            if block.columns > levels and first <= block.worth[level]:
                values[levels + level] = 0
        if levels == 0:
            for role in range(block.roles):
                values[role] = block.goals[row, role]
            values[block.roles] = 0
    return count


@inlined
def last_edge(block: BackedUpBlock, first: int) -> int:
    """The edge after the last one of the same parent."""
    end = first + 1
    while end < block.edges and block.parents[end] == block.parents[first]:
        end += 1
    return end


@inlined
def mover_of(block: BackedUpBlock, first: int, end: int) -> int:
    """The role that has the choice among the edges of one parent; NO_CHOICE, or SEVERAL where more than one has."""
    found = NO_CHOICE
    for role in range(block.roles):
        differs = False
        for edge in range(first + 1, end):
            if block.moves[edge, role] != block.moves[first, role]:
                differs = True
                break
        if differs:
            if found != NO_CHOICE:
                return SEVERAL
            found = role
    return found


@inlined
def take_best(best: Array[int16], values: Array[int16], first: int, end: int, least: bool) -> None:
    """Puts into some columns of *best* what is less in *values*, or what is more."""
    for column in range(first, end):
        value, before = int(values[column]), int(best[column])
        best[column] = min(value, before) if least else max(value, before)


@kernel
def force_block(block: BackedUpBlock) -> int:
    """The rounds in which the states of a block join, up and down: the last of them, or SEVERAL where several roles choose.

    An end can be forced by the best child where the side chooses, else by the worst.
    """
    columns, other = block.columns, block.roles - 1
    half = columns if other == 0 else columns // 2
    first, farthest = 0, 0
    while first < block.edges:
        parent, end, ours, theirs = block.parents[first], first + 1, 0, 0
        while (
            end < block.edges and block.parents[end] == parent
        ):  # one pass: what edges differ in is hard to predict
            ours |= block.moves[end, 0] ^ block.moves[first, 0]
            theirs |= block.moves[end, other] ^ block.moves[first, other]
            end += 1
        if other == 0:
            theirs = 0
        if ours != 0 and theirs != 0:
            return SEVERAL
        best = block.result.row(block.live[parent])
        values = block.values.row(block.children[first])
        for column in range(columns):
            best[column] = values[column]
        for edge in range(first + 1, end):
            values = block.values.row(block.children[edge])
            take_best(best, values, 0, half, ours != 0)
            take_best(best, values, half, columns, theirs != 0)
        for column in range(columns):
            moves = int(best[column])
            if moves != NEVER:
                best[column] = moves + 1
                farthest = max(farthest, moves + 1)
        first = end
    return farthest


@inlined
def best_edge(block: BackedUpBlock, first: int, end: int, mover: int) -> int:
    """The edge that the role to move takes, of equals the one with the nearest end; -1 where a child is not known yet."""
    distance = block.columns - 1
    best = first
    for edge in range(first, end):
        if block.values[block.children[edge], distance] == NEVER:
            return -1
        if mover >= 0 and edge > first:
            one, two = (
                block.values[block.children[edge], mover],
                block.values[block.children[best], mover],
            )
            nearer = (
                block.values[block.children[edge], distance] < block.values[block.children[best], distance]
            )
            if one > two or (one == two and nearer):
                best = edge
    return best


@kernel
def max_n_block(block: BackedUpBlock) -> int:
    """What every role gets in the states of a block, and the distance: the greatest, or SEVERAL where several roles choose."""
    first, farthest = 0, 0
    while first < block.edges:
        end = last_edge(block, first)
        mover = mover_of(block, first, end)
        if mover == SEVERAL:
            return SEVERAL
        best = best_edge(block, first, end, mover)
        if best >= 0:
            state, child = block.live[block.parents[first]], block.children[best]
            for column in range(block.columns):
                block.result[state, column] = block.values[child, column]
            block.result[state, block.columns - 1] += 1
            farthest = max(farthest, int(block.result[state, block.columns - 1]))
        first = end
    return farthest


class EntryRows(Record):
    """What is kept of states with such values, of one role or of two whose goals add up."""

    states: int = size()
    columns: int = size()
    levels: int = size()
    goals: Array[int16] = dims("levels")
    values: Array[int16] = dims("states", "columns")
    low: Array[int16] = dims("states")
    high: Array[int16] = dims("states")
    distance: Array[int32] = dims("states")


@kernel
def enter(rows: EntryRows) -> None:
    """The bounds of values and distances: the most that the first role can force, and the least that the other one can."""
    count = rows.levels
    middle = int(rows.goals[0]) + int(rows.goals[count - 1]) if count > 0 else 0
    for state in range(rows.states):
        up, down = count - 1, 0
        while up >= 0 and rows.values[state, up] == NEVER:
            up -= 1
        rows.low[state] = rows.goals[up] if up >= 0 else -1
        rows.distance[state] = -1
        if rows.columns == count:
            rows.high[state] = rows.low[state]
            if up >= 0:
                rows.distance[state] = rows.values[state, up]
            continue
        while down < count and rows.values[state, count + down] == NEVER:
            down += 1
        rows.high[state] = rows.goals[down] if down < count else NEVER
        if up == down:
            hurries = count + up if 2 * int(rows.goals[up]) < middle else up
            rows.distance[state] = rows.values[state, hurries]


KERNELS: Final = KernelFamily("backward induction by blocks", (value_ends, force_block, max_n_block, enter))


@dataclass(frozen=True, slots=True)
class Induction:
    """How the values of one space are worked out and written: *columns* numbers for each state."""

    roles: int
    goals: tuple[int, ...]
    zero_sum: bool

    @staticmethod
    def of(ends: Ends, roles: int) -> Induction:
        if ends.missing:
            raise UnsuitableGame(
                "a terminal state of this game gives no goal",
                hint="every terminal state needs one goal per role",
            )
        return Induction(roles, ends.goals, ends.zero_sum(roles))

    @property
    def columns(self) -> int:
        if not self.zero_sum:
            return self.roles + 1
        return len(self.goals) * min(self.roles, 2)

    def at_ends(
        self, states: NDArray[np.uint64], views: StateViews
    ) -> tuple[NDArray[np.int16], NDArray[np.int64], NDArray[np.uint64]]:
        """The values of ends, of all other *states* that nothing is known; the rows of the latter, and themselves."""
        block = EndRows(
            states=states,
            terminal=views.terminal,
            goals=views.goals,
            worth=np.array(self.goals if self.zero_sum else (), np.int16),
            values=(values := np.empty((len(states), self.columns), np.int16)),
            live=(live := np.empty(len(states), np.int64)),
            going=(going := np.empty_like(states)),
        )
        count = compiled_family(KERNELS)[value_ends](block)
        return values, live[:count], going[:count]

    def back_up(
        self,
        result: NDArray[np.int16],
        live: NDArray[np.int64],
        children: Children,
        places: NDArray[np.int32] | None,
        values: NDArray[np.int16],
    ) -> None:
        """Puts the values of the *live* states into *result*: child e has the row ``places[e]`` of *values*, or else row e."""
        if not len(children):
            return
        if places is None:
            places = np.arange(len(children), dtype=np.int32)
        block = BackedUpBlock(
            live=live,
            parents=children.parents,
            children=places,
            moves=children.moves,
            values=values,
            result=result,
        )
        code = compiled_family(KERNELS)
        farthest = code[force_block](block) if self.zero_sum else code[max_n_block](block)
        if farthest == SEVERAL:
            raise UnsuitableGame(
                "several roles have a choice in the same state",
                hint="backward induction needs players that take turns",
            )
        if farthest > FARTHEST:
            raise LimitExceeded(
                f"a terminal state is more than {FARTHEST:,} moves away, more than shards can count",
                hint="build the database without --shards",
            )

    def entries(self, values: NDArray[np.int16]) -> dict[str, NDArray[Any]]:
        """What a database keeps of states with such *values*: low, high and distance."""
        if not self.zero_sum:
            goals = np.ascontiguousarray(values[:, : self.roles])
            return {"low": goals, "high": goals, "distance": values[:, self.roles].astype(np.int32)}
        rows = EntryRows(
            goals=np.array(self.goals, np.int16),
            values=np.ascontiguousarray(values),
            low=np.empty(len(values), np.int16),
            high=np.empty(len(values), np.int16),
            distance=np.empty(len(values), np.int32),
        )
        if len(values):
            compiled_family(KERNELS)[enter](rows)
        return {
            "low": rows.low.numpy[:, None],
            "high": rows.high.numpy[:, None],
            "distance": rows.distance.numpy,
        }
