"""`stratagem exercise KIND`: an exercise, posed and graded step by step."""

from __future__ import annotations

import json as jsonlib
import sys
from random import SystemRandom
from typing import Annotated

import typer

from stratagem.cli.common.arguments import Json, at_least
from stratagem.errors import UsageError


def exercise(
    kind: Annotated[str, typer.Argument(help="minimax, alpha-beta, sss or blind.")],
    seed: Annotated[
        int | None,
        typer.Option(callback=at_least(0), help="Which exercise; the same seed gives the same one."),
    ] = None,
    answers: Annotated[
        str | None,
        typer.Option(help='Answers as JSON, {"value": "12", ...}; - reads them from standard input.'),
    ] = None,
    solution: Annotated[
        bool, typer.Option("--solution", help="Print the right answers and the reasons.")
    ] = False,
    json: Json = False,
) -> None:
    """Pose an exercise and grade the answers step by step, with the place and reason of every error.

    Exit code 0 if everything is right, 1 if something is wrong, 2 for bad input.
    """
    from stratagem.exercises.grading import grade
    from stratagem.exercises.kinds import exercise as make

    chosen = SystemRandom().randrange(10_000) if seed is None else seed
    asked = make(kind, chosen)
    if solution or (json and answers is None):
        if json:
            typer.echo(jsonlib.dumps(asked.as_json(answers=solution), indent=2))
        else:
            typer.echo(asked.text + "\n")
            for question in asked.questions:
                typer.echo(f"{question.key}: {' '.join(question.expected) or 'none'}   ({question.why})")
        return
    if answers is not None:
        given = _parsed(sys.stdin.read() if answers == "-" else answers)
        marks = grade(asked, given)
        if json:
            listed = [{"key": m.key, "right": m.right, "given": m.given, "note": m.note} for m in marks.marks]
            typer.echo(jsonlib.dumps({"passed": marks.passed, "marks": listed}, indent=2))
        else:
            for mark in marks.marks:
                typer.echo(
                    f"{'✓' if mark.right else '✗'} {mark.key}" + (f": {mark.note}" if mark.note else "")
                )
            typer.echo(f"{marks.right} of {len(marks.marks)} right" + (": passed" if marks.passed else ""))
        raise typer.Exit(0 if marks.passed else 1)
    _ask(asked, chosen)


def _ask(asked: object, seed: int) -> None:
    from stratagem.exercises.grading import Exercise, mark

    assert isinstance(asked, Exercise)
    typer.echo(f"Exercise {asked.kind}, seed {seed}\n\n{asked.text}\n")
    right = wrong = 0
    for question in asked.questions:
        try:
            given = typer.prompt(question.prompt, default="", show_default=False)
        except typer.Abort:  # the input is at its end, or Ctrl-C was pressed
            break
        answered = mark(question, given)
        if answered.right:
            right += 1
            typer.echo("  ✓")
        else:
            wrong += 1
            typer.echo(f"  ✗ {answered.note}")
    total = len(asked.questions)
    missing = total - right - wrong
    rest = ": passed" if right == total else f", {missing} not answered" if missing else ""
    typer.echo(f"\n{right} of {total} right{rest}")
    raise typer.Exit(0 if right == total else 1)


def _parsed(text: str) -> dict[str, str]:
    try:
        data = jsonlib.loads(text)
    except ValueError as fault:
        raise UsageError(
            f"the answers are not JSON: {fault}", hint='write {"value": "12", "cut": "3 5"}'
        ) from fault
    if not isinstance(data, dict):
        raise UsageError("the answers must be a JSON object", hint='write {"value": "12", "cut": "3 5"}')
    return {
        str(key): " ".join(map(str, value)) if isinstance(value, list) else str(value)
        for key, value in data.items()
    }
