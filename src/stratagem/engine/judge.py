"""The judge: whether the rules of a game are sound and fair, decided where the space can be exhausted.

Each finding says how it is known: ``decided`` (every reachable state was looked at), ``sampled`` (random matches only)
or ``unknown``; a failure comes with a match that shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.space import Space
    from stratagem.machines.gdl_game import GdlGame

SAMPLES = 20_000
LONGEST = 2_000
ENDS = "does every match end?"
MOVES = "can every role always move?"
GOALS = "has every end exactly one goal for each role?"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One question about the rules: the answer, how it is known, and a match that shows a failure."""

    question: str
    answer: str
    good: bool | None
    """None where there is no good or bad."""
    known: str
    match: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {
            "question": self.question,
            "answer": self.answer,
            "good": self.good,
            "known": self.known,
            "match": list(self.match),
        }


@dataclass(frozen=True, slots=True)
class Judgement:
    """All verdicts about a game."""

    game: str
    exhausted: bool
    verdicts: tuple[Verdict, ...]
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        return not any(verdict.good is False for verdict in self.verdicts)

    def as_json(self) -> dict[str, object]:
        return {
            "game": self.game,
            "exhausted": self.exhausted,
            "sound": self.sound,
            "figures": self.figures,
            "verdicts": [verdict.as_json() for verdict in self.verdicts],
        }


