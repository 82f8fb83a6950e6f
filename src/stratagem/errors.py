"""Everything Stratagem raises on purpose.

    StratagemError            the base of all below
    ├── UsageError            a wrong name, option or argument
    │   └── UnknownGame       no bundled game, file or rules by that name
    ├── RulesError            rules that are not GDL: carries all findings, each with its place
    ├── UnsuitableGame        the game is fine, the algorithm is for another kind
    ├── IllegalMove           a move that is not legal in this state
    ├── LimitExceeded         a limit on size, time or memory was reached before there was an answer
    │   ├── GroundingError    the rules could not be ground within the limits
    │   └── OutOfTime         the time was spent, or a stop was asked for
    ├── PlayerUnavailable     a player that a match needs cannot be reached, or is busy
    ├── DeviceUnavailable     a device that was asked for is not there, or cannot run this
    ├── BrokenFile            a file of ours that cannot be read
    └── MissingExtra          an optional package is not installed

    StratagemWarning          what Stratagem warns of: nothing failed, something is not as expected

Anything else that escapes is a bug. Every message is one sentence that says what was found and what
was expected; *hint* says what to do. `require_type`, `require_function` and `require_whole` check what callers pass.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import UnionType

    from stratagem.gdl.findings import Finding

__all__ = [
    "BrokenFile",
    "DeviceUnavailable",
    "GroundingError",
    "IllegalMove",
    "LimitExceeded",
    "MissingExtra",
    "NoEstimate",
    "OutOfTime",
    "PlayerUnavailable",
    "RulesError",
    "StratagemError",
    "StratagemWarning",
    "UnknownGame",
    "UnsuitableGame",
    "UsageError",
]


class StratagemError(Exception):
    """The root of the tree: *message* in one sentence, *hint* on what to do about it."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}; {self.hint}"

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), self.message, self.hint)


class StratagemWarning(UserWarning):
    """The category of every warning that Stratagem issues."""


def _restore(kind: type[StratagemError], message: str, hint: str | None) -> StratagemError:
    return kind(message, hint=hint)


class UsageError(StratagemError):
    """A wrong name, option or argument."""


class NoEstimate(UsageError):
    """A depth limit cuts off an inner node of a tree, and nothing says what that is worth."""


class UnknownGame(UsageError):
    """No bundled game, file or rules by that name."""


class RulesError(StratagemError):
    """Rules that are not GDL. *findings* holds every fault of the sheet, in the order of the text."""

    def __init__(self, message: str, *, hint: str | None = None, findings: Sequence[Finding] = ()) -> None:
        super().__init__(message, hint=hint)
        self.findings = tuple(findings)

    def __reduce__(self) -> tuple[object, ...]:
        return _restore_rules, (self.message, self.hint, self.findings)


def _restore_rules(message: str, hint: str | None, findings: Sequence[Finding]) -> RulesError:
    return RulesError(message, hint=hint, findings=findings)


class UnsuitableGame(StratagemError):
    """The game is fine; the algorithm is for another kind of game."""


class IllegalMove(StratagemError):
    """A move that is not legal in this state."""


class LimitExceeded(StratagemError):
    """A limit on size, time or memory was reached before there was an answer; commands end with exit code 1."""


class GroundingError(LimitExceeded):
    """The rules could not be ground within the limits."""


class OutOfTime(LimitExceeded):
    """The time given was spent, or a stop was asked for, before there was an answer."""


class PlayerUnavailable(StratagemError):
    """A player that a match needs cannot be reached, or is busy; nothing is wrong with what was asked for."""


class DeviceUnavailable(StratagemError):
    """A device that was asked for is not there, or it cannot run this; what it was to do can be done without it."""


class BrokenFile(StratagemError):
    """A file of ours that cannot be read: damaged, cut short, or of another version."""


class MissingExtra(StratagemError):
    """An optional package is not installed."""

    def __init__(self, extra: str, *, needs: str, hint: str | None = None) -> None:
        super().__init__(
            f"this needs the package {needs}, which is not installed",
            hint=hint or f"install it with: pip install 'stratagem[{extra}]'",
        )


def require_type(value: object, kind: type | UnionType, needed: str, *, hint: str | None = None) -> None:
    """Refuses a *value* that is not of the type *kind*, which is called *needed* in words.

    >>> require_type(3, str, "the name of a game")
    Traceback (most recent call last):
    stratagem.errors.UsageError: the name of a game is needed; this is of the type int
    """
    if not isinstance(value, kind):
        raise UsageError(f"{needed} is needed; this is of the type {type(value).__name__}", hint=hint)


def require_function(value: object, name: str) -> None:
    """Refuses what is neither a function nor None.

    >>> require_function(3, "stop")
    Traceback (most recent call last):
    stratagem.errors.UsageError: stop must be a function; this is of the type int
    """
    if value is not None and not callable(value):
        raise UsageError(f"{name} must be a function; this is of the type {type(value).__name__}")


def require_whole(name: str, number: object, *, least: int | None = None) -> int:
    """*number* as a Python int, numpy's whole numbers too. What is no whole number is refused, and so is one below *least*.

    >>> require_whole("number of threads", 0, least=1)
    Traceback (most recent call last):
    stratagem.errors.UsageError: the number of threads must be at least 1; got 0
    """
    try:
        whole = index(number)  # type: ignore[arg-type]
    except TypeError:
        whole = None
    if whole is None or isinstance(number, bool):
        raise UsageError(f"the {name} must be a whole number; got {number!r}")
    if least is not None and whole < least:
        raise UsageError(f"the {name} must be at least {least}; got {whole}")
    return whole
