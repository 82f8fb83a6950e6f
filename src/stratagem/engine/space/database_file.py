"""Writing a database of perfect play: the head, then the sections, piece by piece, so that memory need not hold them."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

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


def write_database(
    target: Path, facts: DatabaseFacts, count: int, roles: int, pieces: Iterable[Piece]
) -> None:
    """Writes *count* states with the values of so many *roles* to *target*: all of it or, with an OSError, nothing."""
    shapes = {
        "states": (count, facts.words),
        "low": (count, roles),
        "high": (count, roles),
        "distance": (count,),
    }
    sizes = {name: int(np.prod(shapes[name])) * np.dtype(kind).itemsize for name, kind in KINDS.items()}
    digests = {name: hashlib.sha256() for name in KINDS}
    head = _head(facts, shapes, sizes, {name: digest.hexdigest() for name, digest in digests.items()})
    target.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(number, "wb") as file:
            places = dict(zip(KINDS, _starts(16 + len(head), sizes.values()), strict=True))

            def write(piece: Piece) -> None:
                for section, kind in KINDS.items():
                    content = np.ascontiguousarray(piece[section], kind).reshape(-1).view(np.uint8).data
                    digests[section].update(content)
                    file.seek(places[section])
                    file.write(content)
                    places[section] += len(content)

            with ThreadPoolExecutor(1, "database") as writer:  # a piece is written while the next one is made
                writing = None
                for piece in pieces:
                    if writing is not None:
                        writing.result()
                    writing = writer.submit(write, piece)
                if writing is not None:
                    writing.result()
            final = _head(facts, shapes, sizes, {one: digest.hexdigest() for one, digest in digests.items()})
            file.seek(0)
            file.write(MAGIC + bytes([VERSION]) + len(final).to_bytes(8, "little") + final)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _starts(first: int, sizes: Iterable[int]) -> Iterator[int]:
    for size in sizes:
        yield first
        first += size


def _head(
    facts: DatabaseFacts,
    shapes: Mapping[str, tuple[int, ...]],
    sizes: Mapping[str, int],
    digests: Mapping[str, str],
) -> bytes:
    sections = [
        {"name": name, "type": kind, "shape": list(shapes[name]), "offset": offset, "sha256": digests[name]}
        for (name, kind), offset in zip(KINDS.items(), _starts(0, sizes.values()), strict=True)
    ]
    return json.dumps({**asdict(facts), "sections": sections}, sort_keys=True).encode()
