"""From events to a story: cuts the trace into scenes, one step each, and lets the right teller tell them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from stratagem.show.figures import count
from stratagem.show.walkthrough import sentences
from stratagem.show.walkthrough.builders.fringe import ORDERS, FringeTeller
from stratagem.show.walkthrough.builders.open_list import OpenTeller
from stratagem.show.walkthrough.builders.tree import TreeTeller
from stratagem.show.walkthrough.clusters import Clusters
from stratagem.show.walkthrough.model import KNOWN, Sentence, Story
from stratagem.show.walkthrough.node_table import Skeleton, skeleton_of
from stratagem.show.walkthrough.outline import Place
from stratagem.show.walkthrough.writer import Pen
from stratagem.trace.events import (
    Begin,
    Enter,
    Event,
    Expand,
    Finish,
    Goal,
    Leaf,
    Pass,
    Path,
    Pop,
    Proof,
    Push,
)

if TYPE_CHECKING:
    from stratagem.result import Result

BEST_FIRST = {"sss-star": "greatest", "dual-star": "least"}


def tell(
    events: Sequence[Event],
    *,
    label: str = "",
    outline: Mapping[Path, Place] | None = None,
    result: Result | None = None,
    dropped: int = 0,
    notes: Sequence[str] = (),
) -> Story:
    """The story that *events* tell.

    *outline* is the whole tree, where it is known; *result*, if given, adds the strategy found and best play.
    *dropped* events came after the last one given: the story then ends with a word about them.
    """
    head = next((event for event in events if isinstance(event, Begin)), Begin(""))
    skeleton = skeleton_of(events, outline)
    pen = Pen(skeleton)
    tree = TreeTeller(pen, head.algorithm)
    teller = _teller(pen, tree, head.algorithm, whole=outline is not None)
    for scene in scenes(events):
        _tell_scene(pen, tree, teller, scene, label, head.algorithm)
    if dropped:
        _end_early(pen, result, dropped)
    strategy, line = _findings(skeleton, result)
    return Story(
        algorithm=head.algorithm,
        label=label or head.source,
        roles=head.roles,
        nodes=skeleton.nodes,
        links=skeleton.links,
        steps=tuple(pen.steps),
        shape=skeleton.shape,
        order=BEST_FIRST.get(head.algorithm) or ORDERS.get(head.algorithm, ""),
        outlined=outline is not None and skeleton.shape == "tree",
        strategy=strategy,
        line=line,
        value=None if result is None else result.value,
        notes=tuple(notes),
    )


def scenes(events: Sequence[Event]) -> Iterator[list[Event]]:
    """The events, those together that make one step."""
    scene: list[Event] = []
    for event in events:
        if scene and not _belongs(scene, event):
            yield scene
            scene = []
        scene.append(event)
    if scene:
        yield scene


def _belongs(scene: Sequence[Event], event: Event) -> bool:
    first = scene[0]
    if isinstance(event, Begin | Finish | Pass | Pop):
        return False
    if isinstance(first, Pop):
        return True
    if isinstance(first, Begin | Pass):
        return isinstance(event, Push | Goal) or (isinstance(event, Leaf) and isinstance(event.node, int))
    if isinstance(first, Expand):
        return isinstance(event, Enter | Leaf | Proof)
    return isinstance(first, Enter) and isinstance(event, Leaf) and event.node == first.node


def _teller(pen: Pen, tree: TreeTeller, algorithm: str, *, whole: bool) -> OpenTeller | FringeTeller:
    if pen.skeleton.shape == "graph":
        return FringeTeller(pen, algorithm)
    player = "min" if algorithm == "dual-star" else "max"
    counts = Clusters(pen.skeleton.nodes, player) if whole and algorithm in BEST_FIRST else None
    return OpenTeller(pen, tree, player, counts)


def _tell_scene(
    pen: Pen,
    tree: TreeTeller,
    teller: OpenTeller | FringeTeller,
    scene: Sequence[Event],
    label: str,
    algorithm: str,
) -> None:
    first = scene[0]
    if isinstance(first, Begin):
        teller.start(scene)
        pen.step("begin", 0, sentences.begin(first, label))
    elif isinstance(first, Pass):
        _begin_round(pen, teller, first, algorithm)
        teller.start(scene)
        pen.step("pass", 0, sentences.round_begins(first, costs=algorithm == "ida-star"))
    elif isinstance(first, Finish):
        _finish(pen, first)
    elif isinstance(first, Pop):
        teller.tell(scene)
    else:
        tree.tell(scene)


def _begin_round(pen: Pen, teller: OpenTeller | FringeTeller, event: Pass, algorithm: str) -> None:
    pen.put("counter", "passes", event.number)
    pen.put("now", "round", sentences.round_title(event, costs=algorithm == "ida-star"))
    if event.limit is not None:
        pen.forget(dict.fromkeys(("live", "entered", "leaf", "visited", "cut", "goal"), KNOWN))
        if isinstance(teller, FringeTeller):
            teller.new_round()


def _finish(pen: Pen, event: Finish) -> None:
    if event.complete and event.value is not None and pen.skeleton.shape == "tree":
        pen.put("value", 0, (event.value, "exact"))
    pen.put("now", "finished", True)
    pen.step("finish", 0, sentences.finish(event, _share(pen)))


def _share(pen: Pen) -> str:
    """How much of the tree it took."""
    if pen.skeleton.shape == "graph":
        return f" {count(len(pen.fields['status']), 'state')} were seen."
    leaves = pen.count("leaves")
    total = sum(not node.moves for node in pen.skeleton.nodes)
    if leaves <= total and any(node.printed is not None for node in pen.skeleton.nodes):
        return f" {leaves:,} of the {total:,} leaves were looked at."
    return f" {count(leaves, 'leaf')} {'was' if leaves == 1 else 'were'} looked at."


def _end_early(pen: Pen, result: Result | None, dropped: int) -> None:
    sentence: Sentence = (f"The search went on for {dropped:,} more events, which are not shown here.",)
    if result is not None and result.value is not None:
        pen.put("now", "finished", True)
        sentence = (*sentence, f" Its result: {sentences.finish(_as_finish(result))[0]}")
    pen.step("finish", 0, sentence)


def _as_finish(result: Result) -> Finish:
    move = None if result.best_move is None else str(result.best_move)
    return Finish(result.value, move, result.complete)


def _findings(skeleton: Skeleton, result: Result | None) -> tuple[frozenset[int], tuple[int, ...]]:
    """The strategy found and the line of best play, or the solution of a puzzle."""
    if result is None:
        return frozenset(), ()
    if skeleton.shape == "graph":
        return frozenset(), _solution(skeleton, result)
    numbers = skeleton.numbers
    if result.strategy is None:
        return frozenset(), ()
    paths = [outcome.node.path for outcome in result.strategy.outcomes()]
    line = [outcome.node.path for outcome in result.strategy.root.best_play()]
    return (
        frozenset(numbers[path] for path in paths if path in numbers),
        tuple(numbers[path] for path in line if path in numbers),
    )


def _solution(skeleton: Skeleton, result: Result) -> tuple[int, ...]:
    """The states of the solution, found by walking its moves along the edges that are known."""
    edges: dict[tuple[int, str], int] = {}
    ways = [
        (node.parent, number, node.move, node.side)
        for number, node in enumerate(skeleton.nodes)
        if node.parent is not None
    ]
    for parent, child, move, side in [*ways, *skeleton.links]:
        before, after = (parent, child) if side == "forward" else (child, parent)
        edges[before, move] = after
    line = [0]
    for move in map(str, result.solution or ()):
        if (line[-1], move) not in edges:
            return ()  # the trace was cut short before it came so far
        line.append(edges[line[-1], move])
    return tuple(line)
