"""Boards are worked out of the rules: what is a coordinate, which way is up, what is empty, what moves touch."""

from __future__ import annotations

import random
import re

import pytest
from tests.support.data import DATA

from stratagem import sheets as games
from stratagem.gdl.terms import Symbol
from stratagem.gdl.text.printer import to_kif
from stratagem.gdl_game import GdlGame
from stratagem.loading import load, sheet_of
from stratagem.show.board.infer import infer, model_of
from stratagem.show.board.model import Board, BoardModel, Square

KINDS = {
    "grid": "tictactoe connectfour breakthrough checkers reversi gomoku eightpuzzle lightsout maze sokoban "
    "pegsolitaire queens sudoku knightstour ninemensmorris amazons pentago tron kalah hexapawn",
    "hex": "hex pegtriangle",
    "sides": "dotsandboxes",
    "lamps": "buttonsandlights",
    "piles": "nim pancakes waterjugs",
    "stacks": "hanoi wolfgoatcabbage",
    "facts": "missionaries prisonersdilemma rockpaperscissors",
}
EXPECTED = [(name, kind) for kind, names in KINDS.items() for name in names.split()]
HEAD = "(role white) (role black) (legal white noop) (legal black noop) (goal white 0) (goal black 0) (<= terminal (true over)) "
MOVES = "(<= (next (control white)) (true (control white))) (init (control white)) "


def model(name: str, **sizes: int) -> BoardModel:
    return infer(load(name, machine="reasoner", **sizes))  # type: ignore[arg-type]


def board(name: str, **sizes: int) -> Board:
    return model(name, **sizes).boards[0]


def of_rules(rules: str) -> BoardModel:
    return infer(load(HEAD + rules, machine="reasoner"))


@pytest.mark.parametrize(("name", "kind"), EXPECTED)
def test_every_bundled_game_gets_its_kind_of_board(name: str, kind: str) -> None:
    assert model(name).kind == kind


def test_every_bundled_game_is_known_to_the_table_above_or_is_drawn_all_the_same() -> None:
    for name in games.names():
        game = load(name, machine="reasoner")
        model_of(game).picture(game.initial().facts())


def test_pieces_fall_so_the_first_row_is_at_the_bottom() -> None:
    found = board("connectfour", columns=5, rows=4)
    assert found.rows == ("4", "3", "2", "1")
    assert found.columns == ("1", "2", "3", "4", "5")


def test_north_is_up_as_soon_as_somebody_can_go_there() -> None:
    assert board("maze").rows[0] == "1"
    upside_down = (
        to_kif(sheet_of("maze")).replace("north", "xx").replace("south", "north").replace("xx", "south")
    )
    assert infer(load(upside_down, machine="reasoner")).boards[0].rows[0] == "11"


def test_the_first_side_sits_at_the_bottom() -> None:
    rows = "".join(f"(init (cell {x} 1 white)) (init (cell {x} 4 black))" for x in range(1, 5))
    body = (
        "(succ 1 2) (succ 2 3) (succ 3 4) (<= (next (cell ?a ?b ?c)) (true (cell ?a ?b ?c))) "
        "(<= (legal white (go ?a ?b ?d)) (true (cell ?a ?b white)) (succ ?b ?d)) "
        "(<= (next (cell ?a ?d white)) (does white (go ?a ?b ?d)))"
    )
    found = of_rules(MOVES + rows + body).boards[0]
    assert found.spots[Symbol("2"), Symbol("1")].row == len(found.rows) - 1


def test_letters_and_numbers_make_a_chess_board() -> None:
    cells = "".join(f"(init (cell {x} {y} b))" for x in "abcd" for y in "1234" if x + y != "a1")
    found = of_rules(
        MOVES + cells + "(init (cell a 1 wk)) (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)))"
    )
    assert found.boards[0].columns == ("a", "b", "c", "d")
    assert found.boards[0].rows == ("4", "3", "2", "1")


