"""The catalogue of games: the page in the docs and the command say what the headers say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import pytest
from tests.support.count import value
from tests.support.data import ROOT
from typer.testing import CliRunner

from stratagem import load
from stratagem import sheets as games
from stratagem.cli.games import games as command
from stratagem.errors import UnknownGame
from stratagem.gdl.parse import examine
from stratagem.gdl.text.syntax import Source
from stratagem.sheets.catalogue import facts_in_words, game_info, range_in_words, sizes_in_words
from stratagem.sheets.catalogue import games as catalogue

PAGE = ROOT / "docs" / "games.md"


def between(mark, text):
    found = re.search(rf"<!-- {mark} -->\n(.*?)<!-- end -->", text, re.DOTALL)
    assert found is not None
    return found[1]


def overview() -> str:
    """The table of all games, as Markdown."""
    return table(
        ["name", "game", "kind", "roles", "sizes", "known at these sizes"],
        (
            [
                f"`{game.name}`",
                game.header.title,
                game.header.kind,
                ", ".join(game.roles),
                ", ".join(map(range_in_words, game.header.sizes.values())),
                facts_in_words(game.header.known_at({})),
            ]
            for game in catalogue()
        ),
    )


def facts_by_size() -> str:
    """The table of all known facts, at every size, with their sources, as Markdown."""
    return table(
        ["name", "at", "known", "source"],
        (
            [
                f"`{game.name}`",
                sizes_in_words(known.at) or "default sizes",
                facts_in_words(known.facts),
                str(known.facts.get("source", "")),
            ]
            for game in catalogue()
            for known in game.header.known
        ),
    )


def table(titles: Sequence[str], rows: Iterator[list[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


@pytest.mark.parametrize(("mark", "made"), [("overview", overview), ("facts", facts_by_size)])
def test_the_tables_in_the_docs_are_those_that_the_headers_give(mark, made):
    assert between(mark, PAGE.read_text(encoding="utf-8")) == made(), (
        "write them again with: python -m tests.sheets.test_catalogue"
    )


def test_the_sheet_in_the_docs_is_clean_and_its_facts_are_right():
    found = re.search(r"```text\n(;;; \[game\]\n.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    assert examine(Source(found[1]))[1] == ()
    assert [value(load(found[1], target=target)) for target in (8, 9, 10)] == [100, 0, 100]


def test_every_game_is_in_the_catalogue_with_the_roles_of_its_rules():
    assert [game.name for game in catalogue()] == list(games.names())
    assert game_info("tictactoethree").roles == ("first", "second", "third")


def test_facts_are_told_in_a_fixed_order_and_margins_belong_to_values():
    facts = {"states": 12, "margin": 8, "value": "second player wins", "solutions": 1, "shortest": 4}
    told = "second player wins by 8; solved in 4; one shortest solution; 12 states"
    assert facts_in_words(facts) == told
    assert facts_in_words({"solutions": 21}) == "21 shortest solutions"


@pytest.fixture
def run():
    import typer

    app = typer.Typer()
    app.command()(command)
    return lambda *arguments: CliRunner().invoke(app, list(arguments), env={"COLUMNS": "160"})


def test_the_table_of_games_names_them_all_with_roles_and_facts(run):
    printed = run().output
    for name in games.names():
        assert f"\n {name} " in printed
    assert "xplayer, oplayer" in printed
    assert "5,478 states" in printed


def test_one_game_is_told_in_full(run):
    printed = run("missionaries").output
    assert "pairs 3 (1 to 12)" in printed
    assert "pairs 4: no solution; 11 states" in printed


def test_json_has_everything_that_the_headers_have(run):
    document = json.loads(run("--json").output)
    by_name = {game["name"]: game for game in document["games"]}
    assert by_name.keys() == set(games.names())
    assert by_name["connectfour"]["sizes"]["columns"]["default"] == 7
    assert {"with": {"columns": 4, "rows": 4}, "states": 161029}.items() <= next(
        known for known in by_name["connectfour"]["known"] if known["with"] == {"columns": 4, "rows": 4}
    ).items()


def test_a_game_that_is_not_there_is_refused_with_what_was_meant(run):
    result = run("conectfour")
    assert isinstance(result.exception, UnknownGame)
    assert str(result.exception) == "no bundled game called 'conectfour'; did you mean connectfour?"


def write_page():
    """Puts the tables of today into the page."""
    text = PAGE.read_text(encoding="utf-8")
    for mark, made in (("overview", overview), ("facts", facts_by_size)):
        text = text.replace(
            f"<!-- {mark} -->\n{between(mark, text)}<!-- end -->", f"<!-- {mark} -->\n{made()}<!-- end -->"
        )
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_page()
