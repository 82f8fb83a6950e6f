"""Worked positions and reference programs for the games whose numbers are in no book."""

from __future__ import annotations

import random

import pytest

import stratagem
from stratagem.gdl.parse import parse_term


def position(game, text):
    """The state of *game* with exactly the facts that *text* lists, one after the other."""
    return game.state_of(parse_term(f"(all {text})").args)


def moves(state, role):
    return [str(move) for move in state.legals(role)]


def play(state, *texts):
    for text in texts:
        state = state.play(text)
    return state


# Kalah


def kalah_after(pits, stores, mover, chosen):
    """The rules of Kalah in plain Python: rows and stores after a move, and who moves next."""
    rows = [list(pits[0]), list(pits[1])]
    kept = list(stores)
    width = len(rows[0])
    seeds, rows[mover][chosen] = rows[mover][chosen], 0
    side, place = mover, chosen
    while seeds:
        place += 1
        if place == width and side == mover:
            kept[mover] += 1
            seeds -= 1
            if seeds == 0:
                return rows, kept, mover
        if place >= width:
            side, place = 1 - side, -1
            continue
        rows[side][place] += 1
        seeds -= 1
    facing = width - 1 - place
    if side == mover and rows[side][place] == 1 and rows[1 - side][facing]:
        kept[mover] += 1 + rows[1 - side][facing]
        rows[side][place] = rows[1 - side][facing] = 0
    return rows, kept, 1 - mover


@pytest.mark.parametrize(("pits", "seeds", "seed"), [(2, 3, 1), (3, 2, 2), (4, 4, 3), (6, 4, 4), (1, 6, 5)])
def test_kalah_is_sown_as_a_plain_program_sows_it(pits, seeds, seed):
    game = stratagem.load("kalah", pits=pits, seeds=seeds)
    generator = random.Random(seed)
    state = game.initial()
    rows, stores, mover = [[seeds] * pits, [seeds] * pits], [0, 0], 0
    while all(map(sum, rows)):
        assert not state.terminal
        legal = [pit for pit in range(pits) if rows[mover][pit]]
        assert moves(state, game.roles[mover]) == [f"(sow {pit + 1})" for pit in legal]
        chosen = generator.choice(legal)
        state = state.next({game.roles[mover]: f"(sow {chosen + 1})", game.roles[1 - mover]: "noop"})
        rows, stores, mover = kalah_after(rows, stores, mover, chosen)
        facts = {f"(control {game.roles[mover]})"}
        for side, role in enumerate(game.roles):
            facts |= {f"(pit {role} {pit + 1} {n})" for pit, n in enumerate(rows[side])}
            facts.add(f"(store {role} {stores[side]})")
        assert set(map(str, state.facts())) == facts
    totals = [stores[side] + sum(rows[side]) for side in (0, 1)]
    assert state.terminal
    assert state.goal("south") == 50 + 50 * ((totals[0] > totals[1]) - (totals[0] < totals[1]))


# Checkers


def test_a_jump_in_checkers_must_be_taken_and_goes_on_with_the_same_piece():
    game = stratagem.load("checkers")
    men = "(cell 3 2 black_man) (cell 3 8 black_man) (cell 4 3 white_man) (cell 6 5 white_man) (cell 8 1 white_man)"
    state = position(game, f"{men} (control black) (quiet 7)")
    assert moves(state, "black") == ["(jump 3 2 5 4)"]
    state = state.play("(jump 3 2 5 4)")
    assert moves(state, "black") == ["(jump 5 4 7 6)"]
    assert moves(state, "white") == ["noop"]
    state = state.play("(jump 5 4 7 6)")
    assert set(map(str, state.facts())) == {
        "(cell 7 6 black_man)",
        "(cell 3 8 black_man)",
        "(cell 8 1 white_man)",
        "(control white)",
        "(quiet 0)",
    }


def test_a_man_that_is_crowned_in_checkers_stops_even_if_the_king_could_jump_on():
    game = stratagem.load("checkers")
    state = position(
        game,
        "(cell 6 3 black_man) (cell 7 4 white_man) (cell 7 6 white_man) (cell 3 2 white_man) (control black) (quiet 0)",
    )
    state = state.play("(jump 6 3 8 5)")
    assert "(cell 8 5 black_king)" in set(map(str, state.facts()))
    assert "(control white)" in set(map(str, state.facts()))


