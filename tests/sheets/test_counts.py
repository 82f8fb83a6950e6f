"""The numbers of the bundled games: those in the headers counted again, those of the known results reproduced."""

from __future__ import annotations

import json
from collections import Counter
from itertools import accumulate

import pytest
from tests.support.count import (
    Remembered,
    layers,
    lines,
    perft,
    shortest,
    states,
    states_by_depth,
    successors,
    value,
)
from tests.support.data import oracles
from tests.support.sweep import sweep

import stratagem
from stratagem import sheets as games
from stratagem.engine.space.explore import explore
from stratagem.native.compiled import CompiledGame

TINY, SMALL, LARGE = 150, 20_000, 600_000
"""Headers with up to so many states are counted on the reasoner, in every run, and in the slow one."""

VALUES = {100: "first player wins", 50: "draw", 0: "second player wins"}


def load(name, **sizes):
    return stratagem.load(name, **sizes)


@pytest.fixture(scope="module")
def known():
    return json.loads((oracles() / "oracles.json").read_text(encoding="utf-8"))


# The headers


def headers(least, most):
    """Every `[[known]]` of a game with so many states."""
    return [
        pytest.param(name, dict(entry.at), id=f"{name}{dict(entry.at) or ''}")
        for name in games.names()
        for entry in games.header(name).known
        if least < entry.facts.get("states", most + 1) <= most
    ]


@pytest.mark.parametrize(("name", "at"), headers(0, TINY))
def test_the_reasoner_finds_what_a_header_says(name, at):
    header = games.header(name)
    facts = header.known_at(at)
    game = Remembered(load(name, machine="reasoner", **at))
    assert facts["states"] == states(game)
    if "tree_nodes" in facts:
        counted = lines(game)
        assert (facts["tree_nodes"], facts["matches"]) == (counted.tree_nodes, counted.complete)
        assert facts["longest"] == max(counted.matches)
    if "shortest" in facts:
        assert (facts["shortest"], facts["solutions"]) == shortest(game)
    if header.kind == "two players in turn":
        assert facts["value"] == VALUES[value(game)]


def check_header(name, at):
    header = games.header(name)
    facts = header.known_at(at)
    swept = sweep(load(name, **at))
    assert facts["states"] == sum(swept.by_depth)
    if "tree_nodes" in facts or "longest" in facts:
        nodes, matches, longest = swept.lines()
        assert facts.get("tree_nodes", nodes) == nodes
        assert facts.get("matches", matches) == matches
        assert facts["longest"] == longest
    if header.kind == "puzzle":
        assert (facts.get("value") == "no solution") == (swept.shortest() is None)
        if swept.shortest() is not None:
            assert (facts["shortest"], facts["solutions"]) == swept.shortest()
    if header.kind == "two players in turn":
        assert facts["value"] == VALUES[swept.value()]


@pytest.mark.parametrize(("name", "at"), headers(0, SMALL))
def test_what_a_header_says_is_what_the_sheet_gives(name, at):
    check_header(name, at)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "at"), headers(SMALL, LARGE))
def test_what_a_header_says_of_a_larger_game_is_what_the_sheet_gives(name, at):
    check_header(name, at)


def test_every_number_that_is_said_to_be_counted_is_counted_by_some_test():
    for name in games.names():
        for entry in games.header(name).known:
            if "counted by this package" in entry.facts["source"]:
                assert entry.facts["states"] <= (3_674_160 if name == "pocketcube" else LARGE), (
                    name,
                    entry.at,
                )


# Puzzles


@pytest.mark.parametrize("size", ["3x2", "4x2", "3x3"])
def test_sliding_puzzles_have_the_known_number_of_states_at_every_depth(known, size):
    columns, rows = map(int, size.split("x"))
    expected = known[f"sliding_{size}_blank_in_corner"]["by_depth"]
    assert sweep(load("slidingpuzzle", columns=columns, rows=rows)).by_depth == expected


