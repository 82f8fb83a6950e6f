"""The executor of a Ray cluster: tasks and actors are Ray's, with its scheduling, object store and fault handling."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final, TypeVar

from stratagem import __version__
from stratagem.cache import source_digest
from stratagem.errors import LimitExceeded, MissingExtra, UsageError
from stratagem.executor.interface import FAILED, Pending, WorkerLost, answer_of
from stratagem.executor.mapping import TaskMapping

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
try:
    import ray
except ImportError as missing:
    raise MissingExtra("cluster", needs="ray") from missing
from ray.exceptions import (
    GetTimeoutError,
    NodeDiedError,
    RayError,
    TaskCancelledError,
    TaskUnschedulableError,
)
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

Found = TypeVar("Found")
RETRIES: Final = 3
"""How often Ray runs a task again whose worker or node is lost."""
CALLS_AT_ONCE: Final = 4
"""Calls of one actor that run at the same time: one that works, and others that take in what others send."""
IDLE: Final = 2.0
"""Seconds that the process of an actor is kept after its end, for another one."""
LOOKING: Final = 60.0
"""Seconds that a node may take to say which version it has."""
KNOCKING: Final = 10.0
"""Seconds that a cluster has to accept a connection."""
ENVIRONMENT: Final = ("STRATAGEM_CACHE",)
FIRST: Final = 1
"""The number of the first object of a process."""
ENDED: Final = (FAILED, WorkerLost("the actor has ended"))


class RayExecutor(TaskMapping):
    """Tasks and actors on a Ray cluster; *address* is Ray's, None for the one at hand or a new one."""

    def __init__(self, address: str | None = None) -> None:
        self._ours = not ray.is_initialized()
        self._address = address
        self._largest = 0.0
        if self._ours:
            _connect(address)
        self._run: Any = ray.remote(run_task)
        self._hosts = RayHosts()
        try:
            check_versions(version_here())
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> RayExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        return self._address or "ray"

    @property
    def cores(self) -> int:
        resources: Any = ray.cluster_resources()
        return max(1, int(resources.get("CPU", 1)))

    def submit(self, task: Callable[..., Found], *arguments: Any, cores: float = 1) -> Pending[Found]:
        """Runs a *task*, as `Executor.submit` says; refuses one that no node has cores enough for."""
        if cores > self._largest and cores > self._look_for_largest():
            raise UsageError(
                f"no node of the cluster has {cores:g} cores; the largest has {self._largest:g}",
                hint="ask for fewer: --cores",
            )
        self._hosts.end_idle()
        options = self._run.options(num_cpus=cores, max_retries=RETRIES, scheduling_strategy="SPREAD")
        return _pending(options.remote(task, arguments))

    def _look_for_largest(self) -> float:
        """The cores of the largest node at present."""
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        self._largest = max((float(resources.get("CPU", 0)) for resources in nodes), default=0.0)
        return self._largest

    def actor(self, kind: Callable[..., Any], *arguments: Any, cores: float = 1) -> RayActor:
        """A new actor, as `Executor.actor` says."""
        handle, generation = self._hosts.take(kind, arguments, cores)
        return RayActor(handle, generation, lambda: self._hosts.put_back(handle, generation, cores))

    def close(self) -> None:
        """Leaves the cluster, which ends what still runs for us."""
        self._hosts.end_idle()
        if self._ours:
            ray.shutdown()


class RayActor:
    """An actor on the cluster: object number *generation* of a process.

    *put_back* gives it up and keeps the process, where it was started from here.
    """

    def __init__(self, handle: Any, generation: int, put_back: Callable[[], None] | None = None) -> None:
        self.handle, self.generation, self._put_back = handle, generation, put_back

    def __reduce__(self) -> tuple[object, ...]:
        return RayActor, (self.handle, self.generation)

    def call(self, method: str, *arguments: Any) -> Pending[Any]:
        """Calls a method, as `Actor.call` says."""
        try:
            return _pending(self.handle.call.remote(self.generation, method, arguments))
        except RayError as fault:
            pending: Pending[Any] = Pending()
            pending.settle(FAILED, _lost(fault))
            return pending

    def kill(self) -> None:
        """Ends its process."""
        _kill(self.handle)

    def release(self) -> None:
        """Ends the object; its process is there for the next actor, for a while."""
        if self._put_back is None:
            self.kill()
        else:
            self._put_back()


class RayHosts:
    """The processes of actors. One whose actor has ended keeps its cores for some seconds, as a new one takes half a second."""

    def __init__(self) -> None:
        self._host: Any = ray.remote(ActorHost)
        self._idle: list[tuple[float, Any, int]] = []
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def take(self, kind: Callable[..., Any], arguments: tuple[Any, ...], cores: float) -> tuple[Any, int]:
        """A process with the object that *kind* makes of *arguments*: an idle one with so many *cores*, or a new one.

        And which of its objects that is.
        """
        with self._lock:
            for place, (held, handle, generation) in enumerate(self._idle):
                if held == cores:
                    del self._idle[place]
                    with suppress(RayError):  # one that was lost meanwhile says so when it is called
                        handle.make.remote(generation + 1, kind, arguments)
                    return handle, generation + 1
        self.end_idle()  # their cores may be needed
        options = self._host.options(
            num_cpus=cores, max_concurrency=CALLS_AT_ONCE, max_restarts=0, scheduling_strategy="SPREAD"
        )
        return options.remote(kind, arguments), FIRST

    def put_back(self, handle: Any, generation: int, cores: float) -> None:
        """Keeps the process of an actor that has ended."""
        with suppress(RayError):
            handle.end.remote(generation)
        with self._lock:
            self._idle.append((cores, handle, generation))
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(IDLE, self.end_idle)
            self._timer.daemon = True
            self._timer.start()

    def end_idle(self) -> None:
        """Ends all processes that have no actor."""
        with self._lock:
            idle, self._idle = self._idle, []
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        for _, handle, _ in idle:
            _kill(handle)


