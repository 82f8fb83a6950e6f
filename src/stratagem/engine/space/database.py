"""Databases of perfect play: every reachable state with its value and distance, in one file.

    bytes 0..7     "STRATDB" and the version
    bytes 8..15    the length of the head
    head           JSON: the rules, the sizes, the start, the kind of values, the sections with offset and checksum
    sections       arrays, little-endian: states sorted by their words, values, distances

`database_build` writes them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stratagem.errors import BrokenFile, UsageError
from stratagem.limit import UNLIMITED, Limit
from stratagem.result import Counters, Interval, MoveStatistics, Result

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl_game import GdlGame, State

MAGIC = b"STRATDB"
VERSION = 1


@dataclass(frozen=True, slots=True)
class DatabaseEntry:
    """What a database keeps of a state: each role's goal at least and at most, and the distance to the end (-1: none)."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    distance: int


class Database:
    """Perfect play of one game from a file, whose arrays are mapped, not read: ``database[state]`` is a `Result`.

    >>> from tempfile import TemporaryDirectory
    >>> from stratagem.loading import load
    >>> game = load("hexapawn")
    >>> with TemporaryDirectory() as folder:
    ...     database = Database.build(f"{folder}/hexapawn.db", game)
    ...     result = database[game.initial()]
    >>> len(database), result.values["black"], result.distance
    (135, Interval(low=100, high=100), 6)
    """

    @staticmethod
    def build(
        path: str | Path,
        game: GdlGame,
        state: State | None = None,
        *,
        limit: Limit = UNLIMITED,
        resume: bool = False,
        force: bool = False,
        progress: Callable[[str], None] | None = None,
    ) -> Database:
        """Builds the database of everything reachable from *state*, or from the initial state.

        A build that a limit ends raises a `LimitExceeded` and keeps its finished layers; it is continued with *resume* and
        thrown away with *force*.
        """
        from stratagem.engine.space.database_build import build

        begin = game.initial() if state is None else state
        build(game, begin, path, limit=limit, resume=resume, force=force, progress=progress)
        return Database(path)

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.head, first = _head(self.path)
        self.arrays: dict[str, NDArray[Any]] = {}
        for section in self.head["sections"]:
            shape = tuple(section["shape"])
            try:
                self.arrays[section["name"]] = np.memmap(
                    self.path, np.dtype(section["type"]), "r", first + section["offset"], shape
                )
            except (ValueError, OSError) as fault:
                raise BrokenFile(f"{path} is cut short", hint="build it again") from fault

    def check(self) -> None:
        """Compares every checksum; `BrokenFile` names the section that is damaged."""
        for section in self.head["sections"]:
            digest = hashlib.sha256(self.arrays[section["name"]].tobytes()).hexdigest()
            if digest != section["sha256"]:
                raise BrokenFile(f"{self.path} is damaged in its {section['name']}", hint="build it again")

    def __len__(self) -> int:
        return len(self.arrays["distance"])

    @cached_property
    def game(self) -> GdlGame:
        """The game that the database is of."""
        from stratagem.gdl.text.syntax import Source
        from stratagem.loading import load_source

        settings = tuple(sorted((name, int(value)) for name, value in self.head["settings"].items()))
        game = load_source(Source(self.head["rules"], self.head["game"], self.head["syntax"], settings))
        if [str(base) for base in game.circuit.bases] != self.head["bases"]:
            raise BrokenFile(
                f"{self.path} was built by another version of this program", hint="build it again"
            )
        return game

    @property
    def start(self) -> State:
        """The state from which everything in the database can be reached."""
        return self.game.state_of(self.game.parse_move(fact) for fact in self.head["start"])

    def find(self, packed: NDArray[np.uint64]) -> int | None:
        """Where a packed state stands, by binary search over the sorted states."""
        states = self.arrays["states"]
        wanted = tuple(int(word) for word in packed)
        low, high = 0, len(states)
        while low < high:
            middle = (low + high) // 2
            if tuple(int(word) for word in states[middle]) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(states) and tuple(int(word) for word in states[low]) == wanted else None

    def entry(self, state: State) -> DatabaseEntry:
        """What the file keeps of *state*; a `UsageError` where it cannot be reached from the start."""
        roles = self.game.roles
        place = self.find(state.packed)
        if place is None:
            raise UsageError(
                "this position is not in the database", hint="it cannot be reached from its start"
            )
        low = tuple(int(value) for value in self.arrays["low"][place])
        high = tuple(int(value) for value in self.arrays["high"][place])
        if self.head["kind"] == "zero-sum" and len(roles) == 2:
            total = int(self.head["total"])
            low, high = (low[0], total - high[0]), (high[0], total - low[0])
        return DatabaseEntry(low, high, int(self.arrays["distance"][place]))

    def __getitem__(self, state: State) -> Result:
        """What *state* is worth, and what every move of the role that has the choice leads to, the best first."""
        roles, entry = self.game.roles, self.entry(state)
        moves: dict[str, tuple[MoveStatistics, ...]] = {}
        choosing = () if state.terminal else tuple(role for role in roles if len(state.legals(role)) > 1)
        if len(choosing) == 1 or (len(roles) == 1 and not state.terminal):
            role = choosing[0] if choosing else roles[0]
            moves[role] = self._ranked(state, role)
        proved = entry.low == entry.high
        return Result(
            "database",
            values={
                role: Interval(low, high)
                for role, low, high in zip(roles, entry.low, entry.high, strict=True)
            },
            estimates={
                role: low for role, low, high in zip(roles, entry.low, entry.high, strict=True) if low == high
            },
            best={role: ranked[0].move for role, ranked in moves.items()},
            moves=moves,
            proved=proved,
            distance=entry.distance if proved and entry.distance >= 0 else None,
            counters=Counters(states=len(self)),
            why=f"from {self.path.name}",
            note="" if proved else "play need not end",
        )

    def _ranked(self, state: State, role: str) -> tuple[MoveStatistics, ...]:
        """The moves of *role*: the higher value first; of equals the nearer win, or the longer resistance."""
        place = self.game.roles.index(role)
        found = []
        for move in state.legals(role):
            entry = self.entry(state.play(move))
            low, known = entry.low[place], entry.low == entry.high
            distance = entry.distance + 1 if known and entry.distance >= 0 else None
            found.append(MoveStatistics(move, low, proved=known, distance=distance))
        return tuple(
            sorted(
                found,
                key=lambda each: (
                    -each.value,
                    (each.distance or 0) * (1 if 2 * each.value > 100 else -1),
                ),
            )
        )


def _head(path: Path) -> tuple[dict[str, Any], int]:
    try:
        with path.open("rb") as file:
            magic, length = file.read(8), int.from_bytes(file.read(8), "little")
            if magic[:7] != MAGIC:
                raise BrokenFile(
                    f"{path} is no database", hint="`stratagem solve --database FILE` writes one"
                )
            if magic[7:] != bytes([VERSION]):
                raise BrokenFile(f"{path} is of another version", hint="build it again")
            if length > path.stat().st_size:
                raise BrokenFile(f"{path} is damaged in its head", hint="build it again")
            head = json.loads(file.read(length))
        if not isinstance(head, dict) or "sections" not in head:
            raise BrokenFile(f"{path} is damaged in its head", hint="build it again")
        return head, 16 + length
    except OSError as fault:
        raise BrokenFile(f"{path} cannot be read: {fault.strerror}") from fault
    except ValueError as fault:
        raise BrokenFile(f"{path} is damaged in its head", hint="build it again") from fault
