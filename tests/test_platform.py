"""One module knows what differs between systems; the rest runs on a system that has none of it."""

from __future__ import annotations

import ast
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import stratagem
from stratagem import platform

PACKAGE = Path(stratagem.__file__).parent
MODULES = {"resource", "signal", "fcntl", "pwd", "winreg", "msvcrt"}
NAMES = {
    "os": {
        *("sched_getaffinity", "cpu_count", "process_cpu_count", "getloadavg", "nice", "fork", "setsid"),
        *("killpg", "kill", "name", "sysconf", "getuid", "geteuid", "uname"),
    },
    "sys": {"platform", "getwindowsversion"},
    "multiprocessing": {"get_context", "set_start_method", "cpu_count"},
}


def asked_of_the_system(path: Path) -> list[str]:
    """The lines of *path* that use what only some systems have."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [
                f"{node.lineno}: import {name.name}"
                for name in node.names
                if name.name.partition(".")[0] in MODULES
            ]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            taken = {name.name for name in node.names} & NAMES.get(node.module, set())
            if node.module in MODULES or taken:
                found.append(f"{node.lineno}: from {node.module} import {', '.join(sorted(taken))}")
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in NAMES.get(node.value.id, set()):
                found.append(f"{node.lineno}: {node.value.id}.{node.attr}")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value.startswith(("/proc/", "/sys/")):
                found.append(f"{node.lineno}: {node.value}")
    return found


def test_no_other_module_asks_which_system_it_runs_on():
    files = [path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "platform.py"]
    asked = {
        path.relative_to(PACKAGE).as_posix(): found for path in files if (found := asked_of_the_system(path))
    }
    assert asked == {}


def test_the_search_for_such_questions_finds_them(tmp_path):
    sample = tmp_path / "sample.py"
    sample.write_text("import os, resource\nfrom signal import SIGINT\nos.fork()\nopen('/proc/meminfo')\n")
    assert [line.partition(":")[0] for line in asked_of_the_system(sample)] == ["1", "2", "3", "4"]


def test_cores_are_counted_with_and_without_an_affinity(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0, 3, 5}, raising=False)
    assert platform.cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert platform.cores() == 8
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert platform.cores() == 1


def test_a_system_that_tells_no_load_has_none(monkeypatch):
    monkeypatch.setattr(os, "getloadavg", lambda: (6.0, 0.0, 0.0), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert (platform.load_average(), platform.load_per_core()) == (6.0, 1.5)
    monkeypatch.delattr(os, "getloadavg")
    assert (platform.load_average(), platform.load_per_core()) == (None, 0.0)


def test_memory_is_what_the_machine_or_the_container_has_left(tmp_path):
    machine = tmp_path / "meminfo"
    machine.write_text("MemTotal: 100 kB\nMemAvailable: 64 kB\n")
    assert platform.available_memory(machine, tmp_path / "none") == 64 << 10
    (tmp_path / "memory.max").write_text("50000\n")
    (tmp_path / "memory.current").write_text("20000\n")
    assert platform.available_memory(machine, tmp_path) == 30_000
    (tmp_path / "memory.max").write_text("max\n")
    assert platform.available_memory(machine, tmp_path) == 64 << 10


def test_without_meminfo_half_of_the_memory_is_taken_to_be_free(tmp_path, monkeypatch):
    monkeypatch.setattr(platform.sys, "platform", "darwin")
    pages = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__, raising=False)
    assert platform.available_memory(tmp_path / "none", tmp_path / "none") == 1000 * 4096 // 2
    monkeypatch.delattr(os, "sysconf")
    assert platform.available_memory(tmp_path / "none", tmp_path / "none") is None


def resource_of(limits: dict[int, tuple[int, int]], refused: int | None = None) -> SimpleNamespace:
    """The module `resource` of a system with these *limits*, which takes no number for limit *refused*."""

    def setrlimit(kind: int, both: tuple[int, int]) -> None:
        soft, hard = both
        if kind == refused and soft != -1:
            raise ValueError("current limit exceeds maximum limit")
        allowed = limits[kind][1]
        if allowed != -1 and (hard == -1 or hard > allowed):
            raise ValueError("not allowed to raise maximum limit")
        if hard != -1 and (soft == -1 or soft > hard):
            raise ValueError("current limit exceeds maximum limit")
        limits[kind] = both

    return SimpleNamespace(
        RLIM_INFINITY=-1,
        RLIMIT_AS=9,
        RLIMIT_CPU=0,
        RLIMIT_CORE=4,
        RLIMIT_NOFILE=7,
        getrlimit=limits.__getitem__,
        setrlimit=setrlimit,
    )


@pytest.fixture
def limits() -> dict[int, tuple[int, int]]:
    return {9: (-1, -1), 0: (-1, -1), 4: (-1, -1)}


def test_limits_are_set_and_said(monkeypatch, limits):
    monkeypatch.setitem(sys.modules, "resource", resource_of(limits))
    assert platform.possible_limits(1 << 30, 2.5) == platform.ProcessLimits(1 << 30, 3)
    assert limits == {9: (-1, -1), 0: (-1, -1), 4: (-1, -1)}  # only asked
    assert platform.limit_memory(1 << 30) == 1 << 30
    assert platform.limit_cpu_time(2.5) == 3
    platform.no_core_dumps()
    assert limits == {9: (1 << 30, -1), 0: (3, 5), 4: (0, -1)}


def test_a_hard_limit_below_is_kept_and_said(monkeypatch, limits):
    limits[9] = limits[0] = (1000, 1000)
    monkeypatch.setitem(sys.modules, "resource", resource_of(limits))
    assert platform.possible_limits(1 << 30, 2000) == platform.ProcessLimits(1000, 1000)
    assert (platform.limit_memory(1 << 30), platform.limit_cpu_time(2000)) == (1000, 1000)
    assert limits[9] == limits[0] == (1000, 1000)


def test_macos_refuses_limits_on_memory_and_nothing_is_raised(monkeypatch, limits):
    monkeypatch.setitem(sys.modules, "resource", resource_of(limits, refused=9))
    assert platform.possible_limits(1 << 30, 2) == platform.ProcessLimits(None, 2)
    assert platform.limit_memory(1 << 30) is None
    assert limits[9] == (-1, -1)


@pytest.mark.parametrize(
    ("before", "most", "after"),
    [
        ((1024, 4096), -1, 4096),
        ((1024, 1 << 20), -1, 1 << 16),
        ((256, -1), 10240, 10240),
        ((1 << 17, 1 << 20), -1, 1 << 17),
        ((-1, -1), -1, -1),
    ],
    ids=["a low hard limit", "a high one", "macOS", "more than enough", "none"],
)
def test_as_many_files_may_be_open_as_the_system_allows(monkeypatch, before, most, after):
    limits = {7: before}
    system = resource_of(limits)
    allowed = system.setrlimit

    def setrlimit(kind, both):
        if -1 < most < both[0]:
            raise ValueError("current limit exceeds maximum limit")
        allowed(kind, both)

    system.setrlimit = setrlimit
    monkeypatch.setitem(sys.modules, "resource", system)
    platform.allow_open_files()
    assert limits[7] == (after, before[1])


def test_windows_has_no_limits_and_nothing_is_raised(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)
    assert platform.possible_limits(1 << 30, 2) == platform.ProcessLimits(None, None)
    assert (platform.limit_memory(1 << 30), platform.limit_cpu_time(2)) == (None, None)
    platform.no_core_dumps()
    platform.allow_open_files()


def test_where_processes_cannot_be_forked_each_is_a_fresh_one(monkeypatch):
    if sys.platform == "linux":
        assert platform.can_fork()
    monkeypatch.delattr(os, "fork", raising=False)
    assert not platform.can_fork()
    assert platform.fresh_process_context().get_start_method() == "spawn"


def test_priorities_are_lowered_where_there_are_any(monkeypatch):
    asked: list[int] = []
    monkeypatch.setattr(os, "nice", asked.append, raising=False)
    platform.lower_priority(5)
    platform.lower_priority(0)
    assert asked == [5]
    monkeypatch.delattr(os, "nice")
    platform.lower_priority(5)


def test_signals_have_names():
    assert platform.signal_name(int(signal.SIGTERM)) == "SIGTERM"
    assert platform.signal_name(4711) == "signal 4711"
    assert platform.was_killed(9)
    assert not platform.ran_out_of_cpu_time(-9)
    assert not platform.ran_out_of_cpu_time(3)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of its connections")
def test_what_is_no_tcp_connection_tells_nothing():
    import socket

    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert platform.tcp_info(ours, 8) is None
    assert platform.tcp_info(None, 8) is None


@pytest.mark.parametrize(
    ("environment", "system", "screen"),
    [({}, "darwin", True), ({}, "win32", True), ({}, "linux", False), ({"DISPLAY": ":0"}, "linux", True)],
)
def test_a_screen_is_known_by_system_and_environment(environment, system, screen):
    assert platform.has_screen(environment, system) is screen
