"""Ten visitors at once, for a short time; benchmarks/bench_workbench.py does it for a minute and prints percentiles."""

from __future__ import annotations

import asyncio

import pytest


@pytest.mark.slow
@pytest.mark.realtime
def test_ten_visitors_at_once_lose_nothing(server: str) -> None:
    pytest.importorskip("aiohttp", reason="aiohttp is not installed; pip install 'stratagem[web]'")
    from benchmarks.bench_workbench import visit

    times = asyncio.run(visit(server, visitors=10, seconds=12))
    assert times.lost == 0
    assert all(times.seconds.values()), times.lines()  # how long they wait is for the benchmark to say
