"""``stratagem check``: errors and warnings in rule sheets, as text or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from json import dumps
from typing import Annotated, Any

import typer

from stratagem.cli.common.arguments import Json, Sizes
from stratagem.cli.common.sheets import sheet_at
from stratagem.errors import StratagemError
from stratagem.gdl.findings import FOLDED, Finding, arranged, folded, picture
from stratagem.gdl.parse import examine
from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.text.syntax import Source
from stratagem.plural import plural

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Examined:
    """One sheet and what was found; *unreadable* says why there is no sheet at all."""

    name: str
    source: Source | None
    sheet: RuleSheet | None
    findings: tuple[Finding, ...]
    unreadable: str | None = None

    @property
    def errors(self) -> int:
        return sum(found.is_error for found in self.findings) + (self.unreadable is not None)

    @property
    def warnings(self) -> int:
        return sum(not found.is_error for found in self.findings)

    def as_json(self) -> dict[str, Any]:
        return {
            "file": self.name,
            "syntax": None if self.source is None else self.source.syntax,
            "ok": self.errors == 0,
            "roles": [] if self.sheet is None else list(self.sheet.roles),
            "rules": None if self.sheet is None else len(self.sheet.rules),
            "errors": self.errors,
            "warnings": self.warnings,
            "findings": [found.as_json() for found in self.findings],
            "unreadable": self.unreadable,
        }


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Rule sheets; - is standard input.")],
    json: Json = False,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    warnings: Annotated[bool, typer.Option(help="Show warnings too.")] = True,
    every: Annotated[
        bool, typer.Option("--all", help="Show every warning, even if there are many of one kind.")
    ] = False,
    syntax: Annotated[
        str | None, typer.Option("--from", help="kif or hrf, if the file name does not say.")
    ] = None,
    sizes: Sizes = None,
) -> None:
    """Check rule sheets against the whole GDL specification: every error and warning, with its place.

    Errors come first; many warnings of one kind are shown as one, unless --all is given. Exit code 0 if no sheet has an
    error, 2 if one has or cannot be read; with --strict warnings count as errors.
    """
    results = [_examined(name, syntax, sizes or [], warnings) for name in files]
    typer.echo(_document(results) if json else "\n\n".join(_report(result, every) for result in results))
    if len(results) > 1 and not json:
        typer.echo(f"\n{_summary('in all', results)}")
    if any(result.errors or (strict and result.warnings) for result in results):
        raise typer.Exit(2)


def _examined(name: str, syntax: str | None, sizes: Sequence[str], warnings: bool) -> Examined:
    try:
        source = sheet_at(name, syntax, sizes)
    except StratagemError as failure:
        return Examined(name, None, None, (), str(failure))
    sheet, findings = examine(source)
    kept = tuple(found for found in findings if warnings or found.is_error)
    return Examined(source.name, source, sheet, kept)


def _document(results: Sequence[Examined]) -> str:
    document = {
        "version": FORMAT_VERSION,
        "ok": all(result.errors == 0 for result in results),
        "errors": sum(result.errors for result in results),
        "warnings": sum(result.warnings for result in results),
        "files": [result.as_json() for result in results],
    }
    return dumps(document, indent=2)


def _report(result: Examined, every: bool) -> str:
    if result.unreadable is not None or result.source is None:
        return f"error: {result.unreadable}"
    drawn: list[str] = []
    for kind in arranged(result.findings):
        if every or len(kind) <= FOLDED:
            drawn += [picture(found, result.source) for found in kind]
        else:
            drawn.append(f"{folded(kind)}; --all shows each")
    return "\n\n".join([*drawn, _summary(result.name, [result])])


def _summary(name: str, results: Sequence[Examined]) -> str:
    errors = sum(result.errors for result in results)
    warnings = sum(result.warnings for result in results)
    if errors == warnings == 0:
        sheet = results[0].sheet
        rules = "" if len(results) > 1 or sheet is None else f": {len(sheet.rules)} rules and facts"
        return f"{name}: nothing to complain about{rules}"
    return f"{name}: {plural(errors, 'error')}, {plural(warnings, 'warning')}"
