"""Trees and forests of binary columns: the Ising model without cycles, sampled exactly."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from spinney.exceptions import InputError
from spinney.simulate._discrete import sample_down
from spinney.simulate._streams import RandomState, check_count, read_seed, stream
from spinney.simulate.graphs import forest_graph
from spinney.simulate.result import Simulated
from spinney.tables import BINARY

__all__ = ["ising_forest"]

Floats = NDArray[np.float64]


def ising_forest(
    n: int,
    d: int = 25,
    components: int = 1,
    random_state: RandomState = None,
    *,
    strength: tuple[float, float] = (0.2, 0.5),
    share: tuple[float, float] = (0.25, 0.75),
) -> Simulated:
    r"""Draw binary columns from a random tree or forest with pairwise couplings.

    With spins :math:`s = 2x - 1`,

    .. math:: p(s) \propto \exp\Bigl(\sum_{uv} J_{uv} s_u s_v + \sum_u h_u s_u\Bigr).

    Without fields, :math:`\tanh J` is the correlation of two neighbours; with any fields it is
    Yule's coefficient of colligation [1]_, for the odds ratio of a pair given the rest is
    :math:`e^{4J}`, and on a forest that is also the odds ratio of the pair alone. So a forest is
    drawn by its couplings and its margins :math:`P(x_u = 1)`; these determine the pair tables
    (Plackett's [2]_), from which rows are drawn without approximation, and the fields, which
    nobody has to compute.

    Parameters
    ----------
    n : int
        Number of rows.
    d : int
        Number of nodes.
    components : int
        Number of trees.
    random_state : int or Generator, optional
        Seed.
    strength : (float, float)
        Range of :math:`|\tanh J|`, drawn uniformly; the signs are random. With the default, the
        a quarter or so of the edges among 25 columns is lost at 100 rows, and hardly one at 500.
    share : (float, float)
        Range of the shares of ones, drawn uniformly.

    Returns
    -------
    Simulated
        With codes 0 and 1, and the tables of its edges in ``pair_tables``.

    References
    ----------
    .. [1] G. U. Yule (1912). On the methods of measuring association between two attributes.
       Journal of the Royal Statistical Society 75, 579-652.
    .. [2] R. L. Plackett (1965). A class of bivariate distributions. Journal of the American
       Statistical Association 60, 516-522.

    Examples
    --------
    >>> data = ising_forest(100, 25, components=2, random_state=0)
    >>> data
    <Simulated ising_forest: 100 rows, 25 nodes, 23 edges, 2 components, seed 0>
    >>> sorted(set(data.X.ravel().tolist()))
    [0.0, 1.0]
    """
    n = check_count(n, "n", 1)
    for name, (low, high) in {"strength": strength, "share": share}.items():
        if not 0 < low <= high < 1:
            raise InputError(
                f"{name} must be two numbers with 0 < low <= high < 1, got {(low, high)!r}."
            )
    seed = read_seed(random_state)
    graph = forest_graph(d, components, seed)
    rng = stream(seed, "weights")
    ones = rng.uniform(*share, d)
    tables = {}
    for u, v in np.argwhere(np.triu(graph)).tolist():
        colligation = float(rng.uniform(*strength)) * (1 if rng.integers(2) else -1)
        tables[u, v] = _pair_table(float(ones[u]), float(ones[v]), colligation)
    margins = [np.array([1 - share_of_ones, share_of_ones]) for share_of_ones in ones.tolist()]
    X = sample_down(margins, tables, stream(seed, "data").uniform(size=(n, d)))
    parameters = {
        "n": n,
        "d": d,
        "components": components,
        "strength": list(strength),
        "share": list(share),
    }
    return Simulated(
        X, graph, "ising_forest", parameters, seed, kinds=(BINARY,) * d, pair_tables=tables
    )


def _pair_table(p: float, q: float, colligation: float) -> Floats:
    r"""Two-by-two table with shares of ones p and q, and an odds ratio ψ.

    :math:`\sqrt\psi = (1 + Y) / (1 - Y)` for Yule's Y, and :math:`P(1, 1)` is the root of
    :math:`x (1 - p - q + x) = \psi (p - x)(q - x)` that lies in [0, min(p, q)].
    """
    odds_ratio = ((1 + colligation) / (1 - colligation)) ** 2
    b = 1 + (p + q) * (odds_ratio - 1)
    # The form of the root without cancellation, good for odds ratios on both sides of one.
    both = 2 * odds_ratio * p * q / (b + sqrt(b * b - 4 * odds_ratio * (odds_ratio - 1) * p * q))
    return np.array([[1 - p - q + both, q - both], [p - both, both]])