class ActorHost:
    """What runs in the process of an actor: its objects, one after the other, and their calls.

    Calls run in threads and may overtake each other, so each says which object it is meant for.
    """

    def __init__(self, kind: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.changed = threading.Condition()
        self.generation = 0
        self.make(FIRST, kind, arguments)

    def make(self, generation: int, kind: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Makes object number *generation*; calls of it that come meanwhile wait."""
        made = answer_of(kind, arguments)
        with self.changed:
            self.generation, self.made = generation, made
            self.changed.notify_all()

    def end(self, generation: int) -> None:
        """Gives an object up."""
        with self.changed:
            if self.generation == generation:
                self.made = ENDED

    def call(self, generation: int, method: str, arguments: tuple[Any, ...]) -> tuple[str, Any]:
        with self.changed:
            self.changed.wait_for(lambda: self.generation >= generation)
            made = self.made if self.generation == generation else ENDED
        return made if made[0] == FAILED else answer_of(getattr(made[1], method), arguments)


def _kill(handle: Any) -> None:
    with suppress(RayError, ValueError):
        ray.kill(handle)


def run_task(task: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, Any]:
    """What runs in the process of a task."""
    return answer_of(task, arguments)


def _pending(reference: Any) -> Pending[Any]:
    def abandon() -> None:
        with suppress(RayError, ValueError, TypeError):
            ray.cancel(reference, force=False, recursive=True)

    pending: Pending[Any] = Pending(abandon)

    def settle(answered: Future[Any]) -> None:
        try:
            pending.settle(*answered.result())
        except RayError as fault:
            pending.settle(FAILED, _lost(fault))
        except Exception as fault:
            pending.settle(FAILED, fault)

    reference.future().add_done_callback(settle)
    return pending


def _lost(fault: RayError) -> WorkerLost:
    if isinstance(fault, TaskCancelledError):
        return WorkerLost("a task on the cluster was cancelled")
    return WorkerLost(
        f"a worker of the cluster ended before it returned a result ({type(fault).__name__})",
        hint="was its process or node killed, or did it run out of memory?",
    )


def _unreachable(address: str | None) -> LimitExceeded:
    return LimitExceeded(
        f"the Ray cluster at {address or 'ray'} cannot be reached",
        hint="is it running (ray status), and is that its address?",
    )


def _knock(address: str) -> None:
    """Refuses an address at which nothing listens; Ray would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host, int(port)), KNOCKING).close()
    except (OSError, ValueError, OverflowError) as fault:
        raise _unreachable(address) from fault


def _connect(address: str | None) -> None:
    named = address or os.environ.get("RAY_ADDRESS", "")
    if ":" in named:
        _knock(named)
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    variables = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    try:
        if address is None:
            quiet["include_dashboard"] = False if "RAY_ADDRESS" not in os.environ else None
        _begin(address, runtime_env={"env_vars": variables}, **quiet)
    except (ConnectionError, TimeoutError, RuntimeError, ValueError, OSError, AssertionError) as fault:
        reason = str(fault).strip().splitlines()
        if "version" in str(fault).lower() and "mismatch" in str(fault).lower():
            raise UsageError(
                f"the cluster at {address or 'ray'} runs other versions of Python or Ray: {reason[0]}",
                hint="install the same versions on all machines",
            ) from fault
        raise _unreachable(named or None) from fault


def _begin(address: str | None, **options: Any) -> None:
    """`ray.init`, a second time where the cluster was there but could not start the server of this client.

    Ray forks that server from a process with threads, and sometimes the new process waits for ever.
    """
    try:
        ray.init(address, **options)
    except ConnectionAbortedError:
        ray.init(address, **options)


def version_here() -> tuple[str, str, str]:
    """What must be the same on all nodes: the version of Stratagem, a hash of its source, and Python's version."""
    python = ".".join(map(str, sys.version_info[:2]))
    return __version__, source_digest("").hex()[:12], python


def check_versions(ours: tuple[str, str, str]) -> None:
    """Refuses a cluster with a node whose version is not *ours*; nodes that leave it meanwhile are passed over."""
    look: Any = ray.remote(version_here)
    asked = []
    for node in ray.nodes():
        if node["Alive"]:
            there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            options = look.options(num_cpus=0, scheduling_strategy=there)
            asked.append((node["NodeManagerAddress"], options.remote()))
    for address, reference in asked:
        try:
            theirs = tuple(ray.get(reference, timeout=LOOKING))
        except GetTimeoutError as fault:
            raise LimitExceeded(
                f"the node at {address} does not answer", hint="look at it with: ray status"
            ) from fault
        except (NodeDiedError, TaskUnschedulableError):  # it asks for no core, so nothing else is in its way
            continue
        except RayError as fault:
            raise UsageError(
                f"Stratagem cannot be used on the node at {address}: {type(fault).__name__}",
                hint="install the same version on all machines",
            ) from fault
        if theirs != ours:
            raise UsageError(
                f"the node at {address} has Stratagem {theirs[0]} ({theirs[1]}) on Python {theirs[2]}, "
                f"and this machine has {ours[0]} ({ours[1]}) on Python {ours[2]}",
                hint="install the same version on all machines",
            )
