"""The cells: kinds of truth with a number of rows, and the seeds they are drawn from.

The same seed gives the same graph at every n, and the rows at n = 50 are the first of those at
n = 500, as in the founding paper. There are two groups: ``truths``, which are continuous tables
without gaps and which methods get as arrays, and ``tables``, with levels and gaps
(:mod:`benchmarks.accuracy.real_tables`), which they get as data frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from benchmarks.accuracy.real_tables import TABLE_KINDS, TABLE_ROWS
from reproduce.experiments import REPORTING, TRUTHS, Simulator
from spinney.exceptions import InputError
from spinney.simulate import (
    Simulated,
    copula_forest,
    gaussian,
    gaussian_mrf,
    grid_graph,
    hub_graph,
    independent,
)

TUNING = range(100_000, 101_000)
"""Seeds on which defaults may be chosen and models trained."""
SEEDS = {"tuning": TUNING, "reporting": REPORTING}

KINDS: dict[str, tuple[str, Simulator]] = {
    "connected": TRUTHS["connected"],
    "two-components": TRUTHS["two-components"],
    "t-cliques": TRUTHS["t-cliques"],
    "loopy": (
        "GMRF, 25 nodes, 50 edges, connected",
        lambda n, seed: gaussian_mrf(n, 25, 4, 1, seed),
    ),
    "grid": (
        "GMRF on a 5 × 5 grid, 40 edges",
        lambda n, seed: gaussian(n, grid_graph(5, 5), seed),
    ),
    "hubs": (
        "GMRF, 25 nodes in three stars, 22 edges",
        lambda n, seed: gaussian(n, hub_graph(25, 3, seed), seed),
    ),
    "mixed-trees": (
        "tree of random pair copulas, 25 nodes, 24 edges",
        lambda n, seed: copula_forest(n, 25, 1, seed),
    ),
    "mixed-forests": (
        "two trees of random pair copulas, 25 nodes, 23 edges",
        lambda n, seed: copula_forest(n, 25, 2, seed),
    ),
    "independent": ("no edge, 25 nodes", lambda n, seed: independent(n, 25, seed)),
    "wide": TRUTHS["wide"],
}
"""What the truth looks like, and how a table is drawn from it."""

ROWS = dict.fromkeys(KINDS, (50, 100, 500)) | {"wide": (50,)}
ALL_KINDS = KINDS | TABLE_KINDS


@dataclass(frozen=True)
class Cell:
    """A kind of truth with a number of rows."""

    kind: str
    n: int

    @property
    def name(self) -> str:
        """Kind and rows, such as ``connected-100``."""
        return f"{self.kind}-{self.n}"

    @property
    def description(self) -> str:
        """What the truth looks like."""
        return ALL_KINDS[self.kind][0]

    @property
    def is_frame(self) -> bool:
        """Whether methods get a data frame, whose types tell the kinds of its columns."""
        return self.kind in TABLE_KINDS

    def simulate(self, seed: int) -> Simulated:
        """Draw the table of one repetition."""
        return ALL_KINDS[self.kind][1](self.n, seed)


CELLS = {cell.name: cell for cell in (Cell(kind, n) for kind in KINDS for n in ROWS[kind])}
TABLE_CELLS = {
    cell.name: cell for cell in (Cell(kind, n) for kind in TABLE_KINDS for n in TABLE_ROWS)
}
ALL_CELLS = CELLS | TABLE_CELLS
GROUPS = {"truths": CELLS, "tables": TABLE_CELLS}


def choose(patterns: Sequence[str], names: Sequence[str], what: str) -> list[str]:
    """Find the names that match any pattern (``connected-*``), in their own order."""
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise InputError(f"No {what} matches '{pattern}'. There are: {', '.join(names)}.")
    return [name for name in names if any(fnmatchcase(name, p) for p in patterns)]
