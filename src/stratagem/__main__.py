"""``python -m stratagem``: the same as the command `stratagem`."""

from stratagem.cli import main

if __name__ == "__main__":
    main()
