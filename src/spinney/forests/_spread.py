"""Resistances of all pairs when only few have an edge: the usual case of a gradient.

The elimination sees the edges alone, and so does a step back,

    R_ku = 1 / s_k + y_u - p y / 2,    y_u = sum over the neighbours j of k of p_j R_ju,

but it is taken for every u behind k, not only for the neighbours: d times the edges of the filled
graph, in place of d cubed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import kernel
from spinney.forests._layout import Layout
from spinney.forests._tiles import add, broadcast, fused, load, store

__all__ = ["spread"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@kernel
def _copy_inner(cells: Floats, inner: Integers, n_blocks: int, size: int, full: Floats) -> None:
    """Copy the resistances of the dense block to both halves of the full matrix."""
    first = 4 * n_blocks - len(inner)
    for b in range(len(inner)):
        v, j = inner[b], first + b
        column = 8 * (j // 4) * (j // 4 + 1) + j % 4
        store(full, v * size + v, broadcast(0.0))
        for a in range(b):
            u = inner[a]
            resistance = load(cells, column + 4 * (first + a))
            store(full, u * size + v, resistance)
            store(full, v * size + u, resistance)


@kernel
def spread(
    cells: Floats, y: Floats, inverses: Floats, layout: Layout, behind: Integers, full: Floats
) -> None:
    """Go back through the sparse stage, for all nodes behind each one.

    The resistance between u and v goes to ``full[u * size + v]``, where the ground is the last of
    `size` nodes.
    """
    size = len(layout.sparse_nodes) + len(layout.inner_nodes)
    _copy_inner(cells, layout.inner_nodes, layout.n_blocks, size, full)
    count = len(layout.inner_nodes)
    for i in range(count):
        behind[i] = layout.inner_nodes[i]
    base = len(layout.neighbours)
    for t in range(len(layout.row_start) - 1, -1, -1):
        k, row, degree = layout.sparse_nodes[t], layout.row_start[t], layout.row_size[t]
        base -= degree
        for i in range(count):
            u = behind[i]
            own = broadcast(0.0)
            for a in range(degree):
                j = layout.neighbours[base + a]
                own = fused(load(cells, row + a), load(full, j * size + u), own)
            store(y, u, own)
        spread = broadcast(0.0)
        for a in range(degree):
            spread = fused(load(cells, row + a), load(y, layout.neighbours[base + a]), spread)
        constant = fused(broadcast(-0.5), spread, load(inverses, t))
        for i in range(count):
            u = behind[i]
            resistance = add(constant, load(y, u))
            store(full, k * size + u, resistance)
            store(full, u * size + k, resistance)
        store(full, k * size + k, broadcast(0.0))
        behind[count] = k
        count += 1