def test_kings_in_checkers_may_jump_round_to_where_they_started():
    game = stratagem.load("checkers")
    prey = "(cell 3 4 white_man) (cell 3 6 white_man) (cell 5 4 white_man) (cell 5 6 white_man)"
    state = position(game, f"(cell 2 5 black_king) {prey} (control black) (quiet 0)")
    state = play(state, "(jump 2 5 4 7)", "(jump 4 7 6 5)", "(jump 6 5 4 3)", "(jump 4 3 2 5)")
    assert state.terminal
    assert state.goal("black") == 100


def test_a_long_quiet_endgame_of_checkers_is_drawn():
    game = stratagem.load("checkers", quiet=2)
    state = position(game, "(cell 1 2 black_king) (cell 8 7 white_king) (control black) (quiet 0)")
    state = play(state, "(move 1 2 2 1)", "(move 8 7 7 8)")
    assert state.terminal
    assert (state.goal("black"), state.goal("white")) == (50, 50)


# Nine men's morris


def test_a_mill_takes_a_man_that_is_in_no_mill():
    game = stratagem.load("ninemensmorris")
    white = "(cell 1 1 white) (cell 1 4 white)"
    black = "(cell 7 1 black) (cell 7 4 black) (cell 7 7 black) (cell 4 1 black)"
    counters = "(hand white 3) (men white 5) (hand black 2) (men black 6) (quiet 0)"
    state = position(game, f"{white} {black} {counters} (control white)")
    state = state.play("(place 1 7)")
    assert moves(state, "white") == ["(take 4 1)"]
    state = state.play("(take 4 1)")
    facts = set(map(str, state.facts()))
    assert {"(control black)", "(men black 5)", "(hand white 2)"} <= facts
    assert "(cell 4 1 black)" not in facts


def test_men_in_mills_can_be_taken_when_there_are_no_others():
    game = stratagem.load("ninemensmorris")
    black = "(cell 7 1 black) (cell 7 4 black) (cell 7 7 black)"
    counters = "(hand white 0) (men white 4) (hand black 0) (men black 3) (quiet 0) taking (control white)"
    state = position(
        game, f"(cell 1 1 white) (cell 1 4 white) (cell 1 7 white) (cell 4 1 white) {black} {counters}"
    )
    assert moves(state, "white") == ["(take 7 1)", "(take 7 4)", "(take 7 7)"]
    state = state.play("(take 7 4)")
    assert state.terminal
    assert (state.goal("white"), state.goal("black")) == (100, 0)


def test_a_man_that_leaves_a_mill_and_stays_on_its_line_has_not_closed_it():
    game = stratagem.load("ninemensmorris", flying=0)
    white = "(cell 1 1 white) (cell 4 1 white) (cell 1 7 white) (cell 7 7 white)"
    counters = "(hand white 0) (men white 4) (hand black 0) (men black 3) (quiet 0) (control white)"
    state = position(game, f"{white} (cell 3 3 black) (cell 5 5 black) (cell 3 5 black) {counters}")
    after = state.play("(move 1 1 1 4)")
    assert "taking" not in set(map(str, after.facts()))
    assert "(control black)" in set(map(str, after.facts()))


@pytest.mark.parametrize(("flying", "expected"), [(1, 3 * 18), (0, 2 + 3 + 2)])
def test_three_men_fly_where_the_rules_let_them(flying, expected):
    game = stratagem.load("ninemensmorris", flying=flying)
    white = "(cell 1 1 white) (cell 2 4 white) (cell 7 7 white)"
    counters = "(hand white 0) (men white 3) (hand black 0) (men black 3) (quiet 0) (control white)"
    state = position(game, f"{white} (cell 3 4 black) (cell 5 5 black) (cell 4 5 black) {counters}")
    assert len(state.legals("white")) == expected


# Pentago


def test_a_block_of_pentago_turns_by_a_quarter():
    game = stratagem.load("pentago")
    state = play(game.initial(), "(place 1 4)", "(turn northeast clockwise)")
    assert set(map(str, state.facts())) == {"(cell 1 6 white)", "(control black)"}
    state = play(state, "(place 5 1)", "(turn southwest counterclockwise)")
    assert set(map(str, state.facts())) == {"(cell 1 6 white)", "(cell 6 2 black)", "(control white)"}


