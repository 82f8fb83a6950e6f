"""The graph of a space for kernels that work backwards: every state's children and its parents, in compressed rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stratagem.kernels import Array, Record, dims, inlined, kernel, size

if TYPE_CHECKING:
    from stratagem.engine.space.explore import Space


class StateGraph(Record):
    """Children are given, parents are found by `reverse_edges`; *left* and *queue* are scratch memory of kernels."""

    states: int = size()
    bounds: int = size()
    """One more than the states."""
    edges: int = size()
    first_child: Array[int] = dims("bounds")
    children: Array[int] = dims("edges")
    first_parent: Array[int] = dims("bounds")
    parents: Array[int] = dims("edges")
    left: Array[int] = dims("states")
    """How many children of a state have not been dealt with."""
    queue: Array[int] = dims("states")


def graph_of(space: Space) -> StateGraph:
    """The graph of a space; parents are not known yet."""
    states = len(space)
    return StateGraph(
        first_child=space.offsets,
        children=space.children,
        first_parent=np.zeros(states + 1, np.int64),
        parents=np.empty(len(space.children), np.int64),
        left=np.empty(states, np.int64),
        queue=np.empty(states, np.int64),
    )


@inlined
def children_of(graph: StateGraph, state: int) -> int:
    """How many children a state has."""
    return graph.first_child[state + 1] - graph.first_child[state]


@kernel
def reverse_edges(graph: StateGraph) -> None:
    """Finds the parents of every state: counts them, and puts them in their places (counting sort)."""
    for edge in range(graph.edges):
        graph.first_parent[graph.children[edge] + 1] += 1
    for state in range(graph.states):
        graph.first_parent[state + 1] += graph.first_parent[state]
        graph.queue[state] = graph.first_parent[state]  # where the next parent goes
    for state in range(graph.states):
        for edge in range(graph.first_child[state], graph.first_child[state + 1]):
            child = graph.children[edge]
            graph.parents[graph.queue[child]] = state
            graph.queue[child] += 1
