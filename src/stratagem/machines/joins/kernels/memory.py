"""The memory of compiled joins: interned terms, the tables of relations with their indices, and plans as data.

Kernels never allocate. Where room runs out they end with a status, Python makes more, and the same piece of work is done
again: adding a fact that is there already changes nothing.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from stratagem.kernels import Array, Record, dims, int32, size, uint64

LEVELS: Final = 3
"""What a relation depends on: the rules alone, the state, the moves."""
FIELDS: Final = 9
MISSING: Final = -(1 << 40)
"""Instead of a goal."""


class Op(IntEnum):
    """What an instruction does; all but EMIT go on with the next one, or fail."""

    LOOK_UP = 0
    """Every row of an index that agrees with the keys: a choice."""
    DELTA = 1
    """Every row that the last round has added: a choice."""
    EXISTS = 2
    ABSENT = 3
    DISTINCT = 4
    EQUAL = 5
    BUILD = 6
    """A term made of a function and registers."""
    OPEN = 7
    """The arguments of a term, which must be of a given function."""
    EMIT = 8
    ASK = 9
    """Demands the rows of a relation on demand that have the keys, and has them worked out."""
    POST = 10
    """Demands rows of the group that is being worked out: they come in a later round."""


class Status(IntEnum):
    """How a kernel ended: done, or what is missing; `Work.where` says for which relation or component."""

    DONE = 0
    ROWS = 1
    TERMS = 2
    STACK = 3
    STEPS = 4
    PLAN = 5
    ROOM = 6
    """A buffer of the caller is too small; `Work.where` says how much is needed."""
    PAUSE = 7
    UNKNOWN = 8
    """A fact or a move has no number."""


class MatchPhase(IntEnum):
    """What a random match does next."""

    BEGIN = 0
    LOOK = 1
    MOVE = 2
    DO = 3
    STEP = 4
    ENTER = 5
    SCORE = 6


class MatchEnding(IntEnum):
    """How a random match ended: as the rules say, with a role that cannot move, or at the limit."""

    END = 0
    STUCK = 1
    LIMIT = 2


class InstructionField(IntEnum):
    """The columns of an instruction."""

    OP = 0
    WHAT = 1
    """An index, a relation, or a function."""
    CURSOR = 2
    KEYS = 3
    BINDS = 4
    OPERANDS = 5
    FAIL = 6
    """The choice to go back to where nothing is found at all; -1 for none."""
    BACK = 7
    """The choice before this one."""
    GROUP = 8
    """ASK: what works the demand out."""


class TermTable(Record):
    """Ground terms by number: a function and arguments, equal terms once (hash consing). A symbol has no arguments."""

    functions: int = size()
    room: int = size()
    argument_room: int = size()
    slots: int = size()
    arity: Array[int32] = dims("functions")
    rank: Array[int32] = dims("functions")
    """The place of a function in the canonical order of terms."""
    function_key: Array[uint64] = dims("functions")
    """A hash of the name of a function."""
    function: Array[int32] = dims("room")
    first: Array[int32] = dims("room")
    key: Array[uint64] = dims("room")
    """A hash of a term by the names in it: the same in every process, whatever was met before."""
    arguments: Array[int32] = dims("argument_room")
    table: Array[int32] = dims("slots")
    used: int = 0
    arguments_used: int = 0


class RelationTables(Record):
    """Relations as rows of term numbers, each relation with indices by some of its columns.

    An index is a hash table of chains: *heads* hold the generation of the relation and its newest row, so that
    emptying a relation is one addition. The first index of a relation has all columns and finds repeats; any other is brought
    up to date when it is asked.
    """

    relations: int = size()
    indices: int = size()
    column_room: int = size()
    cell_room: int = size()
    head_room: int = size()
    link_room: int = size()
    arity: Array[int32] = dims("relations")
    level: Array[int32] = dims("relations")
    count: Array[int32] = dims("relations")
    room: Array[int32] = dims("relations")
    first_cell: Array[int] = dims("relations")
    generation: Array[int] = dims("relations")
    first_index: Array[int32] = dims("relations")
    old: Array[int32] = dims("relations")
    new: Array[int32] = dims("relations")
    """The rows of the last round of a recursion: from *old* up to *new*."""
    relation: Array[int32] = dims("indices")
    first_column: Array[int32] = dims("indices")
    column_count: Array[int32] = dims("indices")
    mask: Array[int] = dims("indices")
    first_head: Array[int] = dims("indices")
    first_link: Array[int] = dims("indices")
    filled: Array[int32] = dims("indices")
    filled_for: Array[int] = dims("indices")
    """The rows that are in an index, and the generation that they are of."""
    columns: Array[int32] = dims("column_room")
    cells: Array[int32] = dims("cell_room")
    heads: Array[int] = dims("head_room")
    links: Array[int32] = dims("link_room")


class Plans(Record):
    """Instructions, and the rules and members of components and of groups of relations on demand."""

    instructions: int = size()
    operand_room: int = size()
    constant_room: int = size()
    groups: int = size()
    components: int = size()
    rule_room: int = size()
    member_room: int = size()
    code: Array[int32] = dims("instructions", FIELDS)
    operands: Array[int32] = dims("operand_room")
    constants: Array[int32] = dims("constant_room")
    level: Array[int32] = dims("components")
    done: Array[int] = dims("components")
    """The stamp of the level at which a component was worked out last."""
    first_rule: Array[int32] = dims("components")
    """-1: not planned yet."""
    rule_count: Array[int32] = dims("components")
    delta_count: Array[int32] = dims("components")
    first_member: Array[int32] = dims("components")
    member_count: Array[int32] = dims("components")
    limit: Array[int] = dims("components")
    """The steps that working it out may take."""
    rules: Array[int32] = dims("rule_room", 2)
    """First instruction and number of registers."""
    members: Array[int32] = dims("member_room")
    group_rule: Array[int32] = dims("groups")
    """The first rule of the relations on demand of a component, and how many there are."""
    group_rules: Array[int32] = dims("groups")
    group_member: Array[int32] = dims("groups")
    group_members: Array[int32] = dims("groups")
    busy: Array[int32] = dims("groups")
    """1 from the beginning of a group's work to its end: where it was broken off it is begun again."""


