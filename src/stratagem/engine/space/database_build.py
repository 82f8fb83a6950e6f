"""The builder of databases of perfect play, with checkpoints: a kill at any moment loses one layer at most.

Building goes through a folder FILE.partial: every finished layer of the forward search is written as one piece, beside
its place and renamed, with a checksum. `resume` goes on from the pieces that are whole, and the file comes out byte for
byte the same. Backward induction runs at the end, in memory.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stratagem.cache import write_atomically
from stratagem.engine.request import without_values
from stratagem.engine.solved_files import note_file
from stratagem.engine.space.database_file import DatabaseFacts, Piece, write_database
from stratagem.engine.space.database_part import VERSION
from stratagem.engine.space.explore import ExpandedLayer, Space, assembled, expand_layer
from stratagem.engine.space.retrograde import Stopped
from stratagem.engine.states.frontier import Frontier
from stratagem.errors import LimitExceeded, OutOfTime, UnsuitableGame, UsageError, require_type
from stratagem.limit import UNLIMITED, Limit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.request import SolveRequest
    from stratagem.gdl_game import GdlGame, State
    from stratagem.result import Result

MEMORY = 4 << 30
"""Bytes that a build may use unless told otherwise."""
KEY = "key"
"""The file that says whose pieces lie in a folder of one process."""
MANIFEST = "manifest.json"
"""The file that says so of the layers of shards."""
OURS = re.compile(r"key|\d{6}|\..*\.part")
"""Names of files in the folder of pieces; those that end in part were being written."""


def build(
    game: GdlGame,
    state: State,
    path: str | Path,
    *,
    limit: Limit = UNLIMITED,
    resume: bool = False,
    force: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Result:
    """Builds the database of everything reachable from *state*, and returns what it says about *state*.

    An interrupted build is continued with *resume* and thrown away with *force*; without either it is left alone.
    """
    from stratagem.engine.induction import solve_space
    from stratagem.engine.request import SolveRequest
    from stratagem.search.framework.zero_sum import require_no_chance

    require_no_chance(game.roles)
    target = checked_target(path)
    pieces = Pieces(target, game, state)
    pieces.prepare(resume, force)
    request = SolveRequest(game, state, replace(limit, memory=limit.memory or MEMORY), progress)
    place = pieces.folder
    try:
        space = _layers(request, pieces)
        place = target
        solution = solve_space(request, space, "a database was requested")
        _write(target, game, state, space, request.late)
    except UnsuitableGame:  # going on would end in the same way
        pieces.remove()
        raise
    except Stopped:
        raise pieces.stopped() from None
    except OSError as fault:
        raise UsageError(
            f"{place} cannot be written: {fault.strerror}", hint="free some disk space and use --resume"
        ) from fault
    pieces.remove()
    note_file(game, target)
    return solution


def checked_target(path: str | Path) -> Path:
    """Where a database goes; a `UsageError` where no file can be."""
    require_type(path, str | Path, "the path of a file")
    target = Path(path).expanduser()
    if target.is_dir() or not target.name:
        raise UsageError(f"{path} is a folder", hint="name a file for the database")
    if target.exists() and not target.is_file():  # renaming would put a file in its place
        raise UsageError(f"{path} is a device or a pipe", hint="name a file for the database")
    return target


class Pieces:
    """The folder in which a build keeps its finished layers."""

    def __init__(self, target: Path, game: GdlGame, state: State) -> None:
        self.folder = target.with_name(target.name + ".partial")
        facts = "\n".join(sorted(map(str, state.facts())))
        text = f"{VERSION}\n{game.identity.rules}\n{facts}"
        self.key = hashlib.sha256(text.encode()).hexdigest()

    def prepare(self, resume: bool, force: bool) -> None:
        mark = self.folder / KEY
        try:
            if self.folder.exists():
                self._claim(mark, resume, force)
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(mark, self.key.encode(), lasting=True)
        except OSError as fault:
            with suppress(OSError):  # one that is not empty is kept
                self.folder.rmdir()
            raise UsageError(f"{self.folder} cannot be written: {fault.strerror}") from fault

    def _claim(self, mark: Path, resume: bool, force: bool) -> None:
        """Decides what becomes of a folder that is there already: only what a build left may be used or removed.

        One that was ended while it began, or while it removed its pieces, has left no mark: then its pieces may be of any
        game and are made again.
        """
        if (self.folder / MANIFEST).is_file():
            raise UsageError(
                f"{self.folder} holds an interrupted build by shards",
                hint="continue with the options that began it and --resume, or name another file",
            )
        if not self.folder.is_dir() or not all(OURS.fullmatch(place.name) for place in self.folder.iterdir()):
            raise UsageError(
                f"{self.folder} was not written by a build", hint="remove it, or name another file"
            )
        if not resume and not force:
            raise UsageError(
                f"{self.folder} holds an interrupted build",
                hint="continue with --resume, or start over with --force",
            )
        if not resume or not mark.is_file():
            shutil.rmtree(self.folder)
        elif mark.read_text() != self.key:
            raise UsageError(
                f"{self.folder} belongs to another game", hint="remove it, or start over with --force"
            )

    def stopped(self) -> OutOfTime:
        return OutOfTime(
            f"stopped; {self.folder.name} keeps the finished layers", hint="continue with --resume"
        )

    def write(self, number: int, arrays: dict[str, NDArray[Any]]) -> None:
        buffer = BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)
        content = buffer.getvalue()
        checked = hashlib.sha256(content).digest() + content
        write_atomically(self.folder / f"{number:06d}", checked, lasting=True)

    def read(self, number: int) -> dict[str, NDArray[Any]] | None:
        """The piece of that number, or None where it is missing or not whole."""
        try:
            content = (self.folder / f"{number:06d}").read_bytes()
        except OSError:
            return None
        if hashlib.sha256(content[32:]).digest() != content[:32]:
            return None
        with np.load(BytesIO(content[32:]), allow_pickle=False) as data:
            return {name: data[name] for name in data.files}

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _layers(request: SolveRequest, pieces: Pieces) -> Space:
    """The whole space, layer by layer; finished layers come from the pieces, new ones go there."""
    late = Limit(stop=request.late).start()  # memory is looked at after each layer, which is kept
    frontier = Frontier(request.compiled, request.packed, limit=late)
    layers: list[ExpandedLayer] = []
    while frontier.width:
        last = frontier.known.used
        part = pieces.read(len(layers))
        if part is None:
            layer = expand_layer(frontier)
            if frontier.stopped is not None:
                raise Stopped
            pieces.write(
                len(layers),
                {
                    "fresh": frontier.known.states[last:],
                    "terminal": frontier.terminal[last:],
                    "goals": layer.goals,
                    "counts": layer.counts,
                    "children": layer.children,
                    "moves": layer.moves,
                },
            )
        else:
            layer = ExpandedLayer(part["goals"], part["counts"], part["children"], part["moves"])
            frontier.adopt(part["fresh"], part["terminal"])
            frontier.held += layer.children.nbytes + layer.moves.nbytes
        layers.append(layer)
        known = frontier.known.used
        request.tell(f"{known:,} states in {len(frontier.layers)} layers")
        if frontier.bytes > request.memory:
            raise LimitExceeded(
                f"{known:,} states do not fit into {request.memory >> 20:,} MB",
                hint=f"raise --memory and use --resume; {pieces.folder.name} keeps the finished layers",
            )
    return assembled(frontier, layers)


def _write(target: Path, game: GdlGame, state: State, space: Space, stop: Callable[[], bool]) -> None:
    from stratagem.engine.space.retrograde import is_zero_sum, solve_max_n, solve_zero_sum

    if not space.terminal.any():
        raise without_values(len(space))
    total = 0
    if len(game.roles) == 1 or is_zero_sum(space):
        values = solve_zero_sum(space, stop=stop)
        low, high, distance = values.low[:, None], values.high[:, None], values.distance
        kind = "zero-sum"
        total = int(space.goals[space.terminal][0].sum()) if len(game.roles) == 2 else 0
    else:
        goals, distance = solve_max_n(space)
        low = high = goals
        kind = "max-n"
    order = np.lexsort(space.states.T[::-1])
    arrays: Piece = {
        "states": space.states[order],
        "low": low[order],
        "high": high[order],
        "distance": distance[order],
    }
    facts = DatabaseFacts.of(game, state, kind, total, space.layers)
    write_database(target, facts, len(order), low.shape[1], [arrays])
