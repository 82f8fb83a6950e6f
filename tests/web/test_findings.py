"""The list of findings beside the editor: errors first, many warnings of one kind folded into one."""

from __future__ import annotations

import re

from stratagem.web.pages.rules import findings_html
from stratagem.web.tasks.sheets import FINDINGS_SHOWN, Checked, check

SOUND = "(role robot) (legal robot a) (goal robot 100) (<= terminal (true q)) (init q)\n"
NEGATION = "(<= p (not p)) (<= terminal p)\n"


def checked(text: str) -> Checked:
    return check(text, "kif", (), tell=lambda sentence: None)


def spare(count: int) -> str:
    return "".join(f"(spare{number} 1)\n" for number in range(count))


def test_an_error_below_hundreds_of_warnings_is_the_first_of_the_list():
    found = checked(spare(FINDINGS_SHOWN + 50) + SOUND + NEGATION)
    assert not found.sound
    assert (found.errors, found.warnings) == (1, FINDINGS_SHOWN + 50)
    assert found.findings[0]["code"] == "GDL012"
    assert findings_html(found).startswith('<button type="button" class="finding" data-line="252">')


def test_many_warnings_of_one_kind_are_folded_and_few_are_not():
    many, few = findings_html(checked(spare(9) + SOUND)), findings_html(checked(spare(3) + SOUND))
    assert many.startswith(
        '<details><summary><span class="badge warn">9 times</span> a relation that is never used'
    )
    assert re.findall(r'data-line="(\d+)"', many) == [str(line) for line in range(1, 10)]
    assert "<details" not in few
    assert few.count('class="finding"') == 3


def test_errors_are_never_folded():
    unsafe = "".join(f"(<= (legal robot ?x{number}) (true q))\n" for number in range(9))
    assert "<details" not in findings_html(checked(SOUND + unsafe))


def test_what_is_left_out_is_counted():
    assert "… and 50 more" in findings_html(checked(spare(FINDINGS_SHOWN + 50) + SOUND))
