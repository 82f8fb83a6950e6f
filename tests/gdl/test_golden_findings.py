"""What a person sees, word for word; ``python -m tests.support.golden`` writes the texts anew."""

from __future__ import annotations

import pytest
from tests.support.golden import findings_text, kept, sheets

from stratagem.gdl.codes import CODES
from stratagem.gdl.parse import examine
from stratagem.gdl.text.files import read_file

SHEETS = list(sheets())


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_the_findings_read_as_they_did(sheet):
    assert findings_text(sheet) == kept(sheet).read_text(encoding="utf-8")


def test_the_golden_sheets_lead_to_nearly_every_finding_there_is():
    seen = {found.code for sheet in SHEETS for found in examine(read_file(sheet))[1]}
    assert set(CODES) - seen == {"GDL008", "GDL019", "GDL025", "GDL026"}


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_findings_come_in_the_order_of_the_text(sheet):
    places = [(found.place.line, found.place.column) for found in examine(read_file(sheet))[1]]
    assert places == sorted(places)
