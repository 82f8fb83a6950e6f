from __future__ import annotations

import socket
import sys
from collections.abc import Iterator

import pytest

from stratagem.play.process.fork_server import fork_server


@pytest.fixture(scope="session", autouse=True)
def warm_fork_server() -> None:
    """The process that workers come from is up before the first clock runs, as it is in a player that serves."""
    if sys.platform == "linux":
        fork_server().wait()


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port at which nobody listens, and nobody else can begin to."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]
