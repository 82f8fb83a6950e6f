"""Warnings and log records of the package, printed as one line on standard error: ``note: ...``."""

from __future__ import annotations

import logging
import sys
import warnings
from functools import cache
from typing import TextIO

from stratagem.errors import StratagemWarning


def note(sentence: str) -> None:
    """Prints one line to standard error."""
    begin = "\r\x1b[K" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{begin}note: {sentence}\n")
    sys.stderr.flush()


class _NoteHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        note(record.getMessage())


@cache
def print_notes() -> None:
    """Prints warnings and log records of this package as notes; those of other packages are unchanged."""
    logging.getLogger("stratagem").addHandler(_NoteHandler())
    warnings_as_notes()


def warnings_as_notes() -> None:
    """Shows our own warnings as notes, without the file and line that Python adds."""
    usual = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, StratagemWarning):
            note(str(message))
        else:
            usual(message, category, filename, lineno, file, line)

    warnings.showwarning = show