def test_the_eight_puzzle_begins_with_the_known_number_of_states_at_every_depth(known):
    expected = known["sliding_3x3_blank_in_corner"]["by_depth"]
    assert states_by_depth(load("eightpuzzle"), deepest=12) == expected[:13]


def test_the_eight_puzzle_has_the_known_number_of_states_at_every_depth(known):
    swept = sweep(load("eightpuzzle"))
    assert swept.by_depth == known["sliding_3x3_blank_in_corner"]["by_depth"]
    assert swept.shortest() == (
        known["eight_puzzle_gdl"]["optimal"],
        known["eightPuzzle_gdl_dag"]["optimal_solutions_30"],
    )


@pytest.mark.parametrize("number", [1, 50, 100])
def test_the_fifteen_puzzle_starts_from_the_positions_of_the_paper(known, number):
    (instance,) = [each for each in known["korf_15puzzle_100"]["instances"] if each["id"] == number]
    tiles = ["b" if tile == 0 else str(tile) for tile in instance["tiles"]]
    cells = {f"(cell {place // 4 + 1} {place % 4 + 1} {tile})" for place, tile in enumerate(tiles)}
    assert set(map(str, load("fifteenpuzzle", position=number).initial().facts())) == cells


def test_the_headers_of_the_fifteen_puzzle_give_the_known_solution_lengths(known):
    lengths = {each["id"]: each["optimal"] for each in known["korf_15puzzle_100"]["instances"]}
    header = games.header("fifteenpuzzle")
    for entry in header.known:
        position = entry.at.get("position", header.sizes["position"].default)
        assert entry.facts["shortest"] == lengths[position]
        assert entry.facts["states"] == known["fifteen_puzzle"]["states"]


@pytest.mark.parametrize(
    "case", [f"{n}_discs_3_pegs" for n in range(1, 6)] + [f"{n}_discs_4_pegs" for n in range(1, 5)]
)
def test_towers_of_hanoi_are_moved_in_the_known_number_of_steps(known, case):
    discs, pegs = int(case[0]), int(case[8])
    game = Remembered(load("hanoi", discs=discs, pegs=pegs))
    expected = known["hanoi"][case]
    assert states(game) == expected["states"]
    assert len(states_by_depth(game)) - 1 == expected["eccentricity_from_full_tower"]
    assert shortest(game)[0] == expected["optimal"]


class PastTheEnd:
    """A game that goes on when it is over: how the known results count the positions of river crossings."""

    def __init__(self, game):
        self.game, self.roles = game, game.roles
        self.initial, self.legals, self.next, self.goal = game.initial, game.legals, game.next, game.goal

    def terminal(self, state):
        return False


@pytest.mark.parametrize(
    "case", ["3_3_boat2", "2_2_boat2", "4_4_boat2", "4_4_boat3", "5_5_boat3", "6_6_boat3", "6_6_boat4"]
)
def test_missionaries_and_cannibals_cross_in_the_known_number_of_ways(known, case):
    game = load("missionaries", pairs=int(case[0]), boat=int(case[-1]))
    expected = known["missionaries_cannibals"][case]
    assert shortest(game) == (expected["optimal"] and (expected["optimal"], expected["optimal_solutions"]))
    assert states(PastTheEnd(game)) == expected["reachable_states"]
    facts = games.header("missionaries").known_at({"pairs": int(case[0]), "boat": int(case[-1])})
    assert facts["positions"] == expected["reachable_states"]


@pytest.mark.parametrize(
    ("case", "small", "large", "wanted"), [("3_5_goal4", 3, 5, 4), ("4_9_goal6", 4, 9, 6)]
)
def test_jugs_measure_in_the_known_number_of_steps(known, case, small, large, wanted):
    game = load("waterjugs", small=small, large=large, wanted=wanted)
    assert (shortest(game)[0], states(game)) == (
        known["water_jugs"][case]["optimal"],
        known["water_jugs"][case]["states"],
    )


@pytest.mark.parametrize("size", range(1, 8))
def test_queens_have_the_known_number_of_solutions(known, size):
    found = shortest(load("queens", size=size))
    assert (0 if found is None else found[1]) == known["n_queens_solutions"]["values"][str(size)]


