"""The server of the workbench: pages, security headers, start and stop.

By default it listens on the loopback interface and accepts only its own host names, so that no other page in the same
browser can talk to it. The content security policy forbids everything that does not come from this server.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Final

from stratagem.errors import MissingExtra, UsageError

try:
    import nicegui
except ImportError as missing:
    raise MissingExtra("web", needs="nicegui") from missing

from fastapi import Request, Response
from nicegui import app, background_tasks, ui
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stratagem.web.app import shell
from stratagem.web.app.limits import SHEET_CHARACTERS
from stratagem.web.workers.scheduler import Scheduler

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
RECONNECT: Final = 60.0
"""Seconds in which a page that lost its connection can reconnect to its state."""
LONGEST_BODY: Final = 4 * SHEET_CHARACTERS + 100_000
"""Bytes of a request body: a sheet and its form encoding."""
POLICY: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws: wss:; frame-src 'self'; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
)


class TooLong(Exception):
    """A request body is longer than `LONGEST_BODY`."""


class Headers:
    """Middleware that adds security headers to every response and refuses long requests."""

    def __init__(self, inner: ASGIApp) -> None:
        self.inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))
                if not any(name.lower() == b"content-security-policy" for name, _ in headers):
                    headers.append((b"content-security-policy", POLICY.encode()))
                headers.append((b"x-content-type-options", b"nosniff"))
                headers.append((b"referrer-policy", b"no-referrer"))
                message = {**message, "headers": headers}
            await send(message)

        received = 0

        async def receiving() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > LONGEST_BODY:
                raise TooLong
            return message

        if scope["type"] != "http":
            await self.inner(scope, receive, send)
        elif _announced(scope) > LONGEST_BODY:
            await Response("too long", status_code=413)(scope, receive, sending)
        else:
            with suppress(TooLong):
                await self.inner(scope, receiving, sending)


def _announced(scope: Scope) -> int:
    """The declared length of a request."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


def free_port(host: str, wanted: int | None) -> int:
    """The port *wanted* if it is free; any free port if *wanted* is None."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, wanted or 0))
        except OSError as failure:
            raise UsageError(
                f"port {wanted} of {host} cannot be used: {failure.strerror}", hint="choose another --port"
            ) from failure
        return int(probe.getsockname()[1])


def build(host: str = "127.0.0.1") -> Scheduler:
    """All pages, and the scheduler that works for them."""
    from stratagem.web.pages import start

    scheduler = Scheduler()
    shell.add_assets()
    start.register(scheduler)
    for name in PAGE_MODULES:
        module = __import__(f"stratagem.web.pages.{name}", fromlist=["register"])
        module.register(scheduler)
    app.add_middleware(Headers)
    if host in LOOPBACK:
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=[*LOOPBACK, "[::1]"])
    app.on_startup(lambda: background_tasks.create(scheduler.warm_up(), name="warm up"))
    app.timer(60, scheduler.tidy)
    app.on_shutdown(scheduler.close)
    app.get("/alive")(_alive)
    return scheduler


PAGE_MODULES: Final = ("play", "search", "rules", "matches", "learn")


def _alive(request: Request) -> Response:
    """A health check."""
    return Response("alive", media_type="text/plain")


def serve(
    host: str = "127.0.0.1", port: int | None = None, *, open_browser: bool = True, path: str = "/"
) -> None:
    """Runs the workbench until it is interrupted."""
    at = free_port(host, port)
    build(host)
    shown = f"[{host}]" if ":" in host else "127.0.0.1" if host == "0.0.0.0" else host
    print(f"The workbench is at http://{shown}:{at}{path} (stop it with Ctrl-C)", flush=True)
    ui.run(
        host=host,
        port=at,
        title="Stratagem",
        favicon="♟",
        dark=None,
        language="en-US",
        reload=False,
        show=path if open_browser else False,
        show_welcome_message=False,
        tailwind=False,
        reconnect_timeout=RECONNECT,
        binding_refresh_interval=None,
        uvicorn_logging_level="warning",
    )


__all__ = ["build", "free_port", "nicegui", "serve"]
