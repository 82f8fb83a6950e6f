"""Compiling in a child process: the child's side. Rules come in as text, a packed circuit goes out.

Exit status 0: a circuit; 1: a reason, as JSON; anything else: the limits were hit.
"""

from __future__ import annotations

import gc
import json
import sys
import time

from stratagem.platform import limit_cpu_time, limit_memory, no_core_dumps


def main(seconds: float, memory: int) -> int:
    limit(seconds, memory)
    # Everything built here lives until the end, so looking for garbage is time lost.
    gc.disable()
    from stratagem.circuit.compiler.compile import quietly
    from stratagem.circuit.compiler.pipeline import compile_here
    from stratagem.circuit.pack import pack
    from stratagem.errors import GroundingError
    from stratagem.gdl.build import build
    from stratagem.gdl.text.kif import read
    from stratagem.gdl.text.syntax import Source
    from stratagem.ground.rewrite.prepare import prepare

    source = Source(sys.stdin.buffer.read().decode("utf-8", "surrogatepass"))
    nodes, _ = read(source)
    sheet, _ = build(source, nodes)
    try:
        start = time.perf_counter()
        prepared = prepare(sheet)
        answer = pack(compile_here(prepared, time.perf_counter() - start, quietly))
    except GroundingError as failure:
        sys.stdout.write(json.dumps({"message": failure.message, "hint": failure.hint}))
        return 1
    except (MemoryError, RecursionError):
        return 3
    sys.stdout.buffer.write(answer)
    return 0


def limit(seconds: float, memory: int) -> None:
    """Limits that hold even if the parent is gone; systems without them have the parent's clock alone."""
    limit_memory(memory)
    limit_cpu_time(seconds)
    no_core_dumps()


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2])))