@pytest.mark.parametrize("pancakes", range(2, 9))
def test_pancakes_have_the_known_number_of_stacks_at_every_depth(known, pancakes):
    assert sweep(load("pancakes", pancakes=pancakes)).by_depth == known["pancake"][str(pancakes)]["by_depth"]


def test_peg_solitaire_begins_with_the_known_number_of_states(known):
    expected = [
        layer[3]
        for layer in known["peg_solitaire_english_central"]["layers_jump_pegs_classes_states_deadclasses"]
    ]
    assert states_by_depth(load("pegsolitaire"), deepest=4) == expected[:5]


def test_the_header_of_peg_solitaire_gives_the_known_numbers(known):
    expected = known["peg_solitaire_english_central"]
    facts = games.header("pegsolitaire").known_at({})
    assert facts["states"] == expected["states"]
    assert facts["matches"] == expected["jump_sequences_complete_games"]
    assert facts["solutions"] == expected["solutions_ending_in_centre"]


def test_the_pocket_cube_begins_with_the_known_number_of_states(known):
    cube = known["cube_2x2x2"]
    assert states_by_depth(load("pocketcube"), deepest=3) == cube["htm"][:4]
    assert states_by_depth(load("pocketcube", half=0), deepest=4) == cube["qtm"][:5]
    assert games.header("pocketcube").known_at({})["states"] == cube["states"]
    assert games.header("pocketcube").known_at({})["shortest"] == cube["htm_diameter"]


@pytest.mark.slow
@pytest.mark.parametrize(("half", "metric"), [(1, "htm"), (0, "qtm")])
def test_the_pocket_cube_has_the_known_number_of_states_at_every_depth(known, half, metric):
    game = load("pocketcube", half=half)
    space = explore(CompiledGame(game.circuit), edges=False)
    assert list(space.layers) == known["cube_2x2x2"][metric]
    (solved,) = space.terminal.nonzero()[0]
    depth = sum(solved >= end for end in accumulate(space.layers))
    assert depth == games.header("pocketcube").known_at({"half": half})["shortest"]


def test_buttons_and_lights_have_the_known_tree(known):
    expected = known["buttons_and_lights_gdl"]
    game = load("buttonsandlights")
    assert states(game) == expected["states_with_step"]
    assert lines(game).tree_nodes == expected["tree_nodes"]
    assert shortest(game) == (expected["optimal_length"], expected["solutions_by_length_within_6_steps"]["6"])


def lights_out(columns, rows):
    """The number of light patterns that can be reached, and the fewest presses that put all lights out."""
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    presses = [
        sum(
            1 << cells.index((row + down, column + right))
            for down, right in ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0))
            if (row + down, column + right) in cells
        )
        for row, column in cells
    ]
    # Gauss over two elements: each basis vector keeps which presses make it; those that make nothing are the kernel.
    basis, kernel = {}, []
    for number, pattern in enumerate(presses):
        pressed = 1 << number
        while pattern:
            high = pattern.bit_length() - 1
            if high not in basis:
                basis[high] = (pattern, pressed)
                break
            pattern, pressed = pattern ^ basis[high][0], pressed ^ basis[high][1]
        else:
            kernel.append(pressed)
    pattern, pressed = (1 << len(cells)) - 1, 0
    while pattern:
        made, by = basis[pattern.bit_length() - 1]
        pattern, pressed = pattern ^ made, pressed ^ by
    solutions = {pressed}
    for idle in kernel:
        solutions |= {solution ^ idle for solution in solutions}
    return 2 ** len(basis), min(solution.bit_count() for solution in solutions)


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_lights_go_out_as_linear_algebra_says(size):
    facts = games.header("lightsout").known_at({"columns": size, "rows": size})
    assert (facts["states"], facts["shortest"]) == lights_out(size, size)


# Two players