def test_five_in_a_row_win_pentago_before_the_turn_and_two_fives_after_it_draw():
    game = stratagem.load("pentago")
    white = " ".join(f"(cell 1 {column} white)" for column in range(1, 5))
    state = position(game, f"{white} (control white)").play("(place 1 5)")
    assert state.terminal
    assert state.goal("white") == 100
    # The turn brings the marbles of column 4 into rows 1 and 2 of column 4 to 6: both complete a row.
    white = "(cell 1 1 white) (cell 1 2 white) (cell 1 3 white) (cell 3 4 white) (cell 2 4 white)"
    black = "(cell 2 1 black) (cell 2 2 black) (cell 2 3 black) (cell 3 5 black) (cell 2 5 black)"
    state = position(game, f"{white} {black} turning (control white)").play("(turn northeast clockwise)")
    assert state.terminal
    assert (state.goal("white"), state.goal("black")) == (50, 50)


# Amazons, Tron, bidding, dots and boxes


def test_an_amazon_moves_and_shoots_like_a_queen():
    game = stratagem.load("amazons")
    state = game.initial()
    assert len(state.legals("white")) == 2 * 9
    state = state.play("(move 5 1 3 3)")
    assert "(shoot 5 1)" in moves(state, "white")
    assert len(state.legals("white")) == 8 * 2 - 3  # from the middle, three corners are taken


def test_both_who_enter_one_cell_of_tron_crash():
    game = stratagem.load("tron", columns=3, rows=3)
    for first, second in (
        (["(go east)", "(go west)"], ["(go south)", "(go north)"]),
        2 * (["(go east)", "(go north)"],),
    ):
        state = game.initial().next(first)
        assert not state.terminal
        state = state.next(second)
        assert state.terminal
        assert (state.goal("red"), state.goal("blue")) == (50, 50)


def test_who_has_nowhere_to_go_in_tron_crashes_alone():
    game = stratagem.load("tron", columns=3, rows=3)
    state = game.initial().next(["(go south)", "(go north)"]).next(["(go south)", "(go west)"])
    state = state.next(["(go east)", "(go north)"])
    assert (moves(state, "red"), moves(state, "blue")) == (["crash"], ["(go east)"])
    state = state.next(["crash", "(go east)"])
    assert state.terminal
    assert (state.goal("red"), state.goal("blue")) == (0, 100)


def test_equal_bids_go_to_the_holder_of_the_token_who_hands_it_over():
    game = stratagem.load("biddingtictactoe")
    state = game.initial().next(["(bid 2)", "(bid 2)"])
    facts = set(map(str, state.facts()))
    assert {"(turn xplayer)", "(coins xplayer 2)", "(coins oplayer 6)", "(token oplayer)"} <= facts
    state = state.play("(mark 2 2)").next(["(bid 1)", "(bid 3)"])
    facts = set(map(str, state.facts()))
    assert {"(turn oplayer)", "(coins xplayer 5)", "(coins oplayer 3)", "(token oplayer)"} <= facts


def test_without_coins_bidding_tictactoe_is_tictactoe():
    game = stratagem.load("biddingtictactoe", coins=0)
    state, movers = game.initial(), []
    for mark in ("(mark 2 2)", "(mark 1 1)", "(mark 1 2)"):
        state = state.next(["(bid 0)", "(bid 0)"])
        movers += state.to_move
        state = state.play(mark)
    assert movers == ["xplayer", "oplayer", "xplayer"]


def test_one_line_may_close_two_boxes():
    game = stratagem.load("dotsandboxes", columns=2, rows=1)
    lines = [
        ("across", 1, 1),
        ("across", 2, 1),
        ("down", 1, 1),
        ("across", 1, 2),
        ("across", 2, 2),
        ("down", 1, 3),
    ]
    drawn = " ".join(f"(line {way} {row} {column})" for way, row, column in lines)
    state = position(game, f"{drawn} (boxes first 0) (boxes second 0) (control second)").play(
        "(draw down 1 2)"
    )
    assert {"(boxes second 2)", "(boxes first 0)", "(control second)"} <= set(map(str, state.facts()))
    assert state.terminal
    assert state.goal("second") == 100


def test_who_cannot_place_a_disc_in_reversi_must_pass():
    game = stratagem.load("reversi", size=4)
    state = position(game, "(cell 1 1 black) (cell 1 2 white) (cell 4 4 white) (control white)")
    assert moves(state, "white") == ["pass"]
    state = state.play("pass")
    assert moves(state, "black") == ["(place 1 3)"]
    state = state.play("(place 1 3)")
    assert "(cell 1 2 black)" in set(map(str, state.facts()))


def test_taking_the_last_piece_wins_breakthrough():
    game = stratagem.load("breakthrough", columns=2, rows=5)
    state = position(game, "(cell 4 1 white) (cell 3 2 black) (control white)").play("(move 4 1 3 2)")
    assert state.terminal
    assert (state.goal("white"), state.goal("black")) == (100, 0)
