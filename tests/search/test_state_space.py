"""The lecture's matches and nodes: what is printed, and what is right."""

from __future__ import annotations

import json

import pytest
from tests.support.data import oracles
from tests.support.printed import printed_maxscore, printed_search
from tests.support.puzzles import TicTacToe, buttons_and_lights, hanoi

from stratagem.errors import UnsuitableGame
from stratagem.machines.trees.graph import maze
from stratagem.machines.trees.tree import Tree
from stratagem.search.incremental import (
    IncrementalMatch,
    ScoreBounds,
    bestmove,
    expand,
    goal,
    incexpand1,
    incexpand2,
    legals,
    maxscore,
    simulate,
    terminal,
)
from stratagem.trace.events import Duplicate, Expand, Goal


def whole(game, **options):
    """A match in which everything has been expanded."""
    match = IncrementalMatch(game, **options)
    incexpand1(match, count=10**6)
    return match


def played(match):
    """The score at the end, and the moves, of a match that follows `bestmove`."""
    node, moves = match.root, []
    while node.score is None:
        moves.append(bestmove(node))
        node = dict(node.alist)[moves[-1]]
        assert len(moves) < 1000, "walking in circles"
    return node.score, moves


# -- state collapse ----------------------------------------------------------------------------------------


def test_with_the_printed_collapse_buttons_and_lights_looks_unsolvable():
    game = buttons_and_lights()
    assert printed_maxscore(printed_search(game, collapse=False)) == 100
    assert printed_maxscore(printed_search(game, collapse=True)) == -1
    assert maxscore(whole(game).root) == ScoreBounds(100, 100, distance=6)
    assert maxscore(whole(game, collapse=False).root) == ScoreBounds(100, 100, distance=6)


def test_following_the_best_move_solves_buttons_and_lights():
    assert played(whole(buttons_and_lights())) == (100, list("abacba"))


def test_collapse_makes_1093_nodes_of_buttons_and_lights_32():
    known = json.loads((oracles() / "oracles.json").read_text())["buttons_and_lights_gdl"]
    assert whole(buttons_and_lights(), collapse=False).size == known["tree_nodes"] == 1093
    assert whole(buttons_and_lights()).size == known["states_with_step"] == 32


def test_the_edge_to_a_known_state_is_kept():
    match = whole(maze({"a": "bc", "b": "d", "c": "d"}, "a", "d"))
    b, c = (node for _, node in match.root.alist)
    assert b.alist[0][1] is c.alist[0][1] is match.hasher["d"]
    assert match.hasher["d"].parent is b


def test_the_root_is_known_to_the_hasher():
    match = whole(maze({"a": "b", "b": "ac"}, "a", "c"))
    assert match.hasher["a"] is match.root
    assert dict(match.hasher["b"].alist)[0] is match.root
    assert match.size == 3


def test_without_collapse_a_circle_is_a_path_without_end():
    match = IncrementalMatch(maze({"a": "b", "b": "a"}, "a", "b"), collapse=False)
    assert match.hasher is None
    assert incexpand1(match, count=5) == 1  # b is the goal
    endless = IncrementalMatch(maze({"a": "b", "b": "a", "c": "a"}, "a", "c"), collapse=False)
    assert incexpand1(endless, count=50) == 50


# -- subroutines and expansion -----------------------------------------------------------------------------


def test_the_subroutines_say_what_the_game_says():
    match = IncrementalMatch(maze({"a": "bc", "b": "c"}, "a", "c"), startclock=20, playclock=10)
    assert (match.role, match.roles, match.startclock, match.playclock) == ("walker", ("walker",), 20, 10)
    assert list(match.fringe) == [match.root]
    assert legals("walker", match.root) == (0, 1)
    assert simulate(match.root, {"walker": 1}) == "c"
    b, c = expand(match.root)
    assert (terminal(b), terminal(c), goal("walker", c)) == (False, True, 100)
    assert (b.score, c.score, b.parent, b.theory, b.match) == (None, 100, match.root, match.theory, match)


def test_only_so_many_nodes_are_expanded_and_ends_do_not_count():
    match = IncrementalMatch(
        Tree.of({"player": "max", "children": [1, 2, {"player": "max", "children": [3, 4]}]})
    )
    assert incexpand1(match, count=1) == 1
    assert (len(match.fringe), match.size) == (3, 4)
    assert incexpand1(match, count=5) == 1
    assert (len(match.fringe), match.size) == (0, 6)
    assert incexpand1(match, count=5) == 0


def test_a_root_that_is_an_end_is_scored():
    match = IncrementalMatch(maze({"a": "b"}, "a", "a"))
    assert (incexpand1(match, 3), maxscore(match.root), bestmove(match.root)) == (
        0,
        ScoreBounds(100, 100, 0),
        None,
    )


def test_a_second_player_with_a_choice_is_refused():
    match = IncrementalMatch(TicTacToe(), "x")
    with pytest.raises(UnsuitableGame, match="o has 8 moves"):
        incexpand1(match, count=2)


def test_expansions_are_told_to_the_trace():
    heard = []
    match = IncrementalMatch(maze({"a": "bc", "b": "ac", "c": "d"}, "a", "d"), trace=heard.append)
    incexpand1(match, 10)
    assert [event.node for event in heard if isinstance(event, Expand)] == [0, 1, 2]
    assert [(event.parent, event.node) for event in heard if isinstance(event, Duplicate)] == [(1, 0), (1, 2)]
    assert [event.node for event in heard if isinstance(event, Goal)] == [3]


