"""`stratagem show` and `stratagem walk`: a position drawn, and a random match drawn move by move."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stratagem.cli.common.arguments import After, Json, Sizes, at_least, settings
from stratagem.cli.common.arguments import after as position_after
from stratagem.cli.common.output import ascii_only
from stratagem.cli.common.output_files import Force, checked_output, write_output
from stratagem.errors import IllegalMove
from stratagem.plural import plural

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from rich.console import Console

    from stratagem.gdl.terms import Term
    from stratagem.gdl_game import GdlGame, State
    from stratagem.loading import MachineName

GAME_HELP = "A bundled game, the path of a .kif or .hrf file, or the text of rules."
MOST_SEED = 10**9


def show(
    game: Annotated[str, typer.Argument(help=GAME_HELP)],
    sizes: Sizes = None,
    after: After = "",
    moves: Annotated[int, typer.Option(help="The number of legal moves listed for each role.", min=0)] = 40,
    svg: Annotated[Path | None, typer.Option(help="Write the picture to this file as SVG.")] = None,
    force: Force = False,
    ascii: Annotated[bool, typer.Option("--ascii", help="Draw in ASCII.")] = False,
    json: Json = False,
) -> None:
    """Draw a game: roles, the position, the legal moves.

    The board is inferred from the rules; a game without one is shown as a list of its facts.
    """
    if svg is not None:
        checked_output(svg, force=force)
    loaded = sized(game, sizes or [], machine=None)
    state = position_after(loaded, after)
    if svg is not None:
        write_svg(state, svg)
    if json:
        typer.echo(jsonlib.dumps({**about(loaded), **state_json(state)}, indent=2))
        return
    console = console_for()
    plain = ascii or ascii_only(console.encoding)
    heading(console, about(loaded))
    draw_on(console, state, plain)
    console.print()
    standing(console, state, moves)


def walk(
    game: Annotated[str, typer.Argument(help=GAME_HELP)],
    seed: Annotated[
        int | None,
        typer.Option(callback=at_least(0), help="The seed of the random moves; by default a new one."),
    ] = None,
    plies: Annotated[int, typer.Option(help="Stop after this many moves.", min=0)] = 1000,
    sizes: Sizes = None,
    after: Annotated[str, typer.Option(help="Moves made before the walk begins.")] = "",
    boards: Annotated[bool, typer.Option(help="Draw the position after every move.")] = True,
    ascii: Annotated[bool, typer.Option("--ascii", help="Draw in ASCII.")] = False,
    json: Json = False,
) -> None:
    """Play one random match, move by move.

    All legal moves are equally likely. The same seed gives the same match.
    """
    from random import Random, randrange

    chosen = randrange(MOST_SEED) if seed is None else seed
    loaded = sized(game, sizes or [])
    start = position_after(loaded, after)
    if json:
        walked = [*steps(start, Random(chosen), plies)]
        states = [start, *(state for _, state in walked)]
        typer.echo(jsonlib.dumps(walk_json(loaded, chosen, walked, states), indent=2))
        return
    console = console_for()
    plain = ascii or ascii_only(console.encoding)
    heading(console, about(loaded))
    console.print(f"seed {chosen}", style="dim", highlight=False)
    if boards:
        draw_on(console, start, plain)
    state, number = start, 0
    for number, (joint, state) in enumerate(steps(start, Random(chosen), plies), start=1):
        console.print()
        console.print(f"{number}. {spoken(loaded, joint)}", style="bold", highlight=False, markup=False)
        if boards:
            draw_on(console, state, plain, joint)
    console.print()
    if state.terminal:
        console.print(
            f"over after {plural(number, 'move')}: {goals_text(state)}", highlight=False, markup=False
        )
    else:
        console.print(f"stopped after {plural(number, 'move')}", highlight=False)


def sized(game: str, sizes: list[str], machine: MachineName | None = None) -> GdlGame:
    """The game with the sizes that `--set` chose."""
    from stratagem.loading import load

    return load(game, machine=machine, settings=settings(sizes))


def steps(state: State, random: Random, plies: int) -> Iterator[tuple[tuple[Term, ...], State]]:
    """Random joint moves from *state* and the states they lead to, until the match ends or *plies* are made."""
    for number in range(plies):
        if state.terminal:
            return
        joint = []
        for role in state.game.roles:
            legal = state.legals(role)
            if not legal:
                raise IllegalMove(
                    f"after {plural(number, 'move')} {role} has no legal move and the match is not over",
                    hint="the rules are unsound: every role needs a move in every state before the end",
                )
            joint.append(random.choice(legal))
        state = state.next(tuple(joint))
        yield tuple(joint), state


def about(game: GdlGame) -> dict[str, Any]:
    """The name, title, roles and chosen sizes of a game."""
    from stratagem.gdl.header import header_of

    header = header_of(game.identity.source)
    chosen = dict(game.identity.source.settings)
    return {
        "game": game.identity.name,
        "title": header.title or game.identity.name,
        "about": header.about,
        "kind": header.kind,
        "roles": list(game.roles),
        "sizes": {name: chosen.get(name, size.default) for name, size in header.sizes.items()},
    }


def state_json(state: State) -> dict[str, Any]:
    """A position as data: facts, moves, goals, and the boards with their contents."""
    from stratagem.gdl.terms import order
    from stratagem.show.board.json import picture_json

    over = state.terminal
    return {
        "facts": [str(fact) for fact in sorted(state.facts(), key=order)],
        "terminal": over,
        "to_move": list(state.to_move),
        "legal": {}
        if over
        else {role: [str(move) for move in state.legals(role)] for role in state.game.roles},
        "goals": {role: state.goal(role) for role in state.game.roles},
        **picture_json(state),
    }


def walk_json(game: GdlGame, seed: int, walked: list[Any], states: list[State]) -> dict[str, Any]:
    last = states[-1]
    return {
        **about(game),
        "seed": seed,
        "moves": [dict(zip(game.roles, map(str, joint), strict=True)) for joint, _ in walked],
        "states": [sorted(map(str, state.facts())) for state in states],
        "terminal": last.terminal,
        "goals": {role: last.goal(role) for role in game.roles},
    }


def console_for() -> Console:
    from stratagem.cli.common.tables import Screen

    return Screen(soft_wrap=True)


def heading(console: Console, known: dict[str, Any]) -> None:
    console.print(known["title"], style="bold", highlight=False, markup=False)
    roles = f"role{'' if len(known['roles']) == 1 else 's'}: {', '.join(known['roles'])}"
    sizes = [f"{name} {value}" for name, value in known["sizes"].items()]
    console.print(
        "; ".join(filter(None, [known["kind"], roles, *sizes])), style="dim", highlight=False, markup=False
    )
    console.print()


def draw_on(console: Console, state: State, ascii: bool, joint: tuple[Term, ...] = ()) -> None:
    """The position, with the squares of the last joint move highlighted."""
    from stratagem.show.board.infer import model_of
    from stratagem.show.board.terminal.board import draw_rich

    model = model_of(state.game)
    lit = {
        square
        for role, move in zip(state.game.roles, joint, strict=False)
        for step in model.squares(move, role)
        if len(step) == 1
        for square in step
    }
    console.print(draw_rich(state, ascii=ascii, width=max(40, min(console.width, 120)), lit=lit))


def standing(console: Console, state: State, most: int) -> None:
    """The legal moves, or the result."""
    if state.terminal:
        console.print(f"The match is over: {goals_text(state)}", highlight=False, markup=False)
        return
    text = f"{', '.join(state.to_move)} to move" + ("" if state.choosing else ", without a choice")
    console.print(text, style="bold", highlight=False, markup=False)
    for role in state.game.roles:
        legal = state.legals(role)
        shown = " ".join(state.game.spell(move) for move in legal[:most])
        more = f" and {len(legal) - most} more" if len(legal) > most else ""
        console.print(f"  {role}: {shown}{more}", highlight=False, markup=False, soft_wrap=False)


def goals_text(state: State) -> str:
    goals = {role: state.goal(role) for role in state.game.roles}
    return ", ".join(f"{role} {'no value' if goal is None else goal}" for role, goal in goals.items())


def spoken(game: GdlGame, joint: tuple[Term, ...]) -> str:
    """A joint move as text; noops are left out if another role moves."""
    moves = list(zip(game.roles, joint, strict=True))
    told = [(role, move) for role, move in moves if str(move) != "noop"] or moves
    return ", ".join(f"{role} {game.spell(move)}" for role, move in told)


def write_svg(state: State, path: Path) -> None:
    from stratagem.show.board.svg.board import draw_svg

    write_output(path, draw_svg(state) + "\n")
