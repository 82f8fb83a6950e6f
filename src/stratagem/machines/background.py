"""A machine that is there at once and becomes another: joins answer while the circuit is compiled in the background.

Both are exact, so the change shows in speed alone. One thread compiles at a time, in the order of the loads; a caller that
cannot go on without the circuit waits for it, or makes it itself where compiling has not begun.
"""

from __future__ import annotations

import atexit
import queue
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from stratagem.errors import GroundingError, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Hashable

    from stratagem.circuit.circuit import Circuit
    from stratagem.circuit.compiler.budget import Left
    from stratagem.gdl.terms import Term
    from stratagem.machines.joins.machine import JoinsMachine
    from stratagem.machines.machine import Machine

T = TypeVar("T")
REMEMBERED: Final = 1 << 12
"""States of the first machine whose data in the final one are kept."""


class CircuitJob:
    """The compilation of one sheet, done once by whichever thread comes first."""

    def __init__(self, make: Callable[[Left], Circuit]) -> None:
        self._make = make
        self._turn = threading.Lock()
        self._cancelled = threading.Event()
        self.done = False
        self.circuit: Circuit | None = None
        self.refused: GroundingError | None = None
        self.after: Callable[[Circuit], None] | None = None
        """Called with the circuit when there is one."""

    def run(self) -> None:
        """Compiles, unless that is done; waits for another thread that is at it."""
        with self._turn:
            if self.done:
                return
            try:
                self.circuit = self._make(lambda: 0.0 if self._cancelled.is_set() else float("inf"))
            except GroundingError as refused:
                self.refused = refused
            if self.circuit is not None and self.after is not None:
                self.after(self.circuit)
            self.done = True

    def cancel(self) -> None:
        """Cancels the job: the circuit is no longer needed."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()


class SwappingMachine:
    """Answers by *first* until the circuit of *job* is there, then by the machine that *make* makes of it.

    Data of either machine are taken at any time. May be used from several threads.
    """

    def __init__(self, first: JoinsMachine, job: CircuitJob, make: Callable[[Circuit], Machine]) -> None:
        self.first, self.job = first, job
        self.final: Machine | None = None
        self._make = make
        self._moved: dict[bytes, Hashable] = {}
        # The job does not keep the machine alive: where the game is gone, compiling it ends.
        me = weakref.ref(self)
        job.after = lambda circuit: _swap(me(), circuit)
        weakref.finalize(self, job.cancel)

    def swap(self, circuit: Circuit) -> None:
        """The circuit is there."""
        self.final = self._make(circuit)

    @property
    def current(self) -> Machine:
        return self.first if self.final is None else self.final

    @property
    def name(self) -> str:
        return self.current.name

    def settle(self) -> Machine:
        """The machine that stays, once it is known."""
        self.job.run()
        return self.current

    def initial(self) -> Any:
        return self._first_or_final(lambda machine: machine.initial())

    def legals(self, data: Any, role: int) -> tuple[Term, ...]:
        return self._first_or_final(lambda machine: machine.legals(self._in(machine, data), role))

    def next(self, data: Any, joint: tuple[Term, ...]) -> Any:
        return self._first_or_final(lambda machine: machine.next(self._in(machine, data), joint))

    def terminal(self, data: Any) -> bool:
        return self._first_or_final(lambda machine: machine.terminal(self._in(machine, data)))

    def goal(self, data: Any, role: int) -> int | None:
        return self._first_or_final(lambda machine: machine.goal(self._in(machine, data), role))

    def facts(self, data: Any) -> frozenset[Term]:
        machine = self.first if isinstance(data, bytes) or self.final is None else self.final
        return machine.facts(data)

    def from_facts(self, facts: frozenset[Term]) -> Any:
        return self.current.from_facts(facts)

    def _first_or_final(self, ask: Callable[[Machine], T]) -> T:
        """An answer; where the first machine hits a limit, the final one is waited for."""
        machine = self.current
        try:
            return ask(machine)
        except LimitExceeded:
            if machine is not self.first or self.settle() is self.first:
                raise
            return ask(self.current)

    def _in(self, machine: Machine, data: Any) -> Any:
        """*data* as *machine* has them."""
        if machine is self.first or not isinstance(data, bytes):
            return data
        moved = self._moved.get(data)
        if moved is None:
            if len(self._moved) >= REMEMBERED:
                self._moved.clear()
            moved = self._moved[data] = machine.from_facts(self.first.facts(data))
        return moved


def _swap(machine: SwappingMachine | None, circuit: Circuit) -> None:
    if machine is not None:
        machine.swap(circuit)


_waiting: queue.SimpleQueue[weakref.ref[CircuitJob] | None] = queue.SimpleQueue()
_running: list[CircuitJob] = []
_lock = threading.Lock()
_thread: threading.Thread | None = None
_ending = threading.Event()


def compile_in_background(job: CircuitJob) -> None:
    """Has a job done by the one thread for it, unless it has been cancelled when its turn comes."""
    global _thread
    with _lock:
        _waiting.put(weakref.ref(job))
        if _thread is None:
            _thread = threading.Thread(target=_work, name="stratagem-grounder", daemon=True)
            _thread.start()
            atexit.register(_end)


def _work() -> None:
    while not _ending.is_set():
        reference = _waiting.get()
        job = None if reference is None else reference()
        if job is None or job.cancelled:
            continue
        _running[:] = [job]
        del reference
        try:
            job.run()
        except Exception:  # the caller that needs the circuit tries again and is told
            pass
        finally:
            _running.clear()
            del job


def _end() -> None:
    """The end of the program ends the child process that compiles."""
    _ending.set()
    for job in list(_running):
        job.cancel()
    _waiting.put(None)
    if _thread is not None:
        _thread.join()
