"""`stratagem workbench`: opens the workbench in the browser."""

from __future__ import annotations

from typing import Annotated

import typer


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
    from stratagem.web.server import serve

    serve(host, port, open_browser=not no_open)
