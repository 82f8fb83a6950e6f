"""`stratagem workbench`: opens the workbench in a browser; `stratagem` alone does so where a browser is available."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Annotated

import typer

from stratagem.platform import has_screen


def workbench(
    port: Annotated[
        int | None, typer.Option(help="The port to listen on; by default any free one.", min=1, max=65535)
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 accepts other machines, for a classroom.")
    ] = "127.0.0.1",
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open the browser.")] = False,
) -> None:
    """Play, search, write rules and replay matches in the browser; everything runs on this machine."""
    from stratagem.web.app.server import serve

    serve(host, port, open_browser=not no_open)


def can_open(environment: Mapping[str, str] = os.environ, system: str | None = None) -> bool:
    """Whether this is an interactive terminal on a machine with a graphical browser and the workbench installed.

    Text browsers do not count, and over a network connection the browser would open on the other machine.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or find_spec("nicegui") is None:
        return False
    if "SSH_CONNECTION" in environment or "CI" in environment:
        return False
    if not has_screen(environment, system):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def without_command(help_text: str) -> None:
    """`stratagem` without a command: the workbench if it can be shown, otherwise the help."""
    if can_open():
        workbench()
    else:
        typer.echo(help_text)
