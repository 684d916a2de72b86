"""Discrete values on any graph: Ising and Potts models, drawn by Gibbs sampling."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import kernel
from spinney.tables import BINARY, NOMINAL, ORDINAL, Kind
from training.world.source import Bools, Floats, Source, Values, between, log_between

__all__ = ["SWEEPS", "Field", "draw_field", "field_values", "sweep"]

Ints = NDArray[np.int64]

SWEEPS = 60
"""Updates of every column of every row."""


class Field(NamedTuple):
    """A pairwise model of d columns with the same number of levels."""

    fields: Floats  # (d, levels)
    edges: Ints  # (n_edges, 2)
    couplings: Floats  # (n_edges, levels, levels); the first end of an edge goes down the rows

    def sample(self, rng: np.random.Generator, n: int, sweeps: int = SWEEPS) -> Ints:
        """Draw rows as independent chains, each from independent uniform levels."""
        d, levels = self.fields.shape
        # Of the edge e = (u, v), place 2 e holds the table for updates of u, place 2 e + 1 for v.
        tables = np.empty((2 * len(self.edges), levels, levels))
        tables[0::2], tables[1::2] = self.couplings, self.couplings.transpose(0, 2, 1)
        ends = np.concatenate([self.edges[:, 0], self.edges[:, 1]])
        others = np.concatenate([self.edges[:, 1], self.edges[:, 0]])
        places = np.concatenate(
            [2 * np.arange(len(self.edges)), 2 * np.arange(len(self.edges)) + 1]
        )
        order = np.argsort(ends, kind="stable")
        start = np.searchsorted(ends[order], np.arange(d + 1)).astype(np.int64)
        codes = rng.integers(levels, size=(n, d))
        for _ in range(sweeps):
            uniforms = rng.uniform(size=codes.shape)
            sweep(codes, uniforms, self.fields, start, others[order], places[order], tables)
        return codes


def draw_field(
    rng: np.random.Generator, adjacency: Bools, levels: int, ordered: bool = False
) -> Field:
    r"""Draw the parameters of a pairwise model on a graph.

    .. math:: p(x) \propto \exp\Bigl(\sum_u h_u(x_u) + \sum_{uv} J_{uv}(x_u, x_v)\Bigr)

    The fields are normal with standard deviation 0.4. The couplings are, for two levels,
    :math:`\pm J` on the product of spins; for ordered levels :math:`\pm 2 J` times the product of
    evenly spaced scores from -1 to 1; else normal numbers times 1.5 J, without order. J is uniform
    in a range of the table, from log-uniform 0.15 … 0.5 to 1.2 … 3 times that, divided by √(mean
    degree / 2) beyond two neighbours, so that tables do not freeze.
    """
    edges = np.argwhere(np.triu(adjacency))
    low = log_between(rng, 0.15, 0.5)
    high = low * between(rng, 1.2, 3.0)
    crowd = np.sqrt(max(1.0, adjacency.sum() / len(adjacency) / 2))
    strength = rng.uniform(low, high, len(edges)) / crowd
    strength *= 2.0 * rng.integers(2, size=len(edges)) - 1.0
    if levels == 2 or ordered:
        score = np.linspace(-1.0, 1.0, levels)
        pattern = (1.0 if levels == 2 else 2.0) * np.outer(score, score)[None]
    else:
        pattern = 1.5 * rng.standard_normal((len(edges), levels, levels))
        pattern -= pattern.mean(axis=1, keepdims=True)
        pattern -= pattern.mean(axis=2, keepdims=True)
    fields = 0.4 * rng.standard_normal((len(adjacency), levels))
    return Field(fields, edges, strength[:, None, None] * pattern)


def field_values(source: Source, adjacency: Bools, levels: int, ordered: bool = False) -> Values:
    """Draw rows of a random pairwise model: Ising for two levels, Potts or ordered for more."""
    field = draw_field(source.rng, adjacency, levels, ordered)
    X = field.sample(source.rng, source.n).astype(float)
    kind: Kind = BINARY if levels == 2 else (ORDINAL if ordered else NOMINAL)
    law = "ising" if levels == 2 else ("ordered field" if ordered else "potts")
    kinds = (kind,) * len(adjacency)
    return Values(X, adjacency, law, False, kinds=kinds, details={"levels": levels})


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
