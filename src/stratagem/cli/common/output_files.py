"""Files that commands write: checked before any work begins, and overwritten only with --force."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from stratagem.errors import UsageError

Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]


def checked_output(path: str | Path, *, force: bool) -> Path:
    """*path*, if a file can be written there; a non-empty file only with *force*.

    Pipes and devices keep no data, so nothing can be lost there.
    """
    place = Path(path).expanduser()
    if place.is_dir() or not place.name:
        raise UsageError(f"{path} is a folder", hint="name a file in it")
    if not place.parent.is_dir():
        reason = os.strerror(errno.ENOENT)
        raise UsageError(f"{path} cannot be written: {reason}", hint=f"make the folder {place.parent} first")
    if not force and place.is_file() and place.stat().st_size:
        raise UsageError(f"{path} exists already", hint="--force overwrites it")
    return place


def write_output(path: str | Path, content: str | bytes) -> None:
    """Writes a checked file; reports a full disk in one sentence."""
    try:
        data = content.encode("utf-8") if isinstance(content, str) else content
        Path(path).expanduser().write_bytes(data)
    except OSError as fault:
        raise UsageError(
            f"{path} cannot be written: {fault.strerror or fault}", hint="choose another place"
        ) from fault
