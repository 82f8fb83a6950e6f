"""docs/errors.md: a section for every code, and examples that do what they say."""

from __future__ import annotations

import re

import pytest
from tests.support.data import ROOT

from stratagem.gdl.codes import CODES
from stratagem.gdl.parse import examine
from stratagem.gdl.text.syntax import Source

PAGE = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
SECTION = re.compile(r"^## (GDL\d{3}): (.*)\n((?:(?!^#).*\n)*)", re.MULTILINE)
BLOCK = re.compile(r"```(kif|hrf)\n(.*?)```", re.DOTALL)
SECTIONS = [(code, title, BLOCK.findall(body)) for code, title, body in SECTION.findall(PAGE)]


def test_every_code_has_a_section_with_its_title_in_the_order_of_the_codes():
    assert [(code, title) for code, title, _ in SECTIONS] == list(CODES.items())


@pytest.mark.parametrize(("code", "title", "blocks"), SECTIONS, ids=[code for code, _, _ in SECTIONS])
def test_the_first_example_leads_to_the_finding_and_the_second_does_not(code, title, blocks):
    wrong, right = (_codes(text, syntax) for syntax, text in blocks)
    assert code in wrong
    assert code not in right


def _codes(text: str, syntax: str) -> set[str]:
    return {found.code for found in examine(Source(text, "page", syntax))[1]}
