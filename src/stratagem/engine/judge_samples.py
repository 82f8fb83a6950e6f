"""Rulings by random matches, for games with too many states to enumerate, or whose rules cannot be compiled.

Rules that have been compiled are played by native code; others by the reasoner, as long as the time allows. What no
random match met is not thereby ruled out, and the rulings say so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from stratagem.engine.verdict import ENDS, GOALS, MOVES, RANGE, UNKNOWN, Ruling, out_of_range, win
from stratagem.machines.random_matches import RandomMatch, play_one, report_of
from stratagem.plural import plural

if TYPE_CHECKING:
    from stratagem.gdl_game import GdlGame
    from stratagem.native.playouts.report import PlayoutReport

RoleGoals: TypeAlias = list[tuple[str, set[int]]]
ROUNDS: Final = (1_000, 4_000, 15_000)
"""Random matches by native code; whether to go on is asked between rounds."""
LONGEST: Final = 2_000
"""Moves after which a random match by native code is given up."""
LONGEST_REASONED: Final = 500
"""Moves after which a random match by the reasoner is given up."""


def first_round(game: GdlGame, seed: int) -> PlayoutReport:
    """Some random matches by native code, played before anything that may take long."""
    return game.playouts(n=ROUNDS[0], seed=seed, limit=LONGEST)


def further_rounds(
    game: GdlGame, report: PlayoutReport, seed: int, stop: Callable[[], bool]
) -> PlayoutReport:
    """*report* with the matches of the other rounds, until *stop* says so."""
    for number, count in enumerate(ROUNDS[1:], start=1):
        if stop():
            break
        report = report.plus(game.playouts(n=count, seed=seed + number, limit=LONGEST))
    return report


def reasoned(
    game: GdlGame, seed: int, stop: Callable[[], bool]
) -> tuple[PlayoutReport, dict[str, tuple[tuple[Any, ...], ...]]]:
    """Random matches by the reasoner until *stop* says so, and by question the first match that shows a fault.

    There are none at all if not even one was finished by then.
    """
    random = Random(seed)
    shown: dict[str, tuple[tuple[Any, ...], ...]] = {}
    played: list[RandomMatch] = []
    while len(played) < sum(ROUNDS):
        match = play_one(game, game.initial(), random, limit=LONGEST_REASONED, stop=stop)
        if match is None:
            break
        played.append(match)
        if match.ending == "stuck":
            shown.setdefault(MOVES, match.line)
            shown.setdefault(ENDS, match.line)
        elif None in match.goals:
            shown.setdefault(GOALS, match.line)
    return report_of(game.roles, (match.outcome for match in played)), shown


def sampled(game: GdlGame, report: PlayoutReport, goals: RoleGoals) -> list[Ruling]:
    """The rulings that random matches allow; *goals* are those of the rules, or those met."""
    known = f"sampled, {plural(report.matches, 'random match', 'random matches')}"
    if report.matches == 0:
        answer = "unknown: no random match finished in time"
        questions = [ENDS, MOVES, GOALS, RANGE, *map(win, game.roles)]
        return [Ruling(question, answer, None, UNKNOWN) for question in questions]
    finished = sum(report.outcomes.values())
    rulings = [_ends(report, known), _moves(report, known)]
    rulings += [_goals(report, known), _range(goals, known)] if finished else []
    for at, role in enumerate(game.roles):
        wins = sum(count for goals, count in report.outcomes.items() if goals[at] == 100)
        answer = f"in {wins / report.matches:.1%} of random matches"
        rulings.append(Ruling(win(role), answer, True if wins else None, known))
    return rulings


def _ends(report: PlayoutReport, known: str) -> Ruling:
    if report.over:
        return Ruling(ENDS, f"{report.over:,} random matches reached the step limit", None, known)
    if report.stuck:
        return Ruling(ENDS, f"{report.stuck:,} random matches got stuck before the end", False, known)
    return Ruling(
        ENDS, f"every random match did, after at most {plural(report.longest, 'move')}", None, known
    )


def _moves(report: PlayoutReport, known: str) -> Ruling:
    if report.stuck:
        answer = f"no, in {report.stuck:,} random matches a role had no legal move"
        return Ruling(MOVES, answer, False, known)
    return Ruling(MOVES, "in every random match", True, known)


def _goals(report: PlayoutReport, known: str) -> Ruling:
    without = {role: count for role, count in zip(report.roles, report.without_goal, strict=True) if count}
    if without:
        return Ruling(GOALS, f"no: {_listed(without)}", False, known)
    return Ruling(GOALS, "in every random match", True, known)


def _listed(without: Mapping[str, int]) -> str:
    return ", ".join(
        f"{count:,} random matches gave {role} no goal, or several" for role, count in without.items()
    )


def _range(goals: RoleGoals, known: str) -> Ruling:
    wrong = out_of_range(goals)
    if wrong:
        return Ruling(RANGE, f"no, the rules can give {wrong}", False, known)
    return Ruling(RANGE, "in every random match", True, known)


def goals_of_rules(game: GdlGame) -> RoleGoals:
    """Every goal that the ground rules could give each role."""
    return [
        (role, {value for value, _ in goals})
        for role, goals in zip(game.roles, game.circuit.goals, strict=True)
    ]


def goals_met(report: PlayoutReport) -> RoleGoals:
    """Every goal that a random match gave each role."""
    return [
        (role, {goal for goals in report.outcomes if (goal := goals[at]) is not None})
        for at, role in enumerate(report.roles)
    ]
