"""What the checker says about real sheets, beside what the field's reference says: docs/checker-on-the-corpus.md.

``python -m benchmarks.checker_table [CORPUS]`` prints the page; a test holds the page in docs/ equal to it.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from stratagem.gdl.codes import CODES
from stratagem.gdl.findings import Finding
from stratagem.gdl.parse import examine
from stratagem.gdl.text.files import read_file

ROOT = Path(__file__).resolve().parents[1]
COMMONEST = "GDL102"


def page(corpus: Path) -> str:
    """The whole page in Markdown."""
    games = {path.stem: examine(read_file(path))[1] for path in sorted((corpus / "games").glob("*.kif"))}
    return "\n".join([*_opening(games), *_by_code(games), *_by_game(games), *_by_reference(corpus)]) + "\n"


def _opening(games: dict[str, tuple[Finding, ...]]) -> Iterator[str]:
    refused = sum(any(found.is_error for found in findings) for findings in games.values())
    silent = sum(not findings for findings in games.values())
    yield "# The checker on the corpus"
    yield ""
    yield "Written by `python -m benchmarks.checker_table`; [what the checker says](errors.md) explains the codes."
    yield ""
    yield "## Sheets of the field"
    yield ""
    yield (
        f"{len(games)} sheets of the public game repository, as people wrote them: {refused} refused, {silent} without "
        f"any finding, {len(games) - refused - silent} with warnings alone."
    )
    yield ""


def _by_code(games: dict[str, tuple[Finding, ...]]) -> Iterator[str]:
    times = Counter(found.code for findings in games.values() for found in findings)
    sheets = Counter(code for findings in games.values() for code in {found.code for found in findings})
    yield "| code | finding | times | sheets |"
    yield "|---|---|--:|--:|"
    for code in sorted(times):
        yield f"| {code} | {CODES[code]} | {times[code]:,} | {sheets[code]} |"
    yield ""
    yield "No sheet leads to any other finding."
    yield ""


def _by_game(games: dict[str, tuple[Finding, ...]]) -> Iterator[str]:
    yield f"Every sheet with a finding other than {COMMONEST}:"
    yield ""
    yield "| sheet | findings |"
    yield "|---|---|"
    for name, findings in games.items():
        codes = Counter(found.code for found in findings if found.code != COMMONEST)
        if codes:
            yield f"| {name} | {_listed(codes)} |"
    yield ""


def _by_reference(corpus: Path) -> Iterator[str]:
    folder = corpus / "edge" / "validator"
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    yield "## Sheets made to be wrong"
    yield ""
    yield "Each has one thing wrong with it. The reference is the validator of GGP-Base; a sheet in **bold** is one that"
    yield "the two judge differently, and [decision 2](decisions/0002-where-the-checker-differs.md) gives the reasons."
    yield ""
    yield "| sheet | the reference | here | findings |"
    yield "|---|---|---|---|"
    for line in lines:
        result = json.loads(line)
        sheet, findings = examine(read_file(folder / f"{result['file']}.kif"))
        theirs = _verdict(bool(result.get("errors", True)), bool(result.get("warnings")))
        ours = _verdict(sheet is None, bool(findings))
        name = result["file"] if (theirs == "rejects") == (ours == "rejects") else f"**{result['file']}**"
        yield f"| {name} | {theirs} | {ours} | {_listed(Counter(found.code for found in findings))} |"


def _verdict(rejected: bool, remarks: bool) -> str:
    return "rejects" if rejected else "warns" if remarks else "accepts"


def _listed(codes: Counter[str]) -> str:
    return ", ".join(code if times == 1 else f"{code} ({times})" for code, times in sorted(codes.items()))


if __name__ == "__main__":
    place = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("STRATAGEM_CORPUS")
    sys.stdout.write(page(Path(place or ROOT.parent / "shared" / "corpus")))
