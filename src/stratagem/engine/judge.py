"""The judge: whether the rules of a game are sound and fair, decided where the space can be exhausted.

Each finding says how it is known: ``decided`` (every reachable state was looked at), ``sampled`` (random matches only)
or ``unknown``; a failure comes with a match that shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from stratagem.engine.judge_samples import (
    first_round,
    further_rounds,
    goals_met,
    goals_of_rules,
    reasoned,
    sampled,
)
from stratagem.engine.request import MEMORY
from stratagem.engine.uncompiled import reason
from stratagem.engine.verdict import (
    ENDS,
    GOALS,
    LEAST,
    MOST,
    MOVES,
    RANGE,
    UNKNOWN,
    Ruling,
    Verdict,
    out_of_range,
    win,
)
from stratagem.errors import require_whole
from stratagem.gdl_game import require_rules
from stratagem.limit import Limit, Started, require_limit
from stratagem.plural import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.space.explore import Space
    from stratagem.gdl.terms import Term
    from stratagem.gdl_game import GdlGame, State

FOR_SAMPLES: Final = 0.2
"""The part of the time that is kept for random matches, in case the space cannot be exhausted."""
MOST_STATES: Final = 2_000_000
"""States of a space that is looked at whole, unless the limit says otherwise."""
MINUTE: Final = Limit(seconds=60)


def judge(
    game: GdlGame,
    limit: Limit = MINUTE,
    *,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Verdict:
    """The verdict on *game*; the whole state space is searched if it has at most as many states as the nodes of *limit*.

    The default is two million. Rules that cannot be compiled are judged by random matches on joins or the reasoner.

    >>> from stratagem.loading import load
    >>> print(str(judge(load("hexapawn"))).partition("✓ can")[0])
    hexapawn: all 135 states were examined
    ✓ does every match end? yes, after at most 7 moves (decided)
    <BLANKLINE>
    """
    require_rules(game, by="judge")
    require_limit(limit)
    seed = require_whole("seed", seed)
    limit.only("seconds", "nodes", "memory", "stop", by="judge")
    started = limit.start()

    def stopped() -> bool:
        return limit.stop is not None and limit.stop()

    def spent() -> bool:
        return stopped() or started.left <= 0

    if not game.compilable:
        report, shown = reasoned(game, seed, spent)
        figures = _figures(game, report) | {"uncompiled": reason(game), "machine": game.runs_on}
        rulings = [
            replace(ruling, match=shown.get(ruling.question, ()) if ruling.good is False else ())
            for ruling in sampled(game, report, goals_met(report))
        ]
        return Verdict(game.identity.name, False, tuple(rulings), figures, stopped())
    report = first_round(game, seed)
    space, reached = _explored(game, limit, started, progress, stopped)
    interrupted = space is None and stopped()
    report = further_rounds(game, report, seed, spent)
    figures = _figures(game, report) | {"gates": game.circuit.gate_count}
    if space is None:
        figures["states_at_least"] = reached
        rulings = sampled(game, report, goals_of_rules(game))
        return Verdict(game.identity.name, False, tuple(rulings), figures, interrupted)
    degrees = np.diff(space.offsets)
    inner = degrees[~space.terminal]
    figures |= {
        "states": len(space),
        "ends": int(space.terminal.sum()),
        "branching": round(float(inner.mean()), 2) if len(inner) else 0.0,
        "layers": list(space.layers),
    }
    rulings = _decided(game, space, figures, stopped)
    skipped = any(ruling.known == UNKNOWN for ruling in rulings)
    return Verdict(game.identity.name, True, tuple(rulings), figures, interrupted=skipped)


def _explored(
    game: GdlGame,
    limit: Limit,
    started: Started,
    progress: Callable[[str], None] | None,
    stopped: Callable[[], bool],
) -> tuple[Space | None, int]:
    """The whole space, or None with the number of states found before a limit was reached."""
    from stratagem.engine.space.explore import SpaceTooLarge, explore
    from stratagem.errors import UnsuitableGame

    reserve = 0.0 if limit.seconds is None else FOR_SAMPLES * limit.seconds
    try:
        space = explore(
            game.compiled,
            most=MOST_STATES if limit.nodes is None else limit.nodes,
            memory=MEMORY if limit.memory is None else limit.memory,
            progress=None if progress is None else lambda found, done: progress(f"{found:,} states"),
            stop=lambda: started.left <= reserve or stopped(),
        )
    except SpaceTooLarge as large:
        return None, large.states
    except UnsuitableGame:  # Goals so far from 0 to 100 that a state has no room for them.
        return None, 1
    return space, len(space)


def _figures(game: GdlGame, report: Any) -> dict[str, Any]:
    return {
        "matches": report.matches,
        "mean_length": round(report.plies / max(1, report.matches), 2),
        "mean_goals": {
            role: None if value is None else round(value, 2)
            for role, value in zip(game.roles, report.goals, strict=True)
        },
    }


def _decided(
    game: GdlGame, space: Space, figures: dict[str, Any], stopped: Callable[[], bool]
) -> list[Ruling]:
    """The rulings that the whole space allows; who is better takes longest, and is left out when *stopped*."""
    rulings = [_ends(game, space, figures), _moves(game, space)]
    ends = np.flatnonzero(space.terminal)
    if len(ends):
        rulings += [_goals(game, space, ends), _range(game, space, ends)]
    for at, role in enumerate(game.roles):
        won = ends[space.goals[ends, at] == MOST]
        if len(won):
            rulings.append(_ruling(game, space, win(role), "yes", True, int(won[0])))
        else:
            answer = "no, no terminal state gives it exactly 100" if len(ends) else "no, no match ends"
            rulings.append(_ruling(game, space, win(role), answer, False))
    faults = any(verdict.good is False for verdict in rulings if verdict.question in (GOALS, RANGE))
    return rulings + _values(game, space, figures, len(ends) > 0 and not faults, stopped)


def _ruling(
    game: GdlGame, space: Space, question: str, answer: str, good: bool | None, state: int | None = None
) -> Ruling:
    match = () if state is None else tuple(_line_to(game, space, state))
    return Ruling(question, answer, good, "decided", match)


def _ends(game: GdlGame, space: Space, figures: dict[str, Any]) -> Ruling:
    from stratagem.engine.space.retrograde import longest, topological

    order = topological(space)
    endless = np.setdiff1d(np.arange(len(space)), order)
    if len(endless):
        state = _on_cycle(space, endless)
        return _ruling(game, space, ENDS, "no, positions can repeat", False, state)
    stuck = space.stuck
    if len(stuck) and stuck[0] == 0:
        return _ruling(game, space, ENDS, "no, the match cannot begin", False)
    if len(stuck):
        answer = "no, some matches get stuck before the end"
        return _ruling(game, space, ENDS, answer, False, int(stuck[0]))
    figures["longest"] = longest(space, order)
    if space.terminal[0]:
        return _ruling(game, space, ENDS, "the start is terminal: no move can ever be made", False)
    return _ruling(game, space, ENDS, f"yes, after at most {plural(figures['longest'], 'move')}", True)


def _moves(game: GdlGame, space: Space) -> Ruling:
    stuck = space.stuck
    if not len(stuck):
        return _ruling(game, space, MOVES, "yes", True)
    state = int(stuck[0])
    reached = _state_at(game, space, state)
    without = " and ".join(role for role in game.roles if not reached.legals(role))
    where = "there" if state else "at the start"
    verb = "have" if " and " in without else "has"
    return _ruling(game, space, MOVES, f"no, {without} {verb} no legal move {where}", False, state)


def _goals(game: GdlGame, space: Space, ends: NDArray[np.int64]) -> Ruling:
    nameless = ends[(space.goals[ends] < 0).any(axis=1)]
    for end in nameless[:1]:
        given = _goals_given(game, _state_at(game, space, int(end)))
        said = [
            f"{role} gets {' and '.join(given[role]) or 'none'}"
            for at, role in enumerate(game.roles)
            if space.goals[end, at] < 0
        ]
        return _ruling(game, space, GOALS, f"no, {', '.join(said)} there", False, int(end))
    return _ruling(game, space, GOALS, "yes", True)


def _goals_given(game: GdlGame, state: State) -> dict[str, list[str]]:
    """Every goal that the rules give each role, as the reasoner finds them: a machine knows only single numbers."""
    from stratagem.gdl.terms import Compound, Symbol, Variable
    from stratagem.machines.reasoner.machine import ReasonerMachine

    machine = ReasonerMachine(game.sheet)
    known = machine.knowledge(frozenset(state.facts()))
    value = Variable("?value")
    return {
        role: [
            str(term)
            for term in machine.reasoner.findall(value, Compound(("goal", Symbol(role), value)), known)
        ]
        for role in game.roles
    }


def _range(game: GdlGame, space: Space, ends: NDArray[np.int64]) -> Ruling:
    """Whether the ground rules give other goals; a match shows one where it ends with one."""
    wrong = out_of_range(goals_of_rules(game))
    if not wrong:
        return _ruling(game, space, RANGE, "yes", True)
    met = ends[(space.goals[ends] > MOST).any(axis=1)]
    return _ruling(
        game, space, RANGE, f"no, the rules can give {wrong}", False, int(met[0]) if len(met) else None
    )


def _values(
    game: GdlGame, space: Space, figures: dict[str, Any], clear: bool, stopped: Callable[[], bool]
) -> list[Ruling]:
    """Who is better, where every end has *clear* goals to go by."""
    from stratagem.engine.space.pure_strategies import pure_bounds
    from stratagem.engine.space.retrograde import is_zero_sum, movers, solve_zero_sum
    from stratagem.errors import UnsuitableGame

    rulings: list[Ruling] = []

    def say(question: str, answer: str) -> None:
        rulings.append(Ruling(question, answer, None, "decided"))

    try:
        movers(space)
        turns = True
    except UnsuitableGame:
        turns = False
    if len(game.roles) > 1:
        say("do the players move in turn?", "yes" if turns else "no, some moves are made at the same time")
    if not clear:
        return rulings
    if len(game.roles) > 1:
        say("is it a two-player zero-sum game?", "yes" if is_zero_sum(space) else "no")
    for at, role in enumerate(game.roles):
        question = f"what can {role} force against all others?"
        if stopped():
            rulings.append(Ruling(question, "unknown: interrupted", None, UNKNOWN))
            continue
        if turns:
            values = solve_zero_sum(space, maximiser=at)
            low, high = max(LEAST, int(values.low[0])), min(MOST, int(values.high[0]))
        else:
            low, high = pure_bounds(space, at)
        figures.setdefault("forces", {})[role] = low
        said = f"{low}" if low == high else f"at least {low}; the others can hold it to {high}"
        say(question, said)
    return rulings


def _line_to(game: GdlGame, space: Space, state: int) -> list[tuple[Term, ...]]:
    """The joint moves of a shortest match from the start to a state of the space: states are numbered breadth-first."""
    line: list[tuple[Term, ...]] = []
    while state:
        edge = int(np.flatnonzero(space.children == state)[0])
        line.append(tuple(game.circuit.moves[role][int(move)] for role, move in enumerate(space.moves[edge])))
        state = int(np.searchsorted(space.offsets, edge, side="right")) - 1
    return line[::-1]


def _state_at(game: GdlGame, space: Space, state: int) -> State:
    reached = game.initial()
    for joint in _line_to(game, space, state):
        reached = reached.next(joint)
    return reached


def _on_cycle(space: Space, candidates: NDArray[np.int64]) -> int:
    """A state of *candidates* that lies on a cycle: the first met again when following them."""
    inside = np.zeros(len(space), np.bool_)
    inside[candidates] = True
    state = int(candidates[0])
    seen: set[int] = set()
    while state not in seen:
        seen.add(state)
        children = space.children[space.offsets[state] : space.offsets[state + 1]]
        state = int(children[inside[children]][0])
    return state
