"""A solved position in words, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stratagem.gdl.terms import NOOP
from stratagem.plural import plural

if TYPE_CHECKING:
    from stratagem.game import Move
    from stratagem.result import Result
    from stratagem.state import State


def described(state: State, found: Result) -> str:
    """What `solve` found about *state*, in lines of text."""
    solved = "solved" if found.proved else "not solved"
    by = "" if found.method == "none" else f" by {found.method}"
    lines = [f"{state.game.identity.name}: {solved}{by} ({found.why})"]
    lines += [f"  {role}: {value}" for role, value in found.values.items()]
    lines += [f"  best move: {move} ({role})" for role, move in found.best.items()]
    if found.distance is not None:
        lines.append(f"  ends after {plural(found.distance, 'move')}")
    if found.line:
        lines.append(f"  line: {' '.join(steps(state, found.line))}")
    if found.note:
        lines.append(f"  {found.note}")
    counters = found.counters
    size = f"{plural(counters.states, 'state')}, {plural(counters.nodes, 'node')}"
    return "\n".join([*lines, f"  {size}, {counters.seconds:.2f} s"])


def solution_json(state: State, found: Result) -> dict[str, object]:
    """The same for a JSON writer."""
    roles = state.game.roles
    return {
        "game": state.game.identity.name,
        "value": {role: found.estimates.get(role) for role in roles},
        "bounds": {role: [value.low, value.high] for role, value in found.values.items()},
        "best_move": None if found.best_move is None else str(found.best_move),
        "mover": found.mover,
        "distance": found.distance,
        "line": list(steps(state, found.line)),
        "proved": found.proved,
        "states": found.counters.states,
        "nodes": found.counters.nodes,
        "method": found.method,
        "why": found.why,
        "seconds": round(found.counters.seconds, 3),
        "note": found.note,
    }


def steps(state: State, line: Sequence[tuple[Move, ...]]) -> tuple[str, ...]:
    """The joint moves of *line*, which begins in *state*, each as its text."""
    texts = []
    for joint in line:
        texts.append(step(state, joint))
        state = state.next(joint)
    return tuple(texts)


def step(state: State, joint: Sequence[Move]) -> str:
    """A joint move as the move of the one role that has the choice in *state*, or all moves in brackets.

    Where no role has a choice, it is the move of the first role that does not say noop.
    """
    choosing = [number for number, role in enumerate(state.game.roles) if len(state.legals(role)) > 1]
    if len(choosing) > 1:
        return f"[{' '.join(map(str, joint))}]"
    if choosing:
        return str(joint[choosing[0]])
    return str(next((move for move in joint if move != NOOP), joint[0]))
