"""``python -m stratagem`` and the command `stratagem`."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line; Ctrl-C while it is still being imported is an interruption like any other."""
    try:
        from stratagem.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("stratagem: interrupted before there was anything to report\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
