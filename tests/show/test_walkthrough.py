"""Walkthroughs: what they show agrees with what the search found, at every step and in both directions."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.random_games import ANY, graph_games, trees

from stratagem.errors import UsageError
from stratagem.explanation import explain
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.machines.trees.graph import maze
from stratagem.machines.trees.models import lecture_tree, uniform
from stratagem.machines.trees.tree import Tree
from stratagem.search import ADVERSARIAL, SINGLE
from stratagem.search.theory.strategies import count_strategies
from stratagem.show.walkthrough.build import build_walkthrough
from stratagem.show.walkthrough.model import Cursor
from stratagem.trace.events import Begin

LAW = settings(max_examples=25)
TREE_SEARCHES = [name for name in ADVERSARIAL if name != "best-move"]
GAMES = some.one_of(trees(), trees(players=True), trees(ANY), graph_games())
GRAPH_COUNTERS = ("nodes", "expanded", "leaves", "evaluations", "duplicates", "pops", "passes")


@some.composite
def mazes(draw):
    size = draw(some.integers(2, 7))
    places = some.integers(0, size - 1)
    costs = some.integers(0, 4)
    ways = {place: draw(some.dictionaries(places, costs, max_size=4)) for place in range(size)}
    return maze(ways, start=0, goal=size - 1)


def counted(frame):
    return {name: number for name, number in frame.counters.items() if number and name != "purged"}


# -- the end agrees with the result ----------------------------------------------------------------------------


@LAW
@given(GAMES)
def test_the_last_frame_of_every_search_of_a_tree_agrees_with_its_result(game):
    for name in TREE_SEARCHES:
        found = explain(game, name)
        last = found.frame()

        assert last.finished, name
        assert last.value[0] == (found.result.value, "exact"), name
        expected = {
            field: number
            for field, number in asdict(found.result.counters).items()
            if number and field not in ("expanded", "seconds")
        }
        assert counted(last) == expected, name


@LAW
@given(GAMES)
def test_cuts_and_leaves_in_the_pictures_are_those_that_were_counted(game):
    for name in ("minimax", "alpha-beta", "alpha-beta-second", "alpha-beta-shallow", "fail-soft"):
        found = explain(game, name)
        last = found.frame()
        counters = found.result.counters

        assert sum(step.kind == "cut" for step in found.walkthrough.steps) == counters.cutoffs
        assert sum(status == "leaf" for status in last.status.values()) == counters.leaves
        cut = {node for node, status in last.status.items() if status == "cut"}
        assert len({found.walkthrough.nodes[node].parent for node in cut}) == counters.cutoffs
        assert all(node not in last.value for node in cut)


@LAW
@given(mazes())
def test_the_last_frame_of_every_search_of_a_maze_agrees_with_its_result(game):
    for name in SINGLE:
        found = explain(game, name)
        last = found.frame()
        counters = asdict(found.result.counters)

        assert {field: last.counters.get(field, 0) for field in GRAPH_COUNTERS} == {
            field: counters[field] for field in GRAPH_COUNTERS
        }, name
        if name != "bidirectional":
            assert last.counters.get("peak_open", 0) == counters["peak_open"], name
        if found.result.solution is None:
            assert found.walkthrough.line in ((), (0,))
        else:
            assert len(found.walkthrough.line) == len(found.result.solution) + 1


@LAW
@given(trees(), some.integers(1, 12))
def test_a_search_that_stops_early_still_has_a_walkthrough(tree, nodes):
    for name in ("alpha-beta", "sss-star", "mtdf", "proof-number"):
        found = explain(tree, name, limit=Limit(nodes=nodes))

        assert found.frame().counters.get("nodes", 0) == found.result.counters.nodes
        assert found.frame().finished
        assert found.result.complete or found.walkthrough.notes


# -- forwards and backwards ------------------------------------------------------------------------------------


@LAW
@given(GAMES, some.sampled_from(TREE_SEARCHES))
def test_going_back_shows_the_very_frames_that_going_forward_did(game, name):
    cursor = Cursor(explain(game, name).walkthrough)
    last = len(cursor.walkthrough.steps) - 1
    forward = [cursor.seek(number).frame() for number in range(last + 1)]
    backward = [cursor.seek(number).frame() for number in range(last, -1, -1)]

    assert forward == backward[::-1]


@LAW
@given(mazes(), some.sampled_from(list(SINGLE)), some.lists(some.integers(0, 60), max_size=12))
def test_jumping_about_leads_to_the_same_frames_as_walking(game, name, jumps):
    walkthrough = explain(game, name).walkthrough
    walked = [Cursor(walkthrough).seek(number).frame() for number in range(len(walkthrough.steps))]
    cursor = Cursor(walkthrough)
    for jump in jumps:
        assert cursor.seek(jump).frame() == walked[min(jump, len(walked) - 1)]


@LAW
@given(GAMES, some.sampled_from(TREE_SEARCHES))
def test_every_change_says_truly_what_was_there_before(game, name):
    state = {}
    for step in explain(game, name).walkthrough.steps:
        for change in step.changes:
            assert state.get((change.field, change.key)) == change.before
            state[change.field, change.key] = change.after


def test_a_step_of_a_large_tree_changes_little():
    walkthrough = explain(uniform(2, 11), "alpha-beta").walkthrough

    assert len(walkthrough.nodes) == 4095
    assert sum(len(step.changes) for step in walkthrough.steps) < 12 * len(walkthrough.steps)


# -- what is shown ---------------------------------------------------------------------------------------------


@LAW
@given(GAMES, some.sampled_from(["alpha-beta", "fail-soft", "negascout", "mtdf", "iterative-deepening"]))
def test_windows_are_shown_on_the_path_and_nowhere_else(game, name):
    found = explain(game, name)
    cursor = Cursor(found.walkthrough)
    for number in range(len(found.walkthrough.steps)):
        frame = cursor.seek(number).frame()
        assert set(frame.window) <= set(found.walkthrough.path(frame.focus))


@LAW
@given(trees(players=True), some.sampled_from(["sss-star", "dual-star"]))
def test_open_is_sorted_and_what_is_taken_out_next_stands_first(tree, name):
    walkthrough = explain(tree, name).walkthrough
    cursor = Cursor(walkthrough)
    for number in range(len(walkthrough.steps) - 1):
        before = cursor.seek(number).frame()
        step = walkthrough.steps[number + 1]
        if step.kind in ("pop", "leaf", "solve", "purge"):
            assert before.open[0].node == step.focus
        keys = [entry.priority for entry in before.open]
        assert keys == sorted(keys, reverse=name == "sss-star")


@LAW
@given(
    mazes(),
    some.sampled_from(["breadth-first", "depth-first", "uniform-cost", "a-star", "ida-star", "backward"]),
)
def test_the_first_of_the_fringe_is_the_next_to_leave_it(game, name):
    walkthrough = explain(game, name).walkthrough
    cursor = Cursor(walkthrough)
    for number in range(len(walkthrough.steps) - 1):
        before = cursor.seek(number).frame()
        if walkthrough.steps[number + 1].kind in ("pop", "goal"):
            assert before.open[0].node == walkthrough.steps[number + 1].focus


@LAW
@given(trees())
def test_the_clusters_of_sss_star_share_out_all_strategies_until_one_is_purged(tree):
    walkthrough = explain(tree, "sss-star").walkthrough
    total = count_strategies(tree)
    cursor = Cursor(walkthrough)
    for number in range(len(walkthrough.steps) - 1):
        frame = cursor.seek(number).frame()
        if frame.kind == "purge" or not frame.open:
            break
        assert sum(entry.size for entry in frame.open) == total


def test_sss_star_starts_from_the_four_clusters_of_the_lecture():
    walkthrough = explain(lecture_tree(), "sss-star").walkthrough
    cursor = Cursor(walkthrough)
    frames = [cursor.seek(number).frame() for number in range(len(walkthrough.steps))]
    bounded = next(
        frame for frame in frames if frame.open and all(entry.status == "SOLVED" for entry in frame.open)
    )

    assert [(entry.priority, entry.size) for entry in bounded.open] == [(15, 2), (13, 2), (10, 2), (5, 2)]
    assert len({entry.cluster for entry in bounded.open}) == 4


def test_the_strategy_and_best_play_are_known_at_the_end():
    walkthrough = explain(lecture_tree(), "sss-star").walkthrough

    assert [walkthrough.call(node) for node in walkthrough.line] == [
        "the root", "node 1", "node 1.0", "node 1.0.0", "node 1.0.0.1",
    ]  # fmt: skip
    leaves = [
        walkthrough.nodes[node].printed
        for node in sorted(walkthrough.strategy)
        if not walkthrough.nodes[node].moves
    ]
    assert leaves == [13, 12, 13, 14]


def test_a_tree_too_large_for_an_outline_grows_with_the_search():
    found = explain(uniform(9, 4), "alpha-beta", limit=Limit(nodes=400))

    assert not found.walkthrough.outlined
    assert len(found.walkthrough.nodes) < 2000
    assert found.frame().counters["cutoffs"] == found.result.counters.cutoffs


# -- in words --------------------------------------------------------------------------------------------------


def test_a_cut_names_the_ancestor_the_leaf_and_the_interval():
    walkthrough = explain(lecture_tree(), "alpha-beta").walkthrough
    second = walkthrough.find("cut", after=walkthrough.find("cut"))

    assert walkthrough.text(second) == (
        "Cut in node 1.1: its last move is not searched. MAX can get at least 13 here, but MIN can hold MAX down "
        "to 12 already, in node 1, thanks to leaf 1.0.0.1, and so will not come here. It could have mattered only "
        "with a value of more than 9 and less than 12."
    )


def test_a_purge_says_what_it_throws_out_and_why():
    walkthrough = explain(lecture_tree(), "sss-star").walkthrough

    assert walkthrough.text(walkthrough.find("cut")) == (
        "Node 1.0.0 has the greatest h in OPEN, 12: cluster 2, of 2 strategies, is refined. It is SOLVED below a "
        "MAX node: no other strategy there can do better, so node 1.0 is SOLVED with h = 12, and all else below it "
        "is purged from OPEN: node 1.0.1.0."
    )


def test_the_end_says_what_was_found_and_what_it_took():
    walkthrough = explain(lecture_tree(), "sss-star").walkthrough

    assert (
        walkthrough.text(-1)
        == "Done: the value is 12, the best move is 1. 8 of the 16 leaves were evaluated."
    )


@pytest.mark.parametrize("name", [*TREE_SEARCHES, "best-move"])
def test_every_step_of_every_search_has_a_sentence(name):
    walkthrough = explain(lecture_tree(), name, label="the lecture's tree").walkthrough

    sentences = [walkthrough.text(number) for number in range(len(walkthrough.steps))]
    assert all(text.endswith((".", "?")) and text[0] == text[0].upper() for text in sentences)
    assert sentences[0].endswith("begins on the lecture's tree.")
    assert not any(
        "e-0" in text or "999" in text for text in sentences
    )  # neighbours of numbers are put in words


def test_chance_has_its_own_words():
    coin = {"chances": [0.5, 0.5], "children": [10, 0]}
    walkthrough = explain(Tree.of([coin, [4, 7]]), "expectiminimax").walkthrough

    assert "Node 0 is worth 5, the mean of its children." in [
        walkthrough.text(n) for n in range(len(walkthrough.steps))
    ]


# -- positions -------------------------------------------------------------------------------------------------


def test_nodes_of_a_game_are_shown_as_its_positions():
    game = load("tictactoe")
    walkthrough = explain(game, "alpha-beta", limit=Limit(depth=2)).walkthrough
    corner = next(number for number, node in enumerate(walkthrough.nodes) if node.name == (0, 4))

    assert walkthrough.positions[0] == str(game.initial())
    assert walkthrough.positions[corner] == str(game.initial().play("(mark 1 1)").play("(mark 2 3)"))


@LAW
@given(mazes(), some.sampled_from(list(SINGLE)))
def test_states_found_from_the_start_are_shown_as_they_are(game, name):
    found = explain(game, name)
    for node, text in found.walkthrough.positions.items():
        walk = found.walkthrough.path(node)
        state = game.initial()
        for step in walk[1:]:
            state = game.next(state, {"walker": int(found.walkthrough.nodes[step].move)})
        assert text == str(state)


def test_explicit_trees_have_no_positions():
    assert explain(lecture_tree(), "alpha-beta").walkthrough.positions == {}


# -- limits ----------------------------------------------------------------------------------------------------


def test_a_walkthrough_that_is_too_long_says_so_and_still_gives_the_result():
    found = explain(uniform(3, 5), "minimax", most_events=100)

    assert len(found.walkthrough.steps) <= 101
    assert found.walkthrough.text(-1).startswith("The search went on for 630 more events")
    assert f"the value is {found.result.value}" in found.walkthrough.text(-1)
    assert "630 later events" in found.walkthrough.notes[0]


def test_an_empty_trace_with_an_outline_is_a_picture_of_the_tree():
    from stratagem.show.walkthrough.outline import outline_of

    walkthrough = build_walkthrough([Begin("")], outline=outline_of(lecture_tree()))

    assert len(walkthrough.nodes) == 31
    assert len(walkthrough.steps) == 1


def test_an_unknown_algorithm_is_refused_with_the_names_there_are():
    with pytest.raises(UsageError, match=r"there is no algorithm 'alphabet'.*sss-star"):
        explain(lecture_tree(), "alphabet")


def test_a_step_that_is_not_there_is_refused():
    found = explain(lecture_tree(), "sss-star")
    with pytest.raises(UsageError, match="there is no step 33; this search has the steps 1 to 32"):
        found.svg(at=33)
