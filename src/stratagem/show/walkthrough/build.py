"""From events to a walkthrough: groups the events of one step, and adds each group with the builder for its search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from stratagem.plural import plural
from stratagem.show.walkthrough import sentences
from stratagem.show.walkthrough.builders.fringe import ORDERS, FringeStepBuilder
from stratagem.show.walkthrough.builders.open_list import OpenListStepBuilder
from stratagem.show.walkthrough.builders.tree import TreeStepBuilder
from stratagem.show.walkthrough.clusters import Clusters
from stratagem.show.walkthrough.model import KNOWN, Sentence, Walkthrough
from stratagem.show.walkthrough.node_table import NodeTable, node_table_of
from stratagem.show.walkthrough.outline import OutlineNode
from stratagem.show.walkthrough.writer import StepWriter
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


def build_walkthrough(
    events: Sequence[Event],
    *,
    label: str = "",
    outline: Mapping[Path, OutlineNode] | None = None,
    result: Result | None = None,
    dropped: int = 0,
    notes: Sequence[str] = (),
) -> Walkthrough:
    """The walkthrough of the search that reported *events*.

    *outline* is the whole tree, where it is known; *result*, if given, adds the strategy found and best play.
    *dropped* events came after the last one given: the last step then says how many.
    """
    head = next((event for event in events if isinstance(event, Begin)), Begin(""))
    table = node_table_of(events, outline)
    writer = StepWriter(table)
    tree = TreeStepBuilder(writer, head.algorithm)
    builder = _builder_for(writer, tree, head.algorithm, whole=outline is not None)
    for group in grouped(events):
        _add_step(writer, tree, builder, group, label, head.algorithm)
    if dropped:
        _end_early(writer, result, dropped)
    strategy, line = _findings(table, result)
    return Walkthrough(
        algorithm=head.algorithm,
        label=label or head.source,
        roles=head.roles,
        nodes=table.nodes,
        links=table.links,
        steps=tuple(writer.steps),
        shape=table.shape,
        order=BEST_FIRST.get(head.algorithm) or ORDERS.get(head.algorithm, ""),
        outlined=outline is not None and table.shape == "tree",
        strategy=strategy,
        line=line,
        value=None if result is None else result.value,
        notes=tuple(notes),
    )


def grouped(events: Sequence[Event]) -> Iterator[list[Event]]:
    """The *events*, those together that make one step."""
    group: list[Event] = []
    for event in events:
        if group and not _belongs(group, event):
            yield group
            group = []
        group.append(event)
    if group:
        yield group


def _belongs(group: Sequence[Event], event: Event) -> bool:
    first = group[0]
    if isinstance(event, Begin | Finish | Pass | Pop):
        return False
    if isinstance(first, Pop):
        return True
    if isinstance(first, Begin | Pass):
        return isinstance(event, Push | Goal) or (isinstance(event, Leaf) and isinstance(event.node, int))
    if isinstance(first, Expand):
        return isinstance(event, Enter | Leaf | Proof)
    return isinstance(first, Enter) and isinstance(event, Leaf) and event.node == first.node


def _builder_for(
    writer: StepWriter, tree: TreeStepBuilder, algorithm: str, *, whole: bool
) -> OpenListStepBuilder | FringeStepBuilder:
    if writer.table.shape == "graph":
        return FringeStepBuilder(writer, algorithm)
    player = "min" if algorithm == "dual-star" else "max"
    counts = Clusters(writer.table.nodes, player) if whole and algorithm in BEST_FIRST else None
    return OpenListStepBuilder(writer, tree, player, counts)


def _add_step(
    writer: StepWriter,
    tree: TreeStepBuilder,
    builder: OpenListStepBuilder | FringeStepBuilder,
    events: Sequence[Event],
    label: str,
    algorithm: str,
) -> None:
    first = events[0]
    if isinstance(first, Begin):
        builder.start(events)
        writer.step("begin", 0, sentences.begin(first, label))
    elif isinstance(first, Pass):
        _begin_round(writer, builder, first, algorithm)
        builder.start(events)
        writer.step("pass", 0, sentences.round_begins(first, costs=algorithm == "ida-star"))
    elif isinstance(first, Finish):
        _finish(writer, first)
    elif isinstance(first, Pop):
        builder.add(events)
    else:
        tree.add(events)


def _begin_round(
    writer: StepWriter, builder: OpenListStepBuilder | FringeStepBuilder, event: Pass, algorithm: str
) -> None:
    writer.put("counter", "passes", event.number)
    writer.put("now", "round", sentences.round_title(event, costs=algorithm == "ida-star"))
    if event.limit is not None:
        writer.forget(dict.fromkeys(("live", "entered", "leaf", "visited", "cut", "goal"), KNOWN))
        if isinstance(builder, FringeStepBuilder):
            builder.new_round()


def _finish(writer: StepWriter, event: Finish) -> None:
    if event.complete and event.value is not None and writer.table.shape == "tree":
        writer.put("value", 0, (event.value, "exact"))
    writer.put("now", "finished", True)
    writer.step("finish", 0, sentences.finish(event, _share(writer)))


def _share(writer: StepWriter) -> str:
    """How much of the tree was searched."""
    if writer.table.shape == "graph":
        return f" {plural(len(writer.fields['status']), 'state')} were seen."
    leaves = writer.count("leaves")
    total = sum(not node.moves for node in writer.table.nodes)
    if leaves <= total and any(node.printed is not None for node in writer.table.nodes):
        return f" {leaves:,} of the {total:,} leaves were evaluated."
    return f" {plural(leaves, 'leaf', 'leaves')} {'was' if leaves == 1 else 'were'} evaluated."


def _end_early(writer: StepWriter, result: Result | None, dropped: int) -> None:
    sentence: Sentence = (f"The search went on for {dropped:,} more events, which are not shown here.",)
    if result is not None and result.value is not None:
        writer.put("now", "finished", True)
        sentence = (*sentence, f" Its result: {sentences.finish(_as_finish(result))[0]}")
    writer.step("finish", 0, sentence)


def _as_finish(result: Result) -> Finish:
    move = None if result.best_move is None else str(result.best_move)
    return Finish(result.value, move, result.complete)


def _findings(table: NodeTable, result: Result | None) -> tuple[frozenset[int], tuple[int, ...]]:
    """The strategy found and the line of best play, or the solution of a puzzle."""
    if result is None:
        return frozenset(), ()
    if table.shape == "graph":
        return frozenset(), _solution(table, result)
    numbers = table.numbers
    if result.strategy is None:
        return frozenset(), ()
    paths = [solution.node.path for solution in result.strategy.solutions()]
    line = [outcome.node.path for outcome in result.strategy.root.best_play()]
    return (
        frozenset(numbers[path] for path in paths if path in numbers),
        tuple(numbers[path] for path in line if path in numbers),
    )


def _solution(table: NodeTable, result: Result) -> tuple[int, ...]:
    """The states of the solution, found along the known edges."""
    edges: dict[tuple[int, str], int] = {}
    ways = [
        (node.parent, number, node.move, node.side)
        for number, node in enumerate(table.nodes)
        if node.parent is not None
    ]
    for parent, child, move, side in [*ways, *table.links]:
        before, after = (parent, child) if side == "forward" else (child, parent)
        edges[before, move] = after
    line = [0]
    for move in map(str, result.solution or ()):
        if (line[-1], move) not in edges:
            return ()  # the trace ends before this move
        line.append(edges[line[-1], move])
    return tuple(line)
