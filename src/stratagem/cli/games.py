"""``stratagem games``: the bundled games, as a table, one by one, or as JSON."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING, Annotated

import typer

from stratagem.cli.common.arguments import Json
from stratagem.errors import UnknownGame

if TYPE_CHECKING:
    from rich.console import Console

    from stratagem.sheets.catalogue import GameInfo

FORMAT_VERSION = 1
MARGIN = 11
WIDTH_WITH_TITLES = 120
BRIEF = ("value", "shortest", "states")
"""The facts that fit into the table."""


def games(
    name: Annotated[
        str | None, typer.Argument(help="One game in full detail; all games if left out.")
    ] = None,
    json: Json = False,
) -> None:
    """List the bundled games: names, roles, kinds, sizes and known facts."""
    from stratagem.cli.common.tables import Screen
    from stratagem.sheets.catalogue import game_info
    from stratagem.sheets.catalogue import games as bundled

    listed = bundled() if name is None else [game_info(checked(name))]
    if json:
        document = {"version": FORMAT_VERSION, "games": [game.as_json() for game in listed]}
        typer.echo(jsonlib.dumps(document, indent=2))
    elif name is None:
        print_table(Screen(), listed)
    else:
        print_one(Screen(), listed[0])


def checked(name: str) -> str:
    """*name*, if there is such a game."""
    from stratagem import sheets as bundled

    if name not in bundled.names():
        from difflib import get_close_matches

        close = get_close_matches(name.lower().replace("-", "").replace(" ", ""), bundled.names(), n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else "`stratagem games` lists them all"
        raise UnknownGame(f"no bundled game called {name!r}", hint=hint)
    return name


def print_table(console: Console, listed: list[GameInfo]) -> None:
    from stratagem.cli.common.tables import Column
    from stratagem.cli.common.tables import print_table as print_columns
    from stratagem.sheets.catalogue import facts_in_words, sizes_in_words

    # On a narrow screen the title is dropped first: it says what the name says.
    wide = console.width >= WIDTH_WITH_TITLES
    rows = []
    for game in listed:
        sizes = {size.name: size.default for size in game.header.sizes.values()}
        rows.append(
            [
                game.name,
                *([game.header.title] if wide else []),
                game.header.kind,
                ", ".join(game.roles),
                sizes_in_words(sizes),
                facts_in_words(
                    {name: fact for name, fact in game.header.known_at({}).items() if name in BRIEF}
                ),
            ]
        )
    heads = [*(["title"] if wide else []), "kind", "roles", "sizes", "known"]
    columns = [Column("name", left=True), *(Column(head, words=True) for head in heads)]
    print_columns(console, columns, rows)
    console.print(
        f"{len(listed)} games; `stratagem games NAME` shows one in detail",
        highlight=False,
        style="dim italic",
    )


def print_one(console: Console, game: GameInfo) -> None:
    from stratagem.sheets.catalogue import facts_in_words, range_in_words, sizes_in_words

    def line(label: str, text: str) -> None:
        console.print(f"{label:{MARGIN}}{text}", highlight=False, markup=False, soft_wrap=True)

    console.print(game.header.title, style="bold", highlight=False, markup=False)
    console.print(" ".join(game.header.about.split()), highlight=False, markup=False)
    console.print()
    line("load with", f'stratagem.load("{game.name}")')
    line("kind", game.header.kind)
    line("roles", ", ".join(game.roles))
    for size in game.header.sizes.values():
        line("size", range_in_words(size) + (f": {size.about}" if size.about else ""))
    for known in game.header.known:
        line("known", f"{sizes_in_words(known.at) or 'default sizes'}: {facts_in_words(known.facts)}")
        if "source" in known.facts:
            line("", f"({known.facts['source']})")
