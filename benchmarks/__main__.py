"""All ratios, one after another: ``python -m benchmarks [NAME ...]``; options after one name are its own.

Those that take long (accuracy, cluster, strength, curves, workbench) run only when they are named.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

LONG = frozenset({"accuracy", "cluster", "strength", "curves", "workbench"})


def main(words: list[str]) -> int:
    first = next((place for place, word in enumerate(words) if word.startswith("-")), len(words))
    chosen, own = words[:first], words[first:]
    if own and len(chosen) != 1:
        print("options belong to one benchmark: python -m benchmarks strength --help")
        return 2
    names = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    unknown = [name for name in chosen if f"bench_{name}" not in names]
    if unknown:
        print(f"no benchmark called {unknown[0]}; there are {', '.join(name[6:] for name in names)}")
        return 2
    for name in names:
        if name[6:] in chosen or (not chosen and name[6:] not in LONG):
            print(f"== {name[6:]}", flush=True)
            main_of = import_module(f"benchmarks.{name}").main
            main_of(own) if own else main_of()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
