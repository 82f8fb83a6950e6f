"""The mistakes that designers make most: each is named once, at its line, with what was probably meant."""

from __future__ import annotations

import pytest

from stratagem import sheets as games
from stratagem.gdl.parse import examine
from stratagem.gdl.text.syntax import Source

TURNS = """\
(role white)
(role black)
(init (control white))
(init (left 3))
(<= (legal ?r take) (true (control ?r)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (control black)) (true (control white)))
(<= (next (control white)) (true (control black)))
(<= (next (left ?m)) (true (left ?n)) (succ ?m ?n))
(<= terminal (true (left 0)))
(<= (goal ?r 0) (true (control ?r)))
(<= (goal ?r 100) (role ?r) (not (true (control ?r))))
(succ 0 1) (succ 1 2) (succ 2 3)
"""


def found(text: str) -> list[tuple[str, int, str]]:
    return [(one.code, one.place.line, one.hint) for one in examine(Source(text))[1]]


def without(*parts: str) -> str:
    """The sheet with these lines left blank, so that the other lines keep their numbers."""
    for part in parts:
        assert part in TURNS
    return "\n".join("" if any(part in line for part in parts) else line for line in TURNS.splitlines())


def misspelt(word: str, wrong: str) -> str:
    return TURNS.replace(word, wrong, 1)


def test_the_sheet_itself_is_sound():
    assert found(TURNS) == []


def test_a_fact_without_init_that_only_itself_yields_is_named_where_it_is_asked_for():
    hint = "say what is true at the start: a line for init is missing"
    assert found(without("(init (control")) == [("GDL124", 5, hint)]
    assert found(without("(init (left")) == [("GDL124", 9, hint)]


def test_two_missing_facts_are_two_findings_and_what_rests_on_them_is_none():
    rests = "(<= (next (late ?n)) (true (left ?n))) (<= terminal (true (late 1)))"
    codes = [code for code, _, _ in found(without("(init") + rests)]
    assert codes == ["GDL124", "GDL124"]


def test_a_fact_that_is_made_later_needs_no_init():
    made = "(<= (next (taken ?r)) (does ?r take)) (<= terminal (true (taken black)))"
    assert found(TURNS + made) == []


def test_a_fact_without_next_is_named_where_it_begins():
    hint = "a fact stays true only if a rule for next says so, after every move"
    assert found(without("(next (control")) == [("GDL123", 3, hint)]
    assert found(without("(next (left")) == [
        ("GDL123", 4, hint),
        ("GDL104", 13, "remove its 3 lines, or use it"),
    ]


def test_a_fact_kept_by_a_rule_for_all_facts_is_not_lost():
    assert found(without("(next (left") + "(<= (next ?f) (true ?f) (succ 0 1))") == []


def test_a_flag_for_the_first_move_is_not_reported():
    assert found(TURNS + "(init first) (<= (legal white pass) (true first))") == []


def test_without_init_and_next_no_fact_is_ever_true():
    assert [code for code, _, _ in found(without("(init", "(next", "(succ"))] == ["GDL120", "GDL120"]


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("(<= terminal", "(<= terminl", 10),
        ("(<= terminal", "(<= terminate", 10),
    ],
)
def test_a_misspelt_end_is_the_reason_why_there_is_none(right, wrong, line):
    name = wrong.split()[-1]
    assert found(misspelt(right, wrong)) == [
        ("GDL019", line, f"{name} is never used: did you mean terminal?")
    ]


@pytest.mark.parametrize(
    ("word", "wrong", "line"),
    [
        ("(legal", "(legl", 5),
        ("(goal", "(goall", 11),
        ("(goal", "(gaol", 11),
        ("(role white", "(rol white", 1),
    ],
)
def test_a_keyword_misspelt_everywhere_is_the_reason_why_the_game_has_none(word, wrong, line):
    text = TURNS.replace(word, wrong).replace(
        "(role black)", "(rol black)" if "rol " in wrong else "(role black)"
    )
    errors = [one for one in found(text) if one[0] == "GDL019"]
    assert errors == [
        ("GDL019", line, f"{wrong[1:].split()[0]} is never used: did you mean {word[1:].split()[0]}?")
    ]
    assert not any(code == "GDL104" for code, _, _ in found(text))


@pytest.mark.parametrize(
    ("word", "wrong", "line"),
    [
        ("(legal", "(legl", 5),
        ("(goal", "(goall", 11),
        ("(next", "(nxt", 7),
        ("(init", "(intit", 3),
        ("(init", "(int", 3),
    ],
)
def test_a_keyword_misspelt_once_is_named_at_its_line_and_alone(word, wrong, line):
    assert found(misspelt(word, wrong)) == [
        ("GDL104", line, f"did you mean {word[1:]}? If not, remove its 1 line, or use it")
    ]


@pytest.mark.parametrize(
    ("word", "wrong", "meant"),
    [
        ("(true (left 0))", "(tru (left 0))", "true"),
        ("(does ", "(dos ", "does"),
        ("(distinct ", "(distnct ", "distinct"),
    ],
)
def test_a_keyword_misspelt_in_a_condition_is_named(word, wrong, meant):
    text = TURNS + "(<= (next (control ?r)) (does ?r take) (role ?q) (distinct ?q ?r))"
    hints = [hint for code, _, hint in found(text.replace(word, wrong)) if code == "GDL103"]
    assert hints == [f"did you mean {meant}?"]


def test_a_fact_without_its_arguments_is_not_told_to_lose_its_brackets():
    assert found(TURNS.replace("(true (left 0))", "(true (left))")) == [
        ("GDL120", 10, "elsewhere left has 1 argument")
    ]


@pytest.mark.parametrize("name", games.names())
def test_the_bundled_sheets_have_none_of_these(name):
    assert examine(games.source(name))[1] == ()
