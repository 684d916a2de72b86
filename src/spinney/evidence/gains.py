"""What the fitted densities of all pairs gain over independence, all families together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from spinney._core.pairs import n_pairs
from spinney.evidence.channels import Measured, compress, even, fisher_z, root
from spinney.pairs.copulas import FAMILIES
from spinney.pairs.pair_fit import PairFit

__all__ = ["CHANNELS", "Gains", "channels", "read_gains"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

OTHERS = ("student", "clayton", "gumbel", "frank")
"""Families that are compared with the Gaussian one."""


CHANNELS = even(
    "copulas",
    gaussian="s(root(2 G)), G the log-likelihood of a Gaussian copula",
    student="s(root(2 (G' - G))), G' the log-likelihood of Student's copula, G the Gaussian's",
    clayton="the same with Clayton's copula in its best rotation",
    gumbel="the same with Gumbel's copula in its best rotation",
    frank="the same with Frank's copula",
    averaged="s(root(2 G)), G the log-likelihood averaged over families (and independence) by "
    "their Akaike weights",
    information="artanh √(1 - exp(-2 G / m)) of that G: Fisher's z of the normal correlation that "
    "holds as much information",
    penalised="s(root(2 H)), H the log-likelihood less the number of parameters, averaged likewise",
    n_parameters="log(1 + k), k the parameters of the families, averaged likewise",
    explained="how far a path over a column with levels or gaps explains the pair, 0 to 1",
)


@dataclass(frozen=True, eq=False)
class Gains:
    """Log-likelihoods of all pairs, and what their densities are.

    Attributes
    ----------
    by_family : dict of arrays of shape (n_pairs,)
        Log-likelihood by family; of a pair with a nominal column, that of its best table
        or classes throughout.
    likelihoods, costs : arrays of shape (n_pairs, n_families)
        Log-likelihood of every density that was fitted to a pair, and its number of parameters;
        -inf and 0 where a pair does not have the density. The first is independence.
    n_rows : array of shape (n_pairs,)
        Rows with both values.
    tau : array of shape (n_pairs,)
        Kendall's tau-b of the sample; 0 where there is none.
    known : bool array of shape (n_pairs,)
        Whether the rows were enough.
    explained : array of shape (n_pairs,)
        How far a path explains the pair, 0 to 1.
    """

    by_family: dict[str, Floats]
    likelihoods: Floats
    costs: Floats
    n_rows: Floats
    tau: Floats
    known: Bools
    explained: Floats

    @property
    def shares(self) -> Floats:
        """Akaike weights of the families of each pair, shape (n_pairs, n_families)."""
        return np.asarray(softmax(self.likelihoods - self.costs, axis=1))

    def log_weights(self, rows: float, of: float, row_shares: Floats) -> Floats:
        r"""Log Bayes factor of each pair for so many of the table's rows, its family not known.

        .. math:: \log \frac1K \sum_f \exp\Bigl(\frac{m'}{n'} G_f
                  - \frac{k_f}{2} \log m'\Bigr)

        with the K families that a pair has; their log-likelihoods :math:`G_f` are tempered to
        m' of the n' independent rows that the pair's rows are worth.

        Parameters
        ----------
        rows, of : float
            m and n, of the table.
        row_shares : array of shape (n_pairs,)
            Share of its rows that each pair's are worth.

        Examples
        --------
        >>> likelihoods, costs = np.array([[0.0, 9.0]]), np.array([[0.0, 1.0]])
        >>> rest = np.array([100.0]), np.array([0.3]), np.array([True]), np.zeros(1)
        >>> gains = Gains({}, likelihoods, costs, *rest)
        >>> gains.log_weights(50.0, 100.0, np.ones(1)).round(3)
        array([2.544])
        """
        tempered = self.likelihoods[:, 1:] * (row_shares * rows / of)[:, None]
        worth = np.maximum(self.n_rows * row_shares * rows / of, 1.0)
        fitted = np.isfinite(self.likelihoods[:, 1:])
        penalised = tempered - 0.5 * self.costs[:, 1:] * np.log(worth)[:, None]
        mean = logsumexp(np.where(fitted, penalised, -np.inf), axis=1)
        return np.asarray(mean - np.log(np.maximum(fitted.sum(axis=1), 1)))


def read_gains(fit: PairFit) -> Gains:
    """Collect what was fitted, copulas and tables in the places of their pairs.

    Examples
    --------
    >>> from spinney.pairs.copulas import Clayton
    >>> from spinney.tables import read_table
    >>> fit = PairFit().fit(read_table(Clayton(2.0).sample(500, random_state=0)))
    >>> gains = read_gains(fit)
    >>> max(gains.by_family, key=lambda family: gains.by_family[family][0])
    'clayton'
    """
    copulas, tables = fit.copulas_, fit.tables_
    total = n_pairs(fit.n_features_in_)
    width = max(0 if part is None else part.log_likelihood_.shape[1] for part in (copulas, tables))
    likelihoods, costs = np.zeros((2, total, width))
    likelihoods[:, 1:] = -np.inf
    tau = np.zeros(total)
    by_family = {name: np.zeros(total) for name in ("gaussian", *OTHERS)}
    if copulas is not None:
        own = copulas.log_likelihood_.shape[1]
        likelihoods[:, :own] = copulas.log_likelihood_
        costs[:, :own] = [len(FAMILIES[name].bounds) for name in copulas.families_]
        best = _finite_likelihood(copulas.log_likelihood_)
        for name, values in by_family.items():
            values[:] = best[:, copulas.families_.index(name)]
        tau[:] = np.nan_to_num(copulas.sample_tau_)
    if tables is not None:
        own, pairs = tables.log_likelihood_.shape[1], tables.pairs_
        likelihoods[pairs], costs[pairs] = -np.inf, 0.0
        likelihoods[pairs, :own] = tables.log_likelihood_
        # So many parameters that less half log m for each is the log Bayes factor.
        half_log = 0.5 * np.log(np.maximum(tables.n_rows_, 2))[:, None]
        with np.errstate(invalid="ignore"):
            surplus = (tables.log_likelihood_ - tables.log_bayes_factors_) / half_log
        costs[pairs, :own] = np.where(np.isfinite(surplus), np.maximum(surplus, 0.0), 0.0)
        costs[pairs, 0] = 0.0
        best = _finite_likelihood(tables.log_likelihood_).max(axis=1)
        for values in by_family.values():
            values[pairs] = best
    known = fit.known_
    likelihoods[~known, 1:] = -np.inf
    return Gains(
        by_family=by_family,
        likelihoods=likelihoods,
        costs=costs,
        n_rows=fit.n_rows_.astype(float),
        tau=tau,
        known=known,
        explained=np.zeros(total),
    )


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the group "copulas"."""
    gains, rows = measured.gains, measured.scores.row_shares
    gaussian = gains.by_family["gaussian"] * rows
    shares = gains.shares
    with np.errstate(invalid="ignore"):
        finite = np.where(np.isfinite(gains.likelihoods), gains.likelihoods, 0.0)
    averaged = (shares * finite).sum(axis=1) * rows
    per_row = np.maximum(averaged, 0.0) / np.maximum(gains.n_rows * rows, 1.0)
    penalised = (shares * (finite * rows[:, None] - gains.costs)).sum(axis=1)
    others = {
        name: compress(root(2.0 * (gains.by_family[name] * rows - gaussian))) for name in OTHERS
    }
    return {
        "gaussian": compress(root(2.0 * gaussian)),
        **others,
        "averaged": compress(root(2.0 * averaged)),
        "information": fisher_z(np.sqrt(-np.expm1(-2.0 * per_row))),
        "penalised": compress(root(2.0 * penalised)),
        "n_parameters": np.log1p((shares * gains.costs).sum(axis=1)),
        "explained": gains.explained,
    }


def _finite_likelihood(likelihood: Floats) -> Floats:
    """Put the best of a pair where a family was not fitted: with two levels all are one model."""
    found = np.isfinite(likelihood)
    if found.all():
        return likelihood
    best = np.where(found, likelihood, -np.inf).max(axis=1, initial=0.0)
    return np.where(found, likelihood, best[:, None])
