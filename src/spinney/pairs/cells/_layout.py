"""Which pairs are fitted, where their numbers stand, and in which pieces the work is done."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import pair_nodes, pair_positions
from spinney._core.threads import n_threads
from spinney.exceptions import InputError
from spinney.pairs.cells._block import Pairs
from spinney.pairs.cells.columns import N_BINS
from spinney.pairs.cells.logistic import COEFFICIENTS
from spinney.pairs.pseudo import PseudoTable

__all__ = ["in_pieces", "lay_out", "read_pairs"]

Ints = NDArray[np.int64]


def read_pairs(table: PseudoTable, pairs: ArrayLike | None) -> Ints:
    """Check a choice of pairs, each with a nominal column; None stands for all of these."""
    first, second = pair_nodes(table.n_columns)
    has_nominal = table.nominal[first] | table.nominal[second]
    if pairs is None:
        return np.flatnonzero(has_nominal).astype(np.int64)
    wanted = np.unique(pair_positions(pairs, first.size))
    ordered = wanted[~has_nominal[wanted]]
    if ordered.size:
        u, v = table.names[first[ordered[0]]], table.names[second[ordered[0]]]
        raise InputError(
            f"Columns '{u}' and '{v}' are both ordered; PairTables takes pairs with a nominal "
            "column. Use PairCopulas for this one."
        )
    return wanted


def lay_out(table: PseudoTable, positions: Ints, n_folds: int) -> Pairs:
    """Say which column of each pair has the classes, and where the pair's numbers stand."""
    first, second = (nodes[positions] for nodes in pair_nodes(table.n_columns))
    swap = ~table.nominal[first]
    classes = np.where(swap, second, first).astype(np.int64)
    others = np.where(swap, first, second).astype(np.int64)
    n_levels = table.n_levels
    # A continuous column has either bins or, for each class, coefficients.
    cells = np.where(n_levels[others] == 0, max(N_BINS, COEFFICIENTS), n_levels[others])
    size = n_levels[classes] * cells
    slots = size * (n_folds + 1)
    return Pairs(classes, others, size, np.cumsum(slots) - slots)


def in_pieces(
    work: Callable[[int, int], None], listed: int, n_rows: int, n_jobs: int | None
) -> None:
    """Call ``work(begin, end)`` on pieces of the listed pairs, in threads if so asked.

    Each pair's numbers have a place of their own, so the pieces do not meet.
    """
    jobs = n_threads(n_jobs)
    # Short enough to interrupt, long enough not to notice.
    piece = max(min(ceil(50_000 / max(n_rows, 1)), ceil(listed / jobs)), 1)
    pieces = [(k, min(k + piece, listed)) for k in range(0, listed, piece)]
    if jobs == 1 or len(pieces) < 2:
        for begin, end in pieces:
            work(begin, end)
    else:
        Parallel(n_jobs=jobs, require="sharedmem")(delayed(work)(*ends) for ends in pieces)
