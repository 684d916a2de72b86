"""Tables of other kinds made from continuous ones: columns cut into levels, values taken out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from scipy import special

from spinney._core.arrays import Floats
from spinney._core.choices import check_choice, read_seed
from spinney.exceptions import InputError
from spinney.simulate._streams import RandomState, check_count, stream
from spinney.simulate.result import Simulated
from spinney.tables import BINARY, CONTINUOUS, ORDINAL, Kind

SMALLEST_SHARE = 0.05
"""No ordinal level is rarer than this."""
BINARY_SHARE = (0.25, 0.75)
"""Range of the share of ones of binary columns."""
CHOICES = (CONTINUOUS, ORDINAL, BINARY)


def threshold(
    data: Simulated,
    kinds: str | Sequence[str] = "ordinal",
    levels: int = 5,
    random_state: RandomState = None,
) -> Simulated:
    r"""Cut continuous columns into levels; the true graph is that of the continuous columns.

    A column has the level k where

    .. math:: \Phi^{-1}(m_0 + \dots + m_{k-1}) < x \le \Phi^{-1}(m_0 + \dots + m_k) .

    The shares of L ordinal levels are :math:`m = 0.05 + (1 - 0.05 L)\, D`, with D uniform on the
    simplex, so no level is rarer than 5 %. Binary columns have a share of ones between ¼ and ¾.
    The thresholds depend on the distribution of the columns and not on the rows that were drawn.
    So the rows of a smaller table are the first rows of a larger one, and a rare level may be
    absent.

    Parameters
    ----------
    data : Simulated
        A table of standard normal columns. Missing values stay missing.
    kinds : str or sequence of str
        ``"ordinal"`` or ``"binary"`` for all columns; ``"mixed"`` for a third each of
        continuous, ordinal and binary ones, dealt out at random; or one of these kinds for each
        column.
    levels : int
        Levels of the ordinal columns, from 2 to 15.
    random_state : int or Generator, optional
        Seed of the thresholds and of ``"mixed"``; by default the table's own.

    Examples
    --------
    >>> from collections import Counter
    >>> from spinney.simulate import gaussian_mrf
    >>> data = threshold(gaussian_mrf(100, 25, random_state=0), "mixed")
    >>> sorted(Counter(data.kinds).items())
    [('binary', 8), ('continuous', 9), ('ordinal', 8)]
    """
    n_levels = check_count(levels, "levels", 2)
    if n_levels * SMALLEST_SHARE >= 0.8:
        raise InputError(f"levels must be at most 15, got {n_levels}.")
    if set(data.kinds) != {CONTINUOUS}:
        raise InputError("threshold cuts continuous columns, and some of these have levels.")
    seed = data.seed if random_state is None else read_seed(random_state)
    rng = stream(seed, "levels")
    d = data.X.shape[1]
    if kinds == "mixed":  # a third of the columns each, the first kinds getting what is over
        chosen = tuple(CHOICES[k % 3] for k in rng.permutation(d).tolist())
    else:
        asked = [kinds] * d if isinstance(kinds, str) else list(kinds)
        if len(asked) != d:
            raise InputError(f"There are {len(asked)} kinds for {d} columns.")
        checked = [check_choice(kind, CHOICES, "kind of levels") for kind in asked]
        chosen = tuple(cast("list[Kind]", checked))
    X = data.X.copy()
    for k, kind in enumerate(chosen):
        # Drawn for every column, so that a column's thresholds do not depend on others' kinds.
        spread, share = rng.dirichlet(np.ones(n_levels)), rng.uniform(*BINARY_SHARE)
        if kind == ORDINAL:
            shares = SMALLEST_SHARE + (1 - n_levels * SMALLEST_SHARE) * spread
            X[:, k] = _cut(X[:, k], np.cumsum(shares)[:-1])
        elif kind == BINARY:
            X[:, k] = _cut(X[:, k], np.array([1 - share]))
    parameters = {"kinds": list(chosen), "levels": n_levels, "levels_seed": seed}
    return replace(data, X=X, kinds=chosen, parameters=data.parameters | parameters)


def with_gaps(data: Simulated, share: float = 0.1, random_state: RandomState = None) -> Simulated:
    r"""Take values out of a table, each with the same probability, whatever it is.

    The values are missing completely at random [1]_.

    Parameters
    ----------
    data : Simulated
        A table. For missing values in levels too, remove values first and cut afterwards
        (:func:`threshold` keeps missing values).
    share : float
        Expected share of missing values, in [0, 1).
    random_state : int or Generator, optional
        Seed; by default the table's own.

    Returns
    -------
    Simulated
        The same table with NaN for missing values. Of a smaller table the same values are missing
        as in the first rows of a larger one.

    References
    ----------
    .. [1] D. B. Rubin (1976). Inference and missing data. Biometrika 63, 581-592.

    Examples
    --------
    >>> from spinney.simulate import gaussian_mrf
    >>> data = with_gaps(gaussian_mrf(500, 25, random_state=0), 0.3)
    >>> round(float(np.isnan(data.X).mean()), 1)
    0.3
    """
    if not 0 <= share < 1:
        raise InputError(f"share must lie in [0, 1), got {share!r}.")
    seed = data.seed if random_state is None else read_seed(random_state)
    missing = stream(seed, "gaps").uniform(size=data.X.shape) < share
    parameters = data.parameters | {"share": share, "gaps_seed": seed}
    return replace(data, X=np.where(missing, np.nan, data.X), parameters=parameters)


def _cut(x: Floats, shares: Floats) -> Floats:
    """Codes between thresholds that are given by cumulated shares; gaps stay."""
    codes = np.searchsorted(special.ndtri(shares), x).astype(float)
    codes[np.isnan(x)] = np.nan
    return codes
