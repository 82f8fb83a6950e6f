"""Checkpoints: the finished layers of a sharded search in a folder, or at any address that fsspec knows.

Every shard writes a file for each layer of its own states, and for the values of each layer on the way back. The driver
then writes the manifest, beside its place and renamed, which says what is finished: after a kill the search goes on from
there. A file that no manifest names is written again.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from errno import EMFILE, ENFILE
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratagem.cache import write_atomically
from stratagem.engine.space.database_build import MANIFEST
from stratagem.engine.space.database_part import filesystem, filesystem_and_path
from stratagem.engine.space.sorted_runs import RunWriter, SortedRun
from stratagem.errors import BrokenFile, LimitExceeded, UsageError

VERSION: Final = 1
OURS: Final = re.compile(r"manifest\.json|\.[^/]*\.part|\d{4,}/(\d{6,}\.(states|values\.\d+)|scratch/.*)")
"""Names of files that a build writes; those that end in part are a manifest that was being written."""
OPEN_FILES: Final = (EMFILE, ENFILE)
"""What the system says where more files are open than it allows."""


@dataclass(slots=True)
class Manifest:
    """What is finished of a sharded search."""

    key: str
    """A hash of the rules and the start."""
    shards: int
    layers: list[list[int]] = field(default_factory=list)
    """For every finished layer the number of states of each shard."""
    terminal: list[int] = field(default_factory=list)
    """For every layer that was expanded the number of its ends."""
    complete: bool = False
    """Whether the last layer was expanded and nothing came."""
    levelled: bool = True
    """Whether every move so far leads from one layer to the next."""
    ends: dict[str, Any] = field(default_factory=dict)
    """What is known of the goals at ends, as `backward.Ends` has it."""
    values: dict[str, int] = field(default_factory=dict)
    """For every layer with values the sweep that they are of."""
    sweep: int = 0
    changed: bool = False
    """Whether this sweep has changed a value so far."""
    unknown: list[int] = field(default_factory=list)
    """The layers in which some value is not known yet (max^n, where play can come back to a state)."""
    version: int = VERSION

    def content(self) -> bytes:
        """What is written of it."""
        return json.dumps(asdict(self)).encode()


class Checkpoint:
    """The files of one sharded search, at *address*; *scratch* is a local folder for copies of what lies elsewhere."""

    def __init__(self, address: str, scratch: Path) -> None:
        self.address, self.scratch = address, scratch
        self.remote = "://" in address
        self.folder = scratch if self.remote else Path(address)
        self._files = filesystem(address) if self.remote else None

    def manifest(self) -> Manifest | None:
        """What is finished; None where nothing is."""
        try:
            if self._files is None:
                content = (self.folder / MANIFEST).read_bytes()
            else:
                content = self._files.cat_file(self._at(MANIFEST))
        except FileNotFoundError:
            return None
        except OSError as refused:
            raise UsageError(
                f"the checkpoint {self.address} cannot be read: {refused.strerror or refused}",
                hint="name a folder or an fsspec address",
            ) from refused
        try:
            data = json.loads(content)
            if data["version"] != VERSION:
                raise BrokenFile(f"{self.address} was written by another version", hint="start over")
            return Manifest(**data)
        except (ValueError, TypeError, KeyError) as fault:
            raise BrokenFile(
                f"the manifest of {self.address} is damaged", hint="start over with --force"
            ) from fault

    def keep(self, manifest: Manifest) -> None:
        """Writes the manifest: what it names is finished from now on."""
        self.write_manifest(manifest.content())

    def write_manifest(self, content: bytes) -> None:
        """Writes the content of a manifest."""
        if self._files is None:
            write_atomically(self.folder / MANIFEST, content, lasting=True)
        else:
            self._files.pipe_file(self._at(MANIFEST), content)

    def writer(self, name: str, words: int, kind: Any = np.uint64) -> RunWriter:
        """A writer of the rows called *name*; `publish` makes them part of the checkpoint."""
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        return RunWriter(place, words, kind)

    def publish(self, name: str) -> None:
        """Sends a file that was written here to where the checkpoint lies."""
        if self._files is not None:
            try:
                self._files.put_file(str(self.folder / name), self._at(name))
            except OSError as refused:
                raise unwritable(self.address, refused) from refused

    def fetch(self, name: str) -> Path:
        """The file called *name* as a local one."""
        place = self.folder / name
        if self._files is not None and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            self._files.get_file(self._at(name), str(place))
        return place

    def states(self, name: str, count: int, words: int) -> SortedRun:
        """A run of so many states that was published."""
        return SortedRun(self.fetch(name), self.rows(name, count, words, np.uint64))

    def rows(self, name: str, count: int, columns: int, kind: Any) -> NDArray[Any]:
        """An array [count, columns] that was published, as a map of its file."""
        if not count * columns:
            return np.empty((count, columns), kind)
        path = self.fetch(name)
        try:
            return np.asarray(np.memmap(path, kind, "c", shape=(count, columns)))
        except (ValueError, FileNotFoundError) as fault:
            raise BrokenFile(f"{path} is truncated", hint="start over with --force") from fault

    def remove(self, name: str) -> None:
        """Removes a file that is not needed any more."""
        with suppress(OSError):
            (self.folder / name).unlink()
        if self._files is not None:
            with suppress(OSError):
                self._files.rm_file(self._at(name))

    def names(self) -> list[str]:
        """The names of all files that lie there, whoever has written them."""
        if self._files is None:
            return [
                each.relative_to(self.folder).as_posix()
                for each in self.folder.rglob("*")
                if not each.is_dir() or each.is_symlink()
            ]
        root = filesystem_and_path(self.address)[1].rstrip("/")
        try:
            return [str(each)[len(root) :].lstrip("/") for each in self._files.find(root)]
        except FileNotFoundError:
            return []

    def is_ours(self) -> bool:
        """Whether nothing lies there but what builds write."""
        return all(OURS.fullmatch(name) for name in self.names())

    def clear(self) -> None:
        """Removes all that builds have written; the folder too, if nothing else lies there."""
        with suppress(OSError):
            if not self.is_ours():
                for name in filter(OURS.fullmatch, self.names()):
                    self.remove(name)
            elif self._files is None:
                shutil.rmtree(self.folder, ignore_errors=True)
            else:
                self._files.rm(self.address, recursive=True)

    def _at(self, name: str) -> str:
        return f"{self.address.rstrip('/')}/{name}"


def unwritable(place: str | Path, refused: OSError) -> LimitExceeded:
    """The refusal of a disk, in one sentence."""
    lacking = "allow more open files (ulimit -n)" if refused.errno in OPEN_FILES else "free some disk space"
    return LimitExceeded(
        f"{place} cannot be written: {refused.strerror or refused}", hint=f"{lacking} and use --resume"
    )


def layer_name(shard: int, layer: int) -> str:
    return f"{shard:04d}/{layer:06d}.states"


def values_name(shard: int, layer: int, sweep: int) -> str:
    return f"{shard:04d}/{layer:06d}.values.{sweep}"


def key_of(*texts: str) -> str:
    """The key of a search: a hash of all that it depends on."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
