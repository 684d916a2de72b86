"""Margins other than the normal: skewed, heavy-tailed, with ties."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from spinney.exceptions import InputError
from spinney.simulate._streams import RandomState, read_seed, stream

__all__ = ["MARGINS", "transform_margins"]

Floats = NDArray[np.float64]


def _heavy_tailed(x: Floats) -> Floats:
    """Return Student's t quantile with 2 degrees of freedom; it has no variance."""
    # (2p - 1) / sqrt(2p(1 - p)) from the smaller tail: near 1 the complement has the digits.
    p = special.ndtr(-np.abs(x))
    return np.sign(x) * (1 - 2 * p) / np.sqrt(2 * p * (1 - p))


MARGINS: dict[str, Callable[[Floats], Floats]] = {
    "normal": lambda x: x.copy(),
    "uniform": lambda x: np.asarray(special.ndtr(x), dtype=float),
    "skewed": np.exp,
    "heavy-tailed": _heavy_tailed,
    "ties": lambda x: np.round(2 * x) / 2,
}
"""Monotone maps of a standard normal variable, by the name of the margin that they give:
standard normal; uniform; log-normal (skewness 6.2); Student's t with 2 degrees of freedom;
normal rounded to halves (some ten values)."""


def transform_margins(
    X: ArrayLike, kinds: str | Sequence[str], random_state: RandomState = None
) -> tuple[Floats, tuple[str, ...]]:
    """Give columns with standard normal margins other ones, keeping the order of their values.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Columns that are each standard normal, as all simulators of this package make them.
    kinds : str or sequence of str
        A kind of :data:`MARGINS` for all columns, or one for each; ``"mixed"`` draws one for each
        column.
    random_state : int or Generator, optional
        Seed of ``"mixed"``.

    Returns
    -------
    X : array of shape (n, d)
        The transformed table.
    margins : tuple of str
        The kind of each column.

    Examples
    --------
    >>> X, margins = transform_margins([[0.0, 0.3], [1.0, -0.6]], ["skewed", "ties"])
    >>> X.round(2)
    array([[ 1.  ,  0.5 ],
           [ 2.72, -0.5 ]])
    """
    table = np.asarray(X, dtype=float)
    d = table.shape[1]
    if kinds == "mixed":
        names = list(MARGINS)
        rng = stream(read_seed(random_state), "margins")
        chosen = tuple(names[int(rng.integers(len(names)))] for _ in range(d))
    else:
        chosen = (kinds,) * d if isinstance(kinds, str) else tuple(kinds)
    if len(chosen) != d:
        raise InputError(f"There are {len(chosen)} kinds of margins for {d} columns.")
    for kind in chosen:
        if kind not in MARGINS:
            raise InputError(
                f"There is no margin {kind!r}. Choose from mixed, {', '.join(MARGINS)}."
            )
    columns = [MARGINS[kind](column) for kind, column in zip(chosen, table.T, strict=True)]
    return np.column_stack(columns), chosen