@pytest.mark.parametrize("name", ["tictactoe", "miseretictactoe"])
def test_tictactoe_has_the_known_tree_layer_by_layer(known, name):
    expected = known["tic_tac_toe"]
    game = Remembered(load(name))
    counted = lines(game)
    assert list(counted.nodes) == expected["tree_nodes_by_ply"]
    assert counted.matches == {int(length): count for length, count in expected["games_by_length"].items()}
    assert states_by_depth(game) == expected["states_by_ply"]
    ends = [state for layer in layers(game) for state in layer if game.terminal(state)]
    wins = Counter(game.goal(state, "xplayer") for state in ends)
    order = (100, 0, 50) if name == "tictactoe" else (0, 100, 50)
    assert [wins[goal] for goal in order] == expected["terminal_x_o_draw"]
    assert value(game) == 50


def test_a_small_gomoku_is_tictactoe(known):
    game = load("gomoku", columns=3, rows=3, line=3)
    assert list(lines(game, deepest=3).nodes) == known["tic_tac_toe"]["tree_nodes_by_ply"][:4]


def test_connect_four_begins_with_the_known_number_of_states(known):
    by_ply = known["connect_four_7x6"]["by_ply"]
    game = Remembered(load("connectfour"))
    assert states_by_depth(game, deepest=5) == by_ply["states"][:6]
    assert list(lines(game, deepest=5).nodes) == by_ply["perft"][:6]


@pytest.mark.slow
def test_connect_four_has_the_known_number_of_states_at_every_ply(known):
    by_ply = known["connect_four_7x6"]["by_ply"]
    assert states_by_depth(load("connectfour"), deepest=8) == by_ply["states"][:9]


def test_the_headers_of_connect_four_give_the_known_totals(known):
    for size, totals in known["connect_four_small_totals"]["values"].items():
        columns, rows = map(int, size.split()[0].split("x"))
        line = 3 if "connect-3" in size else 4
        facts = games.header("connectfour").known_at({"columns": columns, "rows": rows, "line": line})
        assert facts["states"] == totals["states"]
        assert (facts["tree_nodes"], facts["matches"]) == (totals["tree_nodes"], totals["games"])


@pytest.mark.parametrize("table", ["verified", "tromp"])
def test_the_headers_of_connect_four_give_the_known_values(known, table):
    for size, winner in known["connect_four_values_width_x_height"][table].items():
        columns, rows = map(int, size.split("x"))
        facts = games.header("connectfour").known_at({"columns": columns, "rows": rows})
        assert facts["value"] == (winner if winner == "draw" else f"{winner} player wins")


HEXAPAWN = ["1x3", "1x4", "1x5", "2x3", "2x4", "2x5", "3x3", "3x4", "3x5", "4x3", "4x4", "4x5", "5x3"]


@pytest.mark.parametrize("size", [*HEXAPAWN, pytest.param("5x4", marks=pytest.mark.slow)])
def test_hexapawn_is_won_by_the_known_player(known, size):
    columns, rows = map(int, size.split("x"))
    winner = known["hexapawn_winner"][f"{size} (w x h)"]
    assert sweep(load("hexapawn", columns=columns, rows=rows)).value() == (
        100 if winner == "first player" else 0
    )
    assert games.header("hexapawn").known_at({"columns": columns, "rows": rows})["value"] == f"{winner} wins"


@pytest.mark.parametrize(
    ("size", "depth"), [("8x8", 2), ("6x6", 2), pytest.param("8x8", 4, marks=pytest.mark.slow)]
)
def test_breakthrough_has_the_known_lines_of_play(known, size, depth):
    columns, rows = map(int, size.split("x"))
    assert (
        perft(load("breakthrough", columns=columns, rows=rows), depth)
        == known["breakthrough"][f"perft_{size}"][: depth + 1]
    )


@pytest.mark.parametrize("size", ["2x4", "3x4", "2x5", "2x6"])
def test_breakthrough_is_won_by_the_known_player(known, size):
    columns, rows = map(int, size.split("x"))
    winner = known["breakthrough"]["winner_columns_x_rows"][size]
    assert sweep(load("breakthrough", columns=columns, rows=rows)).value() == (
        100 if winner == "first" else 0
    )


