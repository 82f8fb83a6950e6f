"""Circuits on disk: kept by content, so that a sheet is compiled once.

An entry is named by the hash of the rules and of the compiler's own source, so nothing ever goes stale. Entries are
written beside their place and then renamed, so two processes may write at once; one that cannot be read is as
good as none. The folder may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

DIGEST = hashlib.sha256().digest_size
VARIABLE = "STRATAGEM_CACHE"


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of entries: bytes by key, each with a checksum."""

    folder: Path

    def read(self, key: str, *, kind: str = "circuit") -> bytes | None:
        """What was kept under *key*; None if there is nothing or it is damaged."""
        try:
            entry = self._place(key, kind).read_bytes()
        except OSError:
            return None
        checksum, content = entry[:DIGEST], entry[DIGEST:]
        return content if hashlib.sha256(content).digest() == checksum else None

    def write(self, key: str, content: bytes, *, kind: str = "circuit") -> None:
        """Keeps *content* under *key*; where the disk does not allow it, nothing is kept and nothing is said."""
        place = self._place(key, kind)
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            number, name = tempfile.mkstemp(prefix=".", dir=place.parent)
            try:
                with os.fdopen(number, "wb") as file:
                    file.write(hashlib.sha256(content).digest() + content)
                os.replace(name, place)
            except BaseException:
                with suppress(OSError):
                    os.unlink(name)
                raise

    def _place(self, key: str, kind: str) -> Path:
        return self.folder / key[:2] / f"{key}.{kind}"


def user_store(environment: Mapping[str, str] = os.environ) -> Store | None:
    """The user's store: where STRATAGEM_CACHE says, or in the user's cache folder; None where it is "off"."""
    named = environment.get(VARIABLE)
    if named == "off":
        return None
    if named:
        return Store(Path(named) / "circuits")
    from platformdirs import user_cache_dir

    return Store(Path(user_cache_dir("stratagem", appauthor=False)) / "circuits")


def key_of(text: str) -> str:
    """The key of rules in canonical *text*."""
    return hashlib.sha256(compiler_digest() + text.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=1)
def compiler_digest() -> bytes:
    """A hash of the source of everything that turns rules into circuits."""
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for folder in ("ground", "circuit"):
        for file in sorted((package / folder).glob("*.py")):
            digest.update(file.name.encode())
            digest.update(file.read_bytes())
    return digest.digest()
