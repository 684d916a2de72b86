"""Levels and gaps, and columns that are read as they are meant."""

from __future__ import annotations

from math import exp, expm1, log

import numpy as np
from scipy import special, stats

from spinney.simulate._streams import stream
from spinney.tables import BINARY, CONTINUOUS, NOMINAL, ORDINAL, Kind
from spinney.tables.kinds import (
    MOST_NOMINAL_LEVELS,
    MOST_ORDINAL_VALUES,
    ROWS_PER_NOMINAL_LEVEL,
    ROWS_PER_ORDINAL_VALUE,
)
from training.world.source import Bools, Floats, between, log_between, pick

__all__ = ["LEVEL_STYLES", "MOST_GAPS", "cut_columns", "gap_mask", "gaps_by_columns", "settle"]

Rng = np.random.Generator

SLOPE = 3.0
"""Half the logarithm by which the odds of a gap grow from the lowest rank to the highest."""
LEVEL_STYLES = {"ordinal": 0.27, "binary": 0.2, "mixed": 0.33, "nominal": 0.2}
"""Which kinds of levels a table has: "mixed" draws one for each column."""
COLUMN_KINDS: dict[Kind, float] = {CONTINUOUS: 0.35, ORDINAL: 0.3, BINARY: 0.25, NOMINAL: 0.1}
"""Kinds of the columns of a mixed table."""
LEVELS = {ORDINAL: (3, 10), NOMINAL: (3, 6)}
"""Fewest and most levels."""
SMALLEST_SHARE = 0.04
"""Least share of a level; of binary columns' rarer level, 0.1."""
GAP_WAYS = {"random": 0.5, "some columns": 0.2, "depends": 0.3}
"""Where gaps are: anywhere by chance, in some columns by chance, or by other columns' values."""
MOST_GAPS = 0.5
"""Largest share of missing values; the smallest is 0.01."""
FEWEST_PRESENT = 8
"""Values that every column keeps."""


def cut_columns(rng: Rng, X: Floats) -> tuple[Floats, tuple[Kind, ...]]:
    """Cut some or all columns into levels, by their ranks.

    Levels have random shares. Nominal columns are cut and their levels then shuffled.
    """
    d = X.shape[1]
    style = pick(rng, LEVEL_STYLES)
    whole = rng.uniform() < 0.5
    same = int(rng.integers(LEVELS[ORDINAL][0], LEVELS[ORDINAL][1] + 1))
    X, kinds = X.copy(), []
    for k in range(d):
        if style == "mixed":
            kind = pick(rng, COLUMN_KINDS)
        elif not whole and rng.uniform() < 0.35:
            kind = CONTINUOUS
        else:
            kind = {"ordinal": ORDINAL, "binary": BINARY, "nominal": NOMINAL}[style]
        kinds.append(kind)
        if kind == CONTINUOUS:
            continue
        if kind == BINARY:
            shares = np.array([between(rng, 0.1, 0.9)])
        else:
            low, high = LEVELS[kind]
            levels = min(same, high) if whole else int(rng.integers(low, high + 1))
            parts = SMALLEST_SHARE + (1 - levels * SMALLEST_SHARE) * rng.dirichlet(np.ones(levels))
            shares = np.cumsum(parts)[:-1]
        codes = np.searchsorted(np.quantile(X[:, k], shares), X[:, k])
        if kind == NOMINAL:
            codes = rng.permutation(len(shares) + 1)[codes]
        X[:, k] = codes
    return X, tuple(kinds)


def gap_mask(rng: Rng, X: Floats, adjacency: Bools) -> Bools:
    """Choose the values that are missing: by chance, in some columns only, or by other columns.

    Every column keeps at least :data:`FEWEST_PRESENT` values.
    """
    n, d = X.shape
    # Pairs of columns should have a few rows in common.
    most = min(MOST_GAPS, 1 - np.sqrt(6 / n))
    share = log_between(rng, 0.01, most)
    way = pick(rng, GAP_WAYS)
    if way == "depends":
        scores = stats.norm.ppf((X.argsort(axis=0).argsort(axis=0) + 0.5) / n)
        missing = gaps_by_columns(scores, adjacency, max(share, 0.05), int(rng.integers(2**62)))
    else:
        missing = rng.uniform(size=X.shape) < share
        if way == "some columns":
            missing[:, rng.uniform(size=d) < between(rng, 0.2, 0.9)] = False
    if not missing.any():
        missing[int(rng.integers(n)), int(rng.integers(d))] = True
    for column in np.flatnonzero((~missing).sum(axis=0) < min(n - 1, FEWEST_PRESENT)).tolist():
        missing[rng.choice(n, min(n - 1, FEWEST_PRESENT), replace=False), column] = False
    return missing


