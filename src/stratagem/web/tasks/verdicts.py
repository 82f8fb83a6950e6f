"""Judge, playouts and solve for the rules page, as tables. What is only sampled says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from stratagem.gdl_game import GdlGame
from stratagem.limit import Limit
from stratagem.show.solution import steps
from stratagem.web.app.address import Sheet
from stratagem.web.tasks.loaded import FASTEST, Joint, game_of, state_after
from stratagem.web.workers.worker_process import Heard

PLAYOUT_SECONDS: Final = 2.0
JUDGE_SECONDS: Final = 8.0
MOST_STATES: Final = 500_000
MOST_BYTES: Final = 1 << 30
SOLVE_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class VerdictTable:
    """A table of what was found, with a word on how sure it is; *shown* are moves of a match that shows a fault."""

    title: str
    rows: tuple[tuple[str, str, str], ...]
    """What, the answer, and ``good``, ``bad``, ``warn`` or nothing."""
    note: str = ""
    shown: tuple[Joint, ...] = ()


def judge(sheet: Sheet, seed: int, *, tell: Heard) -> VerdictTable:
    """Whether anything is wrong with the game: decided where all its positions can be looked at, else sampled."""
    from stratagem.engine.judge import judge as judged

    game = game_of(sheet, FASTEST)
    limit = Limit(seconds=JUDGE_SECONDS, nodes=MOST_STATES, memory=MOST_BYTES)
    found = judged(game, limit, seed=seed, progress=tell)
    signs = {True: "good", False: "bad", None: ""}
    rows = [(one.question, one.answer, signs[one.good]) for one in found.rulings]
    rows += [(name.replace("_", " "), _plain(value), "") for name, value in found.figures.items()]
    fault = next((one.match for one in found.rulings if one.good is False and one.match), ())
    how = (
        "Decided: every position was examined."
        if found.exhausted
        else "Answers not marked as decided are sampled: what no match has shown is still possible."
    )
    shown = tuple(tuple(map(str, joint)) for joint in fault)
    return VerdictTable("Judge", tuple(rows), f"{_machine(game)}{how}", shown)


def _machine(game: GdlGame) -> str:
    """A sentence about rules that are not compiled; nothing about others."""
    from stratagem.engine.uncompiled import reason

    return "" if game.compilable else f"On {game.runs_on}: {reason(game)}. "


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(inner)}" for name, inner in value.items())
    return f"{value:,}" if isinstance(value, int | float) else "none" if value is None else str(value)


def playouts(sheet: Sheet, history: Sequence[Joint], seed: int, *, tell: Heard) -> VerdictTable:
    """Random matches from a position: who wins how often."""
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
    how = "as machine code on one core" if state.game.compilable else "move by move"
    return VerdictTable("Playouts", tuple(rows), f"{_machine(state.game)}Uniformly random moves, {how}.")


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

    state = state_after(sheet, history, FASTEST)
    limit = Limit(seconds=SOLVE_SECONDS, memory=MOST_BYTES)
    found = solved(state.game, state, limit=limit, progress=tell)
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
    proved = "Proved." if found.proved else "Not proved: these are the bounds."
    note = f" {found.note[0].upper()}{found.note[1:]}." if found.note else ""
    return VerdictTable("Solve", tuple(rows), f"{proved} Method: {found.method} ({found.why}).{note}")
