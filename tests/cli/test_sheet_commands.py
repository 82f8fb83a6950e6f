"""`stratagem check` and `stratagem convert` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.data import ROOT

GOLDEN = ROOT / "tests" / "golden" / "check"
SOUND = "(role robot) (legal robot a) (goal robot 100) (<= terminal (true q)) (init q)\n"


@pytest.fixture
def sheet(tmp_path: Path):
    def write(text: str, name: str = "toy.kif") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_sound_sheet_gets_one_line_and_exit_code_0(run, sheet):
    path = sheet(SOUND)
    result = run("check", path)
    assert (result.code, result.err) == (0, "")
    assert result.out == f"{path}: nothing to complain about: 5 rules and facts\n"


def test_findings_are_drawn_and_an_error_gives_exit_code_2(run):
    result = run("check", "--all", GOLDEN / "meaning.kif")
    drawn = (GOLDEN / "meaning.kif.txt").read_text(encoding="utf-8")
    assert result.code == 2
    assert result.out.replace(f"{GOLDEN}/", "").startswith(drawn)
    errors, warnings = drawn.count(": error["), drawn.count(": warning[")
    assert result.out.splitlines()[-1].endswith(f"meaning.kif: {errors} errors, {warnings} warnings")


def test_errors_come_before_warnings_wherever_they_stand(run, sheet):
    spare = "".join(f"(spare{number} 1)\n" for number in range(3))
    result = run("check", sheet(spare + SOUND + "(<= p (not p)) (<= terminal p)\n"))
    heads = [line for line in result.out.splitlines() if "[GDL" in line]
    assert "error[GDL012]: p is defined by its own negation" in heads[0]
    assert len(heads) == 4
    assert all("warning[GDL104]" in head for head in heads[1:])


def test_many_warnings_of_one_kind_are_one_with_the_first_places_unless_all_are_asked_for(run, sheet):
    path = sheet(SOUND + "".join(f"(spare{number} 1)\n" for number in range(9)))
    result = run("check", path)
    assert result.out == (
        f"{path}: warning[GDL104]: a relation that is never used: 9 times\n"
        "  line 2: spare0 is defined but never used\n"
        "  line 3: spare1 is defined but never used\n"
        "  line 4: spare2 is defined but never used\n"
        "  and 6 more; --all shows each\n\n"
        f"{path}: 0 errors, 9 warnings\n"
    )
    assert run("check", path, "--all").out.count("warning[GDL104]") == 9
    assert len(json.loads(run("check", path, "--json").out)["files"][0]["findings"]) == 9


def test_warnings_alone_are_no_failure_unless_strict(run, sheet):
    path = sheet(SOUND + "(spare 1)")
    assert run("check", path).code == 0
    assert run("check", path, "--strict").code == 2
    assert run("check", path, "--strict", "--no-warnings").code == 0
    assert "GDL104" not in run("check", path, "--no-warnings").out


def test_standard_input_is_read_in_either_syntax(run):
    assert run("check", "-", stdin=SOUND.encode()).code == 0
    result = run("check", "-", stdin=b"% HRF\nrole(robot) legal(robot,X)")
    assert result.code == 2
    assert "<stdin>:2:25: error[GDL011]: the variable X in a fact" in result.out


def test_json_is_one_document_for_all_files(run, sheet):
    path = sheet(SOUND + "(spare 1)")
    result = run("check", "--json", path, GOLDEN / "syntax.kif", "missing.kif", "tictactoe")
    document = json.loads(result.out)
    assert result.code == 2
    assert document["version"] == 1
    assert not document["ok"]
    toy, syntax, missing, bundled = document["files"]
    assert (toy["ok"], toy["roles"], toy["rules"], toy["errors"], toy["warnings"]) == (
        True,
        ["robot"],
        6,
        0,
        1,
    )
    assert toy["findings"][0]["code"] == "GDL104"
    assert toy["findings"][0]["line"] == 2
    assert syntax["errors"] == len(syntax["findings"]) > 5
    assert missing["unreadable"].startswith("missing.kif cannot be read")
    assert bundled["ok"]
    assert document["errors"] == sum(file["errors"] for file in document["files"])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"(role \xff)", "is not text in UTF-8: line 1 has the byte 0xFF; save it as plain text in UTF-8"),
        (b"(p a)" * 4_000_000, "is too large for a rule sheet; at most 16,000,000 are read"),
    ],
    ids=["not UTF-8", "too large"],
)
def test_a_file_that_cannot_be_read_gets_one_sentence(run, tmp_path, content, sentence):
    path = tmp_path / "bad.kif"
    path.write_bytes(content)
    result = run("check", path)
    assert result.code == 2
    assert result.out == f"error: {path} {sentence}\n"


def test_a_folder_is_no_sheet(run, tmp_path):
    result = run("check", tmp_path)
    assert result.code == 2
    assert "is a folder, not a file" in result.out


def test_sizes_can_be_chosen(run):
    assert run("check", "connectfour", "--set", "columns=5").code == 0
    assert "no size called" in run("check", "connectfour", "--set", "width=5").out
    wide = run("convert", "connectfour", "--set", "columns=5", "--to", "kif").out
    narrow = run("convert", "connectfour", "--set", "columns=4", "--to", "kif").out
    assert len(wide) > len(narrow)


def test_convert_goes_to_the_other_syntax_and_back(run, sheet):
    path = sheet("(<= (legal Robot ?m) (move ?m) (not stuck)) (move (goLeft))")
    hrf = run("convert", path)
    assert hrf.code == 0
    assert hrf.out == 'legal("Robot",M) :-\n  move(M) &\n  ~stuck\n\nmove(goLeft())\n'
    back = run("convert", "-", stdin=hrf.out.encode())
    assert back.out == "(<= (legal Robot ?m)\n    (move ?m)\n    (not stuck))\n\n(move (goLeft))\n"


def test_convert_writes_a_file_in_the_syntax_of_its_ending(run, sheet, tmp_path):
    path, target = sheet(SOUND), tmp_path / "toy.hrf"
    assert run("convert", path, "-o", target).code == 0
    assert target.read_text(encoding="utf-8").startswith("role(robot)\nlegal(robot,a)\n")
    again = tmp_path / "again.kif"
    assert run("convert", path, "-o", again).code == 0
    assert again.read_text(encoding="utf-8").startswith("(role robot)\n(legal robot a)\n")


def test_convert_takes_sheets_that_mean_nothing_yet_but_not_what_it_cannot_read(run, sheet):
    assert run("convert", sheet("(<= (p ?x) (not (q ?x)))")).code == 0
    result = run("convert", sheet("(p\n(q ()"))
    assert (result.code, result.out) == (2, "")
    assert "error[GDL001]" in result.err
    assert "Traceback" not in result.err


def test_convert_refuses_what_it_does_not_know(run, sheet, tmp_path):
    path = sheet(SOUND)
    assert "no syntax called xml; choose kif or hrf" in run("convert", path, "--to", "xml").err
    assert "no syntax called xml; choose kif or hrf" in run("convert", path, "--from", "xml").err
    result = run("convert", path, "-o", tmp_path / "no" / "such" / "folder.kif")
    assert result.code == 2
    assert "cannot be written" in result.err
