"""The copula of each edge by itself: parameters from Kendall's tau, the family by AIC."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.arrays import average_ranks
from spinney._core.graph import COPULA_COLUMNS
from spinney._core.kendall import sample_tau
from spinney._core.pairs import pair_numbers
from spinney.evidence.latent import latent_correlations
from spinney.evidence.measured import Measured
from spinney.pairs.copulas.base import Copula
from spinney.pairs.copulas.frank import Frank
from spinney.pairs.copulas.registry import DEFAULT_FAMILIES, FAMILIES
from spinney.pairs.copulas.student import choose_df
from spinney.scores import read_scores
from spinney.tables import CONTINUOUS, Table

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph

__all__ = ["copulas_of", "edge_copulas"]

Floats = NDArray[np.float64]

FEWEST_ROWS = 10
"""Rows below which a pair has no copula."""
MOST_ROWS = 2000
"""Rows that decide between families, spread evenly over a longer table."""


def copulas_of(graph: LearnedGraph) -> pd.DataFrame | None:
    """Describe the copula of each edge of a graph, in the order of its edges.

    None if the graph was learned neither from evidence nor from pair copulas.
    """
    pairs = graph.edge_positions
    if graph.evidence is not None and graph.table is not None:
        return edge_copulas(graph.table, pairs)
    describe = getattr(graph.potentials, "describe", None)
    if describe is None:
        return None
    found: pd.DataFrame = describe(pair_numbers(pairs[:, 0], pairs[:, 1], len(graph.names)))
    found = found[list(COPULA_COLUMNS)].reset_index(drop=True)
    return found.assign(tau=graph.edges["tau"].to_numpy())


def edge_copulas(table: Table, pairs: NDArray[np.integer]) -> pd.DataFrame:
    r"""Fit a copula to some pairs of columns.

    Of two continuous columns, each family has the parameter at which its Kendall's tau is that of
    the sample [1]_ (Student's degrees of freedom are the best of a grid), and the family with the
    least AIC is chosen, rotations included. Where a column has ordered levels, the copula is the
    Gaussian one with the correlation of the variables behind the levels
    (:func:`spinney.evidence.latent.latent_correlations`). A pair with a nominal column has none.
    :class:`spinney.PairCopulas` fits by maximum likelihood.

    Parameters
    ----------
    table : Table
        The table.
    pairs : int array of shape (n_edges, 2)
        The pairs, by position.

    Returns
    -------
    pandas.DataFrame
        ``family`` (empty where there is none), ``rotation``, ``parameters`` (a tuple), ``tau`` (of
        the sample), ``lower_tail`` and ``upper_tail``.

    References
    ----------
    .. [1] C. Genest and L.-P. Rivest (1993). Statistical inference procedures for bivariate
       Archimedean copulas. JASA 88, 1034-1043.

    Examples
    --------
    >>> from spinney.pairs.copulas import Clayton
    >>> from spinney.tables import read_table
    >>> table = read_table(Clayton(2.0).sample(500, random_state=1))
    >>> edge_copulas(table, np.array([[0, 1]]))[["family", "rotation"]]
        family  rotation
    0  clayton         0
    """
    tau = sample_tau(table, map(tuple, np.asarray(pairs).tolist()))
    behind = latent_correlations(Measured(read_scores(table, degree=1))).correlation
    rows = []
    for (i, j), own in zip(np.asarray(pairs).tolist(), tau.tolist(), strict=True):
        copula = _copula(table, i, j, own, float(behind[i, j]))
        tails = (np.nan, np.nan) if copula is None else copula.tail_dependence
        named = ("", 0, ()) if copula is None else _named(copula)
        rows.append((*named, own, *tails))
    return pd.DataFrame(rows, columns=list(COPULA_COLUMNS))


def _named(copula: Copula) -> tuple[str, int, tuple[float, ...]]:
    return copula.family, copula.rotation, copula.parameters


def _copula(table: Table, i: int, j: int, tau: float, correlation: float) -> Copula | None:
    both = table.present[:, [i, j]].all(axis=1)
    if table.nominal[[i, j]].any() or np.isnan(tau) or both.sum() < FEWEST_ROWS:
        return None
    if any(table.columns[k].kind != CONTINUOUS for k in (i, j)):
        low, high = FAMILIES["gaussian"].fit_bounds["rho"]
        return FAMILIES["gaussian"](float(np.clip(correlation, low, high)))  # type: ignore[call-arg]
    u, v = (average_ranks(table.values[both, k]) / (both.sum() + 1) for k in (i, j))
    some = np.linspace(0, len(u) - 1, min(len(u), MOST_ROWS)).astype(np.intp)
    u, v = u[some], v[some]
    found = [FAMILIES["independence"](), *_candidates(tau, u, v)]
    scores = [len(copula.parameters) - float(copula.logpdf(u, v).sum()) for copula in found]
    return found[int(np.argmin(scores))]


def _candidates(tau: float, u: Floats, v: Floats) -> list[Copula]:
    """List the copulas of all families, and their rotations, that have a Kendall's tau."""
    found: list[Copula] = []
    for name in DEFAULT_FAMILIES:
        family: Any = FAMILIES[name]
        low, high = next(iter(family.fit_bounds.values()))
        size = abs(tau) if family.rotations != (0,) else tau
        first = float(np.clip(_parameter(name, size), low, high))
        if name == "student":
            found.append(choose_df(first, u, v))
        elif family.rotations == (0,):
            found.append(family(first))
        else:
            turned = (90, 270) if tau < 0.0 else (0, 180)
            found += [family(first, rotation=rotation) for rotation in turned]
    return found


def _parameter(name: str, tau: float) -> float:
    """Invert Kendall's tau of a family."""
    tau = float(np.clip(tau, -0.9999, 0.9999))
    if name in ("gaussian", "student"):
        return float(np.sin(0.5 * np.pi * tau))
    if name == "clayton":
        return 2.0 * tau / (1.0 - tau)
    if name == "gumbel":
        return 1.0 / (1.0 - tau)
    return float(np.copysign(np.interp(abs(tau), *_frank_table()), tau))


@cache
def _frank_table() -> tuple[Floats, Floats]:
    theta = np.concatenate([np.linspace(0.0, 20.0, 400), np.geomspace(20.1, 100.0, 100)])
    return np.asarray(Frank.kendall(theta)), theta
