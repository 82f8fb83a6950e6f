"""Our own commands as separate processes, to be started, watched and killed."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

ENTRY = "import sys, typer; from stratagem.cli.{module} import {name}; typer.run({name})"


class Program:
    """A command of ours in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, name: str, *arguments: str, data: Path, module: str | None = None) -> Program:
        code = ENTRY.format(module=module or name, name=name)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            code,
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, "STRATAGEM_DATA": str(data), "PYTHONUNBUFFERED": "1"},
        )
        return cls(process)

    async def see(self, pattern: str, seconds: float = 300) -> re.Match[str]:
        """The first line that matches; everything before it is read and dropped."""
        assert self.process.stdout is not None
        seen: list[str] = []
        async with asyncio.timeout(seconds):
            while True:
                line = (await self.process.stdout.readline()).decode()
                assert line, f"it ended before {pattern}: {''.join(seen)}"
                seen.append(line)
                found = re.search(pattern, line)
                if found is not None:
                    return found

    async def rest(self, seconds: float = 300) -> str:
        """Everything it says until it ends."""
        assert self.process.stdout is not None
        async with asyncio.timeout(seconds):
            text = (await self.process.stdout.read()).decode()
            await self.process.wait()
        return text

    async def kill(self) -> None:
        """Ends it without a warning."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.communicate()


async def player_at(data: Path, *arguments: str, port: int = 0) -> tuple[Program, int]:
    """A player of ours that listens, and its port."""
    program = await Program.start("player", "--port", str(port), *arguments, data=data)
    found = await program.see(r"listens at \S+:(\d+)")
    return program, int(found.group(1))
