"""Writing a database of perfect play: the head, then the sections, piece by piece, so that memory need not hold them."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from stratagem.engine.space.database_part import MAGIC, VERSION

if TYPE_CHECKING:
    from stratagem.gdl_game import GdlGame, State

KINDS: Final = {"states": "<u8", "low": "<i2", "high": "<i2", "distance": "<i4"}
"""The sections in their order, and the numbers that they hold."""
Piece = Mapping[str, NDArray[Any]]
"""Rows of all sections; states in the order of their words."""


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """What the head of a database says besides its sections."""

    game: str
    rules: str
    syntax: str
    settings: dict[str, int]
    start: list[str]
    bases: list[str]
    kind: str
    total: int
    """What the goals of two roles add up to, 0 where they do not."""
    layers: list[int]

    @staticmethod
    def of(game: GdlGame, state: State, kind: str, total: int, layers: Sequence[int]) -> DatabaseFacts:
        source = game.identity.source
        return DatabaseFacts(
            game.identity.name,
            source.text,
            source.syntax,
            dict(source.settings),
            sorted(map(str, state.facts())),
            [str(base) for base in game.circuit.bases],
            kind,
            total,
            list(layers),
        )

    @property
    def words(self) -> int:
        return max(1, -(-len(self.bases) // 64))


@dataclass(frozen=True, slots=True)
class DatabaseLayout:
    """How the sections of *count* states with the values of so many *roles* follow each other in a file."""

    facts: DatabaseFacts
    count: int
    roles: int

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        values = (self.count, self.roles)
        return {
            "states": (self.count, self.facts.words),
            "low": values,
            "high": values,
            "distance": (self.count,),
        }

    @property
    def sizes(self) -> dict[str, int]:
        """The bytes of each section."""
        shapes = self.shapes
        return {name: int(np.prod(shapes[name])) * np.dtype(kind).itemsize for name, kind in KINDS.items()}

    @property
    def places(self) -> dict[str, int]:
        """The byte of the file at which each section begins."""
        unchecked = dict.fromkeys(KINDS, hashlib.sha256().hexdigest())
        return dict(zip(KINDS, _starts(len(self.head(unchecked)), self.sizes.values()), strict=True))

    def head(self, digests: Mapping[str, str]) -> bytes:
        """What the file begins with; *digests* are the checksums of the sections, whose values do not change its length."""
        shapes, sizes = self.shapes, self.sizes
        sections = [
            {
                "name": name,
                "type": kind,
                "shape": list(shapes[name]),
                "offset": offset,
                "sha256": digests[name],
            }
            for (name, kind), offset in zip(KINDS.items(), _starts(0, sizes.values()), strict=True)
        ]
        content = json.dumps({**asdict(self.facts), "sections": sections}, sort_keys=True).encode()
        return MAGIC + bytes([VERSION]) + len(content).to_bytes(8, "little") + content


class SectionWriter:
    """Writes rows of all sections into an open *file*, from the row *first* on; *seen* is told of the bytes of each section."""

    def __init__(
        self,
        file: BinaryIO,
        layout: DatabaseLayout,
        first: int = 0,
        seen: Mapping[str, Callable[[memoryview], None]] | None = None,
    ) -> None:
        self.file, self.seen = file, seen or {}
        sizes, rows = layout.sizes, max(1, layout.count)
        self._places = {name: place + first * (sizes[name] // rows) for name, place in layout.places.items()}

    def add(self, piece: Piece) -> None:
        for section, kind in KINDS.items():
            content = np.ascontiguousarray(piece[section], kind).reshape(-1).view(np.uint8).data
            if section in self.seen:
                self.seen[section](content)
            self.file.seek(self._places[section])
            self._places[section] += len(content)
            while len(content):
                content = content[self.file.write(content) :]


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """A file beside *target* that takes its place at the end, or is removed where that is not reached."""
    target.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=target.parent)
    os.close(number)
    try:
        yield Path(name)
        os.chmod(name, 0o644)
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def sync(place: Path) -> None:
    """Waits until what was written to a file is on the disk."""
    with place.open("r+b") as file:
        os.fsync(file.fileno())


def write_head(file: BinaryIO, head: bytes) -> None:
    """Writes the *head* of a file whose sections are there, and waits until all of it is on the disk."""
    file.seek(0)
    file.write(head)
    file.flush()
    os.fsync(file.fileno())


def write_database(
    target: Path, facts: DatabaseFacts, count: int, roles: int, pieces: Iterable[Piece]
) -> None:
    """Writes *count* states with the values of so many *roles* to *target*: all of it or, with an OSError, nothing."""
    layout = DatabaseLayout(facts, count, roles)
    digests = {name: hashlib.sha256() for name in KINDS}
    with unfinished(target) as place, place.open("r+b") as file:
        sections = SectionWriter(file, layout, seen={name: digests[name].update for name in KINDS})
        with ThreadPoolExecutor(1, "database") as writer:  # a piece is written while the next one is made
            writing = None
            for piece in pieces:
                if writing is not None:
                    writing.result()
                writing = writer.submit(sections.add, piece)
            if writing is not None:
                writing.result()
        write_head(file, layout.head({name: digest.hexdigest() for name, digest in digests.items()}))


def _starts(first: int, sizes: Iterable[int]) -> Iterator[int]:
    for size in sizes:
        yield first
        first += size
