"""Traces as files: every event comes back as it went, and a broken file is refused with its line."""

from __future__ import annotations

import io
import json
from dataclasses import fields, is_dataclass
from math import inf
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.random_games import trees

from stratagem.errors import BrokenFile
from stratagem.machines.trees.tree import Tree
from stratagem.search import ADVERSARIAL, ALGORITHMS
from stratagem.trace import events
from stratagem.trace.events import Cut, Enter, Event, Leaf, Purge, Push
from stratagem.trace.stream import KINDS, Recorder, TraceWriter, from_line, read, to_line, write

HEADER = '{"format": "stratagem trace", "version": 1}'
BOOK = Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])


@given(
    some.one_of([some.builds(kind) for kind in get_args(Event)]).filter(
        lambda event: "nan" not in repr(event)
    )
)
def test_every_event_comes_back_as_it_went(event):
    assert from_line(to_line(event)) == event


@settings(max_examples=20)
@given(trees(players=True), some.sampled_from(sorted(set(ADVERSARIAL) - {"best-move"})))
def test_the_trace_of_any_search_comes_back_as_it_went(tree, name):
    recorder = Recorder()
    ALGORITHMS[name](tree, trace=recorder)
    file = io.StringIO()
    write(recorder.events, file)
    file.seek(0)

    assert list(read(file)) == recorder.events


def test_events_are_written_as_they_happen():
    file = io.StringIO()
    ALGORITHMS["alpha-beta"](BOOK, trace=TraceWriter(file))
    lines = file.getvalue().splitlines()

    assert lines[0] == HEADER
    assert json.loads(lines[2]) == {
        "event": "Enter",
        "node": [],
        "player": "max",
        "move": None,
        "children": 3,
        "alpha": "-inf",
        "beta": "inf",
    }
    assert json.loads(lines[-1]) == {"event": "Finish", "value": 3, "best_move": "0", "complete": True}
    assert all(json.loads(line, parse_constant=pytest.fail) for line in lines)  # nothing that is not JSON


def test_a_node_is_a_path_in_a_tree_and_a_number_in_a_graph():
    assert from_line(to_line(Purge((0,), ((0, 1), (0, 2))))) == Purge((0,), ((0, 1), (0, 2)))
    assert from_line(to_line(Push(3, 1.5, 4, parent=0, move="(left)"))) == Push(
        3, 1.5, 4, parent=0, move="(left)"
    )


def test_a_recorder_may_have_enough():
    recorder = Recorder(limit=5)
    ALGORITHMS["minimax"](BOOK, trace=recorder)

    assert len(recorder.events) == 5
    everything = Recorder()
    ALGORITHMS["minimax"](BOOK, trace=everything)
    assert recorder.dropped == len(everything.events) - 5


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([], "mine.jsonl:1: the first line of a trace must be"),
        (["[]"], "mine.jsonl:1: the first line of a trace must be"),
        (["not json"], "mine.jsonl:1: the first line of a trace must be"),
        (
            ['{"format": "stratagem trace", "version": 99}'],
            "this trace has version 99, and this program reads up to 1",
        ),
        (['{"format": "stratagem trace"}'], "this trace has version None"),
        ([HEADER, '{"event": "Leaf", "no'], "mine.jsonl:2: not JSON"),
        ([HEADER, "", '{"event": "Jump"}'], "mine.jsonl:3: an event of a known kind was expected, found"),
        ([HEADER, "7"], "mine.jsonl:2: an event of a known kind was expected, found 7"),
        ([HEADER, '{"event": "Leaf", "node": [0]}'], "mine.jsonl:2: the fields of Leaf do not fit"),
        (
            [HEADER, '{"event": "Leaf", "node": [0], "value": "many"}'],
            "mine.jsonl:2: the fields of Leaf do not fit",
        ),
        (
            [HEADER, '{"event": "Leaf", "node": [0], "value": true}'],
            "mine.jsonl:2: the fields of Leaf do not fit",
        ),
        (
            [HEADER, '{"event": "Leaf", "node": [0], "value": 1, "x": 1}'],
            "mine.jsonl:2: the fields of Leaf do not fit",
        ),
    ],
)
def test_a_broken_file_is_refused_with_the_line_that_is_wrong(lines, text):
    with pytest.raises(BrokenFile) as refusal:
        list(read(lines, name="mine.jsonl"))

    assert text in refusal.value.message


def test_every_class_of_event_is_in_the_union_and_frozen():
    classes = {name for name, kind in vars(events).items() if is_dataclass(kind)}

    assert classes == set(KINDS)
    for kind in KINDS.values():
        assert kind.__dataclass_params__.frozen
        assert fields(kind)


def test_the_tree_can_be_rebuilt_from_the_events_alone():
    recorder = Recorder()
    ALGORITHMS["minimax"](BOOK, trace=recorder)
    children = {event.node: event.children for event in recorder.events if isinstance(event, Enter)}
    values = {event.node: event.value for event in recorder.events if isinstance(event, Leaf)}

    def rebuilt(node):
        below = children[node]
        return [rebuilt((*node, index)) for index in range(below)] if below else values[node]

    assert rebuilt(()) == BOOK.spec()


def test_infinite_bounds_survive():
    cut = Cut((0,), "alpha", -inf, -inf, -inf, inf, 1)

    assert from_line(to_line(cut)) == cut
