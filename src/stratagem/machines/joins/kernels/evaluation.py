"""Kernels that answer questions: components are worked out in their order, each once for a state or a joint move."""

from __future__ import annotations

from stratagem.kernels import Array, inlined, int32, kernel
from stratagem.machines.joins.kernels.memory import Status, Work
from stratagem.machines.joins.kernels.plans import run_rule
from stratagem.machines.joins.kernels.tables import add_row, cell_of, empty_levels


@inlined
def begin_round(work: Work, component: int, first: bool) -> bool:
    """Marks what the last round has added; whether that is anything."""
    tables, plans = work.tables, work.plans
    news = False
    for place in range(plans.member_count[component]):
        relation = plans.members[plans.first_member[component] + place]
        tables.old[relation] = 0 if first else tables.new[relation]
        tables.new[relation] = tables.count[relation]
        news = news or tables.new[relation] > tables.old[relation]
    return news


@kernel
def run_rules(work: Work, component: int, first: int, count: int) -> int:
    """Runs some rules of a component."""
    plans = work.plans
    for place in range(count):
        rule = plans.first_rule[component] + first + place
        status = run_rule(work, plans.rules[rule, 0], plans.rules[rule, 1], 0, plans.limit[component])
        if status != Status.DONE:
            if status != Status.ROWS:
                work.where = component
            return status
    return Status.DONE


@kernel
def work_out(work: Work, component: int) -> int:
    """Fills the tables of a component: all its rules once, then what follows from new rows (semi-naive)."""
    plans = work.plans
    if plans.first_rule[component] < 0:
        work.where = component
        return Status.PLAN
    work.steps = 0
    work.running = component
    rules, deltas = plans.rule_count[component], plans.delta_count[component]
    status = run_rules(work, component, 0, rules)
    first = True
    while status == Status.DONE and deltas > 0 and begin_round(work, component, first):
        first = False
        status = run_rules(work, component, rules, deltas)
    work.spent += work.steps
    return status


@kernel
def answer(work: Work, question: int) -> int:
    """Works out all that a question needs and that is not known yet."""
    plans = work.plans
    for place in range(work.needed_count[question]):
        component = work.needed[work.first_needed[question] + place]
        stamp = work.stamps[plans.level[component]]
        if plans.done[component] != stamp:
            status = work_out(work, component)
            if status != Status.DONE:
                return status
            plans.done[component] = stamp
    return Status.DONE


@inlined
def forget(work: Work, level: int) -> None:
    """Empties what depends on the state (1) or on the moves alone (2)."""
    empty_levels(work.tables, level)
    for above in range(level, 3):
        work.stamps[above] += 1


@inlined
def put_fact(work: Work, relation: int, role: int, term: int, whole: bool) -> bool:
    """Adds the arguments of *term*, or *term* itself where it is wanted whole, behind *role* unless that is -1."""
    tables, terms = work.tables, work.terms
    if tables.count[relation] >= tables.room[relation]:
        work.where = relation
        return False
    cell = cell_of(tables, relation, tables.count[relation])
    if role >= 0:
        tables.cells[cell] = role
        cell += 1
    if whole:
        tables.cells[cell] = term
    else:
        for place in range(terms.arity[terms.function[term]]):
            tables.cells[cell + place] = terms.arguments[terms.first[term] + place]
    add_row(tables, relation)
    return True


@kernel
def load_state(work: Work, facts: Array[int32], count: int) -> int:
    """Makes the state of these facts the one that questions are about."""
    forget(work, 1)
    work.running = -1
    for place in range(count):
        fact = facts[place]
        relation = work.true_of[work.terms.function[fact]]
        if relation >= 0 and not put_fact(work, relation, -1, fact, False):
            return Status.ROWS
        if work.any_true >= 0 and not put_fact(work, work.any_true, -1, fact, True):
            return Status.ROWS
    return Status.DONE


@kernel
def load_moves(work: Work, moves: Array[int32]) -> int:
    """Makes this joint move the one that questions are about, in the state that is loaded."""
    forget(work, 2)
    work.running = -1
    for place in range(work.role_room):
        move = moves[place]
        relation = work.does_of[work.terms.function[move]]
        if relation >= 0 and not put_fact(work, relation, work.roles[place], move, False):
            return Status.ROWS
        if work.any_does >= 0 and not put_fact(work, work.any_does, work.roles[place], move, True):
            return Status.ROWS
    return Status.DONE
