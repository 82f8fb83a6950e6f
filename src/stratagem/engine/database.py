"""Databases of perfect play: every reachable state with its value and distance, in one file.

    bytes 0..7     "STRATDB" and the version
    bytes 8..15    the length of the head
    head           JSON: the rules, the sizes, the start, the kind of values, the sections with offset and checksum
    sections       arrays, little-endian: states sorted by their words, values, distances

Building goes through a folder FILE.partial: every finished layer of the forward search is written as one piece, beside
its place and renamed, with a checksum. A kill at any moment loses at most the layer in work; `resume` goes on from the
pieces that are whole, and the file comes out byte for byte the same. Backward induction runs at the end, in memory.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stratagem.engine.hash_table import StateSet
from stratagem.engine.space import BLOCK, Space
from stratagem.errors import BrokenFile, LimitExceeded, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.solution import Solution
    from stratagem.machines.gdl_game import GdlGame, State

MAGIC = b"STRATDB"
VERSION = 1
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Answer:
    """What a database says about a state: at least, at most, and the distance to the end (-1: it need not end)."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    distance: int


class Interrupted(Exception):
    """The build was stopped; what it has is in the folder of pieces."""


def build(
    game: GdlGame,
    state: State,
    path: str | Path,
    *,
    memory: int = 4 << 30,
    resume: bool = False,
    progress: Callable[[str], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Solution:
    """Builds the database of everything reachable from *state*, and returns what it says about *state*."""
    from stratagem.engine.solve import Job

    target = Path(path)
    pieces = Pieces(target, game, state)
    pieces.prepare(resume)
    job = Job(game, state, float("inf"), memory, progress, stop)
    try:
        space = _layers(game, job.packed, pieces, memory, progress, stop)
    except Interrupted:
        raise LimitExceeded(
            f"stopped; {pieces.folder.name} keeps the layers that are finished", hint="go on with --resume"
        ) from None
    except OSError as fault:
        raise UsageError(
            f"{pieces.folder} cannot be written: {fault.strerror}", hint="make room and use --resume"
        ) from fault
    solution = job.induction(space, "a database was asked for")
    try:
        _write(target, game, state, space)
    except OSError as fault:
        raise UsageError(
            f"{target} cannot be written: {fault.strerror}", hint="make room and use --resume"
        ) from fault
    pieces.remove()
    return solution


class Pieces:
    """The folder in which a build keeps its finished layers."""

    def __init__(self, target: Path, game: GdlGame, state: State) -> None:
        self.folder = target.with_name(target.name + ".partial")
        facts = "\n".join(sorted(map(str, state.facts())))
        text = f"{VERSION}\n{game.identity.rules}\n{facts}"
        self.key = hashlib.sha256(text.encode()).hexdigest()

    def prepare(self, resume: bool) -> None:
        mark = self.folder / "key"
        try:
            if self.folder.exists() and not resume:
                shutil.rmtree(self.folder)
            self.folder.mkdir(parents=True, exist_ok=True)
            if mark.exists() and mark.read_text() != self.key:
                raise UsageError(
                    f"{self.folder} belongs to another game", hint="remove it, or build without --resume"
                )
            _replace(mark, self.key.encode())
        except OSError as fault:
            raise UsageError(f"{self.folder} cannot be written: {fault.strerror}") from fault

    def write(self, number: int, arrays: dict[str, NDArray[Any]]) -> None:
        buffer = BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)
        content = buffer.getvalue()
        _replace(self.folder / f"{number:06d}", hashlib.sha256(content).digest() + content)

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


def _replace(place: Path, content: bytes) -> None:
    """Writes a file so that it is there whole or not at all."""
    number, name = tempfile.mkstemp(prefix=".", dir=place.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _layers(
    game: GdlGame,
    start: NDArray[np.uint64],
    pieces: Pieces,
    memory: int,
    progress: Callable[[str], None] | None,
    stop: Callable[[], bool] | None,
) -> Space:
    """The whole space, layer by layer; finished layers come from the pieces, new ones go there."""
    expander = game.expander
    known = StateSet(expander.words)
    known.add(np.ascontiguousarray(start.reshape(1, -1)))
    first = expander.evaluate(known.states)
    parts: list[dict[str, NDArray[Any]]] = []
    terminal, goals = [first.terminal], [first.goals]
    layers = [1]
    begin, ended = 0, first.terminal
    number, bytes_kept = 0, 0
    while begin < known.used:
        end = known.used
        part = pieces.read(number)
        if part is None:
            part = _expand(expander, known, begin, end, ended, stop)
            pieces.write(number, part)
        else:
            known.add(part["fresh"])
        parts.append(part)
        terminal.append(part["terminal"])
        goals.append(part["goals"])
        ended = part["terminal"]
        bytes_kept += sum(array.nbytes for array in part.values())
        begin, number = end, number + 1
        if known.used > end:
            layers.append(known.used - end)
        if progress is not None:
            progress(f"{known.used:,} states in {len(layers)} layers")
        if known.bytes + bytes_kept > memory:
            raise LimitExceeded(
                f"{known.used:,} states do not fit into {memory >> 20:,} MB",
                hint=f"give more --memory and --resume; {pieces.folder.name} keeps what is there",
            )
    counts = np.concatenate([part["counts"] for part in parts])
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return Space(
        known.states,
        tuple(layers),
        np.concatenate(terminal),
        np.concatenate(goals),
        offsets,
        np.concatenate([part["children"] for part in parts]),
        np.concatenate([part["moves"] for part in parts]),
        known,
    )


def _expand(
    expander: Any,
    known: StateSet,
    begin: int,
    end: int,
    ended: NDArray[np.bool_],
    stop: Callable[[], bool] | None,
) -> dict[str, NDArray[Any]]:
    """One layer expanded: the new states in order, and the edges to all."""
    first = known.used
    counts = np.zeros(end - begin, np.int64)
    children: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    moves: list[NDArray[np.int32]] = [np.zeros((0, len(expander.roles)), np.int32)]
    terminal: list[NDArray[np.bool_]] = [np.zeros(0, np.bool_)]
    goals: list[NDArray[np.int16]] = [np.zeros((0, len(expander.roles)), np.int16)]
    for low in range(begin, end, BLOCK):
        if stop is not None and stop():
            raise Interrupted
        high = min(low + BLOCK, end)
        alive = np.flatnonzero(~ended[low - begin : high - begin])
        made = expander.expand(np.ascontiguousarray(known.pool[low:high][alive]))
        before = known.used
        numbers = known.add(made.states)
        fresh = np.flatnonzero(numbers >= before)
        _, places = np.unique(numbers[fresh], return_index=True)
        chosen = fresh[places]
        terminal.append(made.terminal[chosen])
        goals.append(made.goals[chosen])
        counts[low - begin + alive] = np.bincount(made.parents, minlength=len(alive))
        children.append(numbers)
        moves.append(made.moves)
    return {
        "fresh": known.pool[first : known.used].copy(),
        "terminal": np.concatenate(terminal),
        "goals": np.concatenate(goals),
        "counts": counts,
        "children": np.concatenate(children),
        "moves": np.concatenate(moves),
    }


def _write(target: Path, game: GdlGame, state: State, space: Space) -> None:
    from stratagem.engine.retrograde import is_zero_sum, solve_max_n, solve_zero_sum

    if len(game.roles) == 1 or is_zero_sum(space):
        values = solve_zero_sum(space)
        low, high, distance = values.low[:, None], values.high[:, None], values.distance
        kind = "zero-sum"
    else:
        goals, distance = solve_max_n(space)
        low = high = goals
        kind = "max-n"
    order = np.lexsort(space.states.T[::-1])
    arrays = {
        "states": np.ascontiguousarray(space.states[order]).astype("<u8"),
        "low": np.ascontiguousarray(low[order]).astype("<i2"),
        "high": np.ascontiguousarray(high[order]).astype("<i2"),
        "distance": distance[order].astype("<i4"),
    }
    total = int(space.goals[space.terminal][0].sum()) if space.terminal.any() else 0
    sections, offset = [], 0
    for name, array in arrays.items():
        content = array.tobytes()
        digest = hashlib.sha256(content).hexdigest()
        sections.append(
            {
                "name": name,
                "type": array.dtype.str,
                "shape": list(array.shape),
                "offset": offset,
                "sha256": digest,
            }
        )
        offset += len(content)
    source = game.identity.source
    head = json.dumps(
        {
            "game": game.identity.name,
            "rules": source.text,
            "syntax": source.syntax,
            "settings": dict(source.settings),
            "start": sorted(map(str, state.facts())),
            "bases": [str(base) for base in game.circuit.bases],
            "kind": kind,
            "total": total,
            "layers": list(space.layers),
            "sections": sections,
        },
        sort_keys=True,
    ).encode()
    content = b"".join(
        [
            MAGIC + bytes([VERSION]),
            len(head).to_bytes(8, "little"),
            head,
            *(array.tobytes() for array in arrays.values()),
        ]
    )
    _replace(target, content)


class Database:
    """A database opened for questions; its arrays are mapped, not read."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.head, first = _head(self.path)
        self.arrays: dict[str, NDArray[Any]] = {}
        for section in self.head["sections"]:
            shape = tuple(section["shape"])
            try:
                self.arrays[section["name"]] = np.memmap(
                    self.path, np.dtype(section["type"]), "r", first + section["offset"], shape
                )
            except (ValueError, OSError) as fault:
                raise BrokenFile(f"{path} is cut short", hint="build it again") from fault

    def check(self) -> None:
        """Compares every checksum; `BrokenFile` names the section that is damaged."""
        for section in self.head["sections"]:
            digest = hashlib.sha256(self.arrays[section["name"]].tobytes()).hexdigest()
            if digest != section["sha256"]:
                raise BrokenFile(f"{self.path} is damaged in its {section['name']}", hint="build it again")

    def __len__(self) -> int:
        return len(self.arrays["distance"])

    def game(self) -> GdlGame:
        """The game that the database is of."""
        from stratagem.gdl.syntax import Source
        from stratagem.load import load_source

        settings = tuple(sorted((name, int(value)) for name, value in self.head["settings"].items()))
        game = load_source(Source(self.head["rules"], self.head["game"], self.head["syntax"], settings))
        if [str(base) for base in game.circuit.bases] != self.head["bases"]:
            raise BrokenFile(
                f"{self.path} was built by another version of this program", hint="build it again"
            )
        return game

    def start(self, game: GdlGame) -> State:
        return game.state_of(game.parse_move(fact) for fact in self.head["start"])

    def find(self, packed: NDArray[np.uint64]) -> int | None:
        """Where a packed state stands, by binary search over the sorted states."""
        states = self.arrays["states"]
        wanted = tuple(int(word) for word in packed)
        low, high = 0, len(states)
        while low < high:
            middle = (low + high) // 2
            if tuple(int(word) for word in states[middle]) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(states) and tuple(int(word) for word in states[low]) == wanted else None

    def answer(self, game: GdlGame, state: State) -> Answer:
        """What is known about *state*; a `UsageError` where it cannot be reached."""
        place = self.find(game.expander.pack(state.facts()))
        if place is None:
            raise UsageError(
                "this position is not in the database", hint="it cannot be reached from its start"
            )
        low = tuple(int(value) for value in self.arrays["low"][place])
        high = tuple(int(value) for value in self.arrays["high"][place])
        if self.head["kind"] == "zero-sum" and len(game.roles) == 2:
            total = int(self.head["total"])
            low, high = (low[0], total - high[0]), (high[0], total - low[0])
        return Answer(low, high, int(self.arrays["distance"][place]))


def _head(path: Path) -> tuple[dict[str, Any], int]:
    try:
        with path.open("rb") as file:
            magic, length = file.read(8), int.from_bytes(file.read(8), "little")
            if magic[:7] != MAGIC:
                raise BrokenFile(
                    f"{path} is no database", hint="`stratagem solve --database FILE` writes one"
                )
            if magic[7:] != bytes([VERSION]):
                raise BrokenFile(f"{path} is of another version", hint="build it again")
            if length > path.stat().st_size:
                raise BrokenFile(f"{path} is damaged in its head", hint="build it again")
            head = json.loads(file.read(length))
        if not isinstance(head, dict) or "sections" not in head:
            raise BrokenFile(f"{path} is damaged in its head", hint="build it again")
        return head, 16 + length
    except OSError as fault:
        raise BrokenFile(f"{path} cannot be read: {fault.strerror}") from fault
    except ValueError as fault:
        raise BrokenFile(f"{path} is damaged in its head", hint="build it again") from fault
