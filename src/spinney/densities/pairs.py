"""Pair densities of a table, and what each pair's density rests on."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._pairs import n_nodes as count_nodes
from spinney._pairs import n_pairs as count_pairs
from spinney.exceptions import InputError

__all__ = ["PairDensities"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LARGEST_EXPONENT = 300.0
"""Log-densities up to here, of either sign, may be taken out of the logarithm."""


MOST_OF_A_COPULA = 2
"""Parameters that a copula may have."""


class PairDensities:
    r"""What a table says of its pairs: :math:`\log w_e(x^j)`, and what that rests on.

    Models take a pair that is absent, and a row that a pair does not have, as independence:
    :math:`w = 1`. So pairs may differ in their rows (missing values), in the kind of their density
    (copulas, contingency tables), or be left out altogether (screened).

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

    Examples
    --------
    Three columns; of the pairs, the second was screened out:

    >>> evidence = PairDensities(
    ...     [[0.5, 0.1], [0.2, 0.0]], n_parameters=[1, 2], pairs=[0, 2], n_nodes=3
    ... )
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
        self._listed = listed
        self._pairs = None if pairs is None else np.asarray(pairs, dtype=np.int64)
        self._n_nodes = n_nodes
        if pairs is not None and n_nodes is None:
            raise InputError("n_nodes must be given where only some pairs are listed.")
        if log is None:
            log = bool(np.abs(listed).max(initial=0.0) > LARGEST_EXPONENT)
        self.log = log
        """Whether densities are out of the range of plain numbers, so that `W` holds logarithms."""
        default = listed.any(axis=0) if n_parameters is None else n_parameters
        self.n_parameters: Floats = self._spread(default, "n_parameters", 0.0)
        n = float(len(listed))
        self.n_rows: Floats = self._spread(
            np.full(listed.shape[1], n) if n_rows is None else n_rows, "n_rows", n
        )

    def _spread(self, values: ArrayLike, name: str, absent: float) -> Floats:
        """Put the numbers of the listed pairs in their places among all pairs."""
        given = np.asarray(values, dtype=float)
        if given.shape != self._listed.shape[1:]:
            raise InputError(
                f"{name} must hold a number for each of {self._listed.shape[1]} pairs; its shape "
                f"is {given.shape}."
            )
        if self._pairs is None:
            return given
        result = np.full(self.n_pairs, absent)
        result[self._pairs] = given
        return result

    @property
    def n_nodes(self) -> int:
        """Columns of the table."""
        return count_nodes(self._listed.shape[1]) if self._n_nodes is None else self._n_nodes

    @property
    def n_samples(self) -> int:
        """Rows of the table."""
        return len(self._listed)

    @property
    def n_pairs(self) -> int:
        """Pairs of columns, listed or not."""
        if self._pairs is None:
            return self._listed.shape[1]
        return count_pairs(self.n_nodes)

    @cached_property
    def log_density(self) -> Floats:
        """Log-densities of all pairs, zero for those that are not listed."""
        if self._pairs is None:
            return self._listed
        whole = np.zeros((self.n_samples, self.n_pairs))
        whole[:, self._pairs] = self._listed
        return whole

    @cached_property
    def W(self) -> Floats:  # noqa: N802  # the symbol of the formulas
        """Densities of all pairs, or their logarithms if `log`; prepared once for a whole path."""
        return self.log_density if self.log else np.exp(self.log_density)

    @property
    def costs(self) -> Floats:
        r"""What the parameters of each pair's density cost in BIC, :math:`k_e \log n_e`."""
        return self.n_parameters * np.log(np.maximum(self.n_rows, 1.0))

    def edge_cost(self, edges: NDArray[np.bool_]) -> float:
        r"""Charge some edges where each counts as one parameter, as in the founding paper.

        .. math:: \sum_e \log n_e

        One parameter is what a copula has, or hardly more. The density of a pair with a nominal
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

    def take(self, columns: Integers) -> PairDensities:
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
