"""What differs between operating systems: cores, load, memory, limits, priorities, processes and signals.

Everything here answers on every system; where one cannot do what is asked, the answer says so and nothing is raised.
No other module asks which system it runs on, and a test holds that.
"""

from __future__ import annotations

import ctypes
import math
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from multiprocessing.context import SpawnContext
    from types import FrameType

GROUP: Final = Path("/sys/fs/cgroup")
MACHINE: Final = Path("/proc/meminfo")
PROBE: Final = 1 << 46
"""A limit on memory, 64 TiB, that nothing reaches: set for a moment to see whether limits can be set."""
GRACE: Final = 2
"""Seconds of computing between the signal that asks a process to end and the one that ends it."""
PARENT_DEATH_SIGNAL: Final = 1
OPEN_FILES: Final = (1 << 16, 10240)
"""Files that a process may have open at best; and where the system refuses that, as macOS does, its own most."""
BELOW_NORMAL_PRIORITY: Final = 0x4000
IDLE_PRIORITY: Final = 0x40
VERY_NICE: Final = 15


# Cores and memory


def cores() -> int:
    """How many cores this process may use, at least 1."""
    affinity = getattr(os, "sched_getaffinity", None)
    if affinity is not None:
        with suppress(OSError):
            return max(1, len(affinity(0)))
    return os.cpu_count() or 1


def load_average() -> float | None:
    """How many processes have wanted a core over the last minute; None where the system does not tell."""
    ask = getattr(os, "getloadavg", None)
    if ask is not None:
        with suppress(OSError):
            return float(ask()[0])
    return None


def load_per_core() -> float:
    """How many processes have wanted each core of the machine over the last minute; 0 where the system does not tell."""
    return (load_average() or 0.0) / (os.cpu_count() or 1)


def free_cores(most: int = 4) -> int:
    """How many threads a search may have: one for each core that was idle of late, at least 1.

    The system's mean over the last minute tells; where it tells nothing, 1.
    """
    load = load_average()
    return 1 if load is None else max(1, min(most, round(cores() - load)))


def available_memory(machine: Path = MACHINE, group: Path = GROUP) -> int | None:
    """The bytes that can still be had here and in the container; None where the system does not tell."""
    told = (_of_machine(machine), _of_group(group))
    left = [amount for amount in told if amount is not None]
    return min(left, default=None)


def _of_machine(path: Path) -> int | None:
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except OSError:
        return _of_windows() if sys.platform == "win32" else _half_of_all()
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")), None)


def _half_of_all() -> int | None:
    """Half of the machine's memory: macOS tells how much there is, and nothing simple tells how much is free."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return None


def _of_windows() -> int | None:  # pragma: no cover (Windows)
    class Status(ctypes.Structure):
        _fields_ = [
            ("length", ctypes.c_ulong),
            ("used_percent", ctypes.c_ulong),
            *(
                (name, ctypes.c_ulonglong)
                for name in ("all", "left", "page", "page_left", "space", "space_left")
            ),
            ("extended", ctypes.c_ulonglong),
        ]

    status = Status(length=ctypes.sizeof(Status))
    kernel = _kernel32()
    if kernel is None or not kernel.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status.left)


def _of_group(folder: Path) -> int | None:
    try:
        limit = (folder / "memory.max").read_text(encoding="ascii").strip()
        used = (folder / "memory.current").read_text(encoding="ascii").strip()
    except OSError:
        return None
    return max(0, int(limit) - int(used)) if limit.isdecimal() and used.isdecimal() else None


# Limits on this process


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What a process is held to by the system; None where the system cannot hold it to anything."""

    memory: int | None
    """Bytes of address space."""
    cpu_seconds: int | None
    """Seconds of computing, whatever the clock says."""


def possible_limits(memory: int, seconds: float) -> ProcessLimits:
    """The limits that `limit_memory` and `limit_cpu_time` would set here; sets none."""
    return ProcessLimits(
        _within("RLIMIT_AS", memory) if _can_limit_memory() else None,
        _within("RLIMIT_CPU", math.ceil(seconds)),
    )


def limit_memory(amount: int) -> int | None:
    """Holds this process to *amount* bytes, or to what it is held to already; None where there is no such limit."""
    return _limit("RLIMIT_AS", amount)


def limit_cpu_time(seconds: float) -> int | None:
    """Ends this process after *seconds* of computing; None where the system cannot."""
    return _limit("RLIMIT_CPU", math.ceil(seconds), grace=GRACE)


def no_core_dumps() -> None:
    """Writes no memory image when this process is ended by a signal."""
    _limit("RLIMIT_CORE", 0)


def allow_open_files() -> None:
    """Lets this process have as many files open as the system allows: shells begin with 1,024, those of macOS with 256."""
    resource = _resource()
    for amount in OPEN_FILES if resource is not None else ():
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        allowed = _smaller(resource, hard, amount)
        if soft == resource.RLIM_INFINITY or soft >= allowed:
            return
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def ran_out_of_cpu_time(status: int) -> bool:
    """Whether exit *status* of a child process says that its limit of computing time ended it."""
    return status < 0 and -status == getattr(signal, "SIGXCPU", None)


