"""What a search reports about itself, as data: typed events, and a stream of them in a file.

The names listed here are public; the modules below are internal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.lazy import lazy_names

if TYPE_CHECKING:
    from stratagem.trace.events import Again as Again
    from stratagem.trace.events import Begin as Begin
    from stratagem.trace.events import Cut as Cut
    from stratagem.trace.events import Duplicate as Duplicate
    from stratagem.trace.events import Enter as Enter
    from stratagem.trace.events import Event as Event
    from stratagem.trace.events import Expand as Expand
    from stratagem.trace.events import Finish as Finish
    from stratagem.trace.events import Goal as Goal
    from stratagem.trace.events import Leaf as Leaf
    from stratagem.trace.events import Leave as Leave
    from stratagem.trace.events import LowerBeta as LowerBeta
    from stratagem.trace.events import Meet as Meet
    from stratagem.trace.events import Name as Name
    from stratagem.trace.events import Pass as Pass
    from stratagem.trace.events import Path as Path
    from stratagem.trace.events import Pop as Pop
    from stratagem.trace.events import Proof as Proof
    from stratagem.trace.events import Purge as Purge
    from stratagem.trace.events import Push as Push
    from stratagem.trace.events import RaiseAlpha as RaiseAlpha
    from stratagem.trace.events import Recall as Recall
    from stratagem.trace.events import Reorder as Reorder
    from stratagem.trace.events import Solve as Solve
    from stratagem.trace.events import Test as Test
    from stratagem.trace.events import Trace as Trace
    from stratagem.trace.stream import Recorder as Recorder
    from stratagem.trace.stream import TraceWriter as TraceWriter
    from stratagem.trace.stream import read as read
    from stratagem.trace.stream import write as write

_EVENTS = (
    *(
        "Begin",
        "Finish",
        "Pass",
        "Enter",
        "Leaf",
        "Leave",
        "RaiseAlpha",
        "LowerBeta",
        "Cut",
        "Test",
        "Again",
        "Recall",
    ),
    *("Reorder", "Push", "Pop", "Solve", "Purge", "Proof", "Expand", "Duplicate", "Goal", "Meet"),
    *("Event", "Name", "Path", "Trace"),
)
_FILES = ("Recorder", "TraceWriter", "read", "write")

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(_EVENTS, "stratagem.trace.events"),
        **dict.fromkeys(_FILES, "stratagem.trace.stream"),
    },
)
