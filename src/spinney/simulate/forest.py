"""Trees and forests with a pair copula on every edge, sampled exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
from scipy import optimize, special

from spinney._core.arrays import Floats
from spinney._core.choices import read_seed
from spinney.exceptions import InputError
from spinney.pairs.copulas.base import Copula
from spinney.pairs.copulas.rectangles import SMALLEST
from spinney.pairs.copulas.registry import DEFAULT_FAMILIES, family_class
from spinney.simulate._streams import RandomState, check_count, check_range, stream
from spinney.simulate.graphs import down_the_trees, forest_graph, graph_of
from spinney.simulate.result import Simulated

Families = Sequence[str | type[Copula]]
STUDENT_DF = (2.0, 6.0)
"""Range of the degrees of freedom of random Student copulas: clearly not Gaussian."""


def random_copula(
    families: Families = DEFAULT_FAMILIES,
    tau: tuple[float, float] = (0.3, 0.7),
    random_state: RandomState = None,
) -> Copula:
    """Draw a pair copula: family, sign or rotation, and strength.

    Parameters
    ----------
    families : sequence of str or of copula classes
        The family is drawn uniformly from these. BB1, with a strength in each tail, is left to
        those who choose it.
    tau : (float, float)
        Range of the absolute value of Kendall's tau, drawn uniformly. Families that cannot be
        rotated get a random sign, the others a random rotation; Student also gets uniform degrees
        of freedom between 2 and 6.
    random_state : int or Generator, optional
        Seed.

    Examples
    --------
    >>> random_copula(["clayton"], tau=(0.5, 0.5), random_state=3)
    Clayton(theta=2.0, rotation=...)
    """
    classes = _check_recipe(families, tau)
    return _draw_copula(classes, tau, stream(read_seed(random_state), "weights"))


def copula_forest(
    n: int,
    d: int = 25,
    components: int = 1,
    random_state: RandomState = None,
    *,
    copulas: Mapping[tuple[int, int], Copula] | None = None,
    families: Families = DEFAULT_FAMILIES,
    tau: tuple[float, float] = (0.3, 0.7),
) -> Simulated:
    r"""Draw data from a tree or forest with a pair copula on each edge [1]_; marginally normal.

    .. math:: c(u) = \prod_{(u, v) \in F} c_{uv}(u_u, u_v)

    It is sampled without approximation by going down the trees: the root is uniform, and a child
    v of u solves :math:`h_{v|u}(U_v \mid U_u) = P_v` for an independent uniform :math:`P_v`.

    Parameters
    ----------
    n : int
        Number of rows.
    d : int
        Number of nodes.
    components : int
        Number of trees in a random forest.
    random_state : int or Generator, optional
        Seed.
    copulas : mapping from (u, v) to copula, optional
        The edges and their copulas, if they are not to be random (`components` is then ignored);
        the first argument of the copula belongs to the first node of the key.
    families, tau
        What random copulas are drawn from; see :func:`random_copula`.

    Raises
    ------
    InputError
        If the given edges close a cycle or leave the nodes 0 … d-1.

    References
    ----------
    .. [1] S. Kirshner (2007). Learning with tree-averaged densities and distributions. NIPS.

    Examples
    --------
    >>> from spinney.pairs.copulas import Clayton, Gaussian
    >>> data = copula_forest(100, 3, copulas={(0, 1): Clayton(2.0), (2, 1): Gaussian(0.5)})
    >>> data.copulas
    {(0, 1): Clayton(theta=2.0, rotation=0), (1, 2): Gaussian(rho=0.5)}
    >>> copula_forest(100, 25, components=2, random_state=0)
    <Simulated copula_forest: 100 rows, 25 nodes, 23 edges, 2 components, seed 0>
    """
    n, d = check_count(n, "n", 1), check_count(d, "d", 1)
    seed = read_seed(random_state)
    parameters: dict[str, Any] = {"n": n, "d": d}
    if copulas is not None:
        chosen = _check_edges(copulas, d)
        graph = graph_of(d, chosen)
    else:
        classes = _check_recipe(families, tau)
        graph = forest_graph(d, components, seed)
        rng = stream(seed, "weights")
        edges = np.argwhere(np.triu(graph)).tolist()
        chosen = {(u, v): _draw_copula(classes, tau, rng) for u, v in edges}
        names = [family.family for family in classes]
        parameters |= {"components": components, "families": names, "tau": list(tau)}
    U = _sample_down(chosen, stream(seed, "data").uniform(size=(n, d)))
    X = np.asarray(special.ndtri(U), dtype=float)
    return Simulated(X, graph, "copula_forest", parameters, seed, copulas=chosen)


def _sample_down(copulas: Mapping[tuple[int, int], Copula], P: Floats) -> Floats:
    """Turn independent uniforms into the forest's, parents before children."""
    U = np.clip(P, SMALLEST, 1 - SMALLEST)
    for parent, child in down_the_trees(P.shape[1], copulas):
        if parent is not None and parent < child:
            U[:, child] = copulas[parent, child].hinv(U[:, parent], P[:, child], given="u")
        elif parent is not None:
            U[:, child] = copulas[child, parent].hinv(P[:, child], U[:, parent], given="v")
    return U


