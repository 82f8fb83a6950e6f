"""Traces of the field's reference implementation, and the check that a game agrees with one."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.data import CORPUS, DATA, corpus

from stratagem.gdl_game import GdlGame

# The reference holds (open2) and open2 for different propositions; authors mean the same, and so do we.
DIFFERENT_ON_PURPOSE = {"test_case_3a"}


def sheet_names(folder: str) -> list[str]:
    """The sheets of a folder of the corpus, for parametrising; one placeholder where the corpus is absent."""
    return sorted(path.stem for path in (CORPUS / folder).glob("*.kif")) or ["(no corpus)"]


def sheet_path(name: str, folder: str = "games") -> Path:
    path = corpus() / folder / f"{name}.kif"
    if not path.is_file():
        pytest.skip(f"no sheet {name} in the corpus")
    return path


def trace(name: str, folder: str = "traces") -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
    """The header of a trace and its states, one at a time."""
    path = corpus() / folder / f"{name}.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no trace of {name} in the corpus")
    lines = read(path)
    return next(lines), lines


def own_traces() -> list[str]:
    """The names of the bundled games of which there is a trace."""
    return sorted(path.name.removesuffix(".jsonl.gz") for path in (DATA / "traces").glob("*.jsonl.gz"))


def own_trace(name: str) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
    """The header of the trace of a bundled game and its states, one at a time."""
    lines = read(DATA / "traces" / f"{name}.jsonl.gz")
    return next(lines), lines


def read(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def fingerprint(terms: Iterable[object]) -> str:
    return hashlib.sha256("\n".join(sorted(map(str, terms))).encode()).hexdigest()


def agree(game: GdlGame, states: Iterable[dict[str, Any]], *, most: int | None = None) -> int:
    """Checks every state of a trace, up to *most* of each walk: facts, legal moves, next, terminal, goals.

    Returns how many states were compared.
    """
    compared = 0
    walk, state = -1, game.initial()
    for line in states:
        if line["walk"] != walk:
            walk, state = line["walk"], game.initial()
        elif most is not None and line["ply"] >= most:
            continue
        where = f"walk {walk}, ply {line['ply']}"
        facts = state.facts()
        if "state" in line:
            assert sorted(map(str, facts)) == line["state"], where
        if "stateHash" in line:
            assert fingerprint(facts) == line["stateHash"], where
        assert state.terminal == line["terminal"], where
        for role in game.roles:
            if "goals" in line:
                assert state.goal(role) == line["goals"][role], (where, role)
            if role in line.get("legals", {}):
                assert sorted(map(str, state.legals(role))) == line["legals"][role], (where, role)
            if "legalHashes" in line:
                assert fingerprint(state.legals(role)) == line["legalHashes"][role], (where, role)
        compared += 1
        if line.get("joint"):
            state = state.next([game.parse_move(move) for move in line["joint"]])
    return compared
