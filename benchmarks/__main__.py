"""All ratios, one after another: ``python -m benchmarks [NAME ...]``.

Those that take long (strength, curves, workbench) run only when they are named.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

LONG = frozenset({"strength", "curves", "workbench"})


def main(chosen: list[str]) -> int:
    names = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    unknown = [name for name in chosen if f"bench_{name}" not in names]
    if unknown:
        print(f"no benchmark called {unknown[0]}; there are {', '.join(name[6:] for name in names)}")
        return 2
    for name in names:
        if name[6:] in chosen or (not chosen and name[6:] not in LONG):
            print(f"== {name[6:]}", flush=True)
            import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
