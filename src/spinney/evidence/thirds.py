r"""Tests of the dependence of two columns, alone and given each other column.

Columns enter by their normal scores, nominal ones by their classes; the given column enters in
steps (:func:`spinney.evidence.conditional.steps_of`). The canonical correlations :math:`\rho` of
two columns with a and b scores, given c others, are tested by Bartlett's

.. math:: -\Bigl(m - 1 - c - \frac{a + b + 1}{2}\Bigr) \sum \log (1 - \rho^2) \sim \chi^2_{ab}

with the effective sample size m of the pair [1]_.

References
----------
.. [1] M. S. Bartlett (1947). Multivariate analysis. Supplement to the Journal of the Royal
   Statistical Society 9, 176-197.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from spinney._core.arrays import Bools, Floats
from spinney.evidence.conditional import LEAST_LEFT, steps_of
from spinney.evidence.matrices import LARGEST_CORRELATION
from spinney.evidence.measured import FEWEST_ROWS, Measured
from spinney.scores import read_scores
from spinney.tables import Table


class Given(NamedTuple):
    """The dependence of two columns, given a third or nothing.

    Attributes
    ----------
    column : int
        What is given; -1 if nothing is.
    size : float
        (Partial) correlation of the scores; NaN if a column is nominal.
    p : float
        Chance that independent columns are as dependent.
    """

    column: int
    size: float
    p: float


class Thirds(NamedTuple):
    """The dependence of two columns alone, and given the column that leaves least and most of it.

    Attributes
    ----------
    alone : Given
    least, most : Given or None
        None if no other column can be given.
    tried : int
        How many other columns were tried.
    """

    alone: Given
    least: Given | None
    most: Given | None
    tried: int


def given_each_other(
    table: Table, pairs: Sequence[tuple[int, int]], shares: Sequence[float]
) -> list[Thirds]:
    """Measure the dependence of pairs of columns alone, and given each other column.

    Parameters
    ----------
    table : Table
        The table.
    pairs : list of (int, int)
        Positions of their columns.
    shares : list of float
        Share of each pair's rows that says as much if rows are independent.

    Examples
    --------
    Two causes and their effect: the causes are dependent only once the effect is known.

    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(2, 300))
    >>> X = np.column_stack([a, b, a + b + 0.5 * rng.normal(size=300)])
    >>> [found] = given_each_other(Table.plain(X, ("a", "b", "c")), [(0, 1)], [1.0])
    >>> found.alone.p > 0.05, found.most.column, found.most.p < 0.001, round(found.most.size, 1)
    (True, 2, True, -0.8)
    """
    measured = Measured(read_scores(table, degree=1))
    scores, d, R = measured.scores, measured.d, measured.R
    present = scores.present.astype(float)
    own = [np.flatnonzero(scores.owners == k) for k in range(d)]
    basis, widths = steps_of(scores, np.arange(d), measured.rows.diagonal(), np.float64)
    counts = np.append(0, widths)  # first, nothing is given
    loads = np.zeros((d + 1, basis.shape[2], len(scores.owners)))
    there = present.sum(axis=0)
    for k in range(d):
        size = np.sqrt(there[k]) / np.maximum(measured.common[k], 1.0)
        loads[k + 1] = basis[:, k].T @ scores.values * size[scores.owners]
    found = []
    for (i, j), share in zip(pairs, shares, strict=True):
        both = present[:, i] * present[:, j]
        rows = share * np.concatenate([[both.sum()], both @ present])
        blocks = [own[i], own[j]]
        able = rows >= FEWEST_ROWS
        able[[i + 1, j + 1]] = False
        able[0] = True
        found.append(_left(R, loads, blocks, rows, counts, able))
    return found


def _left(
    R: Floats,
    loads: Floats,
    blocks: list[NDArray[np.intp]],
    rows: Floats,
    counts: NDArray[np.intp],
    able: Bools,
) -> Thirds:
    """Test the pair whose scores are the `blocks`, given nothing and each column."""
    one, other = (loads[:, :, block] for block in blocks)
    a, b = (len(block) for block in blocks)
    between = R[np.ix_(*blocks)] - np.einsum("kpa,kpb->kab", one, other)
    for own in (one, other):
        left = np.eye(own.shape[2]) - np.einsum("kpa,kpb->kab", own, own)
        sizes, axes = np.linalg.eigh(left)
        able &= sizes.min(axis=1, initial=1.0) > LEAST_LEFT
        scale = np.sqrt(np.maximum(sizes, LEAST_LEFT))[:, None, :]
        between = np.swapaxes(np.swapaxes(axes / scale, 1, 2) @ between, 1, 2)
    rho = np.linalg.svd(between, compute_uv=False)
    logs = -np.log1p(-(np.minimum(rho, LARGEST_CORRELATION) ** 2)).sum(axis=1)
    x = np.maximum(rows - 1.0 - counts - (a + b + 1) / 2.0, 0.0) * logs
    p = chdtrc(a * b, x)

    def told(k: int) -> Given:
        size = between[k, 0, 0] if a == b == 1 else np.nan
        return Given(k - 1, float(size), float(p[k]))

    others = np.flatnonzero(able[1:]) + 1
    if not others.size:
        return Thirds(told(0), None, None, 0)
    by_size = others[np.argsort(x[others], kind="stable")]
    return Thirds(told(0), told(int(by_size[0])), told(int(by_size[-1])), others.size)