# -- the clock ---------------------------------------------------------------------------------------------


class SlowMaze:
    """A long corridor in which every step takes *seconds* of a clock that only it moves."""

    def __init__(self, seconds):
        self.game = maze({n: [n + 1] for n in range(1000)}, 0, 1000)
        self.seconds = seconds
        self.time = 100.0

    def __getattr__(self, name):
        return getattr(self.game, name)

    def next(self, state, joint):
        self.time += self.seconds
        return self.game.next(state, joint)

    def now(self):
        return self.time


@pytest.mark.parametrize("clock", [0, 0.5, 3, 5])
def test_a_clock_of_five_seconds_or_less_is_no_search_at_all_as_printed_and_one_here(clock):
    game = SlowMaze(seconds=0.1)
    assert not game.now() < game.now() + clock - 5  # the printed condition to go on
    match = IncrementalMatch(game)
    expanded = incexpand2(match, clock, now=game.now)
    assert expanded >= 1
    assert expanded > 1 or clock < 1
    assert bestmove(match.root) == 0


@pytest.mark.parametrize("clock", [1, 5, 30, 100])
@pytest.mark.parametrize("seconds", [0.01, 0.1, 0.3])
def test_the_clock_is_kept_with_a_margin_and_used_well(clock, seconds):
    game = SlowMaze(seconds)
    begun = game.now()
    expanded = incexpand2(IncrementalMatch(game), clock, now=game.now)
    used = game.now() - begun
    assert used < clock
    assert expanded == 1000 or used > clock - min(5, clock * 0.1) - 3 * seconds - 1e-9 or expanded == 1


def test_expansions_that_become_slower_are_still_in_time():
    game = SlowMaze(0.001)
    begun = game.now()

    def now():
        game.seconds = min(2.0, game.seconds * 1.1)
        return game.now()

    incexpand2(IncrementalMatch(game), 20, now=now)
    assert 10 < game.now() - begun < 20


def test_without_a_clock_of_its_own_a_match_goes_by_the_real_one():
    match = IncrementalMatch(hanoi(9))
    assert incexpand2(match, 0.25) >= 1  # how many more is the machine's affair; the clocks above are exact
    assert bestmove(match.root) is not None


# -- scores ------------------------------------------------------------------------------------------------


def unknown_beside_ninety():
    """Three moves: to 90, to something unexpanded, to 10."""
    subtree = {"player": "max", "children": [0, 100]}
    match = IncrementalMatch(Tree.of({"player": "max", "children": [10, subtree, 90]}))
    incexpand1(match, 1)
    return match


def test_one_unknown_child_does_not_hide_a_known_ninety():
    match = unknown_beside_ninety()
    as_printed = printed_search(match.theory, collapse=False)
    for _, child in as_printed.alist:
        child.alist = []  # as if only the root had been expanded
    assert printed_maxscore(as_printed) == -1
    assert maxscore(match.root) == ScoreBounds(90, 100, distance=1)
    assert bestmove(match.root) == 2
    incexpand1(match, 1)
    assert maxscore(match.root) == ScoreBounds(100, 100, distance=2)
    assert bestmove(match.root) == 1


def test_of_moves_with_equal_security_the_one_with_more_hope_is_taken():
    closed = {"player": "max", "children": [50]}
    hope = {"player": "max", "children": [50, {"player": "max", "children": [0]}]}
    match = IncrementalMatch(Tree.of({"player": "max", "children": [closed, hope]}))
    incexpand1(match, 3)
    assert [maxscore(child) for _, child in match.root.alist] == [
        ScoreBounds(50, 50, 1),
        ScoreBounds(50, 100, 1),
    ]
    assert bestmove(match.root) == 1


def test_the_first_move_is_kept_where_all_are_worth_nothing():
    match = whole(Tree.of({"player": "max", "children": [0, 0]}))
    assert bestmove(match.root) == 0


def test_an_unexpanded_root_still_has_a_move():
    assert bestmove(IncrementalMatch(buttons_and_lights()).root) == "a"


def test_play_that_can_never_end_is_worth_nothing():
    match = whole(maze({"a": "bc", "b": "a", "c": "b", "x": "a"}, "a", "x"))
    assert maxscore(match.root) == ScoreBounds(0, 0)


def test_a_circle_does_not_hide_the_way_out_from_those_who_are_in_it():
    # whoever scores b while a is being scored, and remembers it, takes b for worthless: b's way out is a's
    match = whole(maze({"a": "bc", "b": "a", "c": "ad"}, "a", "d"))
    assert [maxscore(match.hasher[place]) for place in "abc"] == [
        ScoreBounds(100, 100, 2),
        ScoreBounds(100, 100, 3),
        ScoreBounds(100, 100, 1),
    ]


def test_where_every_move_may_still_win_the_nearest_win_is_taken():
    score, moves = played(whole(hanoi(4)))
    assert (score, len(moves)) == (100, 15)


def test_long_chains_need_no_deep_stack():
    corridor = {n: [n + 1] for n in range(20_000)}
    match = IncrementalMatch(maze(corridor, 0, 20_000))
    incexpand1(match, count=10**6)
    assert maxscore(match.root).distance == 20_000


def test_scores_are_kept_until_the_next_expansion():
    match = unknown_beside_ninety()
    maxscore(match.root)
    kept = match.scores
    bestmove(match.root)
    assert match.scores is kept
    incexpand1(match, 1)
    assert match.scores is None
