"""Discrete values on any graph: Ising and Potts models, drawn by Gibbs sampling."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._compile import kernel
from spinney.simulate.world.source import Bools, Floats, Source, Values, between, log_between
from spinney.tables import BINARY, NOMINAL, ORDINAL, Kind

__all__ = ["SWEEPS", "field_values", "sweep"]

Ints = NDArray[np.int64]

SWEEPS = 60
"""Updates of every column of every row, from independent uniform levels."""


def field_values(source: Source, adjacency: Bools, levels: int, ordered: bool = False) -> Values:
    r"""Draw rows of a pairwise model of columns with the same number of levels.

    .. math:: p(x) \propto \exp\Bigl(\sum_u h_u(x_u) + \sum_{uv} J_{uv}(x_u, x_v)\Bigr)

    The fields are normal with standard deviation 0.4. The couplings are, for two levels,
    :math:`\pm J` on the product of spins; for ordered levels :math:`\pm J` times the product of
    evenly spaced scores; else normal numbers times J, without order. J is log-uniform in a range
    of the table, divided by √(mean degree / 2) beyond two neighbours, so that tables do not
    freeze. Rows are independent chains of :data:`SWEEPS` sweeps.
    """
    rng, d = source.rng, len(adjacency)
    edges = np.argwhere(np.triu(adjacency))
    low = log_between(rng, 0.15, 0.5)
    high = low * between(rng, 1.2, 3.0)
    crowd = np.sqrt(max(1.0, adjacency.sum() / d / 2))
    strength = rng.uniform(low, high, len(edges)) / crowd
    strength *= 2.0 * rng.integers(2, size=len(edges)) - 1.0
    if levels == 2 or ordered:
        score = np.linspace(-1.0, 1.0, levels)
        pattern = np.broadcast_to(np.outer(score, score), (len(edges), levels, levels))
        pattern = pattern * (1.0 if levels == 2 else 2.0)
    else:
        pattern = 1.5 * rng.standard_normal((len(edges), levels, levels))
        pattern -= pattern.mean(axis=1, keepdims=True)
        pattern -= pattern.mean(axis=2, keepdims=True)
    coupling = np.zeros((2 * len(edges), levels, levels))
    coupling[0::2] = strength[:, None, None] * pattern
    coupling[1::2] = coupling[0::2].transpose(0, 2, 1)
    start, neighbour, table = _lists(edges, d)
    fields = 0.4 * rng.standard_normal((d, levels))
    codes = rng.integers(levels, size=(source.n, d))
    for _ in range(SWEEPS):
        sweep(codes, rng.uniform(size=codes.shape), fields, start, neighbour, table, coupling)
    kind: Kind = BINARY if levels == 2 else (ORDINAL if ordered else NOMINAL)
    law = "ising" if levels == 2 else ("ordered field" if ordered else "potts")
    return Values(
        codes.astype(float),
        adjacency,
        law,
        False,
        kinds=(kind,) * d,
        details={"levels": levels, "strength": [low, high]},
    )


def _lists(edges: NDArray[np.int64], d: int) -> tuple[Ints, Ints, Ints]:
    """Neighbours of each node in one list, with the coupling table that leads to each.

    The table of the edge e = (u, v) has the levels of u in its rows; that of place 2 e + 1 is its
    transpose.
    """
    ends = np.concatenate([edges[:, 0], edges[:, 1]])
    others = np.concatenate([edges[:, 1], edges[:, 0]])
    tables = np.concatenate([2 * np.arange(len(edges)), 2 * np.arange(len(edges)) + 1])
    order = np.argsort(ends, kind="stable")
    start = np.searchsorted(ends[order], np.arange(d + 1))
    return start.astype(np.int64), others[order], tables[order]


@kernel
def sweep(
    codes: Ints,
    uniforms: Floats,
    fields: Floats,
    start: Ints,
    neighbour: Ints,
    table: Ints,
    coupling: Floats,
) -> None:
    """Draw every level of every row anew, given all others of the row, one after the other."""
    n, d = codes.shape
    levels = fields.shape[1]
    weight = np.empty(levels)
    for row in range(n):
        for u in range(d):
            for a in range(levels):
                weight[a] = fields[u, a]
            for k in range(start[u], start[u + 1]):
                b = codes[row, neighbour[k]]
                for a in range(levels):
                    weight[a] += coupling[table[k], a, b]
            total = 0.0
            for a in range(levels):
                weight[a] = np.exp(weight[a])
                total += weight[a]
            left = uniforms[row, u] * total
            chosen = 0
            while chosen < levels - 1 and left >= weight[chosen]:
                left -= weight[chosen]
                chosen += 1
            codes[row, u] = chosen
