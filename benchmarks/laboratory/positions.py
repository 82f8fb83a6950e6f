"""Positions whose value is known, move by move: what accuracy is measured on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from benchmarks.laboratory.pairs import game_of
from stratagem.engine.alpha_beta.search import AlphaBeta
from stratagem.gdl.text.printer import to_kif
from stratagem.gdl_game import GdlGame
from stratagem.limit import Limit
from stratagem.state import State

LOOKED_AT = 40
"""Positions that are drawn for every one that is wanted, at most: many are too hard to solve, or every move will do."""
TABLE = 256 << 20


@dataclass(frozen=True, slots=True)
class SolvedPosition:
    """A position of *game* after the joint moves *way*, with *role* to move: which of its moves keep its value."""

    game: str
    way: tuple[tuple[str, ...], ...]
    role: str
    keeping: tuple[str, ...]
    moves: int
    """How many legal moves there are; some of them give something away."""


def drawn(rules: GdlGame, seed: int) -> Iterator[list[tuple[str, ...]]]:
    """Ways to positions without end: random matches, ended at a random turn."""
    random = Random(seed)
    while True:
        state, way = rules.initial(), []
        while not state.terminal:
            joint = [random.choice(state.legals(role)) for role in rules.roles]
            way.append(tuple(rules.spell(move) for move in joint))
            state = state.next(joint)
        yield way[: random.randrange(len(way))]


def after(rules: GdlGame, way: list[tuple[str, ...]]) -> State:
    state = rules.initial()
    for joint in way:
        state = state.next([rules.parse_move(move) for move in joint])
    return state


def solved(search: AlphaBeta, name: str, way: list[tuple[str, ...]], limit: Limit) -> SolvedPosition | None:
    """The position after *way*, solved; None where *limit* was reached, or where every move is as good as any."""
    rules = search.game
    state = after(rules, way)
    role = state.choosing[0] if len(state.choosing) == 1 else None
    if role is None:
        return None
    values = {}
    for move in state.legals(role):
        child = state.play(move)
        found = None if child.terminal else search.search(child, limit)
        if found is not None and not found.proved:
            return None
        values[rules.spell(move)] = float(child.goal(role) or 0) if found is None else found.estimates[role]
    best = max(values.values())
    keeping = tuple(move for move, value in values.items() if value == best)
    if len(keeping) == len(values):
        return None
    return SolvedPosition(name, tuple(way), role, keeping, len(values))


def positions(name: str, wanted: int, nodes: int, seed: int, path: Path | None) -> list[SolvedPosition]:
    """So many different positions of a game, each move of which is solved in so many *nodes*; kept in *path*, if given."""
    rules = game_of(name)
    known = [one for one in kept(path) if one.game == name][:wanted]
    search = AlphaBeta(rules, memory=TABLE)
    seen = {after(rules, list(one.way)).packed.tobytes() for one in known}
    for number, way in enumerate(drawn(rules, seed)):
        if len(known) >= wanted or number >= LOOKED_AT * wanted:
            return known
        here = after(rules, way).packed.tobytes()
        if here in seen:
            continue
        seen.add(here)
        found = solved(search, name, way, Limit(nodes=nodes))
        if found is not None:
            known.append(found)
            if path is not None:
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(found)) + "\n")
    return known


def kept(path: Path | None) -> Iterator[SolvedPosition]:
    """The positions in a file of earlier runs."""
    if path is not None and path.exists():
        for line in path.read_text("utf-8").splitlines():
            said = json.loads(line)
            way = tuple(tuple(joint) for joint in said["way"])
            yield SolvedPosition(**{**said, "way": way, "keeping": tuple(said["keeping"])})


def rules_of(name: str) -> str:
    """The rules of a game as KIF, for a seat."""
    return to_kif(game_of(name).sheet)
