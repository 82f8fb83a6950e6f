"""Arguments that several commands share: sizes (``--set columns=5``), moves (``--after "(mark 1 1)"``), limits, absent players.

Moves are written in KIF, one after another. Where only one player has a choice the move alone is enough; a joint
move is written in square brackets, one move for each role in the order of the roles, or one for each role that has
a choice: ``[rock paper]``.

Limits (``--seconds``, ``--states``) are checked by the callbacks `at_least` and `more_than`, before any work begins:

    seconds: Annotated[float, typer.Option(callback=more_than(0))] = 60.0
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias, TypeVar

import typer

from stratagem.errors import IllegalMove, RulesError, UsageError

if TYPE_CHECKING:
    from stratagem.gdl.terms import Term
    from stratagem.gdl_game import GdlGame, State

Number = TypeVar("Number", int, float, int | None, float | None)
GameArgument: TypeAlias = Annotated[
    str, typer.Argument(help="A bundled game, or the path of a .kif or .hrf file.")
]
Sizes: TypeAlias = Annotated[list[str] | None, typer.Option("--set", help="A size of the board: columns=5.")]
After: TypeAlias = Annotated[str, typer.Option(help='Moves made before, as in "(mark 1 1) (mark 2 2)".')]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]
PlayOn: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--play-on",
        help="Begin even if a player is absent or busy; players that do not answer get random moves.",
    ),
]
Wait: TypeAlias = Annotated[
    float, typer.Option(min=0, help="Seconds to wait for players that are absent or busy.")
]

PIECE = re.compile(r"\[([^\]]*)\]|([^\[\]]+)")


def at_least(least: int) -> Callable[[typer.CallbackParam, Number], Number]:
    """A callback for options that refuses numbers below *least*; None is allowed."""

    def checked(parameter: typer.CallbackParam, value: Number) -> Number:
        # Not "below", because NaN is not below anything.
        if value is not None and not value >= least:
            raise UsageError(f"{_option(parameter)} must be at least {least}; got {value}")
        return value

    return checked


def more_than(bound: int) -> Callable[[typer.CallbackParam, Number], Number]:
    """A callback for options that refuses *bound* and numbers below it; None is allowed."""

    def checked(parameter: typer.CallbackParam, value: Number) -> Number:
        if value is not None and not value > bound:
            raise UsageError(f"{_option(parameter)} must be more than {bound}; got {value:g}")
        return value

    return checked


def _option(parameter: typer.CallbackParam) -> str:
    """The option as a user writes it, in its long form."""
    return max([*parameter.opts, ""], key=len)


Seed: TypeAlias = Annotated[
    int | None, typer.Option(callback=at_least(0), help="The seed of all random choices.")
]


Remember: TypeAlias = Annotated[
    bool,
    typer.Option(help="Use evaluations and solutions kept on disk for the rules, and keep what is learned."),
]


Shards: TypeAlias = Annotated[
    int | None,
    typer.Option(callback=at_least(1), help="The number of shards; by default one per core."),
]


def settings(texts: Sequence[str]) -> dict[str, int]:
    """``["columns=5", "rows=4"]`` as a dictionary.

    >>> settings(["columns=5", "rows=4"])
    {'columns': 5, 'rows': 4}
    """
    chosen: dict[str, int] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip() or not re.fullmatch(r"[+-]?\d{1,9}", value.strip()):
            raise UsageError(f"{text!r} is not a size", hint="write --set NAME=NUMBER, as in --set columns=5")
        chosen[name.strip()] = int(value)
    return chosen


def after(game: GdlGame, text: str, *, start: State | None = None) -> State:
    """The state after the moves in *text*, from *start*, or else from the start of *game*."""
    state = game.initial() if start is None else start
    for number, (moves, joint) in enumerate(steps(text), start=1):
        try:
            state = state.next(joint_move(state, moves)) if joint else state.play(moves[0])
        except IllegalMove as refused:
            raise IllegalMove(f"move {number}: {refused.message}", hint=refused.hint) from refused
    return state


def steps(text: str) -> list[tuple[list[Term], bool]]:
    """The moves in *text*, each with whether it was written as a joint move."""
    found: list[tuple[list[Term], bool]] = []
    if "".join(match.group() for match in PIECE.finditer(text)) != text:
        raise UsageError(
            f"{text!r}: a square bracket is not closed", hint="write joint moves as [rock paper]"
        )
    for match in PIECE.finditer(text):
        if match[1] is not None:
            found.append((terms(match[1]), True))
        else:
            found += [([term], False) for term in terms(match[2])]
    return found


def terms(text: str) -> list[Term]:
    """The terms in *text*, one after another."""
    from stratagem.gdl.build import Builder, Unreadable
    from stratagem.gdl.text.kif import read
    from stratagem.gdl.text.syntax import Source

    source = Source(text, "moves")
    nodes, faults = read(source)
    builder = Builder(source)
    found: list[Term] = []
    for node in nodes:
        try:
            found.append(builder.term(node))
        except Unreadable:
            faults = builder.findings
    if faults:
        raise RulesError(str(faults[0]), findings=faults)
    return found


def joint_move(state: State, moves: Sequence[Term]) -> tuple[Term, ...]:
    """One legal move for every role: *moves* names all of them, or those of the roles that have a choice."""
    roles = state.game.roles
    legal = [state.legals(role) for role in roles]
    choosing = [number for number in range(len(roles)) if len(legal[number]) > 1]
    if state.terminal:
        raise IllegalMove("nothing can be played: the match is over")
    if len(moves) == len(roles):
        joint = list(moves)
    elif len(moves) == len(choosing):
        joint = [several[0] for several in legal]
        for number, move in zip(choosing, moves, strict=True):
            joint[number] = move
    else:
        raise IllegalMove(
            f"a joint move of {len(moves)} moves", hint=f"one for each role is needed: {', '.join(roles)}"
        )
    for number, move in enumerate(joint):
        if move not in legal[number]:
            some = ", ".join(map(str, legal[number][:8]))
            raise IllegalMove(f"{move} is not legal for {roles[number]}", hint=f"legal: {some}")
    return tuple(joint)


def joint_of(state: State, text: str) -> tuple[Term, ...]:
    """The joint move that *text* writes: one move, ``[one for each role]``, or plainly several."""
    written = [move for moves, _ in steps(text) for move in moves]
    return joint_move(state, written)
