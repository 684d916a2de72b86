"""The truths of the founding paper's simulations, and the seeds they are drawn from."""

from __future__ import annotations

from collections.abc import Callable

from spinney.simulate import Simulated, gaussian_mrf, t_cliques

__all__ = ["REPORTING", "TRUTHS", "Simulator"]

REPORTING = range(200_000, 201_000)
"""Seeds from which figures are reported; nothing is ever chosen by them."""

Simulator = Callable[[int, int], Simulated]

TRUTHS: dict[str, tuple[str, Simulator]] = {
    "connected": (
        "GMRF, 25 nodes, 25 edges, connected",
        lambda n, seed: gaussian_mrf(n, 25, 2, 1, seed),
    ),
    "two-components": (
        "GMRF, 25 nodes, 25 edges, two components",
        lambda n, seed: gaussian_mrf(n, 25, 2, 2, seed),
    ),
    "t-cliques": (
        "t copula, 1 df, cliques of 3 or 4, 25 nodes",
        lambda n, seed: t_cliques(n, 25, 1.0, seed),
    ),
    "wide": (
        "GMRF, 80 nodes, 120 edges, connected",
        lambda n, seed: gaussian_mrf(n, 80, 3, 1, seed),
    ),
}
"""What the truth looks like, and how a table of n rows is drawn from it by a seed.

The same seed gives the same graph at every n, and the rows of a smaller table are the first of a
larger one, as in the paper.
"""
