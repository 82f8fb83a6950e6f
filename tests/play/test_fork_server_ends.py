"""The fork server ends in silence when the process that it belongs to has ended, whatever was still unread."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from stratagem.play.process import fork_server

SERVE = "import sys; from stratagem.play.process.fork_server import serve; serve(int(sys.argv[1]))"
NOBODY = 0
"""The number of a child that the server does not have: it answers, and kills nothing."""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the fork server")


@pytest.mark.parametrize("read", [True, False], ids=["all answers read", "an answer unread"])
def test_the_server_ends_without_a_word(read: bool) -> None:
    ours, its = socket.socketpair()
    with its:
        command = [sys.executable, "-c", SERVE, str(its.fileno())]
        server = subprocess.Popen(command, pass_fds=[its.fileno()], stderr=subprocess.PIPE)
    ours.sendall(fork_server._packed(NOBODY))
    flags = 0 if read else socket.MSG_PEEK
    assert ours.recv(fork_server.LENGTH.size, flags) == fork_server.LENGTH.pack(0)
    ours.close()
    _, said = server.communicate()
    assert (server.returncode, said) == (0, b"")
