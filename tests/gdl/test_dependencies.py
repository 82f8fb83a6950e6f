"""The dependency graph and its components."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stratagem.gdl.dependencies import graph, rule_graph, uses
from stratagem.gdl.graphs import components, path
from stratagem.gdl.parse import read_sheet
from stratagem.gdl.text.syntax import Source

GRAPHS = st.dictionaries(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=4), max_size=10).map(
    lambda edges: {vertex: [other for other in others if other in edges] for vertex, others in edges.items()}
)


def reachable(edges, start):
    return {end for end in edges if path(edges, start, end) is not None}


@given(GRAPHS)
def test_two_vertices_share_a_component_if_each_reaches_the_other(edges):
    component_of = {vertex: component for component in components(edges) for vertex in component}
    assert set(component_of) == set(edges)
    for vertex in edges:
        mutual = {other for other in reachable(edges, vertex) if vertex in reachable(edges, other)}
        assert set(component_of[vertex]) == mutual


@given(GRAPHS)
def test_what_a_component_depends_on_comes_before_it(edges):
    order = {vertex: number for number, component in enumerate(components(edges)) for vertex in component}
    assert all(order[used] <= order[user] for user, others in edges.items() for used in others)


def test_a_ring_of_a_hundred_thousand_vertices_is_one_component():
    size = 100_000
    (ring,) = components({vertex: [(vertex + 1) % size] for vertex in range(size)})
    assert len(ring) == size


def test_relations_of_different_arity_are_different():
    sheet, _ = read_sheet(Source("(<= (p ?x) (or (q ?x) (not (p ?x ?x))) (distinct ?x a) (not (not r)))"))
    assert graph(sheet.rules) == {
        ("p", 1): [("q", 1), ("p", 2), ("r", 0)],
        ("q", 1): [],
        ("p", 2): [],
        ("r", 0): [],
    }
    assert [(use.relation[0], use.negated) for use in uses(sheet.rules[0])] == [
        ("q", False),
        ("p", True),
        ("r", True),
    ]


def test_the_shortest_way_is_found():
    edges = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": ["a"]}
    assert path(edges, "a", "d") == ("a", "b", "d")
    assert path(edges, "a", "a") == ("a",)
    assert path(edges, "a", "z") is None


def test_rules_are_told_apart_where_relations_are_not():
    text = "(<= (goal ?r 0) (role ?r) (not (goal ?r 100))) (<= (goal ?r 100) (wins ?r)) (<= (wins ?r) (goal ?r ?n))"
    needs = rule_graph(read_sheet(Source(text))[0].rules)
    assert needs is not None
    assert needs.edges == {0: [1], 1: [2], 2: [0, 1]}
    assert needs.negative == [(0, 1)]
    assert rule_graph(read_sheet(Source(text))[0].rules, most=3) is None
