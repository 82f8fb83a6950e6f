"""The worker processes of one timed player: spawned with the first command, replaced when they die or hang.

A worker spawned in the middle of a match first gets `BeginMatch`; the next command carries all reports so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from stratagem.errors import LimitExceeded
from stratagem.play.clock import Clock
from stratagem.play.process.pending_worker import Hear, SpawnedWorker
from stratagem.play.process.protocol import BeginMatch, Command, Notification, Ready, Report, ReportUpdate
from stratagem.play.process.turn import Source
from stratagem.play.process.worker import WorkerConfig

REPLACEMENTS: Final = 2
Spawn = Callable[[WorkerConfig, Hear], SpawnedWorker]


class WorkerPair:
    """*hear* is called, from other threads, with what the workers send; None: that worker has ended."""

    def __init__(
        self,
        configs: dict[Source, WorkerConfig],
        spawn: Spawn,
        hear: Callable[[Source, int, Notification | None], None],
        *,
        clock: Clock,
        log: Callable[[str], None],
    ) -> None:
        self.begin: BeginMatch | None = None
        self.ready: dict[Source, Ready | None] = dict.fromkeys(configs)
        self._configs = configs
        self._spawn = spawn
        self._hear = hear
        self._clock = clock
        self._log = log
        self._workers: dict[Source, SpawnedWorker | None] = dict.fromkeys(configs)
        self._spawned: dict[Source, int] = dict.fromkeys(configs, 0)
        self._current: dict[Source, int] = dict.fromkeys(configs, 0)
        self._told: dict[Source, int] = dict.fromkeys(configs, 0)

    def start(self, begin: BeginMatch) -> None:
        """Begins a match in both workers."""
        self.begin = begin
        for who in self._workers:
            self.send(who, begin)

    def lives(self, who: Source) -> bool:
        return self._workers[who] is not None

    def is_current(self, who: Source, number: int) -> bool:
        """Whether worker *number* is the present one, and not one that has been replaced."""
        return number == self._current[who]

    def send(self, who: Source, command: Command) -> None:
        """Sends *command* to a worker; spawns the worker first where there is none."""
        worker = self._workers[who]
        if worker is None and self.may_spawn(who):
            worker = self._spawn_one(who)
            if worker is not None and self.begin is not None and command is not self.begin:
                worker.send(replace(self.begin, deadline=self._clock.now()))
        if worker is not None:
            worker.send(command)

    def update(self, who: Source, reports: tuple[Report, ...]) -> ReportUpdate:
        """What *who* has not got yet of *reports*; to be sent at once."""
        if self._workers[who] is None:
            self._told[who] = 0
        kept, self._told[who] = self._told[who], len(reports)
        return ReportUpdate(kept, reports[kept:])

    def forget(self) -> None:
        """All reports are to be sent again: the match went back."""
        self._told = dict.fromkeys(self._told, 0)

    def may_spawn(self, who: Source) -> bool:
        return self._spawned[who] <= REPLACEMENTS

    def kill(self, who: Source) -> None:
        """Kills one worker at once."""
        worker, self._workers[who], self.ready[who] = self._workers[who], None, None
        self._current[who] = self._told[who] = 0
        if worker is not None:
            worker.kill()

    def kill_all(self) -> None:
        for who in self._workers:
            self.kill(who)

    def _spawn_one(self, who: Source) -> SpawnedWorker | None:
        self._spawned[who] += 1
        number = self._current[who] = self._spawned[who]
        try:
            self._workers[who] = self._spawn(
                self._configs[who], lambda notification: self._hear(who, number, notification)
            )
        except LimitExceeded as failure:
            self._log(str(failure))
        return self._workers[who]