def test_rows_and_columns_go_by_their_names() -> None:
    cells = "".join(f"(init (cell {x} {y} b))" for x in (1, 2) for y in (1, 2, 3))
    rule = "(<= (next (cell ?{} ?{} ?mark)) (true (cell ?{} ?{} ?mark)))"
    by_row = of_rules(MOVES + cells + rule.format("row", "column", "row", "column")).boards[0]
    by_column = of_rules(MOVES + cells + rule.format("column", "row", "column", "row")).boards[0]
    assert (len(by_row.columns), len(by_row.rows)) == (3, 2)
    assert (len(by_column.columns), len(by_column.rows)) == (2, 3)


def test_six_neighbours_make_hexagons_and_four_do_not() -> None:
    hexagons = board("hex", size=4)
    assert hexagons.kind == "hex"
    assert hexagons.offsets == (0, 1, 2, 3)
    assert board("reversi").kind == "grid"


def test_a_triangle_stands_centred() -> None:
    assert board("pegtriangle", rows=5).offsets == (4, 3, 2, 1, 0)


def test_cells_that_the_rules_do_not_have_are_not_drawn() -> None:
    assert len(board("pegsolitaire").spots) == 33
    assert len(board("checkers").spots) == 32
    assert len(board("ninemensmorris").spots) == 24
    assert len(board("ninemensmorris").lines) == 32


def test_planes_stand_side_by_side() -> None:
    cells = "".join(f"(init (cell {z} {x} {y} b))" for z in "12" for x in "123" for y in "123")
    found = of_rules(MOVES + cells + "(<= (next (cell ?z ?x ?y ?m)) (true (cell ?z ?x ?y ?m)))").boards[0]
    assert found.planes == ("1", "2")
    assert len(found.spots) == 18


def test_cells_may_be_named_by_letter_and_number_in_one_word() -> None:
    cells = "".join(f"(init (cell {x}{y} b))" for x in "abc" for y in "123" if x + y != "b2")
    found = of_rules(
        MOVES + cells + "(init (cell b2 x)) (<= (next (cell ?c ?m)) (true (cell ?c ?m)))"
    ).boards[0]
    assert (len(found.spots), found.columns) == (9, ("a", "b", "c"))


def test_kalah_runs_around_the_board() -> None:
    found = board("kalah")
    assert found.rows == ("north", "south")
    assert found.spots[Symbol("north"), Symbol("1")].column == 5
    assert found.spots[Symbol("south"), Symbol("1")].column == 0


def test_what_is_empty_is_told_by_its_name() -> None:
    assert board("tictactoe").blank == {"b"}
    assert board("eightpuzzle").blank == {"b"}


def test_a_move_is_a_row_of_clicks() -> None:
    connect, walk = model("connectfour"), model("breakthrough")
    column = connect.squares(load("connectfour", machine="reasoner").parse_move("(drop 3)"))
    assert len(column) == 1
    assert {square.cell[0] for square in column[0]} == {"3"}
    assert len(column[0]) == 6
    steps = walk.squares(load("breakthrough", machine="reasoner").parse_move("(move 7 3 6 4)"))
    assert [sorted(step) for step in steps] == [
        [Square(0, (Symbol("7"), Symbol("3")))],
        [Square(0, (Symbol("6"), Symbol("4")))],
    ]


def test_a_pit_is_clicked_in_the_row_of_whoever_moves() -> None:
    move = load("kalah", machine="reasoner").parse_move("(sow 2)")
    assert model("kalah").squares(move, "north") == (frozenset({Square(0, (Symbol("north"), Symbol("2")))}),)


def test_clicks_leave_the_moves_that_begin_with_them() -> None:
    game = load("breakthrough", machine="reasoner")
    legal = game.initial().legals("white")
    source = Square(0, (Symbol("7"), Symbol("1")))
    found = model_of(game).after_clicks(legal, [source])
    assert {str(move) for move in found} == {"(move 7 1 6 1)", "(move 7 1 6 2)"}
    target = Square(0, (Symbol("6"), Symbol("2")))
    assert [str(move) for move in model_of(game).after_clicks(legal, [source, target])] == ["(move 7 1 6 2)"]


def clickable(name: str) -> bool:
    return name not in ("maze", "sokoban", "tron", "buttonsandlights", "wolfgoatcabbage", "missionaries")