def gaps_by_columns(X: Floats, adjacency: Bools, share: float, seed: int) -> Bools:
    r"""Choose values that are missing at random: half of the columns decide those of the others.

    Half of the columns, drawn at random, stay whole. The driver of a column is a neighbour in the
    true graph if one of them is whole, else any whole column; with its value v,

    .. math:: P(\text{missing} \mid v) = \operatorname{logit}^{-1}(a \pm 3\,(2\Phi(v) - 1)),

    with a random sign and the a that makes the mean over all v the `share`. Neighbours do most
    harm: the rows that are left have other margins and another dependence than the table.

    Parameters
    ----------
    X : array of shape (n, d)
        Standard normal columns, without missing values.
    adjacency : bool array of shape (d, d)
        The true graph.
    share : float
        Expected share of missing values in the half that has gaps; an odd column stays whole.
    seed : int
        Seed.
    """
    rng = stream(seed, "gaps")
    n, d = X.shape
    order = rng.permutation(d)
    holey, whole = np.sort(order[: d // 2]), np.sort(order[d // 2 :])
    drivers, signs = [], []
    for column in holey.tolist():
        near = whole[adjacency[column, whole]]
        candidates = near if len(near) else whole
        drivers.append(int(candidates[rng.integers(len(candidates))]))
        signs.append(1.0 if rng.integers(2) else -1.0)
    missing = np.zeros((n, d), dtype=bool)
    rank = 2 * special.ndtr(X[:, drivers]) - 1
    chance = special.expit(_intercept(share) + SLOPE * np.array(signs) * rank)
    missing[:, holey] = rng.uniform(size=(n, len(holey))) < chance
    return missing


def _intercept(share: float) -> float:
    r"""Intercept a with mean share :math:`\int_0^1 \operatorname{logit}^{-1}(a + b (2u - 1)) du`.

    The integral is :math:`(\log(1 + e^{a+b}) - \log(1 + e^{a-b})) / 2b`, so with
    :math:`k = e^{2 b \cdot \text{share}}`, :math:`e^a = (k - 1) / (e^b - k e^{-b})`.
    """
    k = 2 * SLOPE * share
    return log(expm1(k)) - log(exp(SLOPE) - exp(k - SLOPE))


def settle(rng: Rng, X: Floats, kinds: tuple[Kind, ...]) -> tuple[Floats, tuple[Kind, ...]]:
    """Make columns such that :func:`~spinney.tables.read_table` keeps all, with these kinds.

    Levels that do not occur are dropped and the others numbered anew; levels that have too few
    rows are merged; a column of two values is binary; a continuous one of few values that repeat
    (rounding does that) is ordinal; a column of one value gets another one in one row.
    """
    X, settled = X.copy(), list(kinds)
    for k, kind in enumerate(kinds):
        here = np.flatnonzero(~np.isnan(X[:, k]))
        x = X[here, k]
        if kind == CONTINUOUS and len(np.unique(x[:1000])) > MOST_ORDINAL_VALUES:
            continue
        values, codes = _numbered(x) if kind != CONTINUOUS else np.unique(x, return_inverse=True)
        if len(values) == 1:
            row = int(rng.integers(len(here)))
            codes[row] = 1
            X[here[row], k] += 1.0
            values = np.array([0.0, 1.0])
        few = len(values) <= MOST_ORDINAL_VALUES
        if kind == CONTINUOUS and len(values) > 2:
            if not few or len(here) < ROWS_PER_ORDINAL_VALUE * len(values):
                continue
            kind = ORDINAL
        codes = _merged(codes, len(values), len(here), kind)
        X[here, k] = codes
        settled[k] = BINARY if codes.max() == 1 else kind
    return X, tuple(settled)


def _numbered(x: Floats) -> tuple[np.ndarray, np.ndarray]:
    """Find the distinct values of codes 0, 1, … and their positions, without sorting."""
    codes = x.astype(np.int64)
    occurs = np.bincount(codes) > 0
    return np.flatnonzero(occurs).astype(float), (np.cumsum(occurs) - 1)[codes]


def _merged(codes: np.ndarray, levels: int, rows: int, kind: Kind) -> np.ndarray:
    """Merge levels until each has the rows that it needs on average."""
    if kind == NOMINAL:
        most = max(2, min(rows // ROWS_PER_NOMINAL_LEVEL, MOST_NOMINAL_LEVELS))
    else:
        most = max(2, min(rows // ROWS_PER_ORDINAL_VALUE, MOST_ORDINAL_VALUES))
    if levels <= most:
        return codes
    return codes % most if kind == NOMINAL else codes * most // levels
