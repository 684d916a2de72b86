"""Trees and forests of nominal columns: a Potts model without cycles, sampled exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from spinney.exceptions import InputError
from spinney.simulate._discrete import sample_down
from spinney.simulate._streams import RandomState, check_count, read_seed, stream
from spinney.simulate.graphs import forest_graph
from spinney.simulate.result import Simulated
from spinney.tables import NOMINAL

__all__ = ["potts_forest"]

Floats = NDArray[np.float64]

LEAST_WEIGHT = 0.3
"""Levels have weights between this and one before they are divided by their sum."""
STEEPEST = 50.0
"""Largest factor of a random pattern: beyond it, a pair is as dependent as its margins let it."""


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
    low, high = strength
    if not 0 < low <= high:
        raise InputError(f"strength must be two numbers with 0 < low <= high, got {strength!r}.")
    seed = read_seed(random_state)
    graph = forest_graph(d, components, seed)
    rng = stream(seed, "weights")
    margins = []
    for size in rng.integers(fewest, most + 1, size=d).tolist():
        weights = rng.uniform(LEAST_WEIGHT, 1.0, size)
        margins.append(weights / weights.sum())
    tables = {}
    for u, v in np.argwhere(np.triu(graph)).tolist():
        information = float(rng.uniform(low, high))
        pattern = rng.standard_normal((len(margins[u]), len(margins[v])))
        tables[u, v] = _pair_table(margins[u], margins[v], pattern, information)
    X = sample_down(margins, tables, stream(seed, "data").uniform(size=(n, d)))
    parameters: dict[str, Any] = {
        "n": n,
        "d": d,
        "components": components,
        "levels": [fewest, most],
        "strength": [low, high],
    }
    return Simulated(
        X, graph, "potts_forest", parameters, seed, kinds=(NOMINAL,) * d, pair_tables=tables
    )


def _pair_table(p: Floats, q: Floats, pattern: Floats, information: float) -> Floats:
    """Find the table with margins p and q whose log-interactions are a multiple of a pattern."""
    # Only what rows and columns cannot take up counts; at a size of one, slopes are comparable.
    pattern = pattern - pattern.mean(axis=0) - pattern.mean(axis=1, keepdims=True) + pattern.mean()
    pattern = pattern / np.sqrt((pattern**2).mean())

    def gap(slope: float) -> float:
        return _mutual_information(_with_margins(p, q, slope * pattern)) - information

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
    fitted = f[:, None] * table * g[None, :]
    return np.asarray(fitted, dtype=float)


def _mutual_information(table: Floats) -> float:
    product = np.outer(table.sum(axis=1), table.sum(axis=0))
    # Steep patterns round cells to nought, which add nothing.
    inside = table > 0
    return float((table[inside] * np.log(table[inside] / product[inside])).sum())
