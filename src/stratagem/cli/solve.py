"""`stratagem solve`: prove what a position is worth, or solve a puzzle."""

from __future__ import annotations

import json as jsonlib
import sys
import threading
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratagem.cli.arguments import after as position_after
from stratagem.cli.arguments import settings
from stratagem.errors import UsageError

if TYPE_CHECKING:
    from stratagem.engine.solution import Solution
    from stratagem.machines.gdl_game import GdlGame, State


def solve(
    game: Annotated[str, typer.Argument(help="A bundled game, or the path of a .kif or .hrf file.")],
    sizes: Annotated[list[str] | None, typer.Option("--set", help="A size of the board: columns=5.")] = None,
    method: Annotated[
        str,
        typer.Option(
            help="auto, space, prove, df-pn, breadth-first, a-star, ida-star, bidirectional or plan."
        ),
    ] = "auto",
    after: Annotated[str, typer.Option(help='Moves made before, as in "(drop 4) (drop 4)".')] = "",
    budget: Annotated[float, typer.Option(help="Seconds to spend.")] = 60.0,
    memory: Annotated[int, typer.Option(help="Megabytes for tables and states.")] = 2048,
    certificate: Annotated[
        str, typer.Option(help="Write a proof to this file, for `stratagem verify`.")
    ] = "",
    database: Annotated[str, typer.Option(help="Write every state with its value to this file.")] = "",
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a database that was interrupted.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Prove what a position is worth to every role, with best move, distance and line; or solve a puzzle.

    What stops early (the budget, Ctrl-C) reports the bounds proved so far.
    """
    from stratagem.load import load

    if budget <= 0 or memory <= 0:
        raise UsageError("budget and memory must be greater than nothing")
    loaded = load(game, settings=settings(sizes or []))
    state = position_after(loaded, after)
    if database:
        found = with_progress(
            lambda tell, stop: _database(loaded, state, database, memory, resume, tell, stop)
        )
    else:
        from stratagem.engine.solve import solve as run

        found = with_progress(
            lambda tell, stop: run(
                loaded, state, method=method, seconds=budget, memory=memory << 20, progress=tell, stop=stop
            )
        )
    if certificate:
        from stratagem.engine.certificate import write

        count = write(certificate, loaded, state, found)
        typer.echo(f"{certificate}: {count:,} moves", err=True)
    typer.echo(jsonlib.dumps(found.as_json(), indent=2) if json else str(found))


def _database(
    game: GdlGame, state: State, path: str, memory: int, resume: bool, tell: Any, stop: Any
) -> Solution:
    from stratagem.engine.database import build

    return build(game, state, path, memory=memory << 20, resume=resume, progress=tell, stop=stop)


def with_progress(work: Any) -> Any:
    """Runs *work* beside the terminal: its progress on one line, Ctrl-C as a polite request to stop."""
    asked, done = threading.Event(), threading.Event()
    outcome: list[Any] = []
    failure: list[BaseException] = []
    shown = sys.stderr.isatty()

    def tell(sentence: str) -> None:
        if shown:
            sys.stderr.write(f"\r\x1b[K{sentence}")
            sys.stderr.flush()

    def run() -> None:
        try:
            outcome.append(work(tell, asked.is_set))
        except BaseException as fault:
            failure.append(fault)
        finally:
            done.set()

    threading.Thread(target=run, daemon=True).start()
    # An event, because a join that Ctrl-C interrupts takes the thread for finished (before Python 3.13).
    while not done.is_set():
        try:
            done.wait(0.1)
        except KeyboardInterrupt:
            if asked.is_set():
                raise
            asked.set()
    if shown:
        sys.stderr.write("\r\x1b[K")
    if failure:
        raise failure[0]
    return outcome[0]
