"""Searches for a page: walkthroughs, the comparison of all algorithms, and exports."""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from stratagem.errors import NoEstimate, UsageError
from stratagem.explanation import Explanation, explain
from stratagem.game import Game
from stratagem.limit import Limit
from stratagem.search import ADVERSARIAL, INFORMED, SINGLE
from stratagem.show.tree.svg import png_of, svg_of
from stratagem.show.walkthrough.render.json import walkthrough_data
from stratagem.web.app.subject import NAMES, SHAPE, UNIFORM, Subject
from stratagem.web.tasks.loaded import FASTEST, game_of, history_from, state_after
from stratagem.web.workers.worker_process import Heard

EXPLAINED: Final = Limit(nodes=20_000, seconds=8)
COMPARED: Final = Limit(nodes=200_000, seconds=2.0)
TWO_SIDES: Final = (
    *("minimax", "negamax", "alpha-beta", "alpha-beta-shallow", "fail-soft", "scout", "negascout"),
    *("sss-star", "mtd-plus-inf", "dual-star", "mtd-minus-inf", "mtdf", "proof-number"),
)
ESTIMATE: Final = 'write the node in the tree of the address as {"estimate": 5, "children": [...]}, or take depth= out of the address'
"""The hint on the page for a node without an estimate."""


@dataclass(frozen=True, slots=True)
class PackedWalkthrough:
    """A compressed walkthrough, and what the server needs to know about it."""

    packed: bytes
    spec: Any
    """The tree as nested lists, if it can be edited."""
    value: float | None
    steps: int
    nodes: int


def walkthrough(subject: Subject, algorithm: str, *, tell: Heard) -> PackedWalkthrough:
    """The search by *algorithm*, step by step."""
    tell("Searching …")
    found = explained(subject, algorithm)
    tell("Preparing the steps …")
    data = json.dumps(
        walkthrough_data(found.walkthrough), ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    spec = None if subject.sheet is not None else _tree(subject).spec()
    return PackedWalkthrough(
        packed=gzip.compress(data.encode(), 5),
        spec=spec,
        value=found.result.value,
        steps=len(found.walkthrough.steps),
        nodes=len(found.walkthrough.nodes),
    )


def explained(subject: Subject, algorithm: str) -> Explanation:
    """The explanation of one search."""
    game, start = _target(subject)
    estimate = _estimate(subject, start) if algorithm in INFORMED else None
    try:
        return explain(
            game,
            algorithm,
            start,
            label=subject.title,
            limit=replace(EXPLAINED, depth=subject.depth),
            evaluation=_evaluation(subject, algorithm),
            heuristic=estimate,
        )
    except NoEstimate as refused:  # its own hint names an option of the command line
        raise NoEstimate(refused.message, hint=ESTIMATE) from refused


def _evaluation(subject: Subject, algorithm: str) -> str:
    """The name of the evaluation at the horizon; none where there is no horizon, and for trees."""
    return (
        subject.evaluation if subject.depth is not None and subject.sheet and algorithm in ADVERSARIAL else ""
    )


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """What one algorithm found and what it cost."""

    algorithm: str
    value: float | None = None
    counters: dict[str, int] | None = None
    complete: bool = True
    refused: str = ""


def compare(subject: Subject, *, tell: Heard) -> tuple[ComparisonRow, ...]:
    """Every algorithm that fits, each within a limit."""
    from stratagem.taught_search import compare as run_each

    game, start = _target(subject)
    names = algorithms_for(game.roles)
    compared = run_each(
        names,
        game,
        start,
        begin=lambda name: tell(f"Running {name} …"),
        evaluation=_evaluation(subject, names[0]),
        heuristic=_estimate(subject, start) if set(names) & set(INFORMED) else None,
        limit=replace(COMPARED, depth=subject.depth),
    )
    return tuple(
        ComparisonRow(each.method, refused="" if each.refused is None else each.refused.message)
        if each.result is None
        else ComparisonRow(each.method, each.result.value, asdict(each.result.counters), each.result.complete)
        for each in compared
    )


def algorithms_for(roles: Sequence[str]) -> tuple[str, ...]:
    """The algorithms that take a game with these roles, in the order of the lectures."""
    players = [role for role in roles if role != "random"]
    if len(players) == 1:
        return tuple(SINGLE)
    return ("expectiminimax",) if "random" in roles else TWO_SIDES


def exported(
    subject: Subject,
    algorithm: str,
    kind: str,
    step: int,
    drawn: Collection[int] | None = None,
    *,
    tell: Heard,
) -> bytes:
    """The search as a file: ``svg`` and ``png`` at a step (from 1), ``html`` and ``json`` as a whole.

    A picture shows the nodes that are *drawn* on the page, and the others folded.
    """
    found = explained(subject, algorithm)
    frame = found.frame(max(1, min(step, len(found.walkthrough.steps))))
    match kind:
        case "svg":
            return svg_of(found.walkthrough, frame, drawn=drawn).encode()
        case "png":
            return png_of(svg_of(found.walkthrough, frame, drawn=drawn))
        case "html":
            return found.html().encode()
        case "json":
            return found.jsonl().encode()
    raise UsageError(f"there is no export called {kind}", hint="choose svg, png, html or json")


def _estimate(subject: Subject, start: Any) -> Any:
    """The chosen heuristic, or None."""
    if subject.heuristic == "none" or subject.sheet is None:
        return None
    from stratagem.engine.heuristics.by_name import estimate

    return estimate(subject.heuristic, game_of(subject.sheet, FASTEST), start)


def _target(subject: Subject) -> tuple[Game[Any], Any]:
    if subject.sheet is None:
        tree = _tree(subject)
        return tree, tree.initial()
    state = state_after(subject.sheet, history_from(subject.sheet, subject.moves))
    return state.game, state


def _tree(subject: Subject) -> Any:
    from stratagem.machines.trees.models import lecture_tree, ordered, thirty_six_leaves, uniform
    from stratagem.machines.trees.tree import Tree

    if subject.tree in NAMES:
        return lecture_tree() if subject.tree == "lecture" else thirty_six_leaves()
    match = UNIFORM.fullmatch(subject.tree)
    if match is not None:
        seed, model = int(match[3] or 1), match[4] or "distinct"
        return uniform(int(match[1]), int(match[2]), seed=seed, model=model)
    shape = SHAPE.fullmatch(subject.tree)
    if shape is not None:
        degrees = tuple(map(int, shape[1].split("-")))
        return ordered(degrees, order=shape[3] or "random", seed=int(shape[2] or 1))
    return Tree.parse(subject.tree, name="your tree")
