"""Filling gaps by draws from the model, given what is present."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import kernel
from spinney.pairs.pseudo import PseudoTable
from spinney.pairs.sampling import Draft, Potentials, draw_down, draw_given_neighbours
from spinney.tables import Table

__all__ = ["DrawForests", "draw_missing", "impute"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

DrawForests = Callable[[Floats], Ints]
"""From log w of shape (n, n_pairs), draws a forest for each row: parents (n, d), -1 for roots."""


class Margins(Protocol):
    """What is needed of marginals: see :class:`spinney.pairs.margins.MixedMarginals`."""

    def pseudo_smooth(self, table: Table, /) -> PseudoTable:
        """Map values to what potentials see."""

    def quantile(self, pseudo: PseudoTable, within: Any = ..., *, observed: bool = ...) -> Table:
        """Map them back."""


def impute(
    potentials: Potentials,
    marginals: Margins,
    table: Table,
    draw_forests: DrawForests,
    n_sweeps: int = 10,
    random_state: int | np.random.Generator | None = None,
) -> Table:
    r"""Draw the missing values of a table from the model, given what is present in their row.

    See :func:`draw_missing`, which does it for pseudo-observations. What is present stays as it is.
    Columns that were grouped because of ties get values that occurred when the marginals were
    fitted.

    Parameters
    ----------
    potentials : PairFit, PairCopulas or the like
        The fitted pairs.
    marginals : MixedMarginals
        Marginals of the same columns.
    table : Table
        Rows with gaps.
    draw_forests : function
        Draws a forest for each row of log w, from weights :math:`\beta \circ w`; its draws
        should come from a seed, too, if the result is to be repeated.
    n_sweeps : int
        How often all missing values are drawn anew.
    random_state : int or Generator, optional
        Seed.

    Returns
    -------
    Table
        Without gaps.
    """
    rng = np.random.default_rng(random_state)
    gaps = np.flatnonzero(~table.present.all(axis=1))
    values = table.values.copy()
    if gaps.size:
        pseudo = marginals.pseudo_smooth(table.take(gaps))
        filled = draw_missing(potentials, pseudo, draw_forests, n_sweeps, rng)
        drawn = marginals.quantile(filled, rng, observed=True).values
        values[gaps] = np.where(np.isnan(values[gaps]), drawn, values[gaps])
    return Table(values, table.columns, table.left_out)


def draw_missing(
    potentials: Potentials,
    table: PseudoTable,
    draw_forests: DrawForests,
    n_sweeps: int = 10,
    random_state: int | np.random.Generator | None = None,
) -> PseudoTable:
    r"""Draw missing values given those that are present, by Gibbs sampling.

    A sweep draws in turn

    * a forest given the whole row, :math:`P(F \mid x) \propto \prod_{e \in F} \beta_e w_e(x)`;
    * each missing value that stands between others in F, given its neighbours,
      :math:`p_v(x_v) \prod_{u \sim v} w_{uv}(x_u, x_v)`;
    * all other missing values, from which hang only missing ones, at once from there down. Of
      these the density of the rest is free: summed over them it is the same.

    The first forests are drawn from what is present, with w = 1 for pairs that lack a value.

    Parameters
    ----------
    potentials : PairFit, PairCopulas or the like
        The fitted pairs.
    table : PseudoTable
        Rows with gaps.
    draw_forests : function
        See :func:`impute`.
    n_sweeps : int
        How often all missing values are drawn anew.
    random_state : int or Generator, optional
        Seed.

    Returns
    -------
    PseudoTable
        Without gaps.

    Examples
    --------
    Two columns agree nine times out of ten, and one value is missing:

    >>> class Alike:
    ...     def log_density(self, table, pairs=None):
    ...         a, b = table.codes.T
    ...         w = np.where((a < 0) | (b < 0), 1.0, np.where(a == b, 1.8, 0.2))
    ...         return np.log(w)[:, None]
    >>> half = np.array([0.5, 0.5])
    >>> table = PseudoTable(
    ...     np.full((2000, 2), np.nan),
    ...     np.array([[0, -1], [1, -1]] * 1000),
    ...     (half, half),
    ...     np.array([True, True]),
    ...     ("a", "b"),
    ... )
    >>> joined = lambda log_w: np.array([[-1, 0]] * len(log_w))
    >>> a, b = draw_missing(Alike(), table, joined, random_state=0).codes.T
    >>> round(float((a == b).mean()), 1)
    0.9
    """
    rng = np.random.default_rng(random_state)
    missing = ~table.present
    rows = Draft.like(table)
    log_w = np.asarray(potentials.log_density(table))
    for sweep in range(n_sweeps):
        if sweep > 0:
            log_w = np.asarray(potentials.log_density(rows.table()))
        parents = np.ascontiguousarray(draw_forests(log_w), dtype=np.int64)
        hanging = np.empty(parents.shape, dtype=np.int64)
        _hang(parents, missing, hanging)
        between = missing & (hanging == _STAYS)
        known = ~missing if sweep == 0 else ~(missing & ~between)
        for column in np.flatnonzero(between.any(axis=0)):
            where = np.flatnonzero(between[:, column])
            near = _neighbours(parents[where], int(column)) & known[where]
            P, accept = rng.uniform(size=(2, len(where)))
            last = accept if sweep > 0 else None
            draw_given_neighbours(potentials, rows, where, int(column), near, P, last)
            known[where, column] = True
        draw_down(potentials, rows, np.maximum(hanging, -1), missing & ~between, rng)
    return rows.table()


def _neighbours(parents: Ints, column: int) -> Bools:
    """Which columns each row's forest joins to one."""
    near = parents == column
    up = parents[:, column]
    near[np.flatnonzero(up >= 0), up[up >= 0]] = True
    return near


_STAYS = -2


@kernel
def _hang(parents: Ints, missing: Bools, hanging: Ints) -> None:
    """Cut leaves that are missing off each forest until none is left.

    `hanging` is what each of them hung from when it was cut, -1 if nothing; other nodes get
    `_STAYS`. A node's neighbours are kept as the exclusive or of their numbers, which is the last
    one's number once the others are gone.
    """
    n, d = parents.shape
    degree = np.empty(d, dtype=np.int64)
    mixed = np.empty(d, dtype=np.int64)
    stack = np.empty(2 * d, dtype=np.int64)  # a node is put there at the start, and once again
    for r in range(n):
        degree[:] = 0
        mixed[:] = 0
        for v in range(d):
            hanging[r, v] = _STAYS
            u = parents[r, v]
            if u >= 0:
                degree[u] += 1
                degree[v] += 1
                mixed[u] ^= v
                mixed[v] ^= u
        size = 0
        for v in range(d):
            if missing[r, v] and degree[v] <= 1:
                stack[size] = v
                size += 1
        while size > 0:
            size -= 1
            v = stack[size]
            if hanging[r, v] != _STAYS:
                continue
            hanging[r, v] = -1
            if degree[v] == 1:
                u = mixed[v]
                hanging[r, v] = u
                degree[u] -= 1
                mixed[u] ^= v
                if missing[r, u] and hanging[r, u] == _STAYS and degree[u] <= 1:
                    stack[size] = u
                    size += 1