def _limit(name: str, amount: int, *, grace: int = 0) -> int | None:
    resource, allowed = _resource(), _within(name, amount)
    if resource is None or allowed is None:
        return None
    kind = getattr(resource, name)
    with suppress(ValueError, OSError):  # macOS knows RLIMIT_AS and refuses any number for it
        _, hard = resource.getrlimit(kind)
        most = hard if not grace else _smaller(resource, hard, allowed + grace)
        resource.setrlimit(kind, (allowed, most))
        return allowed
    return None


def _within(name: str, amount: int) -> int | None:
    """*amount*, or less where this process may have less; None where there is no such limit."""
    resource = _resource()
    kind = getattr(resource, name, None)
    if resource is None or kind is None:
        return None
    try:
        return _smaller(resource, resource.getrlimit(kind)[1], amount)
    except (ValueError, OSError):
        return None


def _smaller(resource: Any, limit: int, amount: int) -> int:
    return amount if limit == resource.RLIM_INFINITY else min(limit, amount)


def _can_limit_memory() -> bool:
    resource = _resource()
    kind = getattr(resource, "RLIMIT_AS", None)
    if resource is None or kind is None:
        return False
    try:
        soft, hard = resource.getrlimit(kind)
        if soft != resource.RLIM_INFINITY:
            return True
        resource.setrlimit(kind, (_smaller(resource, hard, PROBE), hard))
        resource.setrlimit(kind, (soft, hard))
    except (ValueError, OSError):
        return False
    return True


def _resource() -> Any:
    """The module `resource`; None on Windows."""
    try:
        import resource
    except ImportError:
        return None
    return resource


# Priorities and signals


def lower_priority(steps: int) -> None:
    """Lets other processes go first: *steps* as in nice(1), 0 for none."""
    if steps <= 0:
        return
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(steps)
        return
    kernel = _kernel32()
    if kernel is not None:  # pragma: no cover (Windows)
        kernel.SetPriorityClass(
            kernel.GetCurrentProcess(), IDLE_PRIORITY if steps >= VERY_NICE else BELOW_NORMAL_PRIORITY
        )


def ignore_interrupts() -> None:
    """Leaves Ctrl-C to the process in front of the person, which then ends this one."""
    with suppress(ValueError):  # only the main thread may say so
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def asked_by_ctrl_c(asked: threading.Event) -> Iterator[None]:
    """While this lasts, Ctrl-C sets *asked*, and interrupts when it comes a second time.

    Other threads than the main one cannot listen, and a process that ignores Ctrl-C goes on doing so.
    """

    def hear(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def was_killed(number: int) -> bool:
    """Whether signal *number* is the one that nothing survives."""
    return number == getattr(signal, "SIGKILL", 9)


def signal_name(number: int) -> str:
    """``SIGSEGV`` for 11."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


# Processes


def can_fork() -> bool:
    """Whether a fork server works here: fork, own sessions, and open files passed to another process.

    macOS has all three and is left out: its system libraries do not survive a fork.
    """
    return sys.platform == "linux" and all(
        hasattr(module, name)
        for module, name in ((os, "fork"), (os, "setsid"), (os, "killpg"), (socket, "send_fds"))
    )


def fresh_process_context() -> SpawnContext:
    """Every process a new Python: what all systems can do."""
    return multiprocessing.get_context("spawn")


def fork() -> int:
    """0 in the child, the child's number in the parent; OSError where there can be none. Only if `can_fork`."""
    return os.fork()


def lead_group() -> None:
    """Makes this process the first of a session and group of its own, which ends with its parent.

    Linux shares processors among sessions first (sched_autogroup), so that a session takes nothing from another. A
    process in a native call hears of its parent's end by a signal alone. Only if `can_fork`.
    """
    os.setsid()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)


def kill_group(number: int) -> None:
    """Ends process *number* and whatever it has started, where the system knows groups; one that is gone is no error."""
    if hasattr(os, "killpg"):
        try:
            os.killpg(number, signal.SIGKILL)
        except OSError:  # born this moment: not yet a group
            with suppress(OSError):
                os.kill(number, signal.SIGKILL)


def own_group() -> None:
    """Makes this process the first of a group, for `kill_group`; unlike in a session its priority counts among all others."""
    if hasattr(os, "setpgid"):
        with suppress(OSError):
            os.setpgid(0, 0)


# Surroundings


def cuda_library(system: str | None = None) -> str:
    """The name of the library of NVIDIA's driver."""
    return "nvcuda.dll" if (system or sys.platform) == "win32" else "libcuda.so.1"


def tcp_info(connection: Any, size: int) -> bytes | None:
    """The first *size* bytes of what Linux knows of a connection (``struct tcp_info``); None elsewhere."""
    if sys.platform != "linux" or connection is None:
        return None
    try:
        known: bytes = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, size)
    except OSError:
        return None
    return known if len(known) == size else None


def has_screen(environment: Mapping[str, str], system: str | None = None) -> bool:
    """Whether windows can be opened: always on macOS and Windows, elsewhere where the environment says so."""
    return (system or sys.platform) in ("darwin", "win32") or any(
        environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )


@cache
def _kernel32() -> Any:
    """Windows' own library; None elsewhere."""
    return getattr(getattr(ctypes, "windll", None), "kernel32", None)
