"""The kernel that runs plans: nested look-ups with backtracking, one instruction after the other.

A rule is a straight line of instructions over registers. A *choice* (LOOK_UP, DELTA) binds
registers and can be asked for more; an instruction that fails goes back to the latest choice that could make a
difference to it, not just to the latest (backjumping). A relation on demand is worked out in the middle of a rule, for
the keys that the rule asks about, with registers above those of the rule.

Registers below zero are constants.
"""

from __future__ import annotations

from stratagem.kernels import Array, inlined, int32, kernel, uint64
from stratagem.kernels.splitmix import GOLDEN
from stratagem.machines.joins.kernels.memory import InstructionField, Op, Plans, RelationTables, Status, Work
from stratagem.machines.joins.kernels.tables import add_row, cell_of, fill_index, head_of, is_filled, newest
from stratagem.machines.joins.kernels.terms import enter_term, folded, has_room


@inlined
def register(work: Work, base: int, number: int) -> int:
    """The value of a register or a constant."""
    return work.stack[base + number] if number >= 0 else work.plans.constants[-1 - number]


@inlined
def hash_keys(work: Work, base: int, keys: int, operands: int) -> uint64:
    """The hash of the keys of an instruction, as `hash_row` has it."""
    value = uint64(GOLDEN)
    for place in range(keys):
        value = folded(value, register(work, base, work.plans.operands[operands + place]))
    return value


@inlined
def agrees(work: Work, base: int, cell: int, columns: int, keys: int, operands: int) -> bool:
    """Whether the row at *cell* has the keys in the *columns* of an index."""
    tables, plans = work.tables, work.plans
    for place in range(keys):
        column = tables.columns[columns + place]
        if tables.cells[cell + column] != register(work, base, plans.operands[operands + place]):
            return False
    return True


@kernel
def next_match(work: Work, base: int, pc: int, row: int) -> int:
    """The first row of a chain from *row* on that the instruction at *pc* is about; -1: none."""
    tables, plans = work.tables, work.plans
    index, keys = plans.code[pc, InstructionField.WHAT], plans.code[pc, InstructionField.KEYS]
    operands = plans.code[pc, InstructionField.OPERANDS]
    relation = tables.relation[index]
    columns, links = tables.first_column[index], tables.first_link[index]
    while row >= 0:
        if agrees(work, base, cell_of(tables, relation, row), columns, keys, operands):
            return row
        row = tables.links[links + row]
    return -1


@inlined
def first_match(work: Work, base: int, pc: int) -> int:
    """The first row that the instruction at *pc* is about; -1: none."""
    plans = work.plans
    index = plans.code[pc, InstructionField.WHAT]
    if not is_filled(work.tables, index):
        fill_index(work.tables, index)
    hashed = hash_keys(
        work, base, plans.code[pc, InstructionField.KEYS], plans.code[pc, InstructionField.OPERANDS]
    )
    return next_match(work, base, pc, newest(work.tables, index, head_of(work.tables, index, hashed)))


@inlined
def bind(work: Work, base: int, values: Array[int32], pc: int, first: int) -> None:
    """Puts *values* into the registers that an instruction binds; the pairs begin at operand *first*."""
    plans = work.plans
    for place in range(plans.code[pc, InstructionField.BINDS]):
        at = first + 2 * place
        work.stack[base + plans.operands[at + 1]] = values[plans.operands[at]]


@inlined
def build(work: Work, base: int, pc: int) -> bool:
    """BUILD; False where there is no room for another term."""
    terms, plans = work.terms, work.plans
    function, operands = plans.code[pc, InstructionField.WHAT], plans.code[pc, InstructionField.OPERANDS]
    if not has_room(terms, function):
        return False
    for place in range(plans.code[pc, InstructionField.KEYS]):
        terms.arguments[terms.arguments_used + place] = register(work, base, plans.operands[operands + place])
    work.stack[base + plans.code[pc, InstructionField.CURSOR]] = enter_term(terms, function)
    return True


@inlined
def opened(work: Work, base: int, pc: int) -> bool:
    """OPEN; False where the term is of another function."""
    terms, plans = work.terms, work.plans
    operands = plans.code[pc, InstructionField.OPERANDS]
    term = register(work, base, plans.operands[operands])
    if terms.function[term] != plans.code[pc, InstructionField.WHAT]:
        return False
    bind(work, base, terms.arguments.at(terms.first[term]), pc, operands + 1)
    return True


@inlined
def put_row(work: Work, base: int, pc: int) -> bool:
    """Puts the keys of an instruction behind the last row of a relation; False where that has no room."""
    tables, plans = work.tables, work.plans
    relation, operands = plans.code[pc, InstructionField.WHAT], plans.code[pc, InstructionField.OPERANDS]
    if tables.count[relation] >= tables.room[relation]:
        work.where = relation
        return False
    cell = cell_of(tables, relation, tables.count[relation])
    for place in range(plans.code[pc, InstructionField.KEYS]):
        tables.cells[cell + place] = register(work, base, plans.operands[operands + place])
    return True


