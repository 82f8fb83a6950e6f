"""Which executor a text names: ``local``, ``local:4``, ``ray``, ``ray://HOST:PORT`` or ``HOST:PORT``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from stratagem.errors import UsageError, require_type

if TYPE_CHECKING:
    from stratagem.cluster.local import LocalExecutor
    from stratagem.cluster.ray_executor import RayExecutor

LOCAL: Final = re.compile(r"local(?::(\d{1,4}))?")
RAY: Final = re.compile(r"ray|ray://[\w.-]+:\d{1,5}|[\w.-]+:\d{1,5}")
WAYS: Final = "write local, local:CORES, ray, ray://HOST:PORT (Ray's client server) or HOST:PORT (its head)"


def connect(on: str = "local") -> LocalExecutor | RayExecutor:
    """The executor that *on* names; use it with ``with``, or `close` it.

    ``local`` means worker processes of this machine, one per core; ``local:4`` means four. ``ray`` is the Ray cluster that
    this machine belongs to or that ``RAY_ADDRESS`` names, otherwise a new one on this machine alone. ``ray://HOST:PORT`` is a
    remote cluster, through its Ray client server; ``HOST:PORT`` is one by the address of its head, from a machine in it.
    """
    require_type(on, str, "the name of an executor", hint=WAYS)
    local = LOCAL.fullmatch(on)
    if local is not None:
        if local[1] is not None and int(local[1]) < 1:
            raise UsageError("an executor needs a core or more", hint="write local:1")
        from stratagem.cluster.local import LocalExecutor

        return LocalExecutor(None if local[1] is None else int(local[1]))
    if RAY.fullmatch(on) is None:
        raise UsageError(f"{on!r} is not a place to run on", hint=WAYS)
    from stratagem.cluster.ray_executor import RayExecutor

    return RayExecutor(None if on == "ray" else on)
