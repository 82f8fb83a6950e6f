"""The record store: all matches of this machine, in one SQLite file in the user's data directory.

Writing happens in a thread of its own, in the order of the calls: a slow disk must not make a move late. Whatever has
been written survives a kill (write-ahead log), and several processes may write at once.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

from stratagem.errors import BrokenFile, UsageError
from stratagem.play.choice import Thought
from stratagem.play.records.record import UNKNOWN, MatchRecord, MatchStep, Remark

VERSION: Final = 2
PATIENCE: Final = 30.0
"""Seconds to wait for other processes that write to the file."""
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS matches (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, game TEXT NOT NULL, rules TEXT NOT NULL, roles TEXT NOT NULL,
    players TEXT NOT NULL, startclock REAL NOT NULL, playclock REAL NOT NULL, started INTEGER NOT NULL,
    keeper TEXT NOT NULL, role TEXT, status TEXT NOT NULL, goals TEXT, scrambled INTEGER NOT NULL,
    previewclock REAL, tournament TEXT NOT NULL, token TEXT NOT NULL, addresses TEXT NOT NULL DEFAULT '[]');
CREATE INDEX IF NOT EXISTS matches_by_id ON matches (id);
CREATE TABLE IF NOT EXISTS steps (
    match INTEGER NOT NULL REFERENCES matches (number), turn INTEGER NOT NULL, moves TEXT, time INTEGER NOT NULL,
    errors TEXT NOT NULL, PRIMARY KEY (match, turn)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS remarks (
    match INTEGER NOT NULL REFERENCES matches (number), turn INTEGER NOT NULL, role TEXT NOT NULL, move TEXT NOT NULL,
    source TEXT NOT NULL, slack REAL NOT NULL, thought TEXT NOT NULL, PRIMARY KEY (match, turn, role)) WITHOUT ROWID;
"""
COLUMNS: Final = (
    "id, game, rules, roles, players, startclock, playclock, started, keeper, role, status, goals, scrambled, "
    "previewclock, tournament, token, addresses"
)
SAME: Final = """
other.id = one.id AND abs(other.started - one.started) <=
    1000 * (60 + max(one.startclock, other.startclock) + coalesce(one.previewclock, other.previewclock, 0))"""
"""Whether two records on one machine are of the same match: ids may be used again, but not within a start clock."""
NEWEST: Final = f"""
SELECT number, {COLUMNS} FROM matches AS one WHERE (?1 IS NULL OR game = ?1) AND NOT (one.keeper = 'player' AND EXISTS (
    SELECT 1 FROM matches AS other WHERE {SAME} AND (
        other.keeper = 'host' OR (other.keeper = 'player' AND other.role <> one.role AND other.number < one.number))))
ORDER BY number DESC LIMIT ?2"""
"""Matches, one row each: the host's record, where it is here too, and not those of its players."""
FOUND: Final = f"""
SELECT number, {COLUMNS} FROM matches AS one
WHERE (number = :number OR id = :id) AND (:keeper IS NULL OR keeper = :keeper) AND (:status IS NULL OR status = :status)
ORDER BY id = :id, number <> :number AND :keeper IS NULL AND keeper = 'player' AND EXISTS (
    SELECT 1 FROM matches AS other WHERE {SAME} AND other.keeper = 'host'), number DESC LIMIT 1"""
BESIDE: Final = f"""
SELECT other.players FROM matches AS one, matches AS other WHERE one.number = ? AND {SAME} AND other.keeper = 'player'"""
"""The players of a match as each of those of ours that took part knows them."""
THOUGHTS: Final = """
SELECT turn, role, move, source, slack, thought FROM remarks WHERE match = :number UNION
SELECT turn, role, move, source, slack, thought FROM remarks WHERE match IN (
    SELECT max(player.number) FROM matches AS player, matches AS host WHERE host.number = :number
    AND host.keeper = 'host' AND NOT host.scrambled AND player.id = :id AND player.keeper = 'player' GROUP BY player.role)
ORDER BY turn, role"""
"""What was thought in a match; in one that was hosted here, by those of its players who keep their records here too."""
Found = TypeVar("Found")


def data_directory() -> Path:
    """Where what is worth keeping is kept: STRATAGEM_DATA, or the place that the system has for such things."""
    chosen = os.environ.get("STRATAGEM_DATA")
    if chosen:
        return Path(chosen)
    from platformdirs import user_data_path

    return user_data_path("stratagem", appauthor=False)


