"""Forests of discrete columns, sampled exactly: Ising and Potts models without cycles.

Both are given by the probabilities of pairs of levels on the edges, and drawn from these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
from scipy import optimize, special

from spinney._core.arrays import Floats, Ints
from spinney._core.choices import read_seed
from spinney.exceptions import InputError
from spinney.simulate._streams import RandomState, check_count, check_range, stream
from spinney.simulate.graphs import down_the_trees, forest_graph
from spinney.simulate.result import Simulated
from spinney.tables import BINARY, NOMINAL

Tables = Mapping[tuple[int, int], Floats]

LEAST_WEIGHT = 0.3
"""Levels have weights between this and one before they are divided by their sum."""
STEEPEST = 50.0
"""Largest factor of a random pattern: beyond it, a pair is as dependent as its margins let it."""


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
        Range of :math:`|\tanh J|`, drawn uniformly; the signs are random. With the default, about a
        quarter of the edges among 25 columns are lost at 100 rows, and hardly one at 500.
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
    check_range(strength, "strength", 1)
    check_range(share, "share", 1)
    seed = read_seed(random_state)
    graph = forest_graph(d, components, seed)
    rng = stream(seed, "weights")
    ones = rng.uniform(*share, d)
    tables = {}
    for u, v in np.argwhere(np.triu(graph)).tolist():
        colligation = float(rng.uniform(*strength)) * (1 if rng.integers(2) else -1)
        tables[u, v] = _binary_table(float(ones[u]), float(ones[v]), colligation)
    margins = [np.array([1 - share_of_ones, share_of_ones]) for share_of_ones in ones.tolist()]
    parameters: dict[str, Any] = {"n": n, "d": d, "components": components}
    parameters |= {"strength": list(strength), "share": list(share)}
    kinds = (BINARY,) * d
    X = _sample_down(margins, tables, stream(seed, "data").uniform(size=(n, d)))
    return Simulated(X, graph, "ising_forest", parameters, seed, kinds=kinds, pair_tables=tables)


def _binary_table(p: float, q: float, colligation: float) -> Floats:
    r"""Two-by-two table with shares of ones p and q, and an odds ratio ψ.

    :math:`\sqrt\psi = (1 + Y) / (1 - Y)` for Yule's Y, and :math:`P(1, 1)` is the root of
    :math:`x (1 - p - q + x) = \psi (p - x)(q - x)` that lies in [0, min(p, q)].
    """
    odds_ratio = ((1 + colligation) / (1 - colligation)) ** 2
    b = 1 + (p + q) * (odds_ratio - 1)
    # The form of the root without cancellation, good for odds ratios on both sides of one.
    both = 2 * odds_ratio * p * q / (b + sqrt(b * b - 4 * odds_ratio * (odds_ratio - 1) * p * q))
    return np.array([[1 - p - q + both, q - both], [p - both, both]])


def potts_forest(
    n: int,
    d: int = 25,
    components: int = 1,
    levels: tuple[int, int] = (3, 5),
    random_state: RandomState = None,
    *,
    strength: tuple[float, float] = (0.06, 0.25),
) -> Simulated:
    r"""Draw columns of levels without order from a random tree or forest.

    Every column has random margins :math:`p_u`, and every edge a random pair table with these
    margins,

    .. math:: p_{uv}(a, b) = f_a\, g_b \exp(s\, G_{ab}),

    with standard normal :math:`G`, the f and g that the margins ask for (iterative proportional
    fitting [1]_), and s such that the mutual information is what has been drawn for the edge. No
    order of the levels means anything, to the truth or to the table. Rows are drawn without
    approximation, from the root of each tree to its leaves.

    Parameters
    ----------
    n : int
        Number of rows.
    d : int
        Number of nodes.
    components : int
        Number of trees.
    levels : (int, int)
        Fewest and most levels of a column, drawn uniformly. Probabilities of levels are
        proportional to uniform weights between 0.3 and 1: of five, none is below 7 %.
    random_state : int or Generator, optional
        Seed.
    strength : (float, float)
        Range of the mutual information of the edges in nats, drawn uniformly. With the default,
        half of the edges among 25 columns are lost at 100 rows, and found at 500.

    Returns
    -------
    Simulated
        With codes 0, 1, …, and the tables of its edges in ``pair_tables``.

    Raises
    ------
    InputError
        If `strength` asks for more than a pair of the drawn margins can have.

    References
    ----------
    .. [1] W. E. Deming and F. F. Stephan (1940). On a least squares adjustment of a sampled
       frequency table when the expected marginal totals are known. Annals of Mathematical
       Statistics 11, 427-444.

    Examples
    --------
    >>> data = potts_forest(100, 25, components=2, random_state=0)
    >>> data
    <Simulated potts_forest: 100 rows, 25 nodes, 23 edges, 2 components, seed 0>
    >>> int(data.X.max())
    4
    """
    n = check_count(n, "n", 1)
    fewest = check_count(levels[0], "The fewest levels", 2)
    most = check_count(levels[1], "The most levels", fewest)
    check_range(strength, "strength")
    seed = read_seed(random_state)
    graph = forest_graph(d, components, seed)
    rng = stream(seed, "weights")
    margins = []
    for size in rng.integers(fewest, most + 1, size=d).tolist():
        weights = rng.uniform(LEAST_WEIGHT, 1.0, size)
        margins.append(weights / weights.sum())
    tables = {}
    for u, v in np.argwhere(np.triu(graph)).tolist():
        information = float(rng.uniform(*strength))
        pattern = rng.standard_normal((len(margins[u]), len(margins[v])))
        tables[u, v] = _nominal_table(margins[u], margins[v], pattern, information)
    parameters: dict[str, Any] = {"n": n, "d": d, "components": components}
    parameters |= {"levels": [fewest, most], "strength": list(strength)}
    kinds = (NOMINAL,) * d
    X = _sample_down(margins, tables, stream(seed, "data").uniform(size=(n, d)))
    return Simulated(X, graph, "potts_forest", parameters, seed, kinds=kinds, pair_tables=tables)


def _nominal_table(p: Floats, q: Floats, pattern: Floats, information: float) -> Floats:
    """Find the table with margins p and q whose log-interactions are a multiple of a pattern."""
    # Only what rows and columns cannot take up counts; at a size of one, slopes are comparable.
    pattern = pattern - pattern.mean(axis=0) - pattern.mean(axis=1, keepdims=True) + pattern.mean()
    pattern = pattern / np.sqrt((pattern**2).mean())

    def gap(slope: float) -> float:
        # Steep patterns round cells to zero, and these add nothing.
        table = _with_margins(p, q, slope * pattern)
        product = np.outer(table.sum(axis=1), table.sum(axis=0))
        return float(special.rel_entr(table, product).sum()) - information

    steepest = 1.0
    while gap(steepest) <= 0:
        steepest *= 2
        if steepest > STEEPEST:
            raise InputError(
                f"Two columns of {len(p)} and {len(q)} levels do not reach a mutual information "
                f"of {information:.3g} nats with the margins drawn. Ask for less strength."
            )
    # Rounded, so that the last digits of the root finder do not matter.
    slope = round(float(optimize.brentq(gap, 0.0, steepest, xtol=1e-12)), 9)
    return _with_margins(p, q, slope * pattern)


def _with_margins(p: Floats, q: Floats, interactions: Floats) -> Floats:
    """Scale the rows and columns of a table of log-interactions until its margins are p and q."""
    table = np.exp(interactions - interactions.max())
    f, g = np.ones(len(p)), np.ones(len(q))
    for _ in range(10_000):
        f = p / (table @ g)
        g = q / (f @ table)
        if np.abs(f * (table @ g) - p).max() < 1e-14:
            break
    return f[:, None] * table * g[None, :]


def _sample_down(margins: Sequence[Floats], tables: Tables, P: Floats) -> Floats:
    r"""Turn independent uniforms into the codes of a forest, parents before children.

    With the margins :math:`p_u` and the pair tables :math:`p_{uv}` that agree with them, the
    forest has

    .. math:: p(x) = \prod_u p_u(x_u) \prod_{uv} \frac{p_{uv}(x_u, x_v)}{p_u(x_u)\, p_v(x_v)},

    whose pair tables on the edges are those that went in. A root is drawn from its margin, a
    child from :math:`p_{uv}(x_u, \cdot) / p_u(x_u)`, each by one uniform.

    Parameters
    ----------
    margins : sequence of arrays
        Probabilities of the levels of each column.
    tables : mapping from (u, v) to array
        Probabilities of the pairs on the edges, u < v; u goes down the rows.
    P : array of shape (n, d)
        Independent uniforms.

    Returns
    -------
    array of shape (n, d)
        Codes, as floats.
    """
    codes = np.zeros(P.shape, dtype=np.int64)
    for parent, child in down_the_trees(len(margins), tables):
        if parent is None:
            weights = margins[child][None, :]
        else:
            table = tables[parent, child] if parent < child else tables[child, parent].T
            weights = table[codes[:, parent]]
        codes[:, child] = _invert(weights, P[:, child])
    return codes.astype(float)


def _invert(weights: Floats, uniforms: Floats) -> Ints:
    """Draw one level per uniform, by weights of which there is one row or a row for each."""
    cumulated = np.cumsum(weights, axis=1)
    # The last bound is the total, so rounding cannot lead beyond the last level.
    bounds = cumulated[:, :-1] / cumulated[:, -1:]
    return np.asarray((uniforms[:, None] >= bounds).sum(axis=1), dtype=np.int64)
