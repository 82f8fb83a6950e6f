"""Processes of this machine, looked up in /proc: any of them may be gone before a line about it is read."""

from __future__ import annotations

import os


def alive(number: int) -> bool:
    """Whether process *number* runs: one that has ended and waits for its parent to notice does not."""
    fields = _fields(number)
    return bool(fields) and fields[0] != "Z"


def family(number: int) -> set[int]:
    """Process *number* and all that it has started, directly or not, and that still run."""
    found = {number}
    while True:
        children = {one for one in _numbers() if (fields := _fields(one)) and _is_child(fields, found)}
        if children <= found:
            return found
        found |= children


def command_of(number: int) -> str:
    """The words that started process *number*; nothing where it is gone."""
    return _text(number, "cmdline").replace("\0", " ")


def _is_child(fields: list[str], of: set[int]) -> bool:
    return int(fields[1]) in of and fields[0] != "Z"


def _numbers() -> list[int]:
    return [int(entry) for entry in os.listdir("/proc") if entry.isdecimal()]


def _fields(number: int) -> list[str]:
    """State, parent and so on, after the name, in which there may be anything; nothing where the process is gone."""
    return _text(number, "stat").rpartition(")")[2].split()


def _text(number: int, file: str) -> str:
    try:
        with open(f"/proc/{number}/{file}", encoding="utf-8", errors="replace") as opened:
            return opened.read()
    except OSError:  # no such file before it is opened, no such process after
        return ""
