"""Databases of perfect play: every reachable state with its value and distance, in one file.

    bytes 0..7     "STRATDB" and the version
    bytes 8..15    the length of the head
    head           JSON: the rules, the sizes, the start, the kind of values, the sections with offset and checksum
    sections       arrays, little-endian: states sorted by their words, values, distances

`database_build` writes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stratagem.engine.request import zero_sum_bounds
from stratagem.engine.solved_files import note_file
from stratagem.engine.space.database_build import build
from stratagem.engine.space.database_part import DatabasePart, parts_at
from stratagem.errors import BrokenFile, UsageError, require_type
from stratagem.executor.interface import require_executor
from stratagem.gdl_game import require_rules
from stratagem.limit import UNLIMITED, Limit, require_limit
from stratagem.result import Counters, Interval, MoveStatistics, Result
from stratagem.state import require_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.shards.progress import WatchSpace
    from stratagem.executor.interface import Executor
    from stratagem.game import Move
    from stratagem.gdl_game import GdlGame, State


@dataclass(frozen=True, slots=True)
class DatabaseEntry:
    """What a database keeps of a state: each role's goal at least and at most, and the distance to the end (-1: none)."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    distance: int


class Database:
    """Perfect play of one game from a file, whose arrays are mapped, not read: ``database[state]`` is a `Result`.

    >>> from tempfile import TemporaryDirectory
    >>> from stratagem.loading import load
    >>> game = load("hexapawn")
    >>> with TemporaryDirectory() as folder:
    ...     database = Database.build(f"{folder}/hexapawn.db", game)
    ...     result = database[game.initial()]
    >>> len(database), result.values["black"], result.distance
    (135, Interval(low=100, high=100), 6)
    """

    @staticmethod
    def build(
        path: str | Path,
        game: GdlGame,
        state: State | None = None,
        *,
        limit: Limit = UNLIMITED,
        resume: bool = False,
        force: bool = False,
        progress: Callable[[str], None] | None = None,
        on: Executor | None = None,
        shards: int | None = None,
        checkpoint: str | None = None,
        keep_shards: bool = False,
        watch: WatchSpace | None = None,
    ) -> Database:
        """Builds the database of everything reachable from *state*, or from the initial state.

        A build that a limit ends raises `LimitExceeded` and keeps its finished layers; *resume* continues it and
        *force* discards it.

        With an executor, *on*, it is built there in *shards* parts, by default one per core; the memory of *limit*
        holds for each shard. Finished layers are kept at *checkpoint*, a folder that all machines share or an fsspec address.
        With *keep_shards* the database stays a folder, or an address, with a file per shard. *watch* is called with the progress.
        """
        require_rules(game, by="a database")
        require_limit(limit)
        begin = game.initial() if state is None else state
        require_state(game, begin)
        require_executor(on)
        if on is not None:
            from stratagem.engine.shards.build import build_sharded

            build_sharded(
                game,
                begin,
                path,
                on,
                shards=shards,
                limit=limit,
                resume=resume,
                force=force,
                checkpoint=checkpoint,
                keep_shards=keep_shards,
                watch=watch,
            )
            if not keep_shards:
                note_file(game, path)
            return Database(path)
        build(game, begin, path, limit=limit, resume=resume, force=force, progress=progress)
        return Database(path)

    def __init__(self, path: str | Path) -> None:
        """Opens the file at *path*; or, where it was left in shards, the folder or the address that they lie at."""
        require_type(path, str | Path, "the path of a database")
        self.path = Path(path)
        self.parts = [DatabasePart.of(place) for place in parts_at(str(path))]
        self.head = self.parts[0].head

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The sections of a database in one file; those of the first shard where there are several."""
        return self.parts[0].arrays

    def check(self) -> None:
        """Compares every checksum; `BrokenFile` names the section that is damaged."""
        for part in self.parts:
            part.check()

    def __len__(self) -> int:
        return sum(len(part.arrays["distance"]) for part in self.parts)

    @cached_property
    def game(self) -> GdlGame:
        """The game that the database is of."""
        from stratagem.gdl.text.syntax import Source
        from stratagem.loading import load_source

        settings = tuple(sorted((name, int(value)) for name, value in self.head["settings"].items()))
        game = load_source(Source(self.head["rules"], self.head["game"], self.head["syntax"], settings))
        if [str(base) for base in game.circuit.bases] != self.head["bases"]:
            raise BrokenFile(
                f"{self.path} was built by another version of this program", hint="build it again"
            )
        return game

    @property
    def start(self) -> State:
        """The state from which everything in the database can be reached."""
        return self.game.state_of(self.game.parse_move(fact) for fact in self.head["start"])

    def find(self, packed: NDArray[np.uint64]) -> int | None:
        """Where a packed state stands in its part, by binary search over the sorted states."""
        return self._part(packed).find(packed)

    def entry(self, state: State) -> DatabaseEntry:
        """What the file keeps of *state*; a `UsageError` where it cannot be reached from the start."""
        require_state(self.game, state)
        part = self._part(state.packed)
        place = part.find(state.packed)
        if place is None:
            raise UsageError(
                "this position is not in the database", hint="it cannot be reached from its start"
            )
        low = tuple(int(value) for value in part.arrays["low"][place])
        high = tuple(int(value) for value in part.arrays["high"][place])
        if self.head["kind"] == "zero-sum":
            total = int(self.head["total"]) if len(self.game.roles) == 2 else 0
            low, high = zip(*zero_sum_bounds(self.game, low[0], high[0], total), strict=True)
        return DatabaseEntry(low, high, int(part.arrays["distance"][place]))

    def _part(self, packed: NDArray[np.uint64]) -> DatabasePart:
        """The part that a packed state would be in."""
        if len(self.parts) == 1:
            return self.parts[0]
        from stratagem.engine.shards.routing import owner_of

        return self.parts[owner_of(packed, len(self.parts))]

    def __getitem__(self, state: State) -> Result:
        """What *state* is worth, and what every move of the role that has the choice leads to, the best first."""
        roles, entry = self.game.roles, self.entry(state)
        moves: dict[str, tuple[MoveStatistics, ...]] = {}
        choosing = () if state.terminal else tuple(role for role in roles if len(state.legals(role)) > 1)
        if len(choosing) == 1 or (len(roles) == 1 and not state.terminal):
            role = choosing[0] if choosing else roles[0]
            moves[role] = self._ranked(state, role)
        proved = entry.low == entry.high
        return Result(
            "database",
            values={
                role: Interval(low, high)
                for role, low, high in zip(roles, entry.low, entry.high, strict=True)
            },
            estimates={
                role: low for role, low, high in zip(roles, entry.low, entry.high, strict=True) if low == high
            },
            best={role: ranked[0].move for role, ranked in moves.items()},
            moves=moves,
            proved=proved,
            distance=entry.distance if proved and entry.distance >= 0 else None,
            counters=Counters(states=len(self)),
            why=f"from {self.path.name}",
            note="" if proved else "play need not end",
        )

    def best_play(self, state: State) -> Result:
        """The same with the line of best play, as far as the database tells."""
        found, here = self[state], state
        line: list[tuple[Move, ...]] = []
        seen: set[State] = set()
        while not here.terminal and here not in seen and self.entry(here).low == self.entry(here).high:
            seen.add(here)
            best = self[here].best
            choosing = {role for role in self.game.roles if len(here.legals(role)) > 1}
            if not choosing <= best.keys():
                break
            line.append(tuple(best.get(role, here.legals(role)[0]) for role in self.game.roles))
            here = here.next(line[-1])
        return replace(found, line=tuple(line))

    def _ranked(self, state: State, role: str) -> tuple[MoveStatistics, ...]:
        """The moves of *role*: the higher value first; of equals the nearer win, or the longer resistance."""
        place = self.game.roles.index(role)
        found = []
        for move in state.legals(role):
            entry = self.entry(state.play(move))
            low, known = entry.low[place], entry.low == entry.high
            distance = entry.distance + 1 if known and entry.distance >= 0 else None
            found.append(MoveStatistics(move, low, proved=known, distance=distance))
        return tuple(
            sorted(
                found,
                key=lambda each: (
                    -each.value,
                    (each.distance or 0) * (1 if 2 * each.value > 100 else -1),
                ),
            )
        )
