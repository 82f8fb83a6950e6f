"""The cache on disk: what was computed once and need not be computed again, by every part of the package.

``STRATAGEM_CACHE`` says where it is: unset, in the user's cache folder; a path, there; ``off``, nowhere, and nothing is
written. Entries carry a checksum and are named by the hash of all that they depend on, the source of the package
included, so that none goes stale; one that is damaged counts as not there. They are written beside their place and then
renamed, so that two processes may write at once. A folder that cannot be written (read-only, full, in the way) is worked
without, and said once, through `logging`. The whole folder may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import logging
import multiprocessing
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

VARIABLE: Final = "STRATAGEM_CACHE"
OFF: Final = "off"
FILES_KEPT: Final = 4000
"""More entries than this in one part, and the oldest half is removed."""
DIGEST: Final = hashlib.sha256().digest_size
LOGGER: Final = logging.getLogger("stratagem.cache")
PACKAGE: Final = Path(__file__).resolve().parent

_mentioned: set[str] = set()


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of entries, bytes by name; without a folder nothing is kept and nothing is found."""

    folder: Path | None

    def part(self, name: str) -> Cache:
        """The entries of one kind."""
        return Cache(None if self.folder is None else self.folder / name)

    def read(self, name: str) -> bytes | None:
        """What was kept under *name*; None if there is nothing or it is damaged."""
        if self.folder is None:
            return None
        try:
            entry = (self.folder / name).read_bytes()
        except OSError:
            return None
        checksum, content = entry[:DIGEST], entry[DIGEST:]
        return content if hashlib.sha256(content).digest() == checksum else None

    def write(self, name: str, content: bytes) -> None:
        """Keeps *content* under *name*; where the disk does not allow it nothing is kept, and that is said once."""
        if self.folder is None:
            return
        place = self.folder / name
        try:
            write_atomically(place, hashlib.sha256(content).digest() + content)
            prune(self.folder)
        except PermissionError as failure:
            if (
                not place.exists()
            ):  # on Windows another process may be reading the entry that a third has written
                _mention(self.folder, failure)
        except OSError as failure:
            _mention(self.folder, failure)


def user_cache(environment: Mapping[str, str] = os.environ) -> Cache:
    """The cache that the *environment* names."""
    named = environment.get(VARIABLE, "").strip()
    if named.lower() == OFF:
        return Cache(None)
    if named:
        return Cache(Path(named).expanduser())
    from platformdirs import user_cache_path

    return Cache(user_cache_path("stratagem", appauthor=False))


def write_atomically(path: Path, content: bytes, *, lasting: bool = False) -> None:
    """Writes *content* to *path*: all of it or, with an OSError, nothing.

    What is *lasting*, unlike an entry of the cache, is there even after a power failure, and others may read it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        if lasting:
            os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def prune(folder: Path, most: int = FILES_KEPT) -> None:
    """Removes the oldest half of the entries when there are more than *most*."""
    shelves = [shelf for shelf in folder.iterdir() if shelf.is_dir()]
    # Names are hashes and spread evenly, so one shelf tells how full all are.
    if not shelves or sum(1 for _ in shelves[0].iterdir()) * 256 <= 4 * most:
        return
    files = sorted((path for shelf in shelves for path in shelf.glob("*")), key=_age)
    if len(files) > most:
        for path in files[: len(files) // 2]:
            with suppress(OSError):
                path.unlink()


def entry_name(kind: str, *parts: str | bytes) -> str:
    """The name of an entry of one *kind*: a hash of the *parts*, which must say all that its content depends on."""
    digest = hashlib.sha256()
    for part in parts:
        content = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "little") + content)
    name = digest.hexdigest()
    return f"{name[:2]}/{name[2:]}.{kind}"


@cache
def source_digest(*parts: str) -> bytes:
    """A hash of the source of *parts*: packages, with all that is below them, or single modules of Stratagem."""
    digest = hashlib.sha256()
    for part in parts:
        place = PACKAGE / part
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]:
            digest.update(file.relative_to(PACKAGE).as_posix().encode() + b"\n")
            digest.update(file.read_bytes())
    return digest.digest()


def _mention(folder: Path, failure: OSError) -> None:
    """Says once that *folder* cannot be written; processes that were started by this one leave that to it."""
    reason = failure.strerror or str(failure)
    if reason in _mentioned or multiprocessing.parent_process() is not None:
        return
    _mentioned.add(reason)
    LOGGER.warning(
        "the cache %s cannot be written (%s): working without it; %s names another folder, or %s",
        folder.parent,
        reason,
        VARIABLE,
        OFF,
    )


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
