"""Calibration: of the pairs with probability 0.7, seven in ten should be edges."""

from __future__ import annotations

from typing import Any, Literal

import networkx as nx
import numpy as np
import pandas as pd
from scipy import sparse

from spinney.exceptions import InputError
from spinney.metrics._graphs import Flags, Floats, score_pairs

__all__ = [
    "expected_calibration_error",
    "mean_gap",
    "reliability",
    "reliability_of_pairs",
]


def reliability(
    probabilities: Any,
    truth: Any,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
) -> pd.DataFrame:
    r"""Numbers of the reliability diagram: claimed against realised shares of edges, bin by bin.

    Parameters
    ----------
    probabilities : matrix, data frame, networkx graph, or list or stack of them
        Probability of every pair. Several tables are pooled, pair by pair.
    truth : the same kinds
        The true graphs, one for each entry of `probabilities`.
    n_bins : int
        Number of bins.
    strategy : {"uniform", "quantile"}
        Bins of equal width, or of about equally many pairs. A probability on the edge of two
        uniform bins belongs to the upper one (the last bin is closed). Equal probabilities always
        share a bin, so quantile bins may be fewer than asked for.

    Returns
    -------
    pandas.DataFrame
        One row per bin: ``low, high, count, mean_probability, edge_share``; the last two are NaN
        where a bin is empty. :func:`spinney.graph.plots.plot_reliability` draws it.

    References
    ----------
    .. [1] A. Niculescu-Mizil and R. Caruana (2005). Predicting good probabilities with supervised
       learning.

    Examples
    --------
    >>> P = [[0, 0.9, 0.1], [0.9, 0, 0.2], [0.1, 0.2, 0]]
    >>> A = [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    >>> reliability(P, A, n_bins=2)
       low  high  count  mean_probability  edge_share
    0  0.0   0.5      2              0.15         0.0
    1  0.5   1.0      1              0.90         1.0
    """
    return reliability_of_pairs(*_pooled(probabilities, truth), n_bins, strategy)


def reliability_of_pairs(
    values: Floats,
    edges: Flags,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
) -> pd.DataFrame:
    """Compute :func:`reliability` of pairs that are listed, not laid out in matrices.

    Parameters
    ----------
    values, edges : arrays of shape (n_pairs,)
        Probability of each pair, and whether it is an edge.
    n_bins, strategy
        As in :func:`reliability`.

    Examples
    --------
    >>> reliability_of_pairs(np.array([0.9, 0.1, 0.2]), np.array([True, False, False]), n_bins=2)
       low  high  count  mean_probability  edge_share
    0  0.0   0.5      2              0.15         0.0
    1  0.5   1.0      1              0.90         1.0
    """
    if strategy not in ("uniform", "quantile"):
        raise InputError(f"strategy must be 'uniform' or 'quantile', got {strategy!r}.")
    if n_bins < 1:
        raise InputError(f"n_bins must be at least 1, got {n_bins!r}.")
    if strategy == "uniform":
        limits = np.linspace(0.0, 1.0, n_bins + 1)
    else:
        # Limits that are themselves probabilities, so that ties stay together.
        limits = np.unique(np.quantile(values, np.linspace(0, 1, n_bins + 1), method="lower"))
        limits = limits if len(limits) > 1 else np.repeat(limits, 2)
    n_rows = len(limits) - 1
    row = np.clip(np.searchsorted(limits, values, side="right") - 1, 0, n_rows - 1)
    count = np.bincount(row, minlength=n_rows)
    whole = np.where(count, count, np.nan)
    return pd.DataFrame(
        {
            "low": limits[:-1],
            "high": limits[1:],
            "count": count,
            "mean_probability": np.bincount(row, values, minlength=n_rows) / whole,
            "edge_share": np.bincount(row, edges, minlength=n_rows) / whole,
        }
    )


def expected_calibration_error(
    probabilities: Any,
    truth: Any,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
) -> float:
    r"""Mean distance between claimed and realised shares, weighted by the size of the bins.

    .. math:: \mathrm{ECE} = \sum_b \frac{n_b}{N} \lvert \bar p_b - \bar a_b \rvert

    Parameters as in :func:`reliability`. Pairs without an edge are many and easy, so small values
    come cheap: look at the diagram too.

    References
    ----------
    .. [1] M. P. Naeini, G. F. Cooper and M. Hauskrecht (2015). Obtaining well calibrated
       probabilities using Bayesian binning.

    Examples
    --------
    >>> P = [[0, 0.9, 0.1], [0.9, 0, 0.2], [0.1, 0.2, 0]]
    >>> round(expected_calibration_error(P, [[0, 1, 0], [1, 0, 0], [0, 0, 0]]), 3)
    0.133
    """
    return mean_gap(reliability(probabilities, truth, n_bins, strategy))


def mean_gap(table: pd.DataFrame) -> float:
    """Compute the :func:`expected_calibration_error` of the numbers of a diagram.

    Examples
    --------
    >>> table = reliability_of_pairs(np.array([0.9, 0.1, 0.2]), np.array([True, False, False]))
    >>> round(mean_gap(table), 3)
    0.133
    """
    gap = (table.mean_probability - table.edge_share).abs().fillna(0.0)
    return float((gap * table["count"]).sum() / table["count"].sum())


def _pooled(probabilities: Any, truth: Any) -> tuple[Floats, Flags]:
    many, truths = _as_list(probabilities), _as_list(truth)
    if len(many) != len(truths):
        raise InputError(
            f"There are {len(many)} matrices of probabilities for {len(truths)} truths."
        )
    if not many:
        raise InputError("There are no probabilities to judge.")
    pairs = [score_pairs(p, a) for p, a in zip(many, truths, strict=True)]
    values = np.concatenate([value for value, _ in pairs])
    edges = np.concatenate([edge for _, edge in pairs])
    if not len(values):
        raise InputError("There are no pairs to judge: the graphs have fewer than two nodes.")
    outside = (values < 0) | (values > 1)
    if outside.any():
        raise InputError(f"Probabilities lie between 0 and 1, but one is {values[outside][0]:.6g}.")
    return values, edges


def _as_list(graphs: Any) -> list[Any]:
    """Tell a list of graphs from one graph, which may itself be a list of rows."""
    if isinstance(graphs, nx.Graph | pd.DataFrame) or sparse.issparse(graphs):
        return [graphs]
    if isinstance(graphs, np.ndarray):
        return list(graphs) if graphs.ndim == 3 else [graphs]
    graphs = list(graphs)
    if graphs and isinstance(graphs[0], list | tuple) and np.ndim(graphs[0][0]) == 0:
        return [graphs]
    return graphs
