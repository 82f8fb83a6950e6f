"""`stratagem explain GAME|TREE`: a search step by step, with the reason of every cut."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from stratagem.cli.common.arguments import After, Sizes, at_least, more_than
from stratagem.cli.common.output_files import Force, checked_output, write_output
from stratagem.cli.search import (
    COMPILING,
    Algorithm,
    Depth,
    Evaluation,
    GameOrTree,
    Heuristic,
    Role,
    described,
    estimate_for,
)
from stratagem.errors import UsageError

if TYPE_CHECKING:
    from stratagem.explanation import Explanation


def explain(
    game: GameOrTree,
    algorithm: Algorithm = "alpha-beta",
    depth: Depth = None,
    after: After = "",
    html: Annotated[str, typer.Option(help="Write an HTML page that shows every step.")] = "",
    svg: Annotated[str, typer.Option(help="Write a picture of the last step, with cuts and strategy.")] = "",
    png: Annotated[str, typer.Option(help="The same picture as PNG.")] = "",
    jsonl: Annotated[str, typer.Option(help="Write the events as JSON lines.")] = "",
    at: Annotated[
        int | None, typer.Option(callback=at_least(1), help="Draw this step instead of the last.")
    ] = None,
    step: Annotated[bool, typer.Option("--step", help="Step through the search in the terminal.")] = False,
    evaluation: Evaluation = "",
    heuristic: Heuristic = "none",
    role: Role = "",
    nodes: Annotated[
        int, typer.Option(callback=at_least(1), help="Stop the search after so many nodes.")
    ] = 50_000,
    seconds: Annotated[
        float, typer.Option(callback=more_than(0), help="Stop the search after so many seconds.")
    ] = 20.0,
    sizes: Sizes = None,
    force: Force = False,
) -> None:
    """Show a search step by step, with the window or OPEN beside the tree and the reason of every cut.

    Without a file to write it prints the important steps; --step goes through all of them.

    Exit code 0 if the search finished, 1 if a limit or Ctrl-C stopped it (the steps until then are shown, or at least
    the result), 2 for bad input.
    """
    from stratagem.cli.common.targets import resolve
    from stratagem.cli.common.watched import NOT_ANSWERED, Watch, reason, watched
    from stratagem.explanation import RecordedSearch, explanation_of, record_search
    from stratagem.limit import Limit

    if step and not sys.stdin.isatty():
        raise UsageError("--step waits for keys, and there is no keyboard here", hint="leave --step out")
    for path in filter(None, (html, svg, png, jsonl)):
        checked_output(path, force=force)
    target = resolve(game, sizes or [], after, seconds=COMPILING)
    estimate = estimate_for(algorithm, target, heuristic)

    def work(watch: Watch) -> RecordedSearch:
        watch.begin(algorithm)
        return record_search(
            target.game,
            algorithm,
            target.start,
            limit=Limit(seconds=seconds, nodes=nodes, depth=depth, stop=watch.stop),
            progress=watch.progress,
            evaluation=evaluation,
            maximiser=role or None,
            heuristic=estimate,
        )

    recorded = watched(work)
    try:
        explanation = explanation_of(recorded, label=target.label)
        written = _write(explanation, html, svg, png, jsonl, at)
    except KeyboardInterrupt:
        why = (
            "" if recorded.result.complete else reason(recorded.result.stopped, nodes=nodes, seconds=seconds)
        )
        typer.echo("\n".join(described(recorded.result, target.label, estimate, why)))
        typer.echo(
            "stratagem: interrupted before the steps could be shown; this is the result alone", err=True
        )
        raise typer.Exit(NOT_ANSWERED) from None
    if step:
        _step_through(explanation)
    elif written:
        steps, met = len(explanation.walkthrough.steps), len(explanation.walkthrough.nodes)
        typer.echo(f"{steps:,} steps, {met:,} nodes: {', '.join(written)}")
        for note in explanation.walkthrough.notes:
            typer.echo(note, err=True)
    else:
        _print(explanation)
    raise typer.Exit(0 if explanation.result.complete else NOT_ANSWERED)


def _write(explanation: Explanation, html: str, svg: str, png: str, jsonl: str, at: int | None) -> list[str]:
    """Writes the files that were asked for; their names."""
    written = []
    if html:
        write_output(html, explanation.html().encode("utf-8"))
        written.append(html)
    if svg:
        write_output(svg, explanation.svg(at=at).encode("utf-8"))
        written.append(svg)
    if png:
        write_output(png, explanation.png(at=at))
        written.append(png)
    if jsonl:
        write_output(jsonl, explanation.jsonl().encode("utf-8"))
        written.append(jsonl)
    return written


def _print(explanation: Explanation) -> None:
    from stratagem.cli.common.tables import Screen
    from stratagem.show.walkthrough.render.terminal import print_walkthrough

    print_walkthrough(explanation.walkthrough, Screen(highlight=False))


def _step_through(explanation: Explanation) -> None:

    from stratagem.cli.common.tables import Screen
    from stratagem.show.walkthrough.render.terminal import step_through

    step_through(explanation.walkthrough, Screen(highlight=False), typer.getchar)
