"""`stratagem solve`: proves the value of a position, or solves a puzzle."""

from __future__ import annotations

import json as jsonlib
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from stratagem.cli.common.arguments import (
    After,
    GameArgument,
    Json,
    Shards,
    Sizes,
    at_least,
    more_than,
    settings,
)
from stratagem.cli.common.arguments import after as position_after
from stratagem.cli.common.output_files import Force, checked_output
from stratagem.cli.common.progress import with_progress
from stratagem.cli.common.running import HERE, On, run_there, running_on
from stratagem.cli.common.space_view import ProgressView, space_view
from stratagem.errors import LimitExceeded, OutOfTime, UnsuitableGame, UsageError
from stratagem.limit import Limit

if TYPE_CHECKING:
    from stratagem.cli.common.progress import Stop, Tell
    from stratagem.gdl_game import GdlGame, State
    from stratagem.result import Result

SECONDS = 60.0


class Solved(NamedTuple):
    game: GdlGame
    state: State
    found: Result
    interrupted: bool = False


def solve(
    game: GameArgument,
    sizes: Sizes = None,
    method: Annotated[
        str,
        typer.Option(
            help="auto, space, prove, df-pn, breadth-first, a-star, ida-star, bidirectional, plan or any."
        ),
    ] = "auto",
    after: After = "",
    budget: Annotated[
        float | None,
        typer.Option(
            callback=more_than(0),
            help="Seconds to spend, including compilation: 60 by default, no limit for a database.",
        ),
    ] = None,
    memory: Annotated[
        int, typer.Option(callback=at_least(1), help="Megabytes for tables and states.")
    ] = 2048,
    certificate: Annotated[
        str, typer.Option(help="Write a proof to this file, for `stratagem verify`.")
    ] = "",
    database: Annotated[str, typer.Option(help="Write every state with its value to this file.")] = "",
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted database.")] = False,
    force: Force = False,
    on: On = HERE,
    shards: Shards = None,
    checkpoint: Annotated[
        str, typer.Option(help="A folder or an fsspec address for the finished layers of shards.")
    ] = "",
    keep_shards: Annotated[
        bool, typer.Option("--keep-shards", help="Leave the database as a folder with one file per shard.")
    ] = False,
    progress: ProgressView = "table",
    json: Json = False,
) -> None:
    """Prove the value of a position for every role, with best move, distance and line; or solve a puzzle.

    With --on or --shards, a database is built in shards, each of which may use --memory; the file is the one that a single
    process writes. A run that stops early (budget, Ctrl-C) reports the bounds proved so far.

    Exit code 0 if the position is solved, 1 if it is not, 2 for bad input.
    """
    from stratagem.circuit.compiler.budget import time_left
    from stratagem.loading import load
    from stratagem.show.solution import described, solution_json

    if resume and not database:
        raise UsageError("--resume continues a database", hint="name it: --database FILE --resume")
    if (shards is not None or checkpoint or keep_shards) and not database:
        raise UsageError("shards build a database", hint="name it: --database FILE")
    for path in filter(None, (certificate, "" if keep_shards else database)):
        checked_output(path, force=force)
    by_shards = bool(database) and (on != HERE or shards is not None or keep_shards or bool(checkpoint))
    seconds = SECONDS if budget is None and not database else budget
    left = time_left(seconds)

    options = {"shards": shards, "resume": resume, "force": force, "keep_shards": keep_shards}

    def work(tell: Tell, stop: Stop) -> Solved:
        tell("compiling the rules")
        loaded = load(
            game, settings=settings(sizes or []), seconds=None if seconds is None else left(), stop=stop
        )
        if not loaded.compilable and (database or certificate):
            raise LimitExceeded(
                "databases and certificates need compiled rules, and these could not be compiled",
                hint="leave out the file to search with the reasoner",
            )
        state = position_after(loaded, after)
        limit = Limit(memory=memory << 20, stop=lambda: stop() or left() <= 0)
        if by_shards:
            checkpoints = {"checkpoint": checkpoint or None}
            found = _by_shards(state, database, on, progress, limit=limit, **options, **checkpoints)
        elif database:
            from stratagem.engine.space.database_build import build

            found = build(loaded, state, database, limit=limit, resume=resume, force=force, progress=tell)
        else:
            within = Limit(seconds=max(0.0, left()), memory=memory << 20, stop=stop)
            found = _searched(state, method, within, on, tell)
        return Solved(loaded, state, found, interrupted=stop())

    again = "the same command and --resume" if by_shards else f"--database {database} --resume"
    hint = f"continue with {again}" if database else None
    solved = with_progress(work, seconds=seconds, hint=hint, more="--budget allows more")
    found = solved.found
    typer.echo(
        jsonlib.dumps(solution_json(solved.state, found), indent=2)
        if json
        else described(solved.state, found)
    )
    if not found.proved and not json and (solved.interrupted or left() <= 0):
        typer.echo(
            f"  {'interrupted' if solved.interrupted else f'stopped after {seconds:g} s; --budget changes that'}"
        )
    if certificate:
        _certify(certificate, solved, None if seconds is None else max(0.0, left()))
    raise typer.Exit(0 if found.proved else 1)


def _searched(state: State, method: str, limit: Limit, on: str, tell: Tell) -> Result:
    """The result of a search here, or as one task where *on* says."""
    from stratagem.engine.solve import solve as run

    with running_on(on) as executor:
        if executor is None:
            return run(state.game, state, method=method, limit=limit, progress=tell)
        stop = limit.stop or (lambda: False)
        return run_there(executor, stop, _solved_there, state, method, replace(limit, stop=None))


def _solved_there(state: State, method: str, limit: Limit) -> Result:
    """The result for a position, in another process."""
    from stratagem.engine.solve import solve as run

    return run(state.game, state, method=method, limit=limit)


def _by_shards(state: State, path: str, on: str, view: str, **options: Any) -> Result:
    """What the database says of a position, after shards have built it."""
    from stratagem.cluster.connecting import connect
    from stratagem.engine.space.database import Database

    with connect(on) as executor, space_view(view) as watch:
        database = Database.build(path, state.game, state, on=executor, watch=watch, **options)
        return database.best_play(state)


def _certify(path: str, solved: Solved, seconds: float | None) -> None:
    """Writes the certificate; one that cannot be had for want of a proof is no mistake of the user's."""
    from stratagem.engine.proof.certificate import Certificate

    try:
        count = with_progress(
            lambda tell, stop: Certificate.write(path, solved.state, solved.found), seconds=seconds
        )
    except UnsuitableGame as refused:
        if solved.found.proved:
            raise
        raise OutOfTime(refused.message, hint=refused.hint) from refused
    typer.echo(f"{path}: {count:,} moves", err=True)
