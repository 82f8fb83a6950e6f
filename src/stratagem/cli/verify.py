"""`stratagem verify`: check a certificate with the reasoner alone."""

from __future__ import annotations

import json as jsonlib
from typing import Annotated

import typer

from stratagem.cli.common.arguments import Json


def verify(
    file: Annotated[str, typer.Argument(help="A certificate written by `stratagem solve --certificate`.")],
    json: Json = False,
) -> None:
    """Check a certificate: every line of the strategy is played to its end by the reasoner, not by the engine.

    The answer names the game, its sizes, whether the rules are the bundled ones, and the state it starts from.

    Exit code 0 if every claim holds, 1 if one does not, 2 if the file cannot be read.
    """
    from stratagem.engine.proof.certificate import Certificate

    verdict = Certificate.read(file).verify()
    if json:
        data = {
            "game": verdict.game,
            "sizes": dict(verdict.sizes),
            "bundled_rules": verdict.bundled,
            "start": sorted(map(str, verdict.start.facts())),
            "holds": verdict.holds,
            "claims": list(verdict.sentences),
            "states": verdict.states,
        }
        typer.echo(jsonlib.dumps(data, indent=2))
    else:
        typer.echo(verdict.subject)
        for sentence in verdict.sentences:
            typer.echo(sentence)
        typer.echo(
            f"{'the certificate holds' if verdict.holds else 'the certificate does not hold'} ({verdict.states:,} states)"
        )
    raise typer.Exit(0 if verdict.holds else 1)
