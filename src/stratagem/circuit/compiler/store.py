"""Circuits on disk: kept by content, so that a sheet is compiled once.

An entry is named by the hash of the rules and of the source of everything that turns rules into circuits, so nothing
goes stale.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stratagem.cache import Cache, source_digest, user_cache


@dataclass(frozen=True, slots=True)
class Store:
    """The part of the cache that holds circuits and refusals, by key."""

    folder: Path

    def read(self, key: str, *, kind: str = "circuit") -> bytes | None:
        """What was kept under *key*; None if there is nothing or it is damaged."""
        return Cache(self.folder).read(_name(key, kind))

    def write(self, key: str, content: bytes, *, kind: str = "circuit") -> None:
        """Keeps *content* under *key*, where the disk allows it."""
        Cache(self.folder).write(_name(key, kind), content)


def user_store(environment: Mapping[str, str] = os.environ) -> Store | None:
    """The user's store; None where the cache is off."""
    folder = user_cache(environment).part("circuits").folder
    return None if folder is None else Store(folder)


def key_of(text: str) -> str:
    """The key of rules in canonical *text*."""
    compiler = source_digest("gdl", "ground", "circuit")
    return hashlib.sha256(compiler + text.encode("utf-8", "surrogatepass")).hexdigest()


def _name(key: str, kind: str) -> str:
    return f"{key[:2]}/{key}.{kind}"