@inlined
def next_row(work: Work, base: int, pc: int, again: bool) -> int:
    """The next row of a choice that goes through a table; -1: no more."""
    tables, plans = work.tables, work.plans
    cursor = base + plans.code[pc, InstructionField.CURSOR]
    if int(plans.code[pc, InstructionField.OP]) == Op.LOOK_UP:
        if not again:
            return first_match(work, base, pc)
        index = plans.code[pc, InstructionField.WHAT]
        return next_match(work, base, pc, tables.links[tables.first_link[index] + work.stack[cursor]])
    relation = plans.code[pc, InstructionField.WHAT]
    row = work.stack[cursor] + 1 if again else tables.old[relation]
    return row if row < tables.new[relation] else -1


@inlined
def relation_of(tables: RelationTables, plans: Plans, pc: int) -> int:
    """The relation that a choice goes through."""
    what = plans.code[pc, InstructionField.WHAT]
    return what if int(plans.code[pc, InstructionField.OP]) == Op.DELTA else tables.relation[what]


@inlined
def begin_group_round(work: Work, group: int, anew: bool) -> bool:
    """Marks what the last round of a group has added; whether that is anything."""
    tables, plans = work.tables, work.plans
    news = False
    for place in range(plans.group_members[group]):
        relation = plans.members[plans.group_member[group] + place]
        tables.old[relation] = 0 if anew else tables.new[relation]
        tables.new[relation] = tables.count[relation]
        news = news or tables.new[relation] > tables.old[relation]
    return news


@kernel
def work_out_group(work: Work, group: int, base: int, limit: int) -> int:
    """Works out all that is demanded of a group (semi-naive), with registers from *base* on."""
    plans = work.plans
    anew = plans.busy[group] != 0
    plans.busy[group] = 1
    while begin_group_round(work, group, anew):
        anew = False
        for place in range(plans.group_rules[group]):
            rule = plans.group_rule[group] + place
            status = run_rule(work, plans.rules[rule, 0], plans.rules[rule, 1], base, limit)
            if status != Status.DONE:
                return status
    plans.busy[group] = 0
    return Status.DONE


@inlined
def ask(work: Work, base: int, top: int, pc: int, limit: int) -> int:
    """ASK: what is demanded for the first time is worked out."""
    plans = work.plans
    if not put_row(work, base, pc):
        return Status.ROWS
    group = plans.code[pc, InstructionField.GROUP]
    if add_row(work.tables, plans.code[pc, InstructionField.WHAT]) or plans.busy[group] != 0:
        return work_out_group(work, group, top, limit)
    return Status.DONE


@inlined
def choice(work: Work, base: int, pc: int, again: bool) -> bool:
    """LOOK_UP and DELTA: the next row is bound; False where there is none."""
    tables, plans = work.tables, work.plans
    row = next_row(work, base, pc, again)
    if row < 0:
        return False
    work.stack[base + plans.code[pc, InstructionField.CURSOR]] = row
    first = plans.code[pc, InstructionField.OPERANDS] + plans.code[pc, InstructionField.KEYS]
    cell = cell_of(tables, relation_of(tables, plans, pc), row)
    bind(work, base, tables.cells.at(cell), pc, first)
    return True


@inlined
def same(work: Work, base: int, pc: int) -> bool:
    """Whether the two operands of an instruction are the same term."""
    at = work.plans.code[pc, InstructionField.OPERANDS]
    operands = work.plans.operands
    return register(work, base, operands[at]) == register(work, base, operands[at + 1])


@kernel
def run_rule(work: Work, entry: int, registers: int, base: int, limit: int) -> int:
    """Runs the instructions of one rule; how it ended, as a `Status`. All steps of a component count up to *limit*."""
    plans = work.plans
    top = base + registers
    if top > work.stack_room:
        return Status.STACK
    pc = entry
    again = False
    status = Status.DONE + 0
    while pc >= 0:
        work.steps += 1
        if work.steps > limit:
            return Status.STEPS
        op = int(plans.code[pc, InstructionField.OP])
        going = True
        if op <= Op.DELTA:
            going = choice(work, base, pc, again)
        elif op == Op.EXISTS:
            going = first_match(work, base, pc) >= 0
        elif op == Op.ABSENT:
            going = first_match(work, base, pc) < 0
        elif op == Op.DISTINCT:
            going = not same(work, base, pc)
        elif op == Op.EQUAL:
            going = same(work, base, pc)
        elif op == Op.BUILD:
            if not build(work, base, pc):
                return Status.TERMS
        elif op == Op.OPEN:
            going = opened(work, base, pc)
        elif op == Op.ASK:
            status = ask(work, base, top, pc, limit)
            if status != Status.DONE:
                return status
        else:
            if not put_row(work, base, pc):
                return Status.ROWS
            add_row(work.tables, plans.code[pc, InstructionField.WHAT])
            going = op == Op.POST
        if going:
            pc += 1
        else:
            pc = plans.code[pc, InstructionField.BACK if again else InstructionField.FAIL]
        again = not going
    return Status.DONE
