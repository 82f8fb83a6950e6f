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
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stratagem.errors import BrokenFile, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl_game import GdlGame, State

MAGIC = b"STRATDB"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """What a database says about a state: at least, at most, and the distance to the end (-1: it need not end)."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    distance: int


class Database:
    """A database opened for questions; its arrays are mapped, not read."""

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

    def start(self, game: GdlGame) -> State:
        return game.state_of(game.parse_move(fact) for fact in self.head["start"])

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

    def answer(self, game: GdlGame, state: State) -> Answer:
        """What is known about *state*; a `UsageError` where it cannot be reached."""
        place = self.find(game.expander.pack(state.facts()))
        if place is None:
            raise UsageError(
                "this position is not in the database", hint="it cannot be reached from its start"
            )
        low = tuple(int(value) for value in self.arrays["low"][place])
        high = tuple(int(value) for value in self.arrays["high"][place])
        if self.head["kind"] == "zero-sum" and len(game.roles) == 2:
            total = int(self.head["total"])
            low, high = (low[0], total - high[0]), (high[0], total - low[0])
        return Answer(low, high, int(self.arrays["distance"][place]))


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
