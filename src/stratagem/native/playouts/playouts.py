"""Random matches: how they end, how long they are, and which first move ends best (flat Monte Carlo).

Every role makes a uniformly random legal move at every step. Matches are dealt out to numbered words of 64 lanes, each
with a generator and a quota of its own, so the result for a seed does not depend on threads, width or tier; every
match that begins is played to its end, so short ones are not favoured. A role that has no goal where a match ends, a
match without a legal move and a match longer than the limit are counted apart, never dropped.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol, SupportsIndex, TypeAlias

import numpy as np

from stratagem.circuit.circuit import Circuit
from stratagem.errors import UsageError
from stratagem.native.packing import ones, packed, truth_of, words_of
from stratagem.native.phases.phase_tables import PhaseTables
from stratagem.native.playouts import block as blocks
from stratagem.native.playouts.kernels import KernelSet
from stratagem.native.playouts.log import WORD, LogLayout
from stratagem.native.playouts.report import MoveReport, PlayoutReport, Sums
from stratagem.native.playouts.schedule import WORDS_AT_LEAST, Deal, FirstMoves, deal, first_joints, shares
from stratagem.native.single import Single
from stratagem.platform import cores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.gpu.playouts import GpuPlayouts
    from stratagem.native.playouts.kernels import PlayoutKernel

Part: TypeAlias = tuple[int, int]
WHOLE: Final[Part] = (0, 1)
LIMIT = 16383
"""Plies after which a match is given up, unless told otherwise."""
LONGEST_LIMIT = (1 << 31) - 1
BLOCKS_AT_ONCE = 512
ROUND_SECONDS = 0.05
"""How long one round of matches should take when the number of matches is left to the clock."""
GPU_ROUND = 1 << 22
GPU_ROUND_SECONDS = 0.5
"""The matches of the first round on a GPU, and how long a round should take there: a launch costs milliseconds."""


class Playouts:
    """Random matches of one game. May be used from many threads."""

    def __init__(
        self, phases: PhaseTables, single: Single, *, now: Callable[[], float] = time.perf_counter
    ) -> None:
        self.circuit = phases.circuit
        self.kernels = KernelSet(phases)
        self._single = single
        self._now = now
        self._values = [[value for value, _ in goals] for goals in self.circuit.goals]

    def play(
        self,
        root: NDArray[np.uint64] | None = None,
        *,
        matches: int | None = None,
        seconds: float | None = None,
        seed: int = 0,
        threads: int | None = None,
        limit: int = LIMIT,
        by_move: bool = False,
        lengths: bool = False,
        device: str = "cpu",
        part: Part = WHOLE,
    ) -> PlayoutReport:
        """Matches from *root* (a packed state; the initial state by default).

        Give *matches*, or *seconds* to play for. *by_move* deals the matches evenly to the joint moves at the root
        and reports on each. *lengths* counts how many matches took how many plies, at some cost. *device* is ``cpu``,
        ``cuda`` for all GPUs, or ``cuda:0`` for one of them; a seed gives the same matches on each. *part* (i, n) plays
        the i-th of n parts of the matches, by words: the reports on all parts add up to that on the whole.
        """
        start = self._now()
        workers = _checked(matches, seconds, threads, limit)
        place = self._cpu(workers) if device == "cpu" else self._gpu(device)
        state = self.circuit.initial if root is None else self._truth(root)
        if seconds is None:
            report = self._play(state, matches or 0, seed, place, limit, by_move, lengths, 0, part)
        else:
            report = self._by_the_clock(state, start + seconds, seed, place, limit, by_move, lengths)
        return report.timed(self._now() - start, workers)

    def _cpu(self, workers: int) -> _Place:
        """Matches on threads of this process."""

        def play(
            roots: NDArray[np.bool_],
            first: int,
            dealt: Deal,
            seed: int,
            limit: int,
            sums: list[Sums],
            lengths: bool,
        ) -> None:
            kernel = self.kernels.fastest(roots[first], written=lengths)
            _Run(self.circuit, kernel, roots, dealt, seed, limit).play(workers, sums)

        return _Place(play, 64 * WORDS_AT_LEAST, ROUND_SECONDS)

    def _gpu(self, device: str) -> _Place:
        """Matches on GPUs."""
        from stratagem.native.gpu.devices import chosen_devices

        devices = chosen_devices(device) or ()

        def play(
            roots: NDArray[np.bool_],
            first: int,
            dealt: Deal,
            seed: int,
            limit: int,
            sums: list[Sums],
            lengths: bool,
        ) -> None:
            self.gpu.play(devices, roots, first, dealt, seed, limit, sums, written=lengths)

        return _Place(play, GPU_ROUND, GPU_ROUND_SECONDS)

    @cached_property
    def gpu(self) -> GpuPlayouts:
        """The kernels for GPUs."""
        from stratagem.native.gpu.playouts import GpuPlayouts

        def sampled(matches: int, limit: int) -> Sums:
            initial = self.circuit.initial[None]
            return self._from(initial, [matches], 0, self._cpu(cores()), limit, False, 0, WHOLE)[0]

        return GpuPlayouts(self.kernels, sampled)

    def _by_the_clock(
        self,
        state: NDArray[np.bool_],
        deadline: float,
        seed: int,
        place: _Place,
        limit: int,
        by_move: bool,
        lengths: bool,
    ) -> PlayoutReport:
        """Rounds of matches, each played to its end, until the time is up; at least one."""
        count = place.first_round
        report, stream = None, 0
        while True:
            begin = self._now()
            one = self._play(state, count, seed, place, limit, by_move, lengths, stream)
            report = one if report is None else report.plus(one)
            now = self._now()
            stream += 1 << 32
            took = max(now - begin, 1e-6)
            if now + took > deadline:
                return report
            if took < place.round_seconds:
                count *= 2

    def _play(
        self,
        state: NDArray[np.bool_],
        matches: int,
        seed: int,
        place: _Place,
        limit: int,
        by_move: bool,
        lengths: bool,
        first_stream: int,
        part: Part = WHOLE,
    ) -> PlayoutReport:
        at_root = self._ended(state)
        if at_root is not None or matches == 0:
            sums = Sums(self.circuit)
            if at_root is not None:
                sums.add(at_root, matches if part[0] == 0 else 0)
            return PlayoutReport.of(self.circuit, sums)
        if not by_move:
            whole = self._from(state[None], [matches], seed, place, limit, lengths, first_stream, part)[0]
            return PlayoutReport.of(self.circuit, whole)
        first = self._first_moves(state, matches, seed + first_stream)
        counts = shares(matches, len(first.joints), seed + first_stream)
        ended = [self._ended(child) for child in first.states]
        playing = [count if end is None else 0 for count, end in zip(counts, ended, strict=True)]
        sums_by_move = self._from(first.states, playing, seed, place, limit - 1, lengths, first_stream, part)
        for one, count, end in zip(sums_by_move, counts, ended, strict=True):
            if end is not None and part[0] == 0:
                one.add(end, count)
        return self._by_move(first, sums_by_move)

    def _by_move(self, first: FirstMoves, parts: list[Sums]) -> PlayoutReport:
        """The report on matches dealt to first moves: every match is one ply longer than its rest."""
        whole = Sums(self.circuit)
        reports: dict[tuple[int, ...], Sums] = {}
        for joint, part in zip(first.joints, parts, strict=True):
            part.lengthen()
            whole.join(part)
            reports.setdefault(joint, Sums(self.circuit)).join(part)
        moves = tuple(MoveReport.of(self.circuit, joint, reports[joint]) for joint in sorted(reports))
        return PlayoutReport.of(self.circuit, whole, moves)

    def _ended(self, state: NDArray[np.bool_]) -> tuple[int, ...] | None:
        """The goals at *state* if nothing can be played there; () if it is not the end but a role is stuck."""
        masks, terminal, goals = self._single.evaluate(_number(state))
        if terminal:
            return tuple(
                values.index(goal) if goal >= 0 else len(values)
                for values, goal in zip(self._values, goals, strict=True)
            )
        return None if all(masks) else ()

    def _first_moves(self, state: NDArray[np.bool_], matches: int, seed: int) -> FirstMoves:
        """The joint moves at *state* that matches are dealt to, and the states they lead to."""
        number = _number(state)
        masks, _, _ = self._single.evaluate(number)
        joints = first_joints([ones(mask) for mask in masks], matches, seed)
        words = words_of(self.circuit)
        states = np.array([packed(self._single.advance(number, joint), words) for joint in joints])
        return FirstMoves(joints, truth_of(states.reshape(-1, words), len(state)))

    def _truth(self, state: NDArray[np.uint64]) -> NDArray[np.bool_]:
        words = words_of(self.circuit)
        if np.shape(state) != (words,):
            raise UsageError(f"a packed state of this game has {words} words; this one is {np.shape(state)}")
        return truth_of(state, len(self.circuit.bases))

    def _from(
        self,
        roots: NDArray[np.bool_],
        counts: Sequence[int],
        seed: int,
        place: _Place,
        limit: int,
        lengths: bool,
        first_stream: int,
        part: Part,
    ) -> list[Sums]:
        """Matches from several roots, none of them an end."""
        sums = [Sums(self.circuit) for _ in counts]
        if limit < 1:
            for total, count in zip(sums, counts, strict=True):
                total.over += count if part[0] == 0 else 0
            return sums
        dealt = deal(counts, first_stream).part(*part)
        if len(dealt):
            place.play(roots, int(dealt.roots[0]), dealt, seed, limit, sums, lengths)
        return sums


class _PlayDeal(Protocol):
    """Plays a deal from roots that are at the same step as root *first*, and adds it to *sums*."""

    def __call__(
        self,
        roots: NDArray[np.bool_],
        first: int,
        dealt: Deal,
        seed: int,
        limit: int,
        sums: list[Sums],
        lengths: bool,
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class _Place:
    """Where matches are played, how many a first round has, and how long a round should take there."""

    play: _PlayDeal
    first_round: int
    round_seconds: float


class _Run:
    """One deal on one kernel: blocks that any thread may take, and what they report."""

    def __init__(
        self,
        circuit: Circuit,
        kernel: PlayoutKernel,
        roots: NDArray[np.bool_],
        dealt: Deal,
        seed: int,
        limit: int,
    ) -> None:
        self.kernel, self.roots = kernel, roots
        words, padding = kernel.words, -len(dealt) % kernel.words
        self.streams = np.concatenate([dealt.streams, np.zeros(padding, np.uint64)]).reshape(-1, words)
        self.quotas = np.concatenate([dealt.quotas, np.zeros(padding, np.uint64)]).reshape(-1, words)
        self.places = np.concatenate([dealt.roots, np.full(padding, dealt.roots[0])]).reshape(-1, words)
        self.seed, self.limit = seed, limit
        self.layout = LogLayout.of(circuit)
        one_root = len(set(dealt.roots.tolist())) == 1
        self._same_root = kernel.root(roots[self.places[0]]) if one_root else None

    def play(self, workers: int, sums: list[Sums]) -> None:
        """Play all blocks and add them up, some at a time so that they do not take much memory."""
        for first in range(0, len(self.quotas), BLOCKS_AT_ONCE):
            part = slice(first, first + BLOCKS_AT_ONCE)
            self._play_some(workers, self.streams[part], self.quotas[part], self.places[part], sums)

    def _play_some(
        self,
        workers: int,
        streams: NDArray[np.uint64],
        quotas: NDArray[np.uint64],
        places: NDArray[np.int64],
        sums: list[Sums],
    ) -> None:
        kernel = self.kernel
        rows = blocks.block_rows(len(kernel.outcomes))
        several = blocks.aligned_rows(len(quotas) * rows, kernel.words).reshape(-1, rows, kernel.words)
        blocks.fill_block(several, self.seed, streams, quotas, self.limit)
        most = int(quotas.sum(axis=1).max())
        untaken = itertools.count()
        written: list[list[NDArray[np.uint64]]] = [[] for _ in sums]

        def work() -> None:
            room = kernel.room()
            log = np.empty(1 + most * self.layout.record, np.uint64)
            # The counter hands out each number once, also to threads that ask at the same time.
            while (number := next(untaken)) < len(several):
                log[0] = 0
                root = self._same_root
                kernel.play(
                    room,
                    kernel.root(self.roots[places[number]]) if root is None else root,
                    several[number],
                    log,
                )
                if log[0]:
                    self._sort(log, places[number], written)

        threads = min(workers, len(several))
        if threads == 1:
            work()
        else:
            with ThreadPoolExecutor(threads) as pool:
                for done in [pool.submit(work) for _ in range(threads)]:
                    done.result()
        for root, total in enumerate(sums):
            words = np.moveaxis(several, 1, 0)[:, places == root]
            if words.size:
                total.add_block(words, kernel.outcomes)
            if written[root]:
                total.add_log(np.concatenate(written[root]))

    def _sort(
        self, log: NDArray[np.uint64], places: NDArray[np.int64], written: list[list[NDArray[np.uint64]]]
    ) -> None:
        """Give the matches in a log to their roots; appending to a list is safe from any thread."""
        matches = self.layout.records(log)
        roots = places[matches[:, WORD].astype(np.int64)]
        for root in set(roots.tolist()):
            written[root].append(matches[roots == root])


def _number(state: NDArray[np.bool_]) -> int:
    """A state, one truth value per base, as an int whose bits are the packed state."""
    return int.from_bytes(np.packbits(state, bitorder="little").tobytes(), "little")


def _checked(matches: int | None, seconds: float | None, threads: int | None, limit: int) -> int:
    """The number of threads, after a look at the arguments."""
    for what, number in (("matches", matches), ("threads", threads), ("plies", limit)):
        if number is not None and (isinstance(number, bool) or not isinstance(number, SupportsIndex)):
            raise UsageError(f"the number of {what} must be a whole number; got {number!r}")
    if (matches is None) == (seconds is None):
        raise UsageError("give either a number of matches or a number of seconds")
    if matches is not None and matches < 0:
        raise UsageError(f"{matches} matches cannot be played", hint="give 0 or more")
    if seconds is not None and not seconds >= 0:
        raise UsageError(f"{seconds} is not a number of seconds", hint="give 0 or more")
    if not 1 <= limit <= LONGEST_LIMIT:
        raise UsageError(f"a limit of {limit} plies is out of range", hint=f"give 1 to {LONGEST_LIMIT}")
    workers = threads if threads is not None else cores()
    if workers < 1:
        raise UsageError(f"{workers} threads cannot play", hint="give 1 or more")
    return workers
