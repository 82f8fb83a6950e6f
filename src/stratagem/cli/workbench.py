"""`stratagem workbench`: opens the workbench in the browser; so does `stratagem` alone where there is one to open."""

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
        int | None, typer.Option(help="The port to listen on; any free one unless given.", min=1, max=65535)
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 lets a whole classroom in.")
    ] = "127.0.0.1",
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open the browser.")] = False,
) -> None:
    """Play, search, write rules and replay matches in the browser; everything runs on this machine."""
    from stratagem.web.app.server import serve

    serve(host, port, open_browser=not no_open)


def can_open(environment: Mapping[str, str] = os.environ, system: str | None = None) -> bool:
    """Whether somebody sits at this terminal, on a machine that can show a page, with the workbench installed.

    A browser that runs in the terminal itself is none; over a network connection the browser would open far away.
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
    """What `stratagem` does where it is told nothing: the workbench if it can be seen, or else the help."""
    if can_open():
        workbench()
    else:
        typer.echo(help_text)
