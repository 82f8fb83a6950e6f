"""Game repositories in the field's layout: in a folder, or at a URL.

    games/ticTacToe/METADATA           JSON: gameName, description, rulesheet ...
    games/ticTacToe/ticTacToe.kif      version 0
    games/ticTacToe/v1/METADATA        a later version; a file it lacks is that of the version before
    games/ticTacToe/v1/ticTacToe.kif

What comes from the web is kept on disk, by version, since a version never changes; it is used again when the network
is away.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from stratagem.errors import BrokenFile, UnknownGame, UsageError
from stratagem.gdl_game import GdlGame
from stratagem.loading import load
from stratagem.play.records.store import data_directory

METADATA: Final = "METADATA"
LARGEST: Final = 16_000_000
PATIENCE: Final = 20.0
SAFE_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*\Z")
GAME_ADDRESS: Final = re.compile(r"(?P<root>.*?)/games/(?P<key>[^/]+)(?:/v(?P<version>\d+))?/?\Z")


@dataclass(frozen=True, slots=True)
class RepositoryEntry:
    """One version of one game of a repository."""

    key: str
    version: int
    title: str
    description: str
    rulesheet: Path
    """The rules on this disk."""
    metadata: Mapping[str, Any]

    def load(self) -> GdlGame:
        return load(self.rulesheet)


class Repository:
    """The games below *root*: a folder or an URL, with or without its last part ``games``."""

    def __init__(self, root: str | Path) -> None:
        text = str(root).rstrip("/")
        self.remote = text.startswith(("http://", "https://"))
        self.root = text.removesuffix("/games") if self.remote else text
        if not self.remote:
            folder = Path(text)
            if not folder.is_dir():
                raise UsageError(f"{text} is not a folder", hint="give the folder or URL of a repository")
            self.root = str(folder.parent if folder.name == "games" else folder)

    def keys(self) -> tuple[str, ...]:
        """The games there are, in alphabetical order."""
        if self.remote:
            found = _json(_fetch(f"{self.root}/games/"), f"{self.root}/games/")
            names = found if isinstance(found, list) else list(found)
            return tuple(sorted(str(name).strip("/") for name in names))
        games = self._games()
        return tuple(sorted(folder.name for folder in games.iterdir() if (folder / METADATA).is_file()))

    def entry(self, key: str, version: int | None = None) -> RepositoryEntry:
        """The game called *key*, in its latest version unless another is asked for."""
        if not SAFE_NAME.match(key):
            raise UnknownGame(f"{key!r} cannot be the name of a game", hint="names have letters and digits")
        return self._from_web(key, version) if self.remote else self._from_disk(key, version)

    def load(self, key: str, version: int | None = None) -> GdlGame:
        return self.entry(key, version).load()

    def versions(self, key: str) -> tuple[int, ...]:
        """The versions of a game in a folder: 0, and one for every folder v1, v2 ..."""
        numbered = (re.fullmatch(r"v(\d+)", folder.name) for folder in (self._games() / key).iterdir())
        return (0, *sorted(int(found.group(1)) for found in numbered if found is not None))

    # -- in a folder ---------------------------------------------------------------------------------------

    def _games(self) -> Path:
        games = Path(self.root) / "games"
        return games if games.is_dir() else Path(self.root)

    def _from_disk(self, key: str, version: int | None) -> RepositoryEntry:
        folder = self._games() / key
        if not folder.is_dir():
            raise UnknownGame(f"no game {key} in {self.root}", hint="its games are the folders in games/")
        known = self.versions(key)
        chosen = known[-1] if version is None else version
        if chosen not in known:
            there = ", ".join(map(str, known))
            raise UnknownGame(f"{key} has no version {chosen}", hint=f"choose one of {there}")
        metadata = _json(
            self._file(folder, chosen, METADATA).read_bytes(), f"{folder / METADATA}", must_be_object=True
        )
        return _entry(key, chosen, metadata, self._file(folder, chosen, _rulesheet(metadata, key)))

    def _file(self, folder: Path, version: int, name: str) -> Path:
        """The file of a version, or of the latest version before it that has one."""
        for number in range(version, -1, -1):
            path = folder / (f"v{number}" if number else "") / name
            if path.is_file():
                return path
        raise BrokenFile(f"{folder.name} has no file {name}", hint="the repository is not complete")

    # -- on the web ----------------------------------------------------------------------------------------

    def _from_web(self, key: str, version: int | None) -> RepositoryEntry:
        place = f"{self.root}/games/{quote(key)}"
        kept = data_directory() / "repository" / hashlib.sha256(self.root.encode()).hexdigest()[:16] / key
        try:
            metadata = self._metadata(place, version)
        except UsageError:
            newest = _newest_kept(kept, version)
            if newest is None:
                raise
            return newest
        number = version if version is not None else _version(metadata)
        sheet = _rulesheet(metadata, key)
        folder = kept / f"v{number}"
        if not (folder / sheet).is_file():
            data = _fetch_first([f"{place}/v{number}/{sheet}", f"{place}/{sheet}"])
            folder.mkdir(parents=True, exist_ok=True)
            (folder / sheet).write_bytes(data)
        (folder / METADATA).write_text(json.dumps(metadata), encoding="utf-8")
        return _entry(key, number, metadata, folder / sheet)

    def _metadata(self, place: str, version: int | None) -> Mapping[str, Any]:
        """What the server says of a game: at its own address, or in the file itself where it only serves files."""
        base = place if version is None or version == 0 else f"{place}/v{version}"
        data = _fetch_first([f"{base}/METADATA", f"{base}/"])
        metadata: Mapping[str, Any] = _json(data, base, must_be_object=True)
        return metadata


def game_at(text: str, **sizes: int) -> GdlGame:
    """The game that a command line names: what `stratagem.loading` takes, or one of a repository by folder or URL."""
    if text.startswith(("http://", "https://")):
        found = GAME_ADDRESS.match(text)
        if found is None:
            raise UnknownGame(
                f"{text} is not an address of a game",
                hint="it looks like https://HOST/.../games/KEY/ or .../v1/",
            )
        version = found.group("version")
        return Repository(found.group("root")).load(
            found.group("key"), None if version is None else int(version)
        )
    folder = Path(text)
    if (folder / METADATA).is_file():
        numbered = re.fullmatch(r"v(\d+)", folder.name)
        own = folder.parent if numbered else folder
        repository = Repository(own.parent)
        return repository.load(own.name, None if numbered is None else int(numbered.group(1)))
    return load(text, settings=sizes)


def _entry(key: str, version: int, metadata: Mapping[str, Any], sheet: Path) -> RepositoryEntry:
    title, about = str(metadata.get("gameName", key)), str(metadata.get("description", ""))
    return RepositoryEntry(key, version, title, about, sheet, metadata)


def _rulesheet(metadata: Mapping[str, Any], key: str) -> str:
    name = str(metadata.get("rulesheet", ""))
    if not SAFE_NAME.match(name):
        raise BrokenFile(
            f"the METADATA of {key} name no rule sheet", hint='they need "rulesheet": "NAME.kif"'
        )
    return name


def _version(metadata: Mapping[str, Any]) -> int:
    version = metadata.get("version", 0)
    return version if isinstance(version, int) and version >= 0 else 0


def _newest_kept(kept: Path, version: int | None) -> RepositoryEntry | None:
    """What is left on disk from an earlier visit."""
    folders = sorted(kept.glob("v*"), key=lambda folder: int(folder.name[1:])) if kept.is_dir() else []
    for folder in reversed(folders):
        number = int(folder.name[1:])
        if version in (None, number) and (folder / METADATA).is_file():
            metadata = _json((folder / METADATA).read_bytes(), str(folder / METADATA), must_be_object=True)
            return _entry(kept.name, number, metadata, folder / _rulesheet(metadata, kept.name))
    return None


def _json(data: bytes, place: str, *, must_be_object: bool = False) -> Any:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as failure:
        raise BrokenFile(f"{place} is not JSON", hint="is this the address of a repository?") from failure
    if must_be_object and not isinstance(found, dict):
        raise BrokenFile(
            f"{place} does not describe a game", hint="expected an object with gameName, rulesheet ..."
        )
    return found


def _fetch_first(addresses: list[str]) -> bytes:
    for address in addresses[:-1]:
        try:
            return _fetch(address)
        except UsageError:
            continue
    return _fetch(addresses[-1])


def _fetch(address: str) -> bytes:
    try:
        with urlopen(Request(address, headers={"User-Agent": "stratagem"}), timeout=PATIENCE) as answer:
            data: bytes = answer.read(LARGEST + 1)
    except (URLError, OSError, ValueError) as failure:
        reason = getattr(failure, "reason", None) or failure
        raise UsageError(
            f"{address} cannot be read: {reason}", hint="is the address right, the network up?"
        ) from failure
    if len(data) > LARGEST:
        raise UsageError(f"{address} is larger than {LARGEST:,} bytes")
    return data
