"""Standard output in any encoding: characters that it lacks are replaced by ASCII, and failed writes are reported.

A pipe on Windows uses cp1252, a bare terminal ASCII. `fit_output` makes both take all that is printed, by any command;
boards are drawn in ASCII there, which reads better than replaced characters (`board`).
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    from stratagem.gdl_game import State

HANDLER: Final = "stratagem.ascii"
ASCII: Final = "stratagem_ascii"
BOARD_SIGNS: Final = "─│●○♚·"
SIGNS: Final = {
    **dict.fromkeys("─╌╴╶━═", "-"),
    **dict.fromkeys("│╎╵╷┃║", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╯╰┏┓┗┛┣┫┳┻╋╔╗╚╝╠╣╦╩╬", "+"),
    **dict.fromkeys("‐‑‒–—−", "-"),
    **dict.fromkeys("‘’′", "'"),
    **dict.fromkeys("“”″", '"'),
    **dict.fromkeys("█▓▒░■▇▆▅▄▃▂▁", "#"),
    "✓": "+", "✗": "x", "…": "...", "·": ".", "•": "*", "∞": "inf", "≥": ">=", "≤": "<=", "≠": "!=", "≈": "~",
    "→": "->", "←": "<-", "⇐": "<=", "↔": "<->", "▸": ">", "◀": "<", "▶": ">", "×": "x", "÷": "/", "±": "+-",
    "∧": "and", "∨": "or", "¬": "not ", "α": "alpha", "β": "beta", "µ": "u", "μ": "u", "°": "deg", "½": "1/2",
    "●": "@", "○": "o", "◎": "0", "◌": "o", "□": "[]", "◇": "<>", "ß": "ss", "Ø": "O", "ø": "o", "Æ": "AE", "æ": "ae",
    **dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟⛀⛁⛂⛃", "KQRBNPkqrbnpoOxX", strict=True)),
}  # fmt: skip
"""Characters that commands print, in ASCII."""
NOT_WRITTEN: Final = {
    errno.ENOSPC,
    errno.EIO,
    errno.EFBIG,
    errno.EROFS,
    getattr(errno, "EDQUOT", errno.ENOSPC),
}


def ascii_form(sign: str) -> str:
    """*sign* in ASCII: its usual name, its letter without accents, or a question mark.

    >>> [ascii_form(sign) for sign in "→é字"]
    ['->', 'e', '?']
    """
    found = SIGNS.get(sign)
    if found is not None:
        return found
    return unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode() or "?"


def fit_output() -> None:
    """Makes standard output and error accept every character, whatever their encoding."""
    codecs.register_error(HANDLER, _replace)
    codecs.register(_our_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            ascii = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding=ASCII if ascii else stream.encoding, errors=HANDLER)


def _our_ascii(name: str) -> codecs.CodecInfo | None:
    """ASCII under another name: click writes UTF-8 to a stream whose encoding is called ASCII."""
    if name != ASCII:
        return None
    known = codecs.lookup("ascii")
    return codecs.CodecInfo(
        known.encode, known.decode, known.streamreader, known.streamwriter, known.incrementalencoder,
        known.incrementaldecoder, name=ASCII,
    )  # fmt: skip


def _replace(failure: UnicodeError) -> tuple[str, int]:
    if not isinstance(failure, UnicodeEncodeError):
        raise failure
    return "".join(map(ascii_form, failure.object[failure.start : failure.end])), failure.end


def ascii_only(encoding: str | None = None) -> bool:
    """Whether *encoding*, by default that of standard output, lacks the characters of boards."""
    try:
        BOARD_SIGNS.encode(encoding or getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def board(state: State) -> str:
    """*state* drawn in the encoding of standard output."""
    from stratagem.show.board.terminal.board import draw

    return draw(state, ascii=ascii_only())


@contextmanager
def delivered() -> Iterator[None]:
    """Runs a command and flushes its output: a full disk ends it with one sentence and exit code 1.

    A reader may close the pipe at any time: that is not an error.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        sys.exit(0)
    except OSError as failure:
        if failure.errno not in NOT_WRITTEN:
            raise
        what = "the output" if failure.filename is None else failure.filename
        _drop_output()
        with suppress(OSError):
            typer.echo(f"stratagem: {what} could not be written: {failure.strerror}", err=True)
        sys.exit(1)


def _drop_output() -> None:
    """Discards unwritten output: Python would try to write it again at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
