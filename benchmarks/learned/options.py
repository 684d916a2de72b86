"""What every section is told."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import _run
from benchmarks.learned.evidence import default_cache

JUDGES = Path(__file__).parent / "judges"


def default_data() -> Path | None:
    """Return the folder of tables that are not in the package: ``SPINNEY_DATA``."""
    folder = os.environ.get("SPINNEY_DATA")
    return Path(folder) if folder else None


@dataclass(frozen=True)
class Options:
    """How much is done, with which judges, and where things are.

    Attributes
    ----------
    repetitions : int or None
        Seeds per table; by default 30 (12 for ablations, 60 tables of each group of the world).
    workers : int
        Processes, of one thread each.
    judge : path or None
        The judge that all is about; None is the one that is shipped.
    judges : path
        Folder of the judges it is compared with.
    data : path or None
        Folder of real tables that are not in the package.
    cache : path
        Folder in which evidence is kept.
    results : path
        Folder of stored results.
    minutes : float
        Limit for one method on one real table.
    """

    repetitions: int | None = None
    workers: int = 1
    judge: Path | None = None
    judges: Path = JUDGES
    data: Path | None = field(default_factory=default_data)
    cache: Path = field(default_factory=default_cache)
    results: Path = field(default_factory=lambda: _run.RESULTS)
    minutes: float = 10.0

    def seeds(self, usual: int) -> int:
        """Return how many repetitions are wanted, where `usual` is the section's own number."""
        return usual if self.repetitions is None else self.repetitions