def judge(
    game: GdlGame,
    *,
    most: int = 2_000_000,
    memory: int = 2 << 30,
    seconds: float = 60.0,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Judgement:
    """The verdicts about *game*; the whole space is looked at if it has at most *most* states."""
    import time

    from stratagem.engine.space import SpaceTooLarge, explore

    deadline = time.monotonic() + seconds
    space: Space | None = None
    try:
        space = explore(
            game.expander,
            most=most,
            memory=memory,
            progress=None if progress is None else lambda found, done: progress(f"{found:,} states"),
            stop=lambda: time.monotonic() > deadline or (stop is not None and stop()),
        )
    except SpaceTooLarge as large:
        reached = large.states
    report = game.playouts(n=SAMPLES, seed=seed, limit=LONGEST)
    figures: dict[str, Any] = {
        "mean_length": round(report.plies / max(1, report.matches), 2),
        "mean_goals": {
            role: 0.0 if value is None else round(value, 2)
            for role, value in zip(game.roles, report.goals, strict=True)
        },
        "gates": game.circuit.gate_count,
    }
    if space is None:
        figures["states_at_least"] = reached
        return Judgement(game.identity.name, False, tuple(_sampled(game, report)), figures)
    degrees = np.diff(space.offsets)
    inner = degrees[~space.terminal]
    figures |= {
        "states": len(space),
        "ends": int(space.terminal.sum()),
        "branching": round(float(inner.mean()), 2) if len(inner) else 0.0,
        "layers": list(space.layers),
    }
    return Judgement(game.identity.name, True, tuple(_decided(game, space, figures)), figures)


def _decided(game: GdlGame, space: Space, figures: dict[str, Any]) -> list[Verdict]:
    from stratagem.engine.retrograde import topological

    verdicts: list[Verdict] = []

    def say(question: str, answer: str, good: bool | None = None, state: int | None = None) -> None:
        match = () if state is None else match_to(game, space, state)
        verdicts.append(Verdict(question, answer, good, "decided", match))

    order = topological(space)
    endless = np.setdiff1d(np.arange(len(space)), order)
    if len(endless):
        say(ENDS, "no, play can come back to a position", False, _on_cycle(space, endless))
    else:
        figures["longest"] = _longest(space, order)
        say(ENDS, f"yes, after at most {figures['longest']} moves", True)
    stuck = np.flatnonzero((np.diff(space.offsets) == 0) & ~space.terminal)
    if len(stuck):
        say(MOVES, "no", False, int(stuck[0]))
    else:
        say(MOVES, "yes", True)
    ends = np.flatnonzero(space.terminal)
    nameless = ends[(space.goals[ends] < 0).any(axis=1)]
    if len(nameless):
        say(GOALS, "no", False, int(nameless[0]))
    else:
        say(GOALS, "yes", True)
    for at, role in enumerate(game.roles):
        won = ends[space.goals[ends, at] == 100]
        if len(won):
            say(f"can {role} win at all?", "yes", True, int(won[0]))
        else:
            say(f"can {role} win at all?", "no end is worth 100", False)
    return verdicts + _values(game, space, figures)


def _values(game: GdlGame, space: Space, figures: dict[str, Any]) -> list[Verdict]:
    from stratagem.engine.pure import pure_bounds
    from stratagem.engine.retrograde import is_zero_sum, movers, solve_zero_sum
    from stratagem.errors import UnsuitableGame

    verdicts: list[Verdict] = []

    def say(question: str, answer: str) -> None:
        verdicts.append(Verdict(question, answer, None, "decided"))

    try:
        movers(space)
        turns = True
    except UnsuitableGame:
        turns = False
    if len(game.roles) > 1:
        say("do the players move in turn?", "yes" if turns else "no, some moves are made at the same time")
        say("do the goals of two players always add up?", "yes" if is_zero_sum(space) else "no")
    sound = not np.any(space.goals[space.terminal] < 0) and space.terminal.any()
    for at, role in enumerate(game.roles) if sound else ():
        if turns:
            values = solve_zero_sum(space, maximiser=at)
            low, high = max(0, int(values.low[0])), min(100, int(values.high[0]))
        else:
            low, high = pure_bounds(space, at)
        figures.setdefault("forces", {})[role] = low
        said = f"{low}" if low == high else f"at least {low}, and the others hold it to {high}"
        say(f"what can {role} force against all others?", said)
    return verdicts


def _sampled(game: GdlGame, report: Any) -> list[Verdict]:
    verdicts: list[Verdict] = []
    total = max(1, report.matches)

    def say(question: str, answer: str, good: bool | None) -> None:
        verdicts.append(Verdict(question, answer, good, f"sampled, {report.matches:,} random matches"))

    if report.over:
        say(ENDS, f"{report.over:,} random matches were given up", None)
    else:
        say(ENDS, f"every random match did, after at most {report.longest} moves", None)
    if report.stuck:
        say(MOVES, f"{report.stuck:,} random matches got stuck", False)
    else:
        say(MOVES, "in every random match", True)
    missing = sum(count for goals, count in report.outcomes.items() if any(g is None or g < 0 for g in goals))
    if missing:
        say(GOALS, f"{missing:,} ends have not", False)
    else:
        say(GOALS, "in every random match", True)
    for at, role in enumerate(game.roles):
        wins = sum(count for goals, count in report.outcomes.items() if goals[at] == 100)
        say(f"can {role} win at all?", f"in {wins / total:.1%} of random matches", True if wins else None)
    return verdicts


def match_to(game: GdlGame, space: Space, state: int) -> tuple[str, ...]:
    """The shortest match from the start to a state of the space: states are numbered breadth-first."""
    joint: list[str] = []
    while state:
        edge = int(np.flatnonzero(space.children == state)[0])
        parent = int(np.searchsorted(space.offsets, edge, side="right")) - 1
        moves = [str(game.circuit.moves[role][int(move)]) for role, move in enumerate(space.moves[edge])]
        joint.append(moves[0] if len(moves) == 1 else f"[{' '.join(moves)}]")
        state = parent
    return tuple(reversed(joint))


def _longest(space: Space, order: NDArray[np.int64]) -> int:
    """The longest match in a space without cycles; *order* has children first."""
    length = np.zeros(len(space), np.int64)
    for state in order:
        first, last = space.offsets[state], space.offsets[state + 1]
        if last > first:
            length[state] = 1 + length[space.children[first:last]].max()
    return int(length[0])


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
