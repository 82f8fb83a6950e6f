"""Counting and solving whole spaces on an executor: what `count_states` and `Database.build` do with *on*."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from socket import gethostname
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from stratagem.engine.shards.backward import Induction
from stratagem.engine.shards.checkpoint import Checkpoint, Manifest, key_of, unwritable
from stratagem.engine.shards.merging import Chunk, Rows, merged
from stratagem.engine.shards.parallel_write import write_together
from stratagem.engine.shards.plan import ShardPlan
from stratagem.engine.shards.search import ShardedSearch
from stratagem.engine.space.database_build import KEY, checked_target
from stratagem.engine.space.database_file import DatabaseFacts, DatabaseLayout, write_database
from stratagem.engine.space.database_part import PARTS, filesystem, filesystem_and_path
from stratagem.engine.space.sorted_runs import refused_by_system
from stratagem.errors import UnsuitableGame, UsageError
from stratagem.limit import UNLIMITED, Limit
from stratagem.search.framework.zero_sum import require_no_chance

if TYPE_CHECKING:
    from stratagem.engine.shards.progress import WatchSpace
    from stratagem.engine.space.counts import Counts
    from stratagem.executor.interface import Executor, Pending
    from stratagem.gdl_game import GdlGame, State

MEMORY: Final = 1 << 29
"""Bytes of buffers for each shard unless told otherwise."""
ROWS: Final = 1 << 20
"""Rows of the database that are merged at a time."""


def count_sharded(
    game: GdlGame,
    state: State,
    executor: Executor,
    *,
    shards: int | None = None,
    limit: Limit = UNLIMITED,
    directory: str | Path | None = None,
    watch: WatchSpace | None = None,
    sharing: bool = True,
) -> Counts:
    """The states by distance, counted by shards; the memory of *limit* is that of each shard."""
    count = _checked_shards(shards, executor)
    with TemporaryDirectory(prefix="stratagem-shards-", dir=directory, ignore_cleanup_errors=True) as place:
        plan = ShardPlan(game, state.packed.copy(), count, place, limit.memory or MEMORY, sharing, kept=False)
        search = ShardedSearch(executor, plan, None, Manifest("", count), limit.start(), watch)
        try:
            return search.counted()
        except OSError as refused:
            raise refused_by_system(Path(place) / "layers", refused) from refused


def build_sharded(
    game: GdlGame,
    state: State,
    path: str | Path,
    executor: Executor,
    *,
    shards: int | None = None,
    limit: Limit = UNLIMITED,
    resume: bool = False,
    force: bool = False,
    checkpoint: str | None = None,
    keep_shards: bool = False,
    watch: WatchSpace | None = None,
    sharing: bool = True,
) -> None:
    """Builds the database of everything reachable from *state*, by shards: byte for byte the one of a single machine.

    *checkpoint* is a folder, beside the file unless given, or an address of fsspec. With *keep_shards* the database is left as
    a folder with one file for each shard. Without *sharing* shards of one machine send each other all, as between machines.
    """
    require_no_chance(game.roles)
    count = _checked_shards(shards, executor)
    if not keep_shards:
        checked_target(path)
    address = f"{str(path).rstrip('/')}.partial" if checkpoint is None else checkpoint
    if address.startswith("file://"):  # a folder like any other
        address = filesystem_and_path(address)[1]
    if "://" not in address:
        address = str(Path(address).expanduser().resolve())
    with TemporaryDirectory(prefix="stratagem-driver-", ignore_cleanup_errors=True) as scratch:
        place = Checkpoint(address, Path(scratch))
        manifest = _claimed(place, game, state, count, resume, force)
        plan = ShardPlan(game, state.packed.copy(), manifest.shards, address, limit.memory or MEMORY, sharing)
        search = ShardedSearch(executor, plan, place, manifest, limit.start(), watch)

        def write(induction: Induction) -> None:
            _write(search, induction, state, path, keep_shards)

        try:
            search.solve(write)
        except UnsuitableGame:  # going on would end in the same way
            place.clear()
            raise
        except OSError as refused:
            raise unwritable(path, refused) from refused
        place.clear()


def _checked_shards(shards: int | None, executor: Executor) -> int:
    if shards is not None and shards < 1:
        raise UsageError(f"{shards} shards cannot hold a space", hint="give 1 or more")
    return executor.cores if shards is None else shards


def _claimed(
    place: Checkpoint, game: GdlGame, state: State, shards: int, resume: bool, force: bool
) -> Manifest:
    """The manifest to go on from: that of an interrupted build, or a new one."""
    facts = "\n".join(sorted(map(str, state.facts())))
    key = key_of(game.identity.rules, facts)
    found = place.manifest()
    if found is not None and not resume and not force:
        raise UsageError(
            f"{place.address} holds an interrupted build",
            hint="continue with --resume, or start over with --force",
        )
    if found is not None and resume:
        if found.key != key:
            raise UsageError(
                f"{place.address} belongs to another game", hint="remove it, or start over with --force"
            )
        return found
    if found is None:
        there = not place.remote and place.folder.exists()
        if there and not place.folder.is_dir():  # where that is not said before, as on Windows
            raise UsageError(f"{place.folder} is a file", hint="name a folder for the checkpoint")
        try:
            ours = place.is_ours()
        except OSError as refused:
            raise UsageError(f"{place.address} cannot be listed: {refused.strerror or refused}") from refused
        if there and (place.folder / KEY).is_file():
            raise UsageError(
                f"{place.folder} holds an interrupted build by one process",
                hint="continue without --shards, or name another checkpoint",
            )
        if not ours or (there and not (resume or force)):
            raise UsageError(
                f"{place.address} was not written by a sharded build",
                hint="remove it, or name another checkpoint",
            )
    place.clear()
    manifest = Manifest(key, shards)
    try:
        if not place.remote:
            place.folder.mkdir(parents=True, exist_ok=True)
        place.keep(manifest)
    except OSError as refused:
        raise UsageError(f"{place.address} cannot be written: {refused.strerror or refused}") from refused
    return manifest


def _write(
    search: ShardedSearch, induction: Induction, state: State, path: str | Path, keep_shards: bool
) -> None:
    manifest = search.manifest
    layers = [sum(layer) for layer in manifest.layers]
    kind = "zero-sum" if induction.zero_sum else "max-n"
    total = manifest.ends["sums"][0] if induction.zero_sum and induction.roles == 2 else 0
    facts = DatabaseFacts.of(search.plan.game, state, kind, total, layers)
    if keep_shards:
        _write_parts(search, facts, str(path))
        return
    layout = DatabaseLayout(facts, sum(layers), 1 if induction.zero_sum else induction.roles)
    target = Path(path).expanduser()
    if set(search.hosts) == {gethostname()}:
        write_together(search, layout, induction, target)
        return
    chunks = [
        Chunk(count, _fetching(search, number, chunk, count))
        for number, counts in enumerate(search.each("chunks"))
        for chunk, count in enumerate(counts)
    ]
    rows = max(1 << 10, min(ROWS, search.plan.memory // (8 * (8 * facts.words + 8))))
    write_database(target, facts, layout.count, layout.roles, merged(chunks, rows))


def _fetching(search: ShardedSearch, shard: int, chunk: int, length: int) -> Callable[[int, int], Rows]:
    """Fetches rows of a chunk; those that come after them are asked for meanwhile."""
    ahead: dict[int, Pending[Rows]] = {}

    def asked(first: int, count: int) -> Pending[Rows]:
        return search.shards[shard].call("rows_of", chunk, first, count)

    def fetch(first: int, count: int) -> Rows:
        pending = ahead.pop(first, None) or asked(first, count)
        if first + count < length:
            ahead[first + count] = asked(first + count, count)
        return search.answer(pending)

    return fetch


def _write_parts(search: ShardedSearch, facts: DatabaseFacts, address: str) -> None:
    """Has every shard write its part, then the file that names them all."""
    if "://" not in address:
        folder = Path(address).expanduser().resolve()
        folder.mkdir(parents=True, exist_ok=True)
        address = str(folder)
    names = [f"{number:04d}.db" for number in range(search.plan.shards)]
    search.each("write_part", [(facts, name, address) for name in names])
    content = json.dumps({"parts": names}).encode()
    if "://" in address:
        filesystem(address).pipe_file(f"{address.rstrip('/')}/{PARTS}", content)
    else:
        (Path(address) / PARTS).write_bytes(content)
