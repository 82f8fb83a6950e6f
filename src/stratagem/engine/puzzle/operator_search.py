"""IDA* over the operators of a finite-domain game: no gates, and one look-up for each partition and child.

A child differs from its state in what one operator moves. No operator moves variables of two patterns, so that the bound of a
child is its parent's but for one view of each partition, whose key changes by a difference. Where the sum of the first
partition is already too great, the others are not looked up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.heuristics.additive_kernels import (
    UNREACHED,
    AdditiveTables,
    find_keys,
    look_up_key,
)
from stratagem.engine.heuristics.pattern_tables import HOPELESS
from stratagem.kernels import (
    Array,
    Record,
    dims,
    inlined,
    int16,
    int32,
    kernel,
    lowest_one,
    record_rows,
    size,
    uint64,
)
from stratagem.kernels.library.hashing import same_state
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.heuristics.additive_databases import AdditiveDatabases
    from stratagem.engine.heuristics.finite_domain import FiniteDomain
    from stratagem.native.compiled import CompiledGame

ALLOWANCE: Final = 1 << 20
"""Children made between two looks at the clock."""
EXHAUSTED, FOUND, SPENT = range(3)
"""How a search up to a length ends."""


class Operators(Record):
    """The operators of a game, by the place of the context, and what each does to the propositions of a state."""

    bounds: int = size()
    first: Array[int32] = dims("bounds")
    operators: int = size()
    after: Array[int32] = dims("operators")
    """Where the context is afterwards."""
    inverse: Array[int32] = dims("operators")
    """The operator that takes it back; -1 for none."""
    contexts: int = size()
    context: Array[int32] = dims("contexts")
    """The proposition that the context is in a place."""
    limits: int = size()
    first_mask: Array[int32] = dims("limits")
    masks: int = size()
    word: Array[int32] = dims("masks")
    mask: Array[uint64] = dims("masks")
    """The propositions of a word that an operator changes, from first_mask[operator] on."""
    facts: int = size()
    target: Array[int16] = dims("operators", "facts")
    """What becomes of such a proposition."""


class OperatorFrame(Record):
    """Where the search stands at one depth."""

    context: int = 0
    next: int = 0
    """The operator to try next."""
    last: int = 0
    """The operator that led here."""


class OperatorSearch(Record):
    """IDA* up to one *length*: for every depth the state, the keys and distances of its views, and the sums of these."""

    operators: Operators
    tables: AdditiveTables
    depths: int = size()
    frames: Array[OperatorFrame] = dims("depths")
    words: int = size()
    states: Array[uint64] = dims("depths", "words")
    views: int = size()
    keys: Array[uint64] = dims("depths", "views")
    moves: Array[int32] = dims("depths", "views")
    partitions: int = size()
    sums: Array[int32] = dims("depths", "partitions")
    goals: int = size()
    goal: Array[uint64] = dims("goals", "words")
    length: int = 0
    depth: int = 0
    beyond: int = HOPELESS
    """The least f that is greater than *length*."""
    expanded: int = 0
    generated: int = 0


@inlined
def is_goal(search: OperatorSearch, depth: int) -> bool:
    for goal in range(search.goals):
        if same_state(search.states.row(depth), search.goal.row(goal), search.words):
            return True
    return False


@inlined
def bound_of(search: OperatorSearch, depth: int, operator: int, most: int) -> int:
    """The bound of a child, at least as far as it is needed to see that it exceeds *most*.

    The changed views, their keys and distances are left in the row of the next depth.
    """
    operators, tables = search.operators, search.tables
    bound = 0
    for partition in range(search.partitions):
        view = -1
        change = uint64(0)
        for place in range(operators.first_mask[operator], operators.first_mask[operator + 1]):
            word = operators.word[place]
            bits = search.states[depth, word] & operators.mask[place]
            while bits != 0:
                fact = (word << 6) + lowest_one(bits)
                bits &= bits - 1
                view = tables.view[partition, fact]
                target = operators.target[operator, fact]
                change += tables.weight[partition, target] - tables.weight[partition, fact]
        farther = 0
        if view >= 0:
            moves = look_up_key(tables, view, search.keys[depth, view] + change)
            if moves == UNREACHED:
                return HOPELESS
            farther = moves - search.moves[depth, view]
        bound = max(bound, search.sums[depth, partition] + farther)
        if bound > most:
            return bound
    return bound


@inlined
def enter(search: OperatorSearch, depth: int, operator: int) -> None:
    """Makes the child the state of the next depth."""
    operators, tables = search.operators, search.tables
    frame, below = search.frames[depth], search.frames[depth + 1]
    for word in range(search.words):
        search.states[depth + 1, word] = search.states[depth, word]
    for view in range(search.views):
        search.keys[depth + 1, view] = search.keys[depth, view]
        search.moves[depth + 1, view] = search.moves[depth, view]
    for partition in range(search.partitions):
        search.sums[depth + 1, partition] = search.sums[depth, partition]
    for place in range(operators.first_mask[operator], operators.first_mask[operator + 1]):
        word = operators.word[place]
        bits = search.states[depth, word] & operators.mask[place]
        while bits != 0:
            fact = (word << 6) + lowest_one(bits)
            bits &= bits - 1
            target = operators.target[operator, fact]
            search.states[depth + 1, word] ^= uint64(1) << (fact & 63)
            search.states[depth + 1, target >> 6] ^= uint64(1) << (target & 63)
            for partition in range(search.partitions):
                view = tables.view[partition, fact]
                change = tables.weight[partition, target] - tables.weight[partition, fact]
                search.keys[depth + 1, view] += change
    for view in range(search.views):
        if search.keys[depth + 1, view] != search.keys[depth, view]:
            moves = look_up_key(tables, view, search.keys[depth + 1, view])
            search.sums[depth + 1, tables.owner[view]] += moves - search.moves[depth, view]
            search.moves[depth + 1, view] = moves
    here, there = operators.context[frame.context], operators.context[operators.after[operator]]
    search.states[depth + 1, here >> 6] ^= uint64(1) << (here & 63)
    search.states[depth + 1, there >> 6] ^= uint64(1) << (there & 63)
    below.context, below.last = operators.after[operator], operator
    below.next = operators.first[below.context]


@kernel
def deepen_by_operators(search: OperatorSearch, allowance: int) -> int:
    """Goes on with the search up to the length: EXHAUSTED, FOUND, or SPENT where the allowance of children is."""
    operators = search.operators
    depth, made = search.depth, 0
    outcome = EXHAUSTED
    while depth >= 0:
        frame = search.frames[depth]
        operator = frame.next
        if operator == operators.first[frame.context + 1]:
            depth -= 1
            continue
        frame.next = operator + 1
        if depth > 0 and operator == operators.inverse[frame.last]:
            continue
        made += 1
        most = search.length - depth - 1
        bound = bound_of(search, depth, operator, most)
        if bound > most:
            if bound < HOPELESS:
                search.beyond = min(search.beyond, depth + 1 + bound)
        else:
            enter(search, depth, operator)
            search.expanded += 1
            depth += 1
            if bound == 0 and is_goal(search, depth):
                outcome = FOUND
                break
        if made >= allowance:
            outcome = SPENT
            break
    search.depth = depth
    search.generated += made
    return outcome


@kernel
def begin_search(search: OperatorSearch) -> None:
    """Fills the row of the first state."""
    tables = search.tables
    find_keys(tables, search.states.row(0), search.keys.row(0))
    for partition in range(search.partitions):
        search.sums[0, partition] = 0
    for view in range(search.views):
        search.moves[0, view] = look_up_key(tables, view, search.keys[0, view])
        search.sums[0, tables.owner[view]] += search.moves[0, view]


KERNELS: Final = KernelFamily("IDA* over operators", (begin_search, deepen_by_operators))


def operators_of(domain: FiniteDomain) -> Operators:
    """The operators of *domain* as kernels read them."""
    facts = 64 * domain.goals.shape[1]
    target = np.full((domain.operators, facts), -1, np.int16)
    counts, words, masks = [], [], []
    for operator, effects in enumerate(domain.effects):
        variables, places = np.nonzero((effects != np.arange(domain.places)) & (effects >= 0))
        changed = domain.facts[variables, places]
        target[operator, changed] = domain.facts[variables, effects[variables, places]]
        used = np.unique(changed >> 6)
        counts.append(len(used))
        words += used.tolist()
        masks += [sum(1 << int(fact & 63) for fact in changed if fact >> 6 == word) for word in used]
    return Operators(
        first=np.searchsorted(domain.before, np.arange(domain.places + 1)).astype(np.int32),
        after=domain.after.astype(np.int32),
        inverse=_inverses(domain),
        context=domain.context.astype(np.int32),
        first_mask=np.cumsum([0, *counts]).astype(np.int32),
        word=np.array(words, np.int32),
        mask=np.array(masks, np.uint64),
        target=target,
    )


def _inverses(domain: FiniteDomain) -> NDArray[np.int32]:
    """For each operator the one that takes it back wherever it can be used; -1 for none."""
    origins = domain.origins()
    found = np.full(domain.operators, -1, np.int32)
    for operator in range(domain.operators):
        there = np.flatnonzero(
            (domain.before == domain.after[operator]) & (domain.after == domain.before[operator])
        )
        possible = origins[operator] >= 0
        for back in there:
            if (domain.effects[back][possible] == origins[operator][possible]).all():
                found[operator] = back
    return found


class OperatorDeepening:
    """The search over operators, up to one length after another."""

    def __init__(
        self, compiled: CompiledGame, heuristic: AdditiveDatabases, root: NDArray[np.uint64]
    ) -> None:
        self.compiled, self.heuristic, self.root = compiled, heuristic, root
        self.operators = operators_of(heuristic.domain)
        self.code = compiled_family(KERNELS)
        self.expanded = self.generated = 0
        self.begin(0)

    def begin(self, length: int) -> None:
        tables, domain, depths = self.heuristic.tables, self.heuristic.domain, length + 2
        self.search = OperatorSearch(
            operators=self.operators,
            tables=tables,
            frames=record_rows(OperatorFrame, depths),
            states=np.zeros((depths, len(self.root)), np.uint64),
            keys=np.zeros((depths, tables.views), np.uint64),
            moves=np.zeros((depths, tables.views), np.int32),
            sums=np.zeros((depths, tables.partitions), np.int32),
            goal=domain.goals,
            length=length,
        )
        self.search.states.numpy[0] = self.root
        bits = np.unpackbits(self.root.view(np.uint8), bitorder="little")
        first = self.search.frames[0]
        first.context = int(bits[domain.context].argmax())
        first.next = self.operators.first[first.context]
        self.code[begin_search](self.search)

    def go_on(self) -> int:
        before = self.search.expanded, self.search.generated
        outcome = self.code[deepen_by_operators](self.search, ALLOWANCE)
        self.expanded += self.search.expanded - before[0]
        self.generated += self.search.generated - before[1]
        return outcome

    @property
    def beyond(self) -> int:
        return self.search.beyond

    def found(self) -> tuple[int, tuple[tuple[int, ...], ...]]:
        search, moves = self.search, self.heuristic.domain.moves
        end = self.compiled.evaluate(search.states.numpy[search.depth][None].copy())
        path = [(int(moves[search.frames[depth].last]),) for depth in range(1, search.depth + 1)]
        return int(end.goals[0, 0]), tuple(path)
