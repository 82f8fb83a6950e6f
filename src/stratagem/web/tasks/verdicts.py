"""Judge, playouts, solve: what a designer wants to know of a game. What is only sampled says so.

The engine judges and solves, and playouts run as machine code, where the rules can be compiled. Elsewhere random matches on
the reasoner look for what must not be (a role without a move, goals that are not unique, a match that does not end),
and the taught searches solve what fits their budget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Any, Final

from stratagem.errors import GroundingError, LimitExceeded
from stratagem.gdl_game import GdlGame
from stratagem.limit import Limit
from stratagem.plural import plural
from stratagem.show.solution import steps
from stratagem.web.app.address import Sheet
from stratagem.web.tasks.loaded import FASTEST, Joint, game_of, state_after
from stratagem.web.workers.worker_process import Heard

PLAYOUT_SECONDS: Final = 2.0
JUDGE_SECONDS: Final = 8.0
MOST_STATES: Final = 500_000
MOST_BYTES: Final = 1 << 30
SOLVE_SECONDS: Final = 20.0
LONGEST: Final = 500
"""Plies after which a random match is given up."""


@dataclass(frozen=True, slots=True)
class VerdictTable:
    """A table of what was found, with a word on how sure it is; *shown* are moves of a match that shows a fault."""

    title: str
    rows: tuple[tuple[str, str, str], ...]
    """What, the answer, and ``good``, ``bad``, ``warn`` or nothing."""
    note: str = ""
    shown: tuple[Joint, ...] = ()


@dataclass(slots=True)
class Walks:
    """Random matches, added up."""

    matches: int = 0
    plies: int = 0
    longest: int = 0
    unfinished: int = 0
    simultaneous: int = 0
    choices: int = 0
    turns: int = 0
    goals: Counter[tuple[int | None, ...]] = field(default_factory=Counter)
    stuck: tuple[Joint, ...] | None = None
    unclear: tuple[Joint, ...] | None = None
    endless: tuple[Joint, ...] | None = None

    def walk(self, game: GdlGame, random: Random) -> None:
        """One more match."""
        state = game.initial()
        history: list[Joint] = []
        while not state.terminal and len(history) < LONGEST:
            legals = [state.legals(role) for role in game.roles]
            if not all(legals):
                self.stuck = self.stuck or tuple(history)
                return
            choosers = sum(len(legal) > 1 for legal in legals)
            self.simultaneous += choosers > 1
            self.turns += 1
            self.choices += max(map(len, legals))
            joint = tuple(random.choice(legal) for legal in legals)
            history.append(tuple(map(str, joint)))
            state = state.next(joint)
        self.matches += 1
        self.plies += len(history)
        self.longest = max(self.longest, len(history))
        if not state.terminal:
            self.unfinished += 1
            self.endless = self.endless or tuple(history[:40])
            return
        goals = tuple(state.goal(role) for role in game.roles)
        self.goals[goals] += 1
        if None in goals:
            self.unclear = self.unclear or tuple(history)


def judge(sheet: Sheet, seed: int, *, tell: Heard) -> VerdictTable:
    """Whether anything is wrong with the game: decided where all its positions can be looked at, else sampled."""
    from stratagem.engine.judge import judge as judged

    try:
        game = game_of(sheet, FASTEST)
        if game.fallback is not None:
            return _plain_judge(sheet, seed, f"On the reasoner: {game.fallback}.", tell)
        found = judged(
            game, most=MOST_STATES, memory=MOST_BYTES, seconds=JUDGE_SECONDS, seed=seed, progress=tell
        )
    except LimitExceeded as refused:
        return _plain_judge(sheet, seed, f"On the reasoner: {refused.message}.", tell)
    signs = {True: "good", False: "bad", None: ""}
    rows = [(one.question, one.answer, signs[one.good]) for one in found.verdicts]
    rows += [(name.replace("_", " "), _plain(value), "") for name, value in found.figures.items()]
    fault = next((one.match for one in found.verdicts if one.good is False and one.match), ())
    how = (
        "Decided: every position was looked at."
        if found.exhausted
        else "Sampled where it does not say decided."
    )
    return VerdictTable("Judge", tuple(rows), how, tuple(_joint(game, step) for step in fault))


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(inner)}" for name, inner in value.items())
    return f"{value:,}" if isinstance(value, int | float) else "none" if value is None else str(value)


def _joint(game: GdlGame, step: str) -> Joint:
    """A joint move as the engine writes it: one move, or all of them in square brackets."""
    from stratagem.gdl.parse import parse_term

    if not step.startswith("["):
        return (step,)
    whole = parse_term(f"(joint {step[1:-1]})")
    return tuple(str(move) for move in whole[1:])


def _plain_judge(sheet: Sheet, seed: int, why: str, tell: Heard) -> VerdictTable:
    game = game_of(sheet)
    walks, random, end = Walks(), Random(seed), monotonic() + JUDGE_SECONDS
    while walks.stuck is None and (walks.matches == 0 or monotonic() < end):
        walks.walk(game, random)
        if walks.matches % 20 == 0:
            tell(f"{plural(walks.matches, 'match', 'matches')} played")
    fault = walks.stuck or walks.unclear or walks.endless or ()
    note = f"{why} Sampled: {walks.matches:,} random matches. What was not met is not thereby ruled out."
    return VerdictTable("Judge", tuple(_judged(game, walks)), note, fault)


def _judged(game: GdlGame, walks: Walks) -> list[tuple[str, str, str]]:
    ended = walks.matches - walks.unfinished
    rows = [
        (
            "ends",
            "every match did" if not walks.unfinished else f"{walks.unfinished:,} went past {LONGEST} plies",
            "warn" if walks.unfinished else "good",
        ),
        (
            "everyone can always move",
            "as far as seen" if walks.stuck is None else "no: somebody was stuck",
            "good" if walks.stuck is None else "bad",
        ),
        (
            "goals are unique",
            "as far as seen" if walks.unclear is None else "no: an end without one clear value",
            "good" if walks.unclear is None else "bad",
        ),
    ]
    for place, role in enumerate(game.roles):
        values = [goals[place] or 0 for goals in walks.goals.elements()]
        best = max(values, default=0)
        won = sum(value == 100 for value in values)
        said = f"won {won:,} of {ended:,}" if best == 100 else f"at best {best}"
        rows.append((f"{role} can win", said, "good" if best == 100 else "warn"))
    totals = {sum(goal or 0 for goal in goals) for goals in walks.goals}
    if len(game.roles) > 1:
        rows.append(("zero-sum", "as far as seen" if len(totals) <= 1 else "no", ""))
        rows.append(("moves", "at the same time" if walks.simultaneous else "in turn", ""))
    rows.append(("mean length", f"{walks.plies / max(1, walks.matches):.1f} plies", ""))
    rows.append(("longest seen", f"{walks.longest} plies", ""))
    rows.append(("mean number of choices", f"{walks.choices / max(1, walks.turns):.1f}", ""))
    return rows


def playouts(sheet: Sheet, history: Sequence[Joint], seed: int, *, tell: Heard) -> VerdictTable:
    """Random matches from a position: who wins how often."""
    try:
        return _compiled_playouts(sheet, history, seed, tell)
    except GroundingError as refused:
        return _plain_playouts(sheet, history, seed, f"On the reasoner: {refused.message}.", tell)


def _compiled_playouts(sheet: Sheet, history: Sequence[Joint], seed: int, tell: Heard) -> VerdictTable:
    tell("The rules are being compiled …")
    state = state_after(sheet, history, FASTEST)
    tell("Playing …")
    report = state.game.playouts(state, seconds=PLAYOUT_SECONDS, seed=seed, threads=1)
    rows = [("matches", f"{report.matches:,}", "")]
    rows.append(("matches a second", f"{report.matches / max(report.seconds, 1e-9):,.0f}", ""))
    mean = report.plies / max(1, report.matches)
    rows += [("mean length", f"{mean:.2f} plies", ""), ("longest", f"{report.longest} plies", "")]
    for role, goal in zip(report.roles, report.goals, strict=True):
        rows.append((f"mean for {role}", "?" if goal is None else f"{goal:.2f}", ""))
    rows += _outcomes(report.roles, report.outcomes)
    if report.over:
        rows.append(("not ended", f"{report.over:,}", "warn"))
    if report.stuck:
        rows.append(("stuck", f"{report.stuck:,}", "bad"))
    return VerdictTable("Playouts", tuple(rows), "Uniformly random moves, as machine code on one core.")


def _plain_playouts(
    sheet: Sheet, history: Sequence[Joint], seed: int, note: str, tell: Heard
) -> VerdictTable:
    game = game_of(sheet)
    walks, random, end = Walks(), Random(seed), monotonic() + PLAYOUT_SECONDS
    while walks.matches == 0 or (monotonic() < end and walks.stuck is None):
        walks.walk(game, random)
        tell(f"{plural(walks.matches, 'match', 'matches')} played")
    rows = [("matches", f"{walks.matches:,}", ""), ("longest", f"{walks.longest} plies", "")]
    rows += _outcomes(game.roles, walks.goals)
    return VerdictTable("Playouts", tuple(rows), note)


def _outcomes(roles: Sequence[str], outcomes: Any) -> list[tuple[str, str, str]]:
    total = sum(outcomes.values()) or 1
    most = sorted(outcomes.items(), key=lambda entry: -entry[1])[:8]
    return [
        (
            " ".join(f"{role} {goal}" for role, goal in zip(roles, goals, strict=True)),
            f"{count / total:.1%}",
            "",
        )
        for goals, count in most
    ]


def solve(sheet: Sheet, history: Sequence[Joint], *, tell: Heard) -> VerdictTable:
    """The value of a position and how to get it, proved where the budget allows."""
    from stratagem.engine.solve import solve as solved

    try:
        state = state_after(sheet, history, FASTEST)
        limit = Limit(seconds=SOLVE_SECONDS, memory=MOST_BYTES)
        found = solved(state.game, state, limit=limit, progress=tell)
    except LimitExceeded as refused:
        return _taught_solve(sheet, history, f"On the reasoner: {refused.message}.", tell)
    rows = [
        (
            f"value for {role}",
            f"{value.low:g}" if value.exact else f"{value.low:g} to {value.high:g}",
            "good" if value.exact else "warn",
        )
        for role, value in found.values.items()
    ]
    rows += [(f"best move of {role}", str(move), "") for role, move in found.best.items()]
    if found.distance is not None:
        rows.append(("moves to the end", str(found.distance), ""))
    if found.line:
        rows.append(("line", "  ".join(steps(state, found.line[:60])), ""))
    sizes = (("states", found.counters.states), ("nodes", found.counters.nodes))
    rows += [(name, _plain(count), "") for name, count in sizes if count]
    return VerdictTable("Solve", tuple(rows), f"Method: {found.method} ({found.why}).")


def _taught_solve(sheet: Sheet, history: Sequence[Joint], why: str, tell: Heard) -> VerdictTable:
    from stratagem.limit import Limit
    from stratagem.search import ALGORITHMS

    state = state_after(sheet, history)
    game = state.game
    alone = len(game.roles) == 1
    method = "breadth-first" if alone else "mtdf"
    tell(f"Searching with {method}, for at most {SOLVE_SECONDS:g} s …")
    result = ALGORITHMS[method](game, state, limit=Limit(seconds=SOLVE_SECONDS))
    line = result.solution if alone else result.principal_variation
    worth = "?" if result.value is None else f"{result.value:g}"
    rows = [(f"value for {game.roles[0]}", worth, "good" if result.complete else "warn")]
    if line is not None:
        rows.append(("moves to the end", str(len(line)), ""))
        rows.append(("line", "  ".join(map(str, line[:40])), ""))
    if result.best_moves:
        rows.append(("best moves", "  ".join(map(str, result.best_moves[:12])), ""))
    rows.append(("nodes", f"{result.counters.nodes:,}", ""))
    proved = "Proved." if result.complete else "Not proved: the time ran out; this is the best found so far."
    return VerdictTable("Solve", tuple(rows), f"{proved} Method: {result.method}. {why}")
