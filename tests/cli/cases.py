"""What several tests of the command line ask."""

from pathlib import Path


def files_in(folder):
    return {path.name for path in Path(folder).iterdir()}
