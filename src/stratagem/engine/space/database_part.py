"""One file of a database: its head and its sections, mapped where it is local, read where it lies elsewhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import BrokenFile, MissingExtra, UsageError

MAGIC: Final = b"STRATDB"
VERSION: Final = 1
PARTS: Final = "shards.json"
"""The file that makes a folder, or an address, a database in shards; it names their files in order."""


@dataclass(frozen=True, slots=True)
class DatabasePart:
    """A file of a database."""

    place: str
    head: dict[str, Any]
    arrays: dict[str, NDArray[Any]]

    @staticmethod
    def of(place: str) -> DatabasePart:
        """The file at *place*, a path or an address of fsspec."""
        file, size = _opened(place)
        try:
            head, first = _head(place, file, size)
            arrays = {
                section["name"]: _section(place, file, first + section["offset"], section, size)
                for section in head["sections"]
            }
        except BaseException:
            file.close()
            raise
        if "://" not in place:
            file.close()
        return DatabasePart(place, head, arrays)

    def check(self) -> None:
        """Compares every checksum; `BrokenFile` names the section that is damaged."""
        for section in self.head["sections"]:
            digest = hashlib.sha256(self.arrays[section["name"]].tobytes()).hexdigest()
            if digest != section["sha256"]:
                raise BrokenFile(f"{self.place} is damaged in its {section['name']}", hint="build it again")

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


class RemoteRows:
    """An array in a file that cannot be mapped: rows are read when they are asked for."""

    def __init__(
        self, file: BinaryIO, kind: np.dtype[Any], begin: int, shape: Sequence[int], size: int
    ) -> None:
        self.file, self.kind, self.begin, self.shape = file, kind, begin, tuple(shape)
        self.row = kind.itemsize * int(np.prod(self.shape[1:], dtype=np.int64))
        if begin + self.row * self.shape[0] > size:
            raise ValueError

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, row: int) -> NDArray[Any]:
        self.file.seek(self.begin + row * self.row)
        found = np.frombuffer(self.file.read(self.row), self.kind)
        return found if len(self.shape) > 1 else found[0]

    def tobytes(self) -> bytes:
        self.file.seek(self.begin)
        return self.file.read(self.row * len(self))


def parts_at(place: str) -> list[str]:
    """The files of the database at *place*: itself, or where a folder or an address has shards, theirs in order."""
    if "://" in place:
        files, listed = filesystem(place), f"{place.rstrip('/')}/{PARTS}"
        content = files.cat_file(listed) if files.exists(listed) else None
    else:
        listed = str(Path(place) / PARTS)
        content = Path(listed).read_bytes() if Path(listed).is_file() else None
    if content is None:
        return [place]
    try:
        names = [str(name) for name in json.loads(content)["parts"]]
    except (ValueError, TypeError, KeyError) as fault:
        raise BrokenFile(f"{listed} is damaged", hint="build the database again") from fault
    return [f"{place.rstrip('/')}/{name}" for name in names]


def filesystem(address: str) -> Any:
    """The file system of an address such as s3://bucket/folder."""
    return filesystem_and_path(address)[0]


def filesystem_and_path(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path that the address is called by there."""
    try:
        import fsspec
    except ImportError as missing:
        raise MissingExtra("cluster", needs="fsspec") from missing
    try:
        files, path = fsspec.core.url_to_fs(address)
    except (ValueError, ImportError) as fault:
        raise UsageError(f"{address} cannot be used: {fault}") from fault
    return files, str(path)


def _section(place: str, file: BinaryIO, begin: int, section: dict[str, Any], size: int) -> NDArray[Any]:
    """An array of the file, mapped where the file is local."""
    kind, shape = np.dtype(section["type"]), tuple(section["shape"])
    try:
        if "://" in place:
            return cast("NDArray[Any]", RemoteRows(file, kind, begin, shape, size))
        return np.memmap(place, kind, "r", begin, shape) if np.prod(shape) else np.empty(shape, kind)
    except (ValueError, OSError) as fault:
        raise BrokenFile(f"{place} is truncated", hint="build it again") from fault


def _opened(place: str) -> tuple[BinaryIO, int]:
    try:
        if "://" in place:
            files = filesystem(place)
            return files.open(place, "rb"), int(files.size(place))
        return Path(place).open("rb"), Path(place).stat().st_size
    except OSError as fault:
        raise BrokenFile(f"{place} cannot be read: {fault.strerror or fault}") from fault


def _head(place: str, file: BinaryIO, size: int) -> tuple[dict[str, Any], int]:
    try:
        magic, length = file.read(8), int.from_bytes(file.read(8), "little")
        if magic[:7] != MAGIC:
            raise BrokenFile(
                f"{place} is not a database", hint="`stratagem solve --database FILE` writes one"
            )
        if magic[7:] != bytes([VERSION]):
            raise BrokenFile(f"{place} was written by another version", hint="build it again")
        if length > size:
            raise BrokenFile(f"{place} is damaged in its header", hint="build it again")
        head = json.loads(file.read(length))
        if not isinstance(head, dict) or "sections" not in head:
            raise BrokenFile(f"{place} is damaged in its header", hint="build it again")
        return head, 16 + length
    except OSError as fault:
        raise BrokenFile(f"{place} cannot be read: {fault.strerror}") from fault
    except ValueError as fault:
        raise BrokenFile(f"{place} is damaged in its header", hint="build it again") from fault
