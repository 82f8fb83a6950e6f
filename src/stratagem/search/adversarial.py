"""The table of searches for MAX against MIN: name -> ``module:function`` below `stratagem.search`."""

from __future__ import annotations

ADVERSARIAL: dict[str, str] = {
    "minimax": "minimax:minimax",
}
