"""`stratagem bench`: compile times of a game and the speed of its machine code."""

from __future__ import annotations

import json as jsonlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratagem.cli.common.arguments import Json, Sizes, at_least, more_than
from stratagem.cli.common.running import HERE, On, running_on
from stratagem.cli.judge import named_source
from stratagem.plural import plural

if TYPE_CHECKING:
    from stratagem.gdl.text.syntax import Source
    from stratagem.gdl_game import GdlGame

PARENTS = 20_000
"""States that are expanded together when children are counted ..."""
PLIES = 24
"""... if so many are reached within so many plies."""


def bench(
    games: Annotated[list[str], typer.Argument(help="Bundled games, or paths of .kif or .hrf files.")],
    seconds: Annotated[
        float, typer.Option(callback=more_than(0), help="How long to measure each rate.")
    ] = 2.0,
    threads: Annotated[int, typer.Option(callback=at_least(1), help="The number of threads.")] = 1,
    device: Annotated[
        str,
        typer.Option(help="Where playouts run: cpu, cuda (all NVIDIA GPUs), or one of them, as in cuda:0."),
    ] = "cpu",
    sizes: Sizes = None,
    on: On = HERE,
    json: Json = False,
) -> None:
    """Measure games: compile times by stage, gates, playouts, states and children per second.

    The scale is the machine itself: the gates evaluated in playouts as a share of the peak rate of vector logic. With
    --device cuda playouts run on the GPU, and nothing else is measured.

    Exit code 0 if everything was measured, 1 if Ctrl-C ended it (what was measured until then is printed), 2 for bad input.
    """
    from stratagem.cli.common.arguments import settings
    from stratagem.loading import load

    found: list[dict[str, Any]] = []
    interrupted = False
    for name in games:
        measured: dict[str, Any] = {
            "game": name,
            "threads": threads,
            "device": device,
            "seconds_by_stage": {},
        }
        found.append(measured)
        try:
            if on != HERE:
                with running_on(on) as executor:
                    assert executor is not None
                    source = named_source(name, settings(sizes or []))
                    there = executor.submit(measured_there, source, threads, seconds, cores=threads).result()
                measured |= there
            else:
                game = load(name, stage=timed(measured["seconds_by_stage"]), settings=settings(sizes or []))
                measure(game, measured, seconds)
        except KeyboardInterrupt:
            measured["interrupted"] = interrupted = True
        if not json:
            typer.echo("\n".join(described(measured)))
        if interrupted:
            break
    if json:
        typer.echo(jsonlib.dumps(found, indent=2))
    raise typer.Exit(1 if interrupted else 0)


def measured_there(source: Source, threads: int, seconds: float) -> dict[str, Any]:
    """The numbers of one game, measured in another process."""
    from stratagem.loading import load_source

    result: dict[str, Any] = {"threads": threads, "seconds_by_stage": {}}
    with timed(result["seconds_by_stage"])("all"):
        game = load_source(source)
    measure(game, result, seconds)
    return result


def timed(stages: dict[str, float]) -> Any:
    """A stage that adds the seconds of every step to *stages*."""

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            stages[name] = stages.get(name, 0.0) + time.perf_counter() - begin

    return stage


def measure(game: GdlGame, result: dict[str, Any], seconds: float) -> None:
    """Puts all numbers about one game into *result*, each as soon as it is known."""
    from stratagem.native.jit.peak import peak_by_width

    result |= {"game": game.identity.name, "machine": game.machine.name}
    device = result.get("device", "cpu")
    if not game.compilable:
        report = game.playouts(seconds=seconds, device=device)
        result |= {
            "fallback": game.fallback or "it was requested",
            "matches": report.matches,
            "playouts_per_second": report.matches_per_second,
            "states_per_second": report.states_per_second,
        }
        return
    circuit, threads = game.circuit, result["threads"]
    result |= {
        "gates": circuit.gate_count,
        "bases": len(circuit.bases),
        "moves": [len(moves) for moves in circuit.moves],
        "loops": len(circuit.loops),
    }
    begin = time.perf_counter()
    game.playouts(n=1, threads=1, device=device)
    result["seconds_by_stage"]["playout code"] = time.perf_counter() - begin
    report = game.playouts(seconds=seconds, threads=threads, device=device)
    result |= {
        "matches": report.matches,
        "mean_length": report.mean_length,
        "playouts_per_second": report.matches_per_second,
        "states_per_second": report.states_per_second,
    }
    if device != "cpu":
        return
    peak = max(peak_by_width().values())
    result |= {
        "peak_bit_operations_per_second": peak,
        "share_of_peak": circuit.gate_count * report.states_per_second / (peak * threads),
    }
    result["children_per_second"] = children_per_second(game, seconds)


def children_per_second(game: GdlGame, seconds: float) -> float:
    """Children that one thread generates per second, from states of the first plies."""
    import numpy as np

    compiled = game.compiled
    compiled.compile(wait=True)
    layer = compiled.initial[None]
    for _ in range(PLIES):
        children = compiled.expand(layer)
        alive = np.unique(children.states[~children.terminal], axis=0)
        if len(alive) == 0 or len(layer) >= PARENTS:
            break
        layer = alive[:PARENTS]
    made = 0
    begin = time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds:
        made += len(compiled.expand(layer))
    return made / spent


def described(found: dict[str, Any]) -> list[str]:
    """The numbers as lines of text, as far as they were measured."""
    lines = [f"{found['game']} ({found['machine']})" if "machine" in found else found["game"]]
    if "fallback" in found:
        lines.append(f"  runs on {found['machine']}: {found['fallback']}")
    if "gates" in found:
        moves = " + ".join(map(str, found["moves"]))
        lines.append(f"  {found['gates']:,} gates over {found['bases']} bases and {moves} moves")
    stages = ", ".join(f"{name} {1000 * spent:.0f} ms" for name, spent in found["seconds_by_stage"].items())
    lines.append(f"  compiled: {stages or 'nothing yet'}")
    if "playouts_per_second" in found:
        rate = f"{found['playouts_per_second']:16,.0f}"
        device = found.get("device", "cpu")
        where = plural(found["threads"], "thread") if device == "cpu" else device
        lines.append(f"  playouts  {rate} a second on {where}")
        lines.append(f"  states    {found['states_per_second']:16,.0f} a second")
    if "children_per_second" in found:
        lines.append(f"  children  {found['children_per_second']:16,.0f} a second on 1 thread")
    if "share_of_peak" in found:
        share = 100 * found["share_of_peak"]
        lines.append(
            f"  {share:.0f} % of the peak rate of vector logic, counting gates "
            f"({found['peak_bit_operations_per_second'] / 1e12:.2f} trillion bits a second and core)"
        )
    if "interrupted" in found:
        lines.append("  interrupted: the rest was not measured")
    return lines