def _check_edges(
    copulas: Mapping[tuple[int, int], Copula], d: int
) -> dict[tuple[int, int], Copula]:
    """Put every edge as (u, v) with u < v, turning the copula where the order changes."""
    chosen: dict[tuple[int, int], Copula] = {}
    for (a, b), copula in copulas.items():
        if a == b or not (0 <= a < d and 0 <= b < d):
            raise InputError(f"({a}, {b}) is not an edge between two of the nodes 0 … {d - 1}.")
        if not isinstance(copula, Copula):
            raise InputError(f"Edge ({a}, {b}) has a {type(copula).__name__} in place of a copula.")
        if a > b and copula.rotation in (90, 270):
            # The transpose exchanges the two rotations that mirror one variable.
            copula = copula.replace(rotation=360 - copula.rotation)
        edge = (int(min(a, b)), int(max(a, b)))
        if edge in chosen:
            raise InputError(f"The edge {edge} occurs twice.")
        chosen[edge] = copula
    graph = nx.Graph(list(chosen))
    if chosen and not nx.is_forest(graph):
        cycle = " – ".join(str(u) for u, _ in nx.find_cycle(graph))
        raise InputError(f"The edges close a cycle ({cycle}), so they are not a forest. Drop one.")
    return dict(sorted(chosen.items()))


def _check_recipe(families: Families, tau: tuple[float, float]) -> list[type[Copula]]:
    classes = [family_class(family) for family in families]
    for cls in classes:
        if cls.family in ("independence", "bb1"):
            raise InputError(f"{cls.__name__} has no strength that Kendall's tau alone would set.")
    if not classes:
        raise InputError("families must name at least one copula family.")
    check_range(tau, "tau", 1)
    return classes


def _draw_copula(
    classes: list[type[Copula]], tau: tuple[float, float], rng: np.random.Generator
) -> Copula:
    cls = classes[int(rng.integers(len(classes)))]
    strength = float(rng.uniform(*tau))
    arguments: dict[str, Any] = {next(iter(cls.bounds)): _parameter(cls, strength)}
    if cls.rotations != (0,):
        arguments["rotation"] = cls.rotations[int(rng.integers(len(cls.rotations)))]
    elif rng.integers(2):
        arguments = {name: -value for name, value in arguments.items()}
    if cls.family == "student":
        arguments["df"] = float(rng.uniform(*STUDENT_DF))
    return cls(**arguments)


def _parameter(cls: type[Copula], tau: float) -> float:
    """First parameter of the unrotated copula with a given positive tau."""
    if cls.family in ("gaussian", "student"):
        return float(np.sin(np.pi / 2 * tau))
    low, high = next(iter(cls.bounds.values()))
    low = max(low, 1e-6)  # Frank's reaches below zero, where tau is negative

    def gap(value: float) -> float:
        return float(cls.kendall(value)) - tau

    if gap(high) <= 0:
        raise InputError(f"{cls.__name__} does not reach a Kendall's tau of {tau:.4g}.")
    # Rounded, so that the last digits of the root finder do not matter.
    return round(float(optimize.brentq(gap, low, high, xtol=1e-12)), 9)