class Work(Record):
    """All that the kernels of one sheet work on."""

    stack_room: int = size()
    question_room: int = size()
    questions: int = size()
    role_room: int = size()
    functions: int = size()
    terms: TermTable
    tables: RelationTables
    plans: Plans
    stack: Array[int32] = dims("stack_room")
    stamps: Array[int] = dims(LEVELS)
    needed: Array[int32] = dims("question_room")
    first_needed: Array[int32] = dims("questions")
    needed_count: Array[int32] = dims("questions")
    roles: Array[int32] = dims("role_room")
    true_of: Array[int32] = dims("functions")
    """The relation of the facts of a function, -1 where no rule reads them."""
    does_of: Array[int32] = dims("functions")
    any_true: int = -1
    any_does: int = -1
    legal: int = -1
    next: int = -1
    goal: int = -1
    terminal: int = -1
    where: int = 0
    running: int = -1
    """The component that is worked out, -1 outside of that."""
    steps: int = 0
    """Spent on the component that is worked out."""
    spent: int = 0
    """All steps so far."""


class Numbering(Record):
    """The numbers of facts and moves in packed states, and room for the work on one state."""

    fact_room: int = size()
    role_room: int = size()
    move_room: int = size()
    terms: int = size()
    mask_room: int = size()
    functions: int = size()
    fact: Array[int32] = dims("fact_room")
    """The term of a fact."""
    number_of_fact: Array[int32] = dims("terms")
    """-1 for terms that are no facts."""
    move: Array[int32] = dims("role_room", "move_room")
    number_of_move: Array[int32] = dims("role_room", "terms")
    number: Array[int] = dims("functions")
    """The number that a symbol spells, MISSING for others."""
    facts: Array[int32] = dims("fact_room")
    joint: Array[int32] = dims("role_room")
    chosen: Array[int32] = dims("role_room")
    legal: Array[uint64] = dims("mask_room")
    words: int = 0
    mask_words: int = 0
    made: int = 0


class RandomPlay(Record):
    """Random matches from one state, and how each ended; *phase* and *match* say where play goes on."""

    fact_room: int = size()
    role_room: int = size()
    matches: int = size()
    joints: int = size()
    move_room: int = size()
    functions: int = size()
    root: Array[int32] = dims("fact_room")
    root_facts: int = 0
    facts: int = 0
    """How many facts the root has, and the state that is to be entered."""
    first: Array[int32] = dims("joints", "role_room")
    """The first joint moves, dealt to the matches in turn; none where *dealt* is 0."""
    dealt: int = 0
    begun: int = 0
    """The number of the first match of this block among all."""
    seed: uint64
    limit: int = 0
    number: Array[int] = dims("functions")
    """The number that a symbol spells, MISSING for others."""
    state: Array[int32] = dims("fact_room")
    moves: Array[int32] = dims("move_room")
    joint: Array[int32] = dims("role_room")
    generator: Array[uint64] = dims(1)
    ending: Array[int32] = dims("matches")
    length: Array[int32] = dims("matches")
    goals: Array[int] = dims("matches", "role_room")
    match: int = 0
    ply: int = 0
    phase: int = 0
