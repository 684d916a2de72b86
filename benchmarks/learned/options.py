"""What every section is told."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import _run


def default_data() -> Path | None:
    """Return the folder of tables that are not in the package: ``SPINNEY_DATA``."""
    folder = os.environ.get("SPINNEY_DATA")
    return Path(folder) if folder else None


@dataclass(frozen=True)
class Options:
    """How much is done, with which judge, and where things are.

    Attributes
    ----------
    repetitions : int or None
        Rounds, or tables of each source; by default the section's own number.
    workers : int
        Processes, of one thread each.
    judge : path or None
        The judge that all is about; None is the one that is shipped.
    methods : tuple of str or None
        Methods that are run on real tables; by default all. Stored results of others stay.
    data : path or None
        Folder of real tables that are not in the package.
    results : path
        Folder of stored results.
    minutes : float
        Limit for one method on one real table.
    """

    repetitions: int | None = None
    workers: int = 1
    judge: Path | None = None
    methods: tuple[str, ...] | None = None
    data: Path | None = field(default_factory=default_data)
    results: Path = field(default_factory=lambda: _run.RESULTS)
    minutes: float = 10.0

    def seeds(self, usual: int) -> int:
        """Return how many repetitions are wanted, where `usual` is the section's own number."""
        return usual if self.repetitions is None else self.repetitions
