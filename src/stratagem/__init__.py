"""Stratagem plays, solves and explains any game you can write down."""

from __future__ import annotations

__version__ = "0.1.0"
