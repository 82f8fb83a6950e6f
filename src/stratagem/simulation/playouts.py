"""Random matches of a game, wherever they are played: in this process, on GPUs, on an executor, or without compiled rules."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from stratagem.errors import UnsuitableGame, UsageError, require_type, require_whole
from stratagem.executor.interface import require_executor
from stratagem.limit import not_negative
from stratagem.state import State, require_state

if TYPE_CHECKING:
    from stratagem.executor.interface import Executor
    from stratagem.gdl_game import GdlGame
    from stratagem.native.playouts.report import PlayoutReport


def play_random(
    game: GdlGame,
    state: State,
    matches: int | None,
    *,
    seconds: float | None,
    seed: int,
    threads: int | None,
    limit: int,
    by_move: bool,
    device: str,
    on: Executor | None,
) -> PlayoutReport:
    """The report on random matches from *state*; the arguments are those of `GdlGame.playouts`."""
    require_state(game, state)
    seed = require_whole("seed", seed)
    if matches is not None:
        require_whole("number of matches", matches)
    not_negative("number of seconds", seconds)
    require_type(device, str, "the name of a device", hint='choose "cpu" or "cuda"')
    require_executor(on)
    if device != "cpu" and on is not None:
        raise UsageError("an executor plays on processors", hint='leave out device, or "on"')
    if not game.compilable:
        if device != "cpu":
            raise UnsuitableGame(
                f"{game.identity.name} is not compiled, and only compiled rules run on a GPU",
                hint='device="cpu" plays it',
            )
        return _without_circuit(game, state, matches, seconds, seed, limit, by_move)
    if on is not None:
        if matches is None:
            raise UsageError("on an executor matches are counted", hint="give their number, n")
        return split_playouts(on, game, state, matches, seed, limit, by_move)
    return game.compiled.playouts.play(
        game.pack(state),
        matches=matches,
        seconds=seconds,
        seed=seed,
        threads=threads,
        limit=limit,
        by_move=by_move,
        device=device,
    )


def _without_circuit(
    game: GdlGame,
    state: State,
    matches: int | None,
    seconds: float | None,
    seed: int,
    limit: int,
    by_move: bool,
) -> PlayoutReport:
    """Matches of rules that cannot be compiled: on joins where these compute the game, else move by move."""
    from stratagem.machines.joins.machine import JoinsMachine
    from stratagem.machines.joins.playouts import play_joins
    from stratagem.machines.random_matches import random_matches

    machine = game.settle()
    if isinstance(machine, JoinsMachine):
        return play_joins(
            machine, state.data, matches=matches, seconds=seconds, seed=seed, limit=limit, by_move=by_move
        )
    return random_matches(
        game, state, matches=matches, seconds=seconds, seed=seed, limit=limit, by_move=by_move
    )


def split_playouts(
    executor: Executor, game: GdlGame, state: State, matches: int, seed: int, limit: int, by_move: bool
) -> PlayoutReport:
    """Random matches, a part on each core of an *executor*: the report that one process would give."""
    begin = perf_counter()
    parts = executor.cores
    tasks = [(game, state, matches, seed, limit, by_move, (number, parts)) for number in range(parts)]
    found = dict(executor.map(play_part, tasks))
    report = found[0]
    for number in range(1, parts):
        report = report.plus(found[number])
    return report.timed(perf_counter() - begin, parts)


def play_part(
    game: GdlGame, state: State, matches: int, seed: int, limit: int, by_move: bool, part: tuple[int, int]
) -> PlayoutReport:
    """One part of the matches that `split_playouts` plays, in one thread."""
    return game.compiled.playouts.play(
        game.pack(state), matches=matches, seed=seed, threads=1, limit=limit, by_move=by_move, part=part
    )