class Records:
    """The list of matches in one file. Use it with `with`, or `close` it: only then everything is written."""

    def __init__(
        self, path: str | Path | None = None, *, log: Callable[[str], None] = lambda text: None
    ) -> None:
        self.path = data_directory() / "matches.sqlite" if path is None else Path(path)
        self.log = log
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="records")
        self._connection = self._writer.submit(self._open).result()

    def __enter__(self) -> Records:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Writes what is still to be written and closes the file."""
        self._writer.submit(self._connection.close).result()
        self._writer.shutdown()

    # -- writing -------------------------------------------------------------------------------------------

    def add(self, record: MatchRecord) -> Future[int]:
        """A new match with the steps it has; the future is its number in the list."""
        return self._later(lambda: self._add(record))

    def step(self, number: Future[int], turn: int, step: MatchStep) -> None:
        """The match with that *number* has gone one step on; said twice, the second counts."""
        values = (turn, _json(step.moves), step.time, _json(step.errors))
        self._later(
            lambda: self._change("INSERT OR REPLACE INTO steps VALUES (?, ?, ?, ?, ?)", number, values)
        )

    def remark(self, number: Future[int], remark: Remark) -> None:
        """The search behind a move."""
        values = (
            remark.turn,
            remark.role,
            remark.move,
            remark.source,
            remark.slack,
            _json(remark.thought.as_json()),
        )
        self._later(
            lambda: self._change(
                "INSERT OR REPLACE INTO remarks VALUES (?, ?, ?, ?, ?, ?, ?)", number, values
            )
        )

    def finish(self, number: Future[int], status: str, goals: Iterable[int | None] | None = None) -> None:
        """The match is over: ``completed`` or ``aborted``."""
        values = (status, None if goals is None else _json(list(goals)))
        self._later(
            lambda: self._change(
                "UPDATE matches SET status = ?2, goals = coalesce(?3, goals) WHERE number = ?1",
                number,
                values,
            )
        )

    # -- reading -------------------------------------------------------------------------------------------

    def newest(self, most: int = 100, *, game: str | None = None) -> list[MatchRecord]:
        """The last matches, the newest first, without steps and remarks.

        A match has one row, even where its host and players of ours have kept a record of it each.
        """

        def read() -> list[MatchRecord]:
            rows = map(_record, self._connection.execute(NEWEST, (game, most)).fetchall())
            return [self._with_all_players(row) if row.keeper == "player" else row for row in rows]

        return self._now(read)

    def sides(self, id: str) -> list[MatchRecord]:
        """All records of matches of that *id*, as host and players have kept them, in the order of the list."""
        query = f"SELECT number, {COLUMNS} FROM matches WHERE id = ? ORDER BY number"
        rows = self._now(lambda: self._connection.execute(query, (id,)).fetchall())
        return [self._whole(_record(row)) for row in rows]

    def _with_all_players(self, record: MatchRecord) -> MatchRecord:
        """The record of a player of ours, with the names of others of ours at the same match."""
        names = list(record.players)
        for (text,) in self._connection.execute(BESIDE, (record.number,)).fetchall():
            for place, name in enumerate(json.loads(text)[: len(names)]):
                names[place] = name if names[place] == UNKNOWN else names[place]
        return replace(record, players=tuple(names))

    def find(
        self, name: str | int, *, keeper: str | None = None, status: str | None = None
    ) -> MatchRecord | None:
        """The match by its number in the list or by its id, of several the newest; None: there is none.

        By its id, where host and players of ours have kept a record each, it is the host's.
        """
        number = int(name) if str(name).isdecimal() else -1
        row = self._now(
            lambda: self._connection.execute(
                FOUND, {"number": number, "id": str(name), "keeper": keeper, "status": status}
            ).fetchone()
        )
        return None if row is None else self._whole(_record(row))

    def get(self, name: str | int) -> MatchRecord:
        """The match by number or id, or a refusal that says how to list them."""
        found = self.find(name)
        if found is None:
            raise UsageError(f"no match {name} in {self.path}", hint="`stratagem matches` lists them")
        return found

    def _whole(self, record: MatchRecord) -> MatchRecord:
        def read() -> tuple[list[Any], list[Any]]:
            one = (record.number,)
            steps = self._connection.execute(
                "SELECT moves, time, errors FROM steps WHERE match = ? ORDER BY turn", one
            ).fetchall()
            remarks = self._connection.execute(
                THOUGHTS, {"number": record.number, "id": record.id}
            ).fetchall()
            return steps, remarks

        steps, remarks = self._now(read)
        return replace(
            record,
            steps=tuple(
                MatchStep(_tuple(moves), time, _tuple(errors) or ()) for moves, time, errors in steps
            ),
            remarks=tuple(_remark(row) for row in remarks),
        )

    # -- the thread ----------------------------------------------------------------------------------------

    def _open(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if not 0 <= version <= VERSION:
                connection.close()
                raise BrokenFile(
                    f"{self.path} has version {version} and this Stratagem knows version {VERSION}",
                    hint="use a newer Stratagem, or set STRATAGEM_DATA to another folder",
                )
            _log_writes_ahead(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            _bring_up_to_date(connection)
        except (sqlite3.Error, OSError) as failure:
            raise BrokenFile(
                f"the list of matches at {self.path} cannot be used: {failure}",
                hint="move that file away, or set STRATAGEM_DATA to another folder",
            ) from failure
        return connection

    def _later(self, work: Callable[[], Found]) -> Future[Found]:
        future = self._writer.submit(work)
        future.add_done_callback(self._complain)
        return future

    def _now(self, work: Callable[[], Found]) -> Found:
        return self._writer.submit(work).result()

    def _complain(self, future: Future[Any]) -> None:
        failure = future.exception()
        if failure is not None:
            self.log(f"the record could not be kept: {failure}")

    def _add(self, record: MatchRecord) -> int:
        values = (
            record.id,
            record.game,
            record.rules,
            _json(record.roles),
            _json(record.players),
            record.startclock,
            record.playclock,
            record.started,
            record.keeper,
            record.role,
            record.status,
            None if record.goals is None else _json(record.goals),
            int(record.scrambled),
            record.previewclock,
            record.tournament,
            record.token,
            _json(record.addresses),
        )
        with closing(self._connection.cursor()) as cursor:
            marks = ", ".join("?" * len(values))
            cursor.execute(f"INSERT INTO matches ({COLUMNS}) VALUES ({marks})", values)
            number = cursor.lastrowid or 0
            for turn, step in enumerate(record.steps):
                row = (number, turn, _json(step.moves), step.time, _json(step.errors))
                cursor.execute("INSERT INTO steps VALUES (?, ?, ?, ?, ?)", row)
        return number

    def _change(self, statement: str, number: Future[int], values: tuple[Any, ...]) -> None:
        self._connection.execute(statement, (number.result(), *values))


def _log_writes_ahead(connection: sqlite3.Connection) -> None:
    """Turns the write-ahead log on, which the file then remembers.

    SQLite does not wait for others here, whatever the connection's timeout: of two processes that open a new file at
    once, one is told that the file is locked. So this waits itself.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as failure:
            # The low byte is the kind of error; the others say more about it.
            if failure.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Makes the tables, or adds what files of earlier versions lack; of several processes that try, one does it."""
    if connection.execute("PRAGMA user_version").fetchone()[0] == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    for statement in SCHEMA.split(";"):
        connection.execute(statement)
    if connection.execute("PRAGMA user_version").fetchone()[0] == 1:
        connection.execute("ALTER TABLE matches ADD COLUMN addresses TEXT NOT NULL DEFAULT '[]'")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def known(number: int) -> Future[int]:
    """The number of a match that is in the list already, as `add` gives it."""
    future: Future[int] = Future()
    future.set_result(number)
    return future


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _tuple(text: str | None) -> tuple[str, ...] | None:
    value = None if text is None else json.loads(text)
    return None if value is None else tuple(value)


def _thought(data: dict[str, Any]) -> Thought:
    return Thought(
        **{
            **data,
            "line": tuple(data["line"]),
            "values": tuple((move, value) for move, value in data["values"]),
        }
    )


def _remark(row: tuple[Any, ...]) -> Remark:
    turn, role, move, source, slack, thought = row
    return Remark(turn, role, move, source, slack, _thought(json.loads(thought)))


def _record(row: tuple[Any, ...]) -> MatchRecord:
    number, *rest = row
    names = COLUMNS.split(", ")
    fields = dict(zip(names, rest, strict=True))
    for name in ("roles", "players", "addresses"):
        fields[name] = tuple(json.loads(fields[name]))
    fields["goals"] = None if fields["goals"] is None else tuple(json.loads(fields["goals"]))
    fields["scrambled"] = bool(fields["scrambled"])
    return MatchRecord(number=number, **fields)
