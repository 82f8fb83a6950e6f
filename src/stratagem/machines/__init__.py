"""All that implements `Game`: the reasoner, compiled rules, and explicit trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.lazy import lazy_names

if TYPE_CHECKING:
    from stratagem.machines import trees as trees

__all__, __getattr__, __dir__ = lazy_names(__name__, {}, ("trees",))
