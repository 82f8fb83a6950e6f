"""`stratagem explain GAME|TREE`: a search step by step, with the reason for every cut."""

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

Step = Annotated[int | None, typer.Option(callback=at_least(1), help="Draw this step instead of the last.")]
Nodes = Annotated[int, typer.Option(callback=at_least(1), help="Stop the search after this many nodes.")]
Seconds = Annotated[
    float, typer.Option(callback=more_than(0), help="Stop the search after this many seconds.")
]


def explain(
    game: GameOrTree,
    algorithm: Algorithm = "alpha-beta",
    depth: Depth = None,
    after: After = "",
    html: Annotated[str, typer.Option(help="Write an HTML page that shows every step.")] = "",
    svg: Annotated[str, typer.Option(help="Write a picture of the last step, with cuts and strategy.")] = "",
    png: Annotated[str, typer.Option(help="The same picture as PNG.")] = "",
    jsonl: Annotated[str, typer.Option(help="Write the events as JSON lines.")] = "",
    at: Step = None,
    step: Annotated[bool, typer.Option("--step", help="Step through the search in the terminal.")] = False,
    evaluation: Evaluation = "",
    heuristic: Heuristic = "none",
    role: Role = "",
    nodes: Nodes = 50_000,
    seconds: Seconds = 20.0,
    sizes: Sizes = None,
    force: Force = False,
) -> None:
    """Show a search step by step, with the window or OPEN beside the tree and the reason for every cut.

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
        limit = Limit(seconds=seconds, nodes=nodes, depth=depth, stop=watch.stop)
        chosen = {"evaluation": evaluation, "heuristic": estimate, "maximiser": role or None}
        options = {"limit": limit, "progress": watch.progress, **chosen}
        return record_search(target.game, algorithm, target.start, **options)

    recorded = watched(work)
    result = recorded.result
    try:
        explanation = explanation_of(recorded, label=target.label)
        written = _write(explanation, html, svg, png, jsonl, at)
    except KeyboardInterrupt:
        why = "" if result.complete else reason(result.stopped, nodes=nodes, seconds=seconds)
        typer.echo("\n".join(described(result, target.label, estimate, why)))
        typer.echo(
            "stratagem: interrupted before the steps could be shown; this is the result alone", err=True
        )
        raise typer.Exit(NOT_ANSWERED) from None
    _show(explanation, written, step=step)
    raise typer.Exit(0 if result.complete else NOT_ANSWERED)


def _show(explanation: Explanation, written: list[str], *, step: bool) -> None:
    """The steps on the terminal, or what was *written* to files."""
    from stratagem.cli.common.tables import Screen
    from stratagem.show.walkthrough.render.terminal import print_walkthrough, step_through

    walkthrough = explanation.walkthrough
    if step:
        step_through(walkthrough, Screen(highlight=False), typer.getchar)
    elif written:
        typer.echo(
            f"{len(walkthrough.steps):,} steps, {len(walkthrough.nodes):,} nodes: {', '.join(written)}"
        )
        for note in walkthrough.notes:
            typer.echo(note, err=True)
    else:
        print_walkthrough(walkthrough, Screen(highlight=False))


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
