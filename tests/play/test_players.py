from __future__ import annotations

from random import Random

import pytest

from stratagem.engine import Database
from stratagem.errors import BrokenFile, UsageError
from stratagem.loading import load
from stratagem.play.choice import Choice
from stratagem.play.clock import Deadline
from stratagem.play.match_state import Match
from stratagem.play.players import player_named, player_names
from stratagem.play.players.mcts import MctsPlayer
from stratagem.play.players.stratagem import kind_of
from stratagem.play.players.uct import Uct
from stratagem.result import Result

TICTACTOE = load("tictactoe", machine="reasoner")


class Steps:
    """A clock that has so many looks left: searches of the same length on every machine."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def __call__(self) -> float:
        self.looks -= 1
        return 0.0 if self.looks > 0 else 1.0


def looks(count: int) -> Deadline:
    return Deadline(1.0, now=Steps(count))


def position(*moves: str, role: str = "xplayer") -> Match:
    match = Match.of(TICTACTOE, role)
    for number, move in enumerate(moves):
        match = match.after([move, "noop"] if number % 2 == 0 else ["noop", move])
    return match


def chosen(name: str, match: Match, clock: Deadline) -> tuple[Choice, list[Choice]]:
    offers: list[Choice] = []
    player = player_named(name, seed=1)
    player.start(match, looks(0))
    return player.play(match, clock, offers.append), offers


# x wins at once with (mark 1 3); o threatens to do so at (mark 2 3)
DECISIVE = ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)")


@pytest.mark.parametrize("name", ["alphabeta", "uct", "stratagem"])
def test_whoever_thinks_takes_the_win(name):
    choice, _ = chosen(name, position(*DECISIVE), looks(4000))
    assert str(choice.move) == "(mark 1 3)"


@pytest.mark.parametrize("name", ["alphabeta", "uct", "stratagem"])
def test_whoever_thinks_prevents_the_loss(name):
    """o must answer at (mark 1 3)."""
    choice, _ = chosen(name, position("(mark 1 1)", "(mark 2 2)", "(mark 1 2)", role="oplayer"), looks(6000))
    assert str(choice.move) == "(mark 1 3)"


@pytest.mark.parametrize("name", player_names())
def test_every_player_moves_legally_with_no_time_at_all(name):
    match = position("(mark 1 1)", "(mark 2 2)")
    choice, _ = chosen(name, match, looks(0))
    assert choice.move in match.legals()
    assert choice.thought.why


@pytest.mark.parametrize("name", player_names())
def test_the_only_move_is_made(name):
    choice, _ = chosen(name, position("(mark 1 1)"), looks(100))
    assert choice.move == "noop"


@pytest.mark.parametrize("name", [name for name in player_names() if name not in ("legal", "random")])
def test_offers_on_the_way_are_legal(name):
    match = position("(mark 1 1)", "(mark 2 2)")
    _, offers = chosen(name, match, looks(300))
    assert all(offer.move in match.legals() for offer in offers)


def test_alpha_beta_proves_what_it_sees_to_the_end():
    choice, offers = chosen("alphabeta", position(*DECISIVE), looks(10_000))
    assert choice.final
    assert choice.thought.solved
    assert choice.thought.value == 100
    assert [offer.thought.depth for offer in offers] == list(range(1, len(offers) + 1))
    assert offers[0].thought.why.endswith(" 1 ply deep")


def test_alpha_beta_says_why_it_does_not_play_a_game_for_three():
    game = load("tictactoethree", machine="reasoner")
    match = Match.of(game)
    choice, _ = chosen("alphabeta", match, looks(100))
    assert choice.move in match.legals()
    assert "two roles" in choice.thought.why


def test_uct_tells_what_every_move_is_worth():
    match = position("(mark 1 1)", "(mark 2 2)")
    choice, _ = chosen("uct", match, looks(400))
    assert {move for move, _ in choice.thought.values} == {str(move) for move in match.legals()}
    assert choice.thought.values[0][0] == str(choice.move)
    assert all(0 <= value <= 100 for _, value in choice.thought.values)


def test_uct_gives_no_value_to_a_move_that_it_has_hardly_tried():
    player, match = player_named("uct", seed=1), position()
    assert player.play(match, looks(60), lambda offer: None).thought.value is None
    assert player.play(match, looks(1500), lambda offer: None).thought.value is not None


def test_mcts_that_is_stopped_before_it_has_seen_the_moves_leaves_the_move_to_uct(monkeypatch):
    class Unopened:
        def search(self, state, limit, **_):
            return Result("mcts", best={"xplayer": "(mark 1 1)"})

    player = MctsPlayer(seed=1)
    monkeypatch.setattr(player, "_engine", lambda match, clock: Unopened())
    thought = player.play(position(), looks(400), lambda offer: None).thought
    assert thought.player == "uct"
    assert thought.nodes > 0


def test_uct_with_many_matches_a_visit_tells_moves_apart_after_as_many_visits_as_there_are_moves():
    match = Match.of(load("hex", size=5), "red")
    player = Uct(seed=1, matches=64)
    choice = player.play(match, looks(27), lambda offer: None)
    assert choice.thought.nodes <= 27
    assert len({value for _, value in choice.thought.values}) > 5
    assert choice.thought.value is not None
    assert choice.thought.why.endswith("each with 64 random matches")


def test_uct_with_a_seed_does_the_same_twice():
    match = position("(mark 1 1)", "(mark 2 2)")
    assert chosen("uct", match, looks(300))[0].move == chosen("uct", match, looks(300))[0].move


def test_uct_keeps_the_part_of_its_tree_that_is_still_in_play():
    match = Match.of(TICTACTOE, "xplayer")
    player = player_named("uct", seed=2)
    choice = player.play(match, looks(500), lambda offer: None)
    match = match.after([choice.move, "noop"])
    match = match.after(["noop", match.legals("oplayer")[0]])
    player.play(match, looks(20), lambda offer: None)
    assert player.tree.root.visits > 1


def test_a_puzzle_is_solved_in_the_fewest_moves_and_the_plan_is_followed():
    game = load("buttonsandlights", machine="reasoner")
    match = Match.of(game)
    player = player_named("stratagem")
    player.start(match, looks(10**9))
    moves = 0
    while not match.over:
        choice = player.play(match, looks(10**9), lambda offer: None)
        assert choice.final
        match = match.after([choice.move])
        moves += 1
    assert match.goals() == (100,)
    assert moves == 6
    assert choice.thought.line[-1] == str(choice.move)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("tictactoe", "duel"), ("eightpuzzle", "puzzle"), ("tictactoethree", "other"), ("nim", "duel")],
)
def test_the_kind_of_a_game_is_seen(name, kind):
    assert kind_of(Match.of(load(name, machine="reasoner"))) == kind


def test_the_database_never_loses_what_is_won_and_says_how_long_it_takes():
    game = load("nim")
    match = Match.of(game, "bob")  # the first to move has lost
    player = player_named("database")
    player.start(match, looks(10**9))
    source = Random(4)
    while not match.over:
        choice = player.play(match, looks(10**9), lambda offer: None)
        assert choice.final
        if len(match.legals()) > 1:
            assert choice.thought.solved and choice.thought.value == 100
            assert {move for move, _ in choice.thought.values} == {str(move) for move in match.legals()}
        match = match.after([source.choice(match.legals("alice")), choice.move])
    assert match.goals() == (0, 100)


def test_the_database_leaves_games_that_are_too_large_to_others():
    game = load("rockpaperscissors", rounds=1)
    match = Match.of(game)
    player = player_named("database", seed=1)
    player.start(match, looks(300))
    choice = player.play(match, looks(300), lambda offer: None)
    assert choice.move in match.legals()
    assert choice.thought.player != "database"


def test_the_database_player_reads_a_file_and_leaves_other_games_to_others(tmp_path):
    nim, path = load("nim", first=1, second=2, third=3, fourth=0), tmp_path / "nim.db"
    Database.build(path, nim)
    player = player_named(f"database:{path}")
    match = Match.of(nim, "bob")
    player.start(match, looks(1))
    match = match.after([match.legals("alice")[0], match.legals("bob")[0]])
    choice = player.play(match, looks(1), lambda offer: None)
    assert choice.final and choice.thought.value == 100
    assert choice.thought.why.startswith("from nim.db, a database of ")
    assert {move for move, _ in choice.thought.values} == {str(move) for move in match.legals()}
    other = Match.of(load("tictactoe"))
    assert player.play(other, looks(2000), lambda offer: None).move in other.legals()
    with pytest.raises(BrokenFile):
        player_named(f"database:{tmp_path / 'missing.db'}")


def test_an_unknown_player_is_refused_with_the_names_there_are():
    with pytest.raises(UsageError, match="no player called 'deepblue'; choose one of stratagem, "):
        player_named("deepblue")
