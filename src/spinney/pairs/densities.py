"""Pair densities of a table, with the parameters and rows behind each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.pairs import PairIndex
from spinney._core.pairs import n_nodes as count_nodes
from spinney._core.pairs import n_pairs as count_pairs
from spinney.exceptions import InputError

LARGEST_EXPONENT = 300.0
"""Log-densities up to here, of either sign, may be taken out of the logarithm."""


MOST_OF_A_COPULA = 2
"""Parameters that a copula may have."""


TABLES = 3
"""Tables of the size of log-densities that a fit holds: these, densities, and a part of them."""


def check_memory(n_rows: int, n_listed: int) -> None:
    """Refuse log-densities that the machine cannot hold.

    Examples
    --------
    >>> check_memory(20_000, 780)
    """
    size, memory = TABLES * 8.0 * n_rows * n_listed, _physical_memory()
    if size > memory:
        raise InputError(
            f"The densities of {n_rows:,} rows and {n_listed:,} pairs take about {1e-9 * size:.1f} "
            f"GB, and the machine has {1e-9 * memory:.1f} GB. Learn from fewer rows, such as "
            "rows=20000."
        )


def _physical_memory() -> float:
    """Bytes of memory of the machine; infinite where unknown."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):  # not every system has these
        return float("inf")