def test_the_headers_of_breakthrough_give_the_known_winners(known):
    for size, winner in known["breakthrough"]["winner_columns_x_rows"].items():
        columns, rows = map(int, size.split("x"))
        facts = games.header("breakthrough").known_at({"columns": columns, "rows": rows})
        assert facts["value"] == f"{winner} player wins"


@pytest.mark.parametrize(
    ("size", "depth"),
    [
        (4, 6),
        (6, 4),
        (8, 4),
        pytest.param(4, 12, marks=pytest.mark.slow),
        pytest.param(8, 6, marks=pytest.mark.slow),
    ],
)
def test_reversi_has_the_known_lines_of_play(known, size, depth):
    assert perft(load("reversi", size=size), depth) == known["othello"][f"perft_{size}x{size}"][: depth + 1]


CHECKERS = [1, 7, 49, 302, 1469, 7361, 36768]
"""Positions after so many moves in English draughts; well known to everybody who writes such programs."""


@pytest.mark.parametrize("depth", [4, pytest.param(6, marks=pytest.mark.slow)])
def test_checkers_has_the_known_lines_of_play_when_a_chain_of_jumps_counts_as_one_move(depth):
    game = load("checkers")
    paths, counts = Counter({game.initial(): 1}), [1]
    for _ in range(depth):
        done: Counter = Counter()
        while paths:
            flying: Counter = Counter()
            for state, count in paths.items():
                for child in successors(game, state):
                    jumping = any(str(fact).startswith("(jumping ") for fact in child.facts())
                    (flying if jumping else done)[child] += count
            paths = flying
        paths = done
        counts.append(paths.total())
    assert counts == CHECKERS[: depth + 1]


def nim_value(heaps, misere):
    total = 0
    for heap in heaps:
        total ^= heap
    wins = total != 0 if not misere or max(heaps) > 1 else total == 0
    return 100 if wins else 0


NAMES = ("first", "second", "third", "fourth")


@pytest.mark.parametrize("misere", [0, 1])
@pytest.mark.parametrize(
    "heaps",
    [(0, 0, 0, 1), (0, 0, 1, 1), (0, 1, 2, 3), (1, 1, 1, 2), (2, 2, 3, 3), (1, 5, 4, 2), (3, 0, 4, 4)],
)
def test_nim_is_won_as_the_binary_sum_of_the_heaps_says(heaps, misere):
    game = load("nim", **dict(zip(NAMES, heaps, strict=True)), misere=misere)
    assert value(game) == nim_value(heaps, misere)


@pytest.mark.parametrize("case", ["nim1_gdl", "nim2_gdl", "nim3_gdl", "nim4_gdl"])
def test_the_headers_of_nim_give_the_known_numbers(known, case):
    facts = games.header("nim").known_at(dict(zip(NAMES, known[case]["heaps"], strict=True)))
    assert facts["states"] == known[case]["reachable_states_with_control"]
    assert facts["value"] == (
        "first player wins" if known[case]["winner"] == "player1" else "second player wins"
    )


# Moves at once


def test_simultaneous_games_have_the_trees_that_arithmetic_gives():
    assert [lines(load("rockpaperscissors", rounds=n)).complete for n in (1, 2)] == [9, 81]
    assert [lines(load("prisonersdilemma", rounds=n)).complete for n in (1, 2, 3)] == [4, 16, 64]


def test_defecting_is_better_in_one_round_whatever_the_other_does():
    game = load("prisonersdilemma", rounds=1)
    worth = {
        (mine, theirs): game.next(game.initial(), (mine, theirs)).goal("left")
        for mine in ("cooperate", "defect")
        for theirs in ("cooperate", "defect")
    }
    assert worth == {
        ("cooperate", "cooperate"): 60,
        ("cooperate", "defect"): 0,
        ("defect", "cooperate"): 100,
        ("defect", "defect"): 20,
    }
