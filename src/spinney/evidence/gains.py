"""What the fitted densities of all pairs gain over independence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import n_pairs
from spinney.evidence.channels import Measured, compress, even, fisher_z, root
from spinney.pairs.copulas import FAMILIES, PairCopulas
from spinney.pairs.densities import PairDensities
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
    chosen="s(root(2 G)) of the chosen density; 0 where that is independence",
    information="artanh √(1 - exp(-2 G / n)) of the chosen density: Fisher's z of the normal "
    "correlation that holds as much information",
    held_out="s(root(2 H)), H the log-density of rows under fits that did not see them, summed",
    n_parameters="log(1 + k), k the parameters of the chosen density",
    tail="tail dependence of the chosen copula in the corner where it is largest",
    explained="1 where a path over a column with levels or gaps explains the pair",
)


@dataclass(frozen=True, eq=False)
class Gains:
    """Log-likelihoods of all pairs, and what their densities are.

    Attributes
    ----------
    by_family : dict of arrays of shape (n_pairs,)
        Log-likelihood by family; of a pair with a nominal column, that of its best table
        or classes throughout.
    chosen : array of shape (n_pairs,)
        Log-likelihood of the chosen density.
    held_out : array of shape (n_pairs,)
        Its log-density summed over rows, each under a fit that did not see it.
    n_parameters, n_rows : arrays of shape (n_pairs,)
        Parameters of the chosen density, and rows with both values.
    tau : array of shape (n_pairs,)
        Kendall's tau-b of the sample; 0 where there is none.
    fitted_tau : array of shape (n_pairs,)
        Tau of the chosen copula; 0 where it is independence, or there is none.
    tail : array of shape (n_pairs,)
        Its largest tail dependence.
    known, explained : bool arrays of shape (n_pairs,)
        Whether the rows were enough, and whether a path explains the pair.
    """

    by_family: dict[str, Floats]
    chosen: Floats
    held_out: Floats
    n_parameters: Floats
    n_rows: Floats
    tau: Floats
    fitted_tau: Floats
    tail: Floats
    known: Bools
    explained: Bools


def read_gains(fit: PairFit, densities: PairDensities) -> Gains:
    """Collect what was fitted, copulas and tables in the places of their pairs.

    Parameters
    ----------
    fit : PairFit
        Fitted.
    densities : PairDensities
        What it says of the rows that it was fitted on.

    Examples
    --------
    >>> from spinney.pairs.copulas import Clayton
    >>> from spinney.tables import read_table
    >>> fit = PairFit().fit(read_table(Clayton(2.0).sample(500, random_state=0)))
    >>> gains = read_gains(fit, fit.densities_)
    >>> max(gains.by_family, key=lambda family: gains.by_family[family][0])
    'clayton'
    >>> gains.tail.round(1)
    array([0.7])
    """
    copulas, tables = fit.copulas_, fit.tables_
    total = n_pairs(fit.n_features_in_)
    by_family = {name: np.zeros(total) for name in ("gaussian", *OTHERS)}
    chosen, held_out, tau, fitted_tau, tail = np.zeros((5, total))
    if copulas is not None:
        likelihood = _finite_likelihood(copulas.log_likelihood_)
        for name, values in by_family.items():
            values[:] = likelihood[:, copulas.families_.index(name)]
        for k, name in enumerate(copulas.families_):
            pairs = np.flatnonzero(copulas.family_ == name)
            chosen[pairs] = likelihood[pairs, k]
        held_out[:] = copulas.held_out_
        tau[:] = np.nan_to_num(copulas.sample_tau_)
        fitted_tau[:], tail[:] = _tau_and_tail(copulas)
    if tables is not None:
        best = _finite_likelihood(tables.log_likelihood_).max(axis=1)
        for values in by_family.values():
            values[tables.pairs_] = best
        chosen[tables.pairs_] = densities.total(tables.pairs_)
        held_out[tables.pairs_] = tables.held_out_
    return Gains(
        by_family=by_family,
        chosen=chosen,
        held_out=np.nan_to_num(held_out),
        n_parameters=fit.n_parameters_,
        n_rows=fit.n_rows_.astype(float),
        tau=tau,
        fitted_tau=fitted_tau,
        tail=tail,
        known=fit.known_,
        explained=fit.explained_.pairs,
    )


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the group "copulas"."""
    gains = measured.gains
    gaussian = gains.by_family["gaussian"]
    per_row = np.maximum(gains.chosen, 0.0) / np.maximum(gains.n_rows, 1.0)
    others = {name: compress(root(2.0 * (gains.by_family[name] - gaussian))) for name in OTHERS}
    return {
        "gaussian": compress(root(2.0 * gaussian)),
        **others,
        "chosen": compress(root(2.0 * gains.chosen)),
        "information": fisher_z(np.sqrt(-np.expm1(-2.0 * per_row))),
        "held_out": compress(root(2.0 * gains.held_out)),
        "n_parameters": np.log1p(gains.n_parameters),
        "tail": gains.tail,
        "explained": gains.explained.astype(float),
    }


def _finite_likelihood(likelihood: Floats) -> Floats:
    """Put the best of a pair where a family was not fitted: with two levels all are one model."""
    found = np.isfinite(likelihood)
    if found.all():
        return likelihood
    best = np.where(found, likelihood, -np.inf).max(axis=1, initial=0.0)
    return np.where(found, likelihood, best[:, None])


def _tau_and_tail(copulas: PairCopulas) -> tuple[Floats, Floats]:
    """Tau of each chosen copula, and its largest tail dependence, wherever its corner is."""
    tau, tail = np.zeros((2, len(copulas.family_)))
    flip_u, flip_v = copulas.mirrored()
    for name in np.unique(copulas.family_):
        family: Any = FAMILIES[str(name)]
        pairs = np.flatnonzero(copulas.family_ == name)
        values = copulas.parameters_[pairs, : len(family.bounds)]
        tau[pairs] = family.kendall(*values.T)
        # With a negative correlation the tails lie in the other two corners, as heavy as these.
        lower, upper = family.tails(*np.abs(values).T)
        tail[pairs] = np.maximum(lower, upper)
    return np.where(flip_u != flip_v, -tau, tau), tail