class PairDensities:
    r"""Log-densities of pairs relative to independence, :math:`\log w_e(x^j)`, for all rows.

    Models take a pair that is absent, and a row that a pair does not have, as independence:
    :math:`w = 1`. So pairs may differ in their rows (missing values), in the kind of their density
    (copulas, contingency tables), or be left out altogether. Memory is taken for the
    listed pairs alone, until one of the attributes that cover all pairs is asked for.

    Parameters
    ----------
    log_density : array of shape (n, n_listed)
        Log-densities of the listed pairs; zero in rows that a pair does not have.
    n_parameters : array of shape (n_listed,), optional
        Parameters of each pair's density. None means independence. By default one for each pair
        whose log-density is not zero throughout.
    n_rows : array of shape (n_listed,), optional
        Rows that each pair was fitted on; by default all n.
    pairs : array of int, optional
        Positions of the listed pairs in the order of ``np.triu_indices(d, 1)``, rising; by default
        all pairs are listed.
    n_nodes : int, optional
        Number of columns d; needed with `pairs`.
    log : bool, optional
        Whether `W` is to hold logarithms; by default only if plain numbers could not hold it.

    Attributes
    ----------
    listed : array of shape (n, n_listed)
        Log-densities of the listed pairs.
    listed_parameters, listed_rows : arrays of shape (n_listed,)
        Parameters and rows of the listed pairs.
    pairs : int64 array of shape (n_listed,) or None
        Numbers of the listed pairs; None if all are.

    Examples
    --------
    Three columns; of the pairs, the second was left out:

    >>> evidence = PairDensities(
    ...     [[0.5, 0.1], [0.2, 0.0]], n_parameters=[1, 2], pairs=[0, 2], n_nodes=3
    ... )
    >>> evidence.listed_parameters
    array([1., 2.])
    >>> evidence.n_parameters
    array([1., 0., 2.])
    >>> evidence.W.round(2)
    array([[1.65, 1.  , 1.11],
           [1.22, 1.  , 1.  ]])
    """

    def __init__(
        self,
        log_density: ArrayLike,
        n_parameters: ArrayLike | None = None,
        n_rows: ArrayLike | None = None,
        *,
        pairs: ArrayLike | None = None,
        n_nodes: int | None = None,
        log: bool | None = None,
    ) -> None:
        listed = np.asarray(log_density, dtype=float)
        if listed.ndim != 2:
            raise InputError(
                "log_density must have a row per sample and a column per pair; its shape is "
                f"{listed.shape}."
            )
        self.listed: Floats = listed
        self._n_nodes = n_nodes
        self._log = log
        self.pairs: Ints | None = None
        if pairs is not None:
            if n_nodes is None:
                raise InputError("n_nodes must be given where only some pairs are listed.")
            self.pairs = PairIndex(n_nodes, pairs).listed
            self._one_each(self.pairs, "pairs")
        default = listed.any(axis=0) if n_parameters is None else n_parameters
        self.listed_parameters: Floats = self._one_each(default, "n_parameters")
        n = float(len(listed))
        self.listed_rows: Floats = self._one_each(
            np.full(listed.shape[1], n) if n_rows is None else n_rows, "n_rows"
        )

    def _one_each(self, values: ArrayLike, name: str) -> Floats:
        """Read one number for each listed pair."""
        given = np.asarray(values, dtype=float)
        if given.shape != self.listed.shape[1:]:
            raise InputError(
                f"{name} must hold a number for each of {self.listed.shape[1]} pairs; its shape "
                f"is {given.shape}."
            )
        return given

    @property
    def n_nodes(self) -> int:
        """Columns of the table."""
        return count_nodes(self.listed.shape[1]) if self._n_nodes is None else self._n_nodes

    @property
    def n_samples(self) -> int:
        """Rows of the table."""
        return len(self.listed)

    @property
    def n_pairs(self) -> int:
        """Pairs of columns, listed or not."""
        return self.listed.shape[1] if self.pairs is None else count_pairs(self.n_nodes)

    @property
    def index(self) -> PairIndex:
        """The listed pairs."""
        return PairIndex(self.n_nodes, self.pairs)

    @cached_property
    def log(self) -> bool:
        """Whether densities are out of the range of plain numbers, so that `W` holds logarithms."""
        if self._log is not None:
            return self._log
        # From the extremes: absolute values would take another table.
        least, most = self.listed.min(initial=0.0), self.listed.max(initial=0.0)
        return bool(max(-least, most) > LARGEST_EXPONENT)

    def subset_sums(self, subsets: Sequence[Ints]) -> Floats:
        """Sum the log-densities of the listed pairs over the rows of each subset.

        Parameters
        ----------
        subsets : sequence of int64 arrays
            Row numbers; all subsets have one size.

        Returns
        -------
        array of shape (n_subsets, n_listed)

        Raises
        ------
        InputError
            If a log-density is not finite.

        Examples
        --------
        >>> evidence = PairDensities([[0.5, 0.1], [0.2, 0.0]], pairs=[0, 2], n_nodes=3)
        >>> evidence.subset_sums([np.array([0, 1])])
        array([[0.7, 0.1]])
        """
        sums = np.zeros((len(subsets), self.listed.shape[1]))
        for total, rows in zip(sums, subsets, strict=True):
            for row in rows:  # a copy of many rows would take as much memory as the table
                total += self.listed[row]
        if not np.isfinite(sums).all():  # sums show it and are fewer
            row, e = np.argwhere(~np.isfinite(self.listed))[0]
            raise InputError(
                f"log_density[{row}, {e}] is {self.listed[row, e]}. Log-densities must be finite; "
                "keep the pseudo-observations away from 0 and 1."
            )
        return sums

    # All pairs, listed or not: for tables of a few hundred columns

    @cached_property
    def n_parameters(self) -> Floats:
        """Parameters of every pair's density, none for pairs that are not listed."""
        return self._spread(self.listed_parameters, 0.0)

    @cached_property
    def n_rows(self) -> Floats:
        """Rows of every pair, all n for pairs that are not listed."""
        return self._spread(self.listed_rows, float(self.n_samples))

    def _spread(self, values: Floats, absent: float) -> Floats:
        return values if self.pairs is None else self.index.spread(values, absent)

    @cached_property
    def log_density(self) -> Floats:
        """Log-densities of all pairs, zero for those that are not listed."""
        return self._spread(self.listed, 0.0)

    @cached_property
    def W(self) -> Floats:  # noqa: N802  # the symbol of the formulas
        """Densities of all pairs, or their logarithms if `log`; prepared once for a whole path."""
        return self.log_density if self.log else np.exp(self.log_density)

    @property
    def costs(self) -> Floats:
        r"""What the parameters of each pair's density cost in BIC, :math:`k_e \log n_e`."""
        return self.n_parameters * np.log(np.maximum(self.n_rows, 1.0))

    def edge_cost(self, edges: Bools) -> float:
        r"""Charge some edges where each counts as one parameter, as in the founding paper.

        .. math:: \sum_e \log n_e

        A copula has one parameter, or two. The density of a pair with a nominal
        column may have more than a copula can, and then counts all of them.

        Examples
        --------
        >>> evidence = PairDensities(
        ...     np.ones((100, 3)), n_parameters=[1, 2, 12], n_rows=[100, 50, 100]
        ... )
        >>> round(evidence.edge_cost(np.array([True, True, False])), 2)
        8.52
        >>> round(evidence.edge_cost(np.array([False, False, True])), 2)
        55.26
        """
        chosen = np.flatnonzero(edges)
        rows, parameters = self.n_rows[chosen], self.n_parameters[chosen]
        if (rows == self.n_samples).all() and (parameters <= MOST_OF_A_COPULA).all():
            return float(chosen.size * np.log(self.n_samples))
        counts = np.where(parameters <= MOST_OF_A_COPULA, 1.0, parameters)
        return float(counts @ np.log(np.maximum(rows, 1.0)))

    # Parts

    def take(self, columns: Ints) -> PairDensities:
        """Return the evidence of some pairs, listed one after the other as a model restricts them.

        The result is for a model of those pairs alone, such as ``Rooted.restrict(columns)``.
        """
        part = PairDensities(
            np.ascontiguousarray(self.log_density[:, columns]),
            self.n_parameters[columns],
            self.n_rows[columns],
            n_nodes=self.n_nodes,
            log=self.log,
        )
        part.__dict__["W"] = np.ascontiguousarray(self.W[:, columns])
        return part

    def including(self, numbers: Ints) -> PairDensities:
        """List some more pairs, by number, as independent ones.

        Examples
        --------
        >>> evidence = PairDensities([[0.5], [0.2]], pairs=[2], n_nodes=3)
        >>> evidence.including(np.array([0, 2])).listed
        array([[0. , 0.5],
               [0. , 0.2]])
        """
        if self.pairs is None or np.isin(numbers, self.pairs).all():
            return self
        pairs = np.union1d(self.pairs, numbers)
        places = np.searchsorted(pairs, self.pairs)
        listed = np.zeros((self.n_samples, len(pairs)))
        listed[:, places] = self.listed
        parameters = np.zeros(len(pairs))
        parameters[places] = self.listed_parameters
        rows = np.full(len(pairs), float(self.n_samples))
        rows[places] = self.listed_rows
        return PairDensities(
            listed, parameters, rows, pairs=pairs, n_nodes=self.n_nodes, log=self._log
        )

    def alone(self) -> PairDensities:
        """Return the evidence for a model of the listed pairs alone; nothing is copied.

        Pairs are then numbered in the order of the list, as in a model with
        ``Rooted(d, columns=evidence.pairs)``.

        Examples
        --------
        >>> evidence = PairDensities([[0.5, 0.1], [0.2, 0.0]], pairs=[0, 2], n_nodes=3)
        >>> evidence.alone().n_pairs
        2
        """
        if self.pairs is None:
            return self
        own = (self.listed, self.listed_parameters, self.listed_rows)
        return PairDensities(*own, n_nodes=self.n_nodes, log=self._log)
