"""Golden texts: what a person would see, kept in tests/golden and read by a person when it changes.

``python -m tests.support.golden`` writes the texts anew; look at the difference before you keep it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.support.data import ROOT

from stratagem.gdl.findings import arranged, picture
from stratagem.gdl.parse import examine
from stratagem.gdl.text.files import read_file
from stratagem.gdl.text.syntax import Source

GOLDEN = ROOT / "tests" / "golden"


def sheets() -> Iterator[Path]:
    """The sheets whose findings are kept beside them."""
    yield from sorted(path for path in (GOLDEN / "check").iterdir() if path.suffix in (".kif", ".hrf"))


def kept(sheet: Path) -> Path:
    return sheet.with_suffix(sheet.suffix + ".txt")


def findings_text(sheet: Path) -> str:
    """All findings about a sheet, as `stratagem check --all` draws them."""
    read = read_file(sheet)
    source = Source(read.text, sheet.name, read.syntax)
    return "".join(picture(found, source) + "\n\n" for kind in arranged(examine(source)[1]) for found in kind)


if __name__ == "__main__":
    for path in sheets():
        kept(path).write_text(findings_text(path), encoding="utf-8")
