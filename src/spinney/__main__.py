"""The command line as ``python -m spinney``."""

from spinney.cli import main

main()
