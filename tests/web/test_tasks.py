"""What runs in worker processes: checks, verdicts, walkthroughs, tables, tournaments; here in this process."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from stratagem import sheets as games
from stratagem.errors import (
    GroundingError,
    LimitExceeded,
    MissingExtra,
    NoEstimate,
    StratagemError,
    UsageError,
)
from stratagem.loading import load
from stratagem.play.choice import Thought
from stratagem.play.records.record import MatchRecord
from stratagem.result import MoveStatistics
from stratagem.web import course
from stratagem.web.app.address import Sheet
from stratagem.web.app.subject import Subject
from stratagem.web.course import CHAPTERS
from stratagem.web.match import engine_bar
from stratagem.web.match.engine_bar import BarReading
from stratagem.web.pages.matches import played_html
from stratagem.web.pages.matches_tournaments import matches_html
from stratagem.web.pages.play_panel import hinted_moves, words_of
from stratagem.web.tasks import course as tables
from stratagem.web.tasks import positions, searches, sheets, thinking, tournaments, verdicts
from stratagem.web.tasks.compile import STAGES, compile_rules


def nothing(said: Any) -> None:
    """Hears nobody."""


def test_a_check_finds_errors_at_their_place_and_relations_with_their_kind() -> None:
    broken = sheets.check("(role me)\n(<= (next (p ?x)) (true q))\n", "kif", (), tell=nothing)
    assert not broken.sound
    assert any(found["line"] == 2 and "?x has no values" in found["message"] for found in broken.findings)
    sound = sheets.check(games.source("tictactoe").text, "kif", (), tell=nothing)
    kinds = {relation.name: relation.kind for relation in sound.relations}
    assert sound.sound
    assert kinds["index"] == "never changes"
    assert kinds["legal"] == "legal moves"
    assert "depends on the position" in kinds.values()


def test_every_bundled_game_has_a_position_a_picture_and_moves_that_can_be_made() -> None:
    for name in games.names():
        position = positions.position(Sheet(name), (), tell=nothing)
        assert position.svg or position.rest, name
        assert all(position.legals), name
        assert positions.thumbnail(name, "dark", tell=nothing).startswith("<svg")
        for moves in position.legals:
            for move in moves:
                assert all(0 <= square < len(position.squares) for step in move.steps for square in step)


def test_different_moves_of_a_game_are_told_apart_by_clicks_or_offered_as_a_choice() -> None:
    position = positions.position(Sheet("breakthrough"), (), tell=nothing)
    clicks = [move.steps for move in position.moves("white")]
    assert len(set(clicks)) == len(clicks)


def test_verdicts_are_decided_where_they_can_be() -> None:
    sheet = Sheet("tictactoe")
    judged = verdicts.judge(sheet, 1, tell=nothing)
    assert "every position was examined" in judged.note
    assert not any(kind == "bad" for _, _, kind in judged.rows)
    solved = verdicts.solve(sheet, (), tell=nothing)
    assert ("value for xplayer", "50", "good") in solved.rows
    played = {what: answer for what, answer, _ in verdicts.playouts(sheet, (), 1, tell=nothing).rows}
    assert int(played["matches"].replace(",", "")) > 1_000


def test_a_fault_is_shown_by_a_match_that_leads_to_it() -> None:
    stuck = """
    (role me) (init (at 1)) (<= (legal me go) (true (at 1))) (<= (legal me stay) (true (at 1)))
    (<= (next (at 2)) (does me go)) (<= (next (at 1)) (does me stay))
    (<= terminal (true (at 3))) (<= (goal me 100) (true (at 3)))
    """
    judged = verdicts.judge(Sheet(text=stuck), 1, tell=nothing)
    assert any(kind == "bad" for _, _, kind in judged.rows)
    assert judged.shown


@pytest.mark.filterwarnings("ignore:.*runs on joins")
def test_rules_that_cannot_be_compiled_are_judged_and_solved_on_joins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise GroundingError("the rules are too large")

    monkeypatch.setattr("stratagem.circuit.compiler.compile.circuit_of", refused)
    monkeypatch.setattr("stratagem.circuit.compiler.compile.circuit_at_once", refused)
    monkeypatch.setattr(verdicts, "JUDGE_SECONDS", 0.3)
    monkeypatch.setattr(verdicts, "PLAYOUT_SECONDS", 0.1)
    text = load("buttonsandlights", machine="reasoner").identity.source.text
    sheet = Sheet(text=f"{text}\n; not known to this process")
    assert "On joins: the rules are too large." in verdicts.judge(sheet, 1, tell=nothing).note
    played = verdicts.playouts(sheet, (), 1, tell=nothing)
    assert "mean length" in {what for what, _, _ in played.rows}
    assert played.note.startswith("On joins: the rules are too large.")
    solved = verdicts.solve(sheet, (), tell=nothing)
    assert ("moves to the end", "6", "") in solved.rows
    assert "Proved." in solved.note


def reading(nodes: int, *, moves: int = 121, solved: bool = False) -> BarReading:
    values = (("(place 1 1)", 70.0),)
    return BarReading("red", 70.0, ("(place 1 1)",), nodes, 14.0, solved, "", values, moves)


def test_a_value_with_too_little_work_behind_it_is_not_shown_as_an_estimate() -> None:
    assert not reading(73).counts
    assert words_of(reading(73), looks_on=True) == "Still looking (73 positions) …"
    assert words_of(reading(73)) == "No estimate: 73 positions searched, too few for 121 moves."
    assert words_of(reading(1, moves=2)) == "No estimate: 1 position searched, too few for 2 moves."
    assert words_of(reading(484)) == "70 of 100 for red · 484 nodes, 35 a second"
    assert words_of(reading(1, solved=True)) == "70 of 100 for red (proved) · 1 node, 0 a second"


def test_a_hint_has_the_moves_that_are_known_well_in_the_order_of_the_engine() -> None:
    often, chance, less, proved = (
        MoveStatistics("often", 58.0, 612),
        MoveStatistics("by chance", 87.5, 5),
        MoveStatistics("less often", 59.0, 201),
        MoveStatistics("proved", 0.0, 0, proved=True),
    )
    assert engine_bar.known_well([often, chance, less, proved]) == [often, less, proved]
    assert engine_bar.known_well([MoveStatistics("once", 100.0, 1)]) == []


def test_a_hint_leaves_moves_in_the_list_that_cannot_be_made_on_the_board() -> None:
    here, there, unknown = (positions.MoveView(name, name, (frozenset([1]),)) for name in ("a1", "b2", "c3"))
    stay, swap = positions.MoveView("stay", "stay"), positions.MoveView("swap", "swap")
    legal = (here, there, unknown, stay, swap)
    assert hinted_moves(legal, ["swap", "b2", "a1", "elsewhere"]) == (swap, there, here, stay)


def test_the_first_move_of_a_hint_on_a_wide_board_is_that_of_the_line() -> None:
    reading = engine_bar.glance(Sheet("hex"), "me", (), simulations=600, tell=nothing)
    assert reading is not None
    assert reading.line[0].startswith(reading.values[0][0])
    assert len(reading.values) < reading.moves


@pytest.mark.parametrize(("nodes", "heard"), [(27, False), (28, True)])
def test_a_first_word_is_heard_where_every_move_was_looked_at_a_few_times(
    nodes: int, heard: bool, monkeypatch
) -> None:
    thought = Thought("uct", "", value=60.0, nodes=nodes).as_json()
    monkeypatch.setattr(
        engine_bar, "consult", lambda *_, tell: thinking.Thinking("xplayer", "(mark 3 3)", thought)
    )
    history = (("(mark 1 1)", "noop"), ("noop", "(mark 1 2)"))  # seven moves are left
    assert (engine_bar.first_word(Sheet("tictactoe"), history, tell=nothing) is not None) == heard


def test_the_bar_and_the_players_say_what_they_think() -> None:
    history = (("(mark 1 1)", "noop"), ("noop", "(mark 1 2)"))
    heard: list[Any] = []
    seat = thinking.PlayerSeat(Sheet("tictactoe"), "xplayer", "stratagem", 0.3, seed=1)
    found = thinking.consult(seat, history, tell=heard.append)
    assert found.move in {
        move.text for move in positions.position(Sheet("tictactoe"), history, tell=nothing).moves("xplayer")
    }
    sheet = Sheet("tictactoe")
    reading = engine_bar.glance(sheet, "me", history, simulations=300, tell=nothing)
    assert reading is not None
    assert reading.role == "xplayer"
    assert reading.value is not None
    assert reading.value > 50
    assert reading.matches > 0
    ended = (
        ("(mark 1 1)", "noop"),
        ("noop", "(mark 2 1)"),
        ("(mark 1 2)", "noop"),
        ("noop", "(mark 2 2)"),
        ("(mark 1 3)", "noop"),
    )
    assert engine_bar.glance(sheet, "me", ended, 0.1, tell=nothing) is None
    assert engine_bar.first_word(sheet, ended, tell=nothing) is None


def test_the_bar_goes_on_where_it_left_off_and_visitors_do_not_disturb_each_other() -> None:
    sheet = Sheet("breakthrough")
    mine = engine_bar.glance(sheet, "me", (), simulations=40, tell=nothing)
    other = engine_bar.glance(sheet, "you", (), simulations=40, tell=nothing)
    again = engine_bar.glance(sheet, "me", (), simulations=40, tell=nothing)
    assert mine is not None
    assert other is not None
    assert again is not None
    assert again.nodes > mine.nodes
    assert again.matches > mine.matches
    assert again.seconds > mine.seconds
    assert again.values
    assert {move for move, _ in again.values} <= {
        f"({move.label})" for move in positions.position(sheet, (), tell=nothing).moves("white")
    }


def test_where_the_engine_cannot_take_the_rules_a_player_thinks_for_the_bar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise LimitExceeded("the rules are too large")

    monkeypatch.setattr("stratagem.engine.mcts.search.Mcts", refused)
    monkeypatch.setattr(engine_bar, "_thinkers", type(engine_bar._thinkers)())
    monkeypatch.setattr(engine_bar, "_refused", set())
    reading = engine_bar.glance(Sheet("nim"), "me", (), 0.1, 0.2, tell=nothing)
    assert reading is not None
    assert reading.rest
    assert reading.role == "alice"
    assert reading.matches == 0


@pytest.mark.parametrize("algorithm", ["minimax", "alpha-beta", "sss-star", "mtdf"])
def test_walkthroughs_of_the_lectures_tree_end_with_twelve(algorithm: str) -> None:
    told = searches.walkthrough(Subject("lecture"), algorithm, tell=nothing)
    data = json.loads(gzip.decompress(told.packed))
    assert told.value == 12
    assert data["value"] == "12"
    assert len(data["steps"]) == told.steps
    assert told.spec[0][0][0] == [10, 9]


def test_puzzles_are_searched_with_a_heuristic_from_the_rules() -> None:
    plain = Subject.from_query({"game": "slidingpuzzle"})
    informed = Subject.from_query({"game": "slidingpuzzle", "heuristic": "patterns"})
    assert informed.query()["heuristic"] == "patterns"
    assert Subject.from_query({"game": "slidingpuzzle", "heuristic": "luck"}) == plain
    assert (
        searches.walkthrough(informed, "a-star", tell=nothing).nodes
        < searches.walkthrough(plain, "a-star", tell=nothing).nodes
    )
    rows = {row.algorithm: row for row in searches.compare(informed, tell=nothing)}
    counted = rows["a-star"].counters
    assert counted is not None
    assert counted["nodes"] < 30


def test_all_algorithms_agree_on_a_random_tree_and_their_counters_are_beside_each_other() -> None:
    rows = searches.compare(Subject("uniform:3:3:5"), tell=nothing)
    assert {row.algorithm for row in rows} == set(searches.TWO_SIDES)
    exact = {row.value for row in rows if row.complete and row.counters is not None}
    assert len(exact) == 1


def test_a_horizon_that_a_tree_gives_no_value_for_is_refused_on_the_page_too() -> None:
    with pytest.raises(UsageError, match="the depth limit of 1 cuts off node 1, an inner node"):
        searches.walkthrough(Subject("[7, [1, 9]]", depth=1), "alpha-beta", tell=nothing)
    assert all(row.refused for row in searches.compare(Subject("[7, [1, 9]]", depth=1), tell=nothing))
    known = Subject('[7, {"estimate": 3, "children": [1, 9]}]', depth=1)
    assert searches.walkthrough(known, "alpha-beta", tell=nothing).value == 7
    assert {row.value for row in searches.compare(known, tell=nothing)} == {7}


def test_a_position_of_a_game_is_searched_from_the_moves_in_the_address() -> None:
    subject = Subject.from_query({"game": "tictactoe", "moves": "mark 2 2;mark 1 1", "depth": "2"})
    told = searches.walkthrough(subject, "alpha-beta", tell=nothing)
    assert told.spec is None
    assert told.nodes > 7
    with pytest.raises(StratagemError):
        searches.walkthrough(
            Subject.from_query({"game": "tictactoe", "moves": "mark 9 9"}), "alpha-beta", tell=nothing
        )


@pytest.mark.parametrize(
    ("kind", "beginning"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("html", b"<!DOCTYPE"), ("json", b"{")]
)
def test_searches_can_be_taken_away(kind: str, beginning: bytes) -> None:
    try:
        data = searches.exported(Subject("lecture"), "alpha-beta", kind, 30, tell=nothing)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    assert data.startswith(beginning)


def test_the_picture_of_a_large_tree_shows_what_the_page_draws() -> None:
    subject = Subject("uniform:4:5")
    whole, folded = (
        searches.exported(subject, "alpha-beta", "svg", 1, drawn, tell=nothing).decode()
        for drawn in (None, {0})
    )
    assert float(whole.partition(' width="')[2].partition('"')[0]) > 30_000
    assert float(folded.partition(' width="')[2].partition('"')[0]) <= 400
    assert folded.count(">1,364</text>") == 1


def test_every_example_of_the_course_can_be_worked_out() -> None:
    for chapter in CHAPTERS:
        parts = course.parts(chapter.name)
        assert any(part.kind == "text" for part in parts)
        for part in parts:
            if part.kind == "table" and part.words[0] != "collapse":
                assert tables.measure(part.words[0], part.words[1:], tell=nothing).rows
            elif part.kind == "play":
                assert part.words[0] in games.names()
            elif part.kind == "exercise":
                assert part.words[0] == chapter.exercise
    with pytest.raises(UsageError):
        tables.measure("nonsense", (), tell=nothing)


def test_the_tables_of_the_course_agree_with_their_formulas() -> None:
    deepening = tables.measure("deepening", ("2", "5"), tell=nothing)
    assert [row[1] for row in deepening.rows] == [1, 4, 11, 26, 57] == [row[3] for row in deepening.rows]
    ordering = tables.measure("ordering", ("3", "4"), tell=nothing)
    assert all(row[1] == row[2] and row[4] == row[5] for row in ordering.rows)
    clusters = tables.measure("clusters", ("lecture",), tell=nothing)
    assert sum(int(row[3] or 0) for row in clusters.rows) == 8
    assert all(row[3] == row[4] for row in tables.measure("blind", ("2", "5", "3"), tell=nothing).rows)


def test_tic_tac_toe_is_counted_on_the_spot() -> None:
    assert tables.measure("collapse", ("tictactoe",), tell=nothing).rows[-1][1:3] == (549_946, 5_478)


def test_a_tournament_is_played_kept_and_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAGEM_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    tournaments.play("small", ("tictactoe",), ("legal", "random"), 1, 0.5, tell=nothing)
    (listed,) = tournaments.listed(tell=nothing)
    assert (listed.name, listed.played) == ("small", 2)
    found = tournaments.standing("small", tell=nothing)
    assert {rating.player for rating in found.ratings} == {"legal", "random"}
    assert (len(found.matches), found.missing) == (2, 0)
    assert found.summary.startswith("Tic-tac-toe: 1 round")
    assert ">Tic-tac-toe</td>" in matches_html(found)
    for name, who in (
        ("../up", ("legal", "random")),
        ("good", ("legal", "cmd:rm -rf {port}")),
        ("good", ("legal",)),
    ):
        with pytest.raises(UsageError):
            tournaments.play(name, ("tictactoe",), who, 1, 0.5, tell=nothing)
    with pytest.raises(UsageError, match=r"the clock takes 0\.5 to 10 seconds a move"):
        tournaments.play("quick", ("tictactoe",), ("legal", "random"), 1, 0.2, tell=nothing)
    assert tournaments.play("small", ("tictactoe",), ("legal", "random"), 1, 0.5, tell=nothing) == "small"
    with pytest.raises(UsageError, match="called small already, with other settings"):
        tournaments.play("small", ("tictactoe",), ("legal", "uct"), 1, 0.5, tell=nothing)
    for rounds in (0, 99_999):
        with pytest.raises(UsageError, match="choose 1 to"):
            tournaments.play("long", ("tictactoe",), ("legal", "random"), rounds, 0.5, tell=nothing)
    with pytest.raises(UsageError):
        tournaments.standing("nosuch", tell=nothing)


def test_what_is_missing_of_a_tournament_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stratagem.ggp.tournament.entrants import Entrant
    from stratagem.ggp.tournament.matches import TournamentPlan
    from stratagem.ggp.tournament.tournament import Tournament

    monkeypatch.setenv("STRATAGEM_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    plan = TournamentPlan(("tictactoe",), tuple(map(Entrant.of, ("legal", "random", "uct"))), rounds=2)
    Tournament(plan, tmp_path / "tournaments" / "begun").close()
    found = tournaments.standing("begun", tell=nothing)
    assert (found.matches, found.missing) == ((), 12)


def test_the_choices_of_a_match_bring_back_its_position() -> None:
    from stratagem.web.tasks.loaded import history_from

    sheet = Sheet("connectfour")
    history = history_from(sheet, ("(drop 4)", "(drop 3)", "(drop 4)"))
    position = positions.position(sheet, history, tell=nothing)
    assert position.choices == ("(drop 4)", "(drop 3)", "(drop 4)")
    assert positions.position_of(sheet, position.choices, tell=nothing).svg == position.svg
    assert positions.position_of(sheet, ("(drop 99)",), tell=nothing).history == ()


def test_moves_that_are_not_legal_are_listed_where_the_rules_know_them() -> None:
    history = (("(mark 2 2)", "noop"),)
    found = dict(positions.not_legal(Sheet("tictactoe"), history, 30, tell=nothing))
    assert set(found["oplayer"]) == {"(mark 2 2)", "noop"}
    assert len(found["xplayer"]) == 9
    unknown = "(role me) (init p) (legal me go) (<= (next q) (true p)) (<= terminal (true q)) (goal me 1)"
    assert positions.not_legal(Sheet(text=unknown), (), 30, tell=nothing) == ()


def test_of_a_column_only_the_cell_in_which_the_piece_lands_is_lit() -> None:
    sheet = Sheet("connectfour")
    once = (("(drop 4)", "noop"),)
    first = positions.position(sheet, once, tell=nothing).svg
    hinted = positions.pointed(sheet, once, "yellow", "(drop 4)", tell=nothing)
    for drawn in (first, hinted):
        assert drawn.count('class="lit') == 1
    assert first.count('class="target"') == 0
    assert hinted.count('class="target"') == 1, "a hint is not taken for the last move"


def test_a_depth_limit_that_a_tree_cannot_take_is_refused_in_words_of_the_page() -> None:
    with pytest.raises(NoEstimate) as refused:
        searches.explained(Subject("lecture", depth=2), "minimax")
    assert "--" not in (refused.value.hint or "")
    assert "evaluate=" not in (refused.value.hint or "")
    written = Subject('[{"estimate": 5, "children": [1, 9]}, 7]', depth=1)
    assert searches.explained(written, "minimax").result.value == 7


def test_the_stages_of_a_compilation_are_told_in_words_of_the_page() -> None:
    told: list[str] = []
    compile_rules(Sheet("tictactoe"), 60.0, tell=told.append)
    assert told
    assert set(told) <= set(STAGES.values())


def test_a_list_of_matches_calls_games_by_their_titles() -> None:
    record = MatchRecord("one", "tictactoe", "", (), (), 1.0, 1.0, 0)
    assert "<td>Tic-tac-toe</td>" in played_html([record])