@pytest.mark.parametrize(
    "name", ["tictactoe", "checkers", "hex", "dotsandboxes", "sudoku", "pegsolitaire", "amazons"]
)
def test_every_first_move_of_a_board_game_can_be_clicked(name: str) -> None:
    game = load(name, machine="reasoner")
    state = game.initial()
    for role in state.to_move:
        for move in state.legals(role):
            steps = model_of(game).squares(move, role)
            assert steps, move
            assert move in model_of(game).after_clicks(
                state.legals(role), [min(step) for step in steps], role
            )


def test_the_model_of_a_game_is_worked_out_once() -> None:
    game = load("tictactoe", machine="reasoner")
    assert model_of(game) is model_of(game)


def scrambled(name: str, seed: int) -> str:
    """The rules of a bundled game with every word but the keywords and numbers changed."""
    keywords = {
        "role",
        "init",
        "true",
        "next",
        "does",
        "legal",
        "goal",
        "terminal",
        "base",
        "input",
        "distinct",
        "not",
        "or",
        "<=",
    }
    text = to_kif(sheet_of(name))
    shuffled = [f"w{a}{b}{c}" for a in "bcdfghjk" for b in "aeiou" for c in "klmnprstvz"]
    random.Random(seed).shuffle(shuffled)
    names: dict[str, str] = {}

    def change(match: re.Match[str]) -> str:
        word = match[0]
        if word in keywords or word.isdecimal():
            return word
        fresh = names.setdefault(word, shuffled[len(names)])
        return f"?{fresh}" if word.startswith("?") else fresh

    return re.sub(r"[^\s()]+", change, text)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    "name",
    [
        "tictactoe",
        "connectfour",
        "breakthrough",
        "reversi",
        "hex",
        "pegsolitaire",
        "kalah",
        "nim",
        "eightpuzzle",
    ],
)
def test_the_shape_of_a_board_does_not_depend_on_what_things_are_called(name: str, seed: int) -> None:
    def shape(game: GdlGame) -> list[tuple[object, ...]]:
        return [
            (found.kind, len(found.columns), len(found.rows), len(found.spots), found.offsets)
            for found in infer(game).boards
        ]

    assert shape(load(scrambled(name, seed), machine="reasoner")) == shape(load(name, machine="reasoner"))


def test_gravity_is_seen_without_any_name() -> None:
    found = infer(load(scrambled("connectfour", 5), machine="reasoner")).boards[0]
    assert found.rows == ("6", "5", "4", "3", "2", "1")


def frogs(spelling: str, empty: str = "empty") -> BoardModel:
    """Frogs and toads, with *spelling* for what is on a stone and *empty* for a free one."""
    text = (DATA / "frogs.kif").read_text(encoding="utf-8")
    return infer(
        load(
            re.sub(r"\(at (\S+) ([^ ()]+)\)", spelling, text).replace("empty", empty),
            machine="reasoner",
        )
    )


@pytest.mark.parametrize("spelling", [r"(at \1 \2)", r"(on \2 \1)", r"(cell \1 \2)", r"(location \1 \2)"])
@pytest.mark.parametrize("empty", ["empty", "nobody"])
def test_numbered_stones_with_somebody_on_each_are_cells_in_a_row_and_no_discs(
    spelling: str, empty: str
) -> None:
    found = frogs(spelling, empty)
    assert found.kind == "grid"
    assert found.boards[0].columns == tuple("1234567")
    assert found.boards[0].rows == ("",)


@pytest.mark.parametrize("pegs", ["1 2 3", "a b c", "left middle right", "p1 p2 p3"])
def test_numbered_discs_on_one_of_several_pegs_are_stacks(pegs: str) -> None:
    first, *others = pegs.split()
    found = of_rules(
        f"(smaller 1 2) (smaller 2 3) (init (on 1 {first})) (init (on 2 {first})) (init (on 3 {first})) "
        f"(peg {first}) (peg {others[0]}) (peg {others[1]}) (legal white (put 1 {first})) "
        "(<= (legal white (put ?d ?p)) (true (on ?d ?q)) (smaller ?d ?e) (peg ?p)) "
        "(<= (next (on ?d ?p)) (true (on ?d ?q)) (peg ?p))"
    )
    assert found.kind == "stacks"
