"""Korf's hundred positions of the fifteen puzzle, from the text of the rules, against IDA* written by hand.

Both have the same pattern databases, which were made from the rules, and look at the moves in the same order. The signature: every solution
has the published length, and both make the same number of children. ``--entries 600000000 --memory 8000`` is the split 7-8.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import verdict
from benchmarks.yardstick_fifteen import HandWritten
from stratagem.engine import pattern_database
from stratagem.engine.heuristics.additive_databases import AdditiveDatabases
from stratagem.engine.heuristics.pattern_database import ENTRIES
from stratagem.engine.puzzle.ida_star import ida_star
from stratagem.limit import Limit
from stratagem.loading import load

POSITIONS = Path(__file__).parent.parent / "tests" / "data" / "oracles.json"
WANTED = 1 / 3


def tiles_of(databases: AdditiveDatabases) -> list[int]:
    """The tile that each variable is, by its home: tile i belongs into place i."""
    return [int(place) for place in databases.domain.goal_places[0]]


def packed(databases: AdditiveDatabases, board: list[int]) -> np.ndarray:
    """A position as a packed state."""
    domain, tiles = databases.domain, tiles_of(databases)
    bits = np.zeros(64 * domain.goals.shape[1], np.bool_)
    for place, tile in enumerate(board):
        bits[domain.facts[tiles.index(tile), place] if tile else domain.context[place]] = True
    return np.packbits(bits, bitorder="little").view(np.uint64)


def main(words: list[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks fifteen")
    options.add_argument("--entries", type=int, default=ENTRIES, help="of one database at most")
    options.add_argument("--memory", type=int, default=1000, help="megabytes for the databases")
    options.add_argument("--positions", type=int, default=100, help="how many of the hundred")
    chosen = options.parse_args(words or [])
    game = load("fifteenpuzzle")
    begin = time.process_time()
    databases = pattern_database(game, entries=chosen.entries, limit=Limit(memory=chosen.memory << 20))
    assert isinstance(databases, AdditiveDatabases)
    print(f"{databases}, made in {time.process_time() - begin:.1f} s")
    yardstick = HandWritten(databases, tiles_of(databases))
    instances = json.loads(POSITIONS.read_text())["korf_15puzzle_100"]["instances"][: chosen.positions]
    yardstick.solve(np.array(instances[0]["tiles"]))
    ida_star(game.compiled, databases)
    print("| position | moves | nodes | milliseconds | by hand |\n| ---: | ---: | ---: | ---: | ---: |")
    nodes, ours, theirs, lengths = 0, 0.0, 0.0, 0
    for instance in instances:
        start = packed(databases, instance["tiles"])
        begin = time.thread_time()
        found = ida_star(game.compiled, databases, start)
        between = time.thread_time()
        length, made = yardstick.solve(np.array(instance["tiles"]))
        end = time.thread_time()
        assert len(found.moves) == length == instance["optimal"], f"position {instance['id']}"
        assert found.states == made, f"position {instance['id']}: {found.states} and {made} nodes"
        print(
            f"| {instance['id']} | {length} | {made:,} | {1e3 * (between - begin):.1f} | {1e3 * (end - between):.1f} |",
            flush=True,
        )
        nodes, lengths = nodes + made, lengths + length
        ours, theirs = ours + between - begin, theirs + end - between
    count = len(instances)
    print(f"{count} positions, {lengths / count:.2f} moves and {nodes / count:,.0f} nodes on average")
    print(f"  by hand   {nodes / theirs / 1e6:8.1f} million nodes per second")
    print(f"  by rules  {nodes / ours / 1e6:8.1f} million nodes per second")
    verdict("ratio", theirs / ours, WANTED)


if __name__ == "__main__":
    main()
