"""`stratagem why GAME QUERY`: why something holds, or why it does not."""

from __future__ import annotations

import json as jsonlib
from typing import Annotated

import typer

from stratagem.cli.common.arguments import After, GameArgument, Json, Sizes, joint_of, settings
from stratagem.cli.common.arguments import after as position_after


def why(
    game: GameArgument,
    query: Annotated[str, typer.Argument(help='What to explain, as in "(legal xplayer (mark 1 1))".')],
    after: After = "",
    move: Annotated[
        str, typer.Option(help='The move being made; questions about "(next ...)" need one.')
    ] = "",
    sizes: Sizes = None,
    json: Json = False,
) -> None:
    """Say why something holds in a position, or why it does not.

    The query may be a fact of the state, a legal move, a goal, terminal, or any relation of the rules. The answer is the
    derivation, with rule, file, line and values, or the first condition that fails in each rule that could derive it.
    """
    from stratagem.loading import load

    loaded = load(game, machine="reasoner", settings=settings(sizes or []))
    state = position_after(loaded, after)
    joint = joint_of(state, move) if move else None
    reason = loaded.why(query, state, joint)
    typer.echo(jsonlib.dumps(reason.as_json(), indent=2) if json else str(reason))
