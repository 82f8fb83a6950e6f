"""The table of searches for a single player: name -> ``module:function`` below `stratagem.search`."""

from __future__ import annotations

SINGLE: dict[str, str] = {}
