"""Rule sheets on disk: a path in, a `Source` out, or a `UsageError`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from stratagem.errors import UsageError
from stratagem.gdl.text.syntax import LIMITS, SheetLimits, Source

MOST_BYTES: Final = 4
"""Of a character in UTF-8."""
COMMENT: Final = re.compile(r"[;%].*")


def read_file(path: str | Path, *, syntax: str | None = None, limits: SheetLimits = LIMITS) -> Source:
    """The sheet in a file, called by its path as given; the ending .hrf means HRF unless *syntax* is given."""
    file = Path(path)
    hint = "give the path of a .kif or .hrf file"
    if file.is_dir():
        raise UsageError(f"{path} is a folder, not a file", hint=hint)
    try:
        with file.open("rb") as stream:
            data = stream.read(MOST_BYTES * limits.characters + 1)
    except (OSError, ValueError) as failure:
        reason = getattr(failure, "strerror", None) or str(failure)
        raise UsageError(f"{path} cannot be read: {reason}", hint=hint) from failure
    return decoded(data, str(path), syntax or ("hrf" if file.suffix.lower() == ".hrf" else "kif"), limits)


def decoded(data: bytes, name: str, syntax: str | None = None, limits: SheetLimits = LIMITS) -> Source:
    """The sheet in *data*; without *syntax* it is guessed from the text."""
    if len(data) > MOST_BYTES * limits.characters:
        most = f"at most {MOST_BYTES * limits.characters:,} are read"
        raise UsageError(f"{name} is too large for a rule sheet", hint=most)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as failure:
        line = data.count(b"\n", 0, failure.start) + 1
        message = f"{name} is not text in UTF-8: line {line} has the byte 0x{data[failure.start]:02X}"
        raise UsageError(message, hint="save it as plain text in UTF-8") from failure
    return Source(text, name, syntax or guess_syntax(text))


def guess_syntax(text: str) -> str:
    """The syntax of a text without a name: KIF begins with a bracket, HRF never does.

    >>> guess_syntax("; a comment \\n (role white)"), guess_syntax("% a comment \\n role(white)")
    ('kif', 'hrf')
    """
    bare = COMMENT.sub("", text.removeprefix("\ufeff")).lstrip()
    return "kif" if bare.startswith("(") or "(" not in bare else "hrf"
