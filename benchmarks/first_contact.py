"""Two players that were just installed, on a machine that is busy: who is late, who plays something illegal?

    python -m benchmarks.first_contact                 connect four, the 8-puzzle and a game of moves at once
    python -m benchmarks.first_contact --times 10      ten times over
    python -m benchmarks.first_contact --games tictactoe --busy 0

Every player is a process of its own with an empty cache, so that nothing is compiled yet, and is asked over HTTP in the
dialect of GGP-Base by a manager that compares moves letter by letter. The signature: no move is late and none is
illegal. How many were guesses, or the first legal move without any search, is told as well.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import stratagem
from stratagem.ggp.manager.client import TOO_LATE, Address
from stratagem.ggp.manager.contacts import Remote
from stratagem.ggp.manager.manager import Manager, Terms
from stratagem.play.records.record import REPLY, MatchRecord, Remark
from stratagem.play.records.store import Records
from stratagem.plural import plural

BUSY = "while True: sum(range(100000))"
PLAYER = "import typer; from stratagem.cli.player import player; typer.run(player)"
GAMES = ("connectfour", "eightpuzzle", "biddingtictactoe")
BLIND = "the first legal move"
TIMES = {"startclock": 8.0, "playclock": 2.0}
MOST_TURNS = 150
"""Joint moves: a puzzle without a limit goes on until it is solved."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one match was like."""

    match: str
    moves: int
    late: int
    illegal: int
    guesses: int
    blind: int
    least: float
    """Seconds left on the clock when the slowest reply came."""
    goals: tuple[int | None, ...]

    @property
    def faults(self) -> int:
        return self.late + self.illegal

    def __str__(self) -> str:
        goals = " ".join(map(str, self.goals))
        return (
            f"{self.match:20} {self.moves:6} {self.late:6} {self.illegal:8} {self.guesses:8} {self.blind:6} "
            f"{self.least:8.2f}  {goals}"
        )


HEAD = (
    f"{'match':20} {'moves':>6} {'late':>6} {'illegal':>8} {'guesses':>8} {'blind':>6} {'least s':>8}  goals"
)


@asynccontextmanager
async def busy_loops(count: int) -> Any:
    """So many processes that want a core each."""
    loops = [await asyncio.create_subprocess_exec(sys.executable, "-c", BUSY) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            await loop.wait()


@asynccontextmanager
async def new_player(folder: Path) -> Any:
    """The address of a player whose cache, in *folder*, is empty."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {
        "STRATAGEM_CACHE": str(folder / "cache"),
        "STRATAGEM_DATA": str(folder / "data"),
        "PYTHONUNBUFFERED": "1",
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PLAYER, "--port", "0", "--quiet"),
        stdout=asyncio.subprocess.PIPE,
        env=environment,
    )
    try:
        assert process.stdout is not None
        found = re.search(rb":(\d+)", await process.stdout.readline())
        assert found is not None, "the player does not listen"
        yield Address("127.0.0.1", int(found.group(1)))
    finally:
        process.terminate()
        await process.wait()


async def one_match(name: str, folder: Path, busy: int) -> Row:
    """A match of new players at the game *name*."""
    game = stratagem.load(name, machine="reasoner")
    folders = [folder / role for role in game.roles]
    # A player that is still getting ready says that it is busy: managers that do not ask begin all the same.
    terms = Terms(
        TIMES["startclock"], TIMES["playclock"], strict=True, seed=1, most_turns=MOST_TURNS, play_on=True
    )
    with Records(folder / "host.sqlite") as records:
        async with busy_loops(busy):
            players = [new_player(each) for each in folders]
            addresses = await asyncio.gather(*(player.__aenter__() for player in players))
            try:
                contacts = [Remote(address, dialect="base") for address in addresses]
                record = await Manager(game, contacts, terms, records=records).run()
                await asyncio.sleep(3)  # what was thought is written down when the match is over
            finally:
                for player in players:
                    await player.__aexit__(None, None, None)
        (kept,) = records.newest(1)
        replies = [remark for remark in records.get(kept.number or 0).remarks if remark.source == REPLY]
    noted = [remark for each in folders for remark in remarks_in(each / "data")]
    return row_of(name, record, replies, noted)


def remarks_in(data: Path) -> Iterator[Remark]:
    """What a player noted about each of its moves."""
    with Records(data / "matches.sqlite") as records:
        for one in records.newest(10):
            if one.number is not None:
                yield from records.get(one.number).remarks


def row_of(name: str, record: MatchRecord, replies: list[Remark], noted: list[Remark]) -> Row:
    errors = [error for step in record.steps[1:] for error in step.errors if error]
    slow = sum(remark.slack < 0 for remark in replies)
    return Row(
        name,
        moves=(len(record.steps) - 1) * len(record.roles),
        late=sum(error == TOO_LATE for error in errors) + slow,
        illegal=sum(error != TOO_LATE for error in errors),
        guesses=sum(remark.source == "guess" for remark in noted),
        blind=sum(remark.thought.why.startswith(BLIND) for remark in noted),
        least=min((remark.slack for remark in replies), default=0.0),
        goals=record.goals or (),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="+", default=GAMES, help="bundled games, by name")
    parser.add_argument("--times", type=int, default=1, help="how often each is played")
    parser.add_argument(
        "--busy", type=int, default=os.cpu_count() or 2, help="processes that keep cores busy"
    )
    chosen = parser.parse_args()
    print(HEAD, flush=True)
    rows: list[Row] = []
    for _ in range(chosen.times):
        for name in chosen.games:
            with tempfile.TemporaryDirectory() as folder:
                rows.append(asyncio.run(one_match(name, Path(folder), chosen.busy)))
            print(rows[-1], flush=True)
    faults = sum(row.faults for row in rows)
    matches, moves = plural(len(rows), "match", "matches"), plural(sum(row.moves for row in rows), "move")
    print(f"{matches}, {moves}, {faults} of them late or illegal")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
