"""A thousand moves at a play clock of one second while other processes keep every core busy: who is late?

    python -m benchmarks.clocks                    1,000 moves, 4 matches at once, every core busy
    python -m benchmarks.clocks --moves 100 --busy 0 --player uct

A real player process is asked by real clients over HTTP, each a process of its own, so that the times are those that a
game manager sees. The signature: every move was legal and none came after the clock.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import stratagem
from stratagem.gdl_game import GdlGame
from stratagem.ggp.manager.client import Address, Failure, ask
from stratagem.ggp.protocol.messages import Play, Start, Stop, write
from stratagem.ggp.protocol.sheet import rules_text
from stratagem.play.clock import MOST_KEPT_BACK
from stratagem.play.match_state import Match
from stratagem.play.records.record import Remark
from stratagem.play.records.store import Records

BUSY = "while True: sum(range(100000))"
PLAYER = "import typer; from stratagem.cli.player import player; typer.run(player)"
GAMES = ("tictactoe", "connectfour", "breakthrough", "tictactoethree", "rockpaperscissors")
STARTCLOCK = 2


async def one_match(
    address: Address, name: str, game: GdlGame, clock: float, seen: dict[str, Any], most: int, random: Random
) -> None:
    """Our player in a role drawn by lot, the others at random; ends when *most* choices have been counted."""
    role = random.choice(game.roles)
    match = Match.of(game, role, id=name)
    message = write(Start(name, role, rules_text(game), STARTCLOCK, clock))
    begun = time.monotonic()
    answer = await ask(address, "player", message, STARTCLOCK + 10)
    assert answer == "ready", answer
    seen["starts"].append(time.monotonic() - begun)
    told: tuple[str, ...] | None = None
    while not match.over and len(seen["seconds"]) < most:
        begun = time.monotonic()
        answer = await ask(address, "player", write(Play(name, told)), clock + 10)
        seconds = time.monotonic() - begun
        legal = match.legals(role)
        if len(legal) > 1:
            seen["seconds"].append(seconds)
            seen["slowest"] = max(
                seen["slowest"], [seconds, f"{game.identity.name} after {len(match.history)} moves"]
            )
        else:
            seen["forced"] += 1
        seen["late"] += seconds > clock
        move = None if isinstance(answer, Failure) else game.parse_move(answer)
        if move not in legal:
            seen["illegal"] += 1
            move = random.choice(legal)
        joint = [move if one == role else random.choice(match.legals(one)) for one in match.roles]
        match = match.after(joint)
        told = tuple(map(game.spell, joint))
    await ask(address, "player", write(Stop(name, told)), 5)


async def one_table(number: int, port: int, clock: float, most: int) -> dict[str, Any]:
    """Match after match, the games in turn, until *most* moves have been made."""
    seen: dict[str, Any] = {"seconds": [], "starts": [], "forced": 0, "late": 0, "illegal": 0}
    seen["slowest"] = [0.0, ""]
    random = Random(number)
    count = 0
    while len(seen["seconds"]) < most:
        game = stratagem.load(GAMES[(number + count) % len(GAMES)], machine="reasoner")
        address = Address("127.0.0.1", port)
        await one_match(address, f"m{number}.{count}", game, clock, seen, most, random)
        count += 1
    return seen


async def measured(
    moves: int, parallel: int, busy: int, clock: float, player: str
) -> tuple[list[dict[str, Any]], list[Remark]]:
    """What each table saw, and what the player noted about each of its moves."""
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, "STRATAGEM_DATA": data, "PYTHONUNBUFFERED": "1"}
        server = await asyncio.create_subprocess_exec(
            *(
                sys.executable,
                "-c",
                PLAYER,
                "--port",
                "0",
                "--player",
                player,
                *(["--quiet"] if not os.environ.get("LOUD") else []),
            ),
            stdout=asyncio.subprocess.PIPE,
            env=environment,
        )
        loads = [await asyncio.create_subprocess_exec(sys.executable, "-c", BUSY) for _ in range(busy)]
        try:
            assert server.stdout is not None
            found = re.search(rb":(\d+)", await server.stdout.readline())
            assert found is not None
            command = (sys.executable, "-m", "benchmarks.clocks", "--port", found.group(1).decode())
            share = ("--moves", str(-(-moves // parallel)), "--clock", str(clock))
            tables = [
                await asyncio.create_subprocess_exec(
                    *command, *share, "--table", str(number), stdout=asyncio.subprocess.PIPE
                )
                for number in range(parallel)
            ]
            seen = [json.loads((await table.communicate())[0]) for table in tables]
        finally:
            for process in (server, *loads):
                process.kill()
                await process.wait()
        with Records(Path(data) / "matches.sqlite") as records:
            kept = [records.get(one.number) for one in records.newest(10_000) if one.number is not None]
        return seen, [remark for record in kept for remark in record.remarks]


def report(seen: list[dict[str, Any]], noted: list[Remark], chosen: argparse.Namespace) -> None:
    ordered = sorted(second for table in seen for second in table["seconds"])
    late, illegal, forced = (sum(table[key] for table in seen) for key in ("late", "illegal", "forced"))
    starts = [second for table in seen for second in table["starts"]]
    print(
        f"{len(ordered)} moves with a choice, {forced} forced, {len(starts)} matches; {chosen.parallel} at once, "
        f"{chosen.busy} busy processes on {os.cpu_count()} cores, play clock {chosen.clock:g} s"
    )
    print(f"late {late}, illegal {illegal}; slowest START {max(starts):.3f} s of {STARTCLOCK} s")
    for mark in (0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1.0):
        value = ordered[min(len(ordered) - 1, int(mark * len(ordered)))]
        print(f"  {100 * mark:5.1f} %  answered within {value:.3f} s, {chosen.clock - value:+.3f} s left")
    slowest = sorted((table["slowest"] for table in seen), reverse=True)
    print(
        "the slowest of each table: " + ", ".join(f"{seconds:.3f} s in {where}" for seconds, where in slowest)
    )
    # A move that was decided before the thinker had to stop says nothing about the margin.
    slacks = sorted(remark.slack for remark in noted if remark.slack < chosen.clock * MOST_KEPT_BACK + 0.01)
    if slacks:
        print(
            f"margin: the player decided with {slacks[0]:.3f} s (least), {slacks[len(slacks) // 2]:.3f} s (median), "
            f"{slacks[-1]:.3f} s (most) left on its clock, in {len(slacks)} moves that used it up"
        )
    sources = Counter(remark.source for remark in noted)
    print("moves by " + ", ".join(f"{source}: {count}" for source, count in sources.most_common()))
    assert (late, illegal) == (0, 0)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--moves", type=int, default=1000, help="moves in which there is a choice")
    parser.add_argument("--parallel", type=int, default=4, help="matches at once")
    parser.add_argument(
        "--busy", type=int, default=os.cpu_count() or 2, help="processes that keep cores busy"
    )
    parser.add_argument("--clock", type=float, default=1.0)
    parser.add_argument("--player", default="stratagem")
    parser.add_argument("--table", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.table is not None:
        print(json.dumps(asyncio.run(one_table(chosen.table, chosen.port, chosen.clock, chosen.moves))))
        return
    seen, noted = asyncio.run(
        measured(chosen.moves, chosen.parallel, chosen.busy, chosen.clock, chosen.player)
    )
    report(seen, noted, chosen)


if __name__ == "__main__":
    main()
