"""The pipeline in one function: text in, `Game` out.

>>> game = load("connectfour", columns=5, rows=4)
>>> game.roles, len(game.initial().legals("red"))
(('red', 'yellow'), 5)
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from pathlib import Path

from stratagem import sheets as games
from stratagem.circuit.compiler.budget import Stage, quietly, time_left
from stratagem.errors import UnknownGame, UsageError, require_type
from stratagem.gdl.findings import Finding
from stratagem.gdl.header import Header, header_of
from stratagem.gdl.parse import examine, parse
from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.text.files import guess_syntax, read_file
from stratagem.gdl.text.syntax import Source
from stratagem.gdl_game import GdlGame, game_of
from stratagem.gdl_game import SlowerMachine as SlowerMachine
from stratagem.limit import not_negative
from stratagem.machines.machine import MACHINES as MACHINES
from stratagem.machines.machine import Identity
from stratagem.machines.machine import MachineName as MachineName


def load(
    source: str | Path,
    *,
    machine: MachineName | None = None,
    stage: Stage = quietly,
    settings: Mapping[str, int] | None = None,
    seconds: float | None = None,
    stop: Callable[[], bool] | None = None,
    background: bool | None = None,
    **sizes: int,
) -> GdlGame:
    """The game in *source*: the name of a bundled game, the path of a .kif or .hrf file, or GDL text.

    *sizes* (or *settings*, as a mapping) choose the size of the board if the sheet leaves it open. *machine* chooses
    what computes the game; by default it is the fastest that can run the rules. A slower one is reported once, with the
    reason.
    *stage* is called with the name of each step, so that it can be timed. Compiling the rules may take *seconds*, and ends
    when *stop* returns True; `OutOfTime` is raised then.

    With *background*, rules that take long to compile are compiled while joins compute the game; whatever
    needs machine code waits for it. That is the default unless a machine, *stage*, *seconds* or *stop* is given.
    """
    not_negative("number of seconds", seconds)
    left = time_left(seconds, stop)
    text = source_of(source, settings, **sizes)
    identity = Identity(Path(text.name).stem if text.name != "<rules>" else "rules", text)
    plain = machine is None and stage is quietly and seconds is None and stop is None
    if background and not plain:
        raise UsageError(
            "rules are compiled in the background where no machine, stage, seconds or stop is given",
            hint="leave these out, or background",
        )
    return game_of(identity, machine, stage, left, background=plain if background is None else background)


def load_source(
    source: Source,
    machine: MachineName | None = None,
    *,
    seconds: float | None = None,
    stop: Callable[[], bool] | None = None,
) -> GdlGame:
    """The game in a source that is at hand already; *seconds* and *stop* as for `load`."""
    return game_of(Identity(Path(source.name).stem, source), machine, quietly, time_left(seconds, stop))


def sheet_of(source: str | Path, settings: Mapping[str, int] | None = None, **sizes: int) -> RuleSheet:
    """The checked rules in *source*, without making a machine of them."""
    return parse(source_of(source, settings, **sizes))


def source_of(source: str | Path, settings: Mapping[str, int] | None = None, **sizes: int) -> Source:
    """The text behind a name, a path or GDL text, with the sizes chosen."""
    found = _find(source)
    require_type(settings, Mapping | None, "a mapping from names to sizes")
    values = {**(settings or {}), **sizes}
    chosen = Source(found.text, found.name, found.syntax, tuple(sorted(values.items())))
    if values:
        from stratagem.gdl.sizes import chosen as checked

        checked(header_of(chosen), values, found.name)
    return chosen


def check(source: str | Path, settings: Mapping[str, int] | None = None, **sizes: int) -> list[Finding]:
    """All errors and warnings of a rule sheet, in the order of the text; empty if there are none.

    >>> [found.code for found in check("(role robot) (legal robot a) (goal robot 100)")]
    ['GDL019']
    """
    return list(examine(source_of(source, settings, **sizes))[1])


def header(source: str | Path) -> Header:
    """What the top of a sheet says about the game."""
    return header_of(_find(source))


def _find(source: str | Path) -> Source:
    require_type(
        source, str | Path, "the name of a game, the path of a file, or rules", hint='as in "tictactoe"'
    )
    text = str(source)
    if isinstance(source, str):
        if not text.strip():
            raise UnknownGame("an empty text is not a game", hint="`stratagem games` lists the bundled games")
        if text in games.names():
            return games.source(text)
        if "(" in text or ":-" in text or "\n" in text:
            return Source(text, syntax=guess_syntax(text))
    path = Path(text)
    if _is_file(path):
        found = read_file(path)
        return Source(found.text, path.name, found.syntax)
    is_folder = _is_file(path, folder=True)
    if path.suffix in (".kif", ".hrf") or isinstance(source, Path) or is_folder:
        what = "a folder, not a file" if is_folder else "no such file"
        raise UnknownGame(f"{text}: {what}", hint="give the path of a .kif or .hrf file")
    close = difflib.get_close_matches(text.lower().replace("-", "").replace(" ", ""), games.names(), n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else "`stratagem games` lists the bundled games"
    raise UnknownGame(f"no game, file or rules called {text!r}", hint=hint)


def _is_file(path: Path, *, folder: bool = False) -> bool:
    """Whether there is a file, or a *folder*, at *path*; not where the system takes no path like that."""
    try:
        return path.is_dir() if folder else path.is_file()
    except (OSError, ValueError):
        return False
