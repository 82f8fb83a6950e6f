"""``python -m stratagem`` and the command `stratagem`."""

from __future__ import annotations

import atexit
import sys


def main() -> None:
    """Runs the command line, so that Ctrl-C has no traceback and no exit code of its own, from imports to the last line."""
    try:
        from stratagem.platform import ignore_interrupts

        # What is registered first runs last: the answer is out by then, and taking the interpreter down cannot be interrupted.
        atexit.register(ignore_interrupts)
        from stratagem.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("stratagem: interrupted before there was anything to report\n")
        sys.exit(1)
    finally:
        # CPython remembers that Ctrl-C left an `exec` (dataclasses run some), though it was dealt with since, and `python -m`
        # then dies of the signal whatever its exit code; the next `exec` makes it forget.
        exec("")


if __name__ == "__main__":
    main()
