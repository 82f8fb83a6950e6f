"""The fork server ends in silence when the process that it belongs to has ended, whatever was unread or not yet answered."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from stratagem.cluster.local_worker import run_tasks
from stratagem.play.process import fork_server

SERVE = "import sys; from stratagem.play.process.fork_server import serve; serve(int(sys.argv[1]))"
NOBODY = 0
"""The number of a child that the server does not have: it answers, and kills nothing."""
PATIENCE = 60.0
MANY = 1024
"""The first number of a file that select() does not take."""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the fork server")


def server_at(its: socket.socket) -> subprocess.Popen[bytes]:
    """A fork server at its end of a pair of sockets, which is closed here."""
    with its:
        command = [sys.executable, "-c", SERVE, str(its.fileno())]
        return subprocess.Popen(command, pass_fds=[its.fileno()], stderr=subprocess.PIPE)


def ends_in_silence(server: subprocess.Popen[bytes]) -> bool:
    _, said = server.communicate(timeout=PATIENCE)
    return (server.returncode, said) == (0, b"")


@pytest.mark.parametrize("read", [True, False], ids=["all answers read", "an answer unread"])
def test_the_server_ends_without_a_word(read: bool) -> None:
    ours, its = socket.socketpair()
    server = server_at(its)
    ours.sendall(fork_server._packed(NOBODY))
    flags = 0 if read else socket.MSG_PEEK
    assert ours.recv(fork_server.LENGTH.size, flags) == fork_server.LENGTH.pack(0)
    ours.close()
    assert ends_in_silence(server)


@pytest.mark.parametrize("length", [2, 6, None], ids=["a part of its length", "a part of it", "all of it"])
def test_the_server_ends_without_a_word_when_nobody_waits_for_an_answer(length: int | None) -> None:
    ours, its = socket.socketpair()
    ours.sendall(fork_server._packed(NOBODY)[:length])
    ours.close()
    assert ends_in_silence(server_at(its))


def test_a_worker_that_nobody_waits_for_any_more_is_ended() -> None:
    ours, its = socket.socketpair()
    pipe, workers = socket.socketpair()
    pipe.settimeout(PATIENCE)
    with workers:
        request = fork_server.SpawnRequest(run_tasks, None, own_session=False)
        socket.send_fds(ours, [fork_server._packed(request)], [workers.fileno()])
        ours.close()
        server = server_at(its)
    with pipe:
        assert pipe.recv(1) == b""  # the worker itself would wait here for a task
    assert ends_in_silence(server)


def test_the_server_serves_a_process_with_more_than_a_thousand_open_files() -> None:
    fcntl, resource = pytest.importorskip("fcntl"), pytest.importorskip("resource")
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] <= MANY:
        pytest.skip("this process may not have so many files open")
    ours, its = socket.socketpair()
    with its:
        high = socket.socket(fileno=fcntl.fcntl(its, fcntl.F_DUPFD, MANY))
    server = server_at(high)
    ours.settimeout(PATIENCE)
    ours.sendall(fork_server._packed(NOBODY))
    assert ours.recv(fork_server.LENGTH.size) == fork_server.LENGTH.pack(0)
    ours.close()
    assert ends_in_silence(server)
