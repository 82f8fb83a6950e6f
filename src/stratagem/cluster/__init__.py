"""Executors: processes of this machine, and Ray. `connect` finds the one that a text names.

>>> import stratagem as st
>>> with st.cluster.connect("local:2") as cluster:
...     cluster.cores
2
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.lazy import lazy_names

if TYPE_CHECKING:
    from stratagem.cluster.connecting import connect as connect
    from stratagem.executor.interface import Actor as Actor
    from stratagem.executor.interface import Executor as Executor
    from stratagem.executor.interface import Pending as Pending
    from stratagem.executor.interface import WorkerLost as WorkerLost

_HOMES = {
    "Actor": "stratagem.executor.interface",
    "Executor": "stratagem.executor.interface",
    "Pending": "stratagem.executor.interface",
    "WorkerLost": "stratagem.executor.interface",
    "connect": "stratagem.cluster.connecting",
}

__all__, __getattr__, __dir__ = lazy_names(__name__, _HOMES)
