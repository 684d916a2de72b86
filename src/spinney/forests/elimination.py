r"""Elimination and resistances of a few networks at once, in register tiles.

The dense block of a network (all of it, or what the sparse stage leaves) is kept as a triangle of
column panels, four columns wide: cell (i, j) stands at ``8 J (J + 1) + 4 i + j % 4`` with
``J = j // 4``. The last node is the ground. Both sweeps go by blocks of four nodes, so that nearly
all the work is products of 4 x 4 blocks with the sums in registers: sixteen of them, or eight at a
time where the processor has no more (a tile is then half a block):

* forward, ``w[K, J] += (s p)[:, K]^T p[:, J]``, then four nodes are eliminated within the tile.
  Their totals are row sums, so nothing is ever subtracted;
* backward, ``y = p[K, :] R``, with the tiles below the diagonal read turned over.

The twin in plain numpy is :mod:`spinney.forests.reference`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import inlined, kernel
from spinney.forests._tiles import (
    ROWS,
    add,
    add_outer,
    add_row_sums,
    broadcast,
    fused,
    load,
    load_tile,
    mantissa,
    multiply,
    octave,
    reciprocal_or_zero,
    smallest,
    store,
    store_tile,
    zero_tile,
)

Cells = NDArray[np.float64]


@inlined
def _update_block_row(
    cells: Cells, panel: Cells, sums: Cells, K: int, start: int, n_blocks: int
) -> None:
    """Add to block row K what the elimination of nodes from `start` up to the block does to it.

    ``panel[4 i + r]`` holds the weight of (i, 4 K + r) when i was eliminated. The row sums over
    the columns behind the block go to ``sums[0:4]``.
    """
    for r in range(4):
        store(sums, r, broadcast(0.0))
    for J in range(K, n_blocks):
        column = 8 * J * (J + 1)
        for row in range(0, 4, ROWS):
            here = column + 16 * K + 4 * row
            w = load_tile(cells, here, 4, 1)
            for i in range(start, 4 * K):
                w = add_outer(w, panel, 4 * i + row, cells, column + 4 * i, 1)
            store_tile(cells, here, 4, 1, w)
            if J > K:
                add_row_sums(sums, row, w)


@inlined
def _update_block_rows(
    cells: Cells, panels: Cells, padding: int, top: int, bottom: int, chunk: int, n_blocks: int
) -> None:
    """Add to block rows `top` to `bottom` - 1 what the elimination of all before `top` does.

    The same products as above, in an order that reuses what is in the nearest cache: `chunk` rows
    of all the panels stay there while the columns pass by.
    """
    width = 16 * n_blocks
    for first in range(padding, 4 * top, chunk):
        last = min(first + chunk, 4 * top)
        for J in range(top, n_blocks):
            column = 8 * J * (J + 1)
            for K in range(top, min(bottom, J + 1)):
                for row in range(0, 4, ROWS):
                    panel = (K - top) * width + row
                    here = column + 16 * K + 4 * row
                    w = load_tile(cells, here, 4, 1)
                    for i in range(first, last):
                        w = add_outer(w, panels, panel + 4 * i, cells, column + 4 * i, 1)
                    store_tile(cells, here, 4, 1, w)


@inlined
def _eliminate_block(
    cells: Cells, sums: Cells, totals: Cells, inverses: Cells, logs: Cells, K: int, n_blocks: int
) -> None:
    """Eliminate the four nodes of block K one by one; ``sums`` holds their row sums behind it."""
    tile = 8 * K * (K + 1) + 16 * K
    w01 = load(cells, tile + 1)
    w02 = load(cells, tile + 2)
    w03 = load(cells, tile + 3)
    w12 = load(cells, tile + 6)
    w13 = load(cells, tile + 7)
    w23 = load(cells, tile + 11)
    t0 = load(sums, 0)
    t1 = load(sums, 1)
    t2 = load(sums, 2)
    t3 = load(sums, 3)
    s0 = add(add(t0, w01), add(w02, w03))
    i0 = reciprocal_or_zero(s0)
    p01 = multiply(w01, i0)
    p02 = multiply(w02, i0)
    p03 = multiply(w03, i0)
    w12 = fused(p01, w02, w12)
    w13 = fused(p01, w03, w13)
    w23 = fused(p02, w03, w23)
    t1 = fused(p01, t0, t1)
    t2 = fused(p02, t0, t2)
    t3 = fused(p03, t0, t3)
    s1 = add(t1, add(w12, w13))
    i1 = reciprocal_or_zero(s1)
    p12 = multiply(w12, i1)
    p13 = multiply(w13, i1)
    w23 = fused(p12, w13, w23)
    t2 = fused(p12, t1, t2)
    t3 = fused(p13, t1, t3)
    s2 = add(t2, w23)
    i2 = reciprocal_or_zero(s2)
    p23 = multiply(w23, i2)
    s3 = fused(p23, t2, t3)
    i3 = reciprocal_or_zero(s3)
    store(cells, tile + 1, p01)
    store(cells, tile + 2, p02)
    store(cells, tile + 3, p03)
    store(cells, tile + 6, p12)
    store(cells, tile + 7, p13)
    store(cells, tile + 11, p23)
    store(totals, 4 * K, s0)
    store(totals, 4 * K + 1, s1)
    store(totals, 4 * K + 2, s2)
    store(totals, 4 * K + 3, s3)
    store(inverses, 4 * K, i0)
    store(inverses, 4 * K + 1, i1)
    store(inverses, 4 * K + 2, i2)
    store(inverses, 4 * K + 3, i3)
    if n_blocks - 1 == K:
        s3 = broadcast(1.0)  # the ground is not eliminated
    # Z as mantissa and octaves: one logarithm per network instead of one per node.
    product = multiply(
        load(logs, 0),
        multiply(multiply(mantissa(s0), mantissa(s1)), multiply(mantissa(s2), mantissa(s3))),
    )
    octaves = add(add(octave(s0), octave(s1)), add(octave(s2), octave(s3)))
    store(logs, 0, mantissa(product))
    store(logs, 1, add(load(logs, 1), add(octaves, octave(product))))
    store(logs, 2, smallest(load(logs, 2), smallest(smallest(s0, s1), smallest(s2, s3))))
    # The rest of the block row: the same four steps, then shares instead of weights.
    for J in range(K + 1, n_blocks):
        row = 8 * J * (J + 1) + 16 * K
        for c in range(4):
            c0 = load(cells, row + c)
            c1 = fused(p01, c0, load(cells, row + 4 + c))
            c2 = fused(p12, c1, fused(p02, c0, load(cells, row + 8 + c)))
            c3 = fused(p23, c2, fused(p13, c1, fused(p03, c0, load(cells, row + 12 + c))))
            store(cells, row + c, multiply(c0, i0))
            store(cells, row + 4 + c, multiply(c1, i1))
            store(cells, row + 8 + c, multiply(c2, i2))
            store(cells, row + 12 + c, multiply(c3, i3))


@inlined
def _copy_weights(
    cells: Cells, totals: Cells, panels: Cells, out: int, K: int, first: int, last: int
) -> None:
    """Write the weights of (i, 4 K + r) at the elimination of i to ``panels[out + 4 i + r]``."""
    column = 8 * K * (K + 1)
    for i in range(first, last):
        s = load(totals, i)
        for r in range(4):
            store(panels, out + 4 * i + r, multiply(s, load(cells, column + 4 * i + r)))


@kernel
def eliminate_dense(
    cells: Cells,
    panels: Cells,
    sums: Cells,
    totals: Cells,
    inverses: Cells,
    logs: Cells,
    padding: int,
    n_blocks: int,
    stride: int,
    chunk: int,
) -> None:
    """Eliminate every node but the last: weights in `cells` become shares.

    ``logs`` gathers the partition function: mantissas, octaves, and the smallest total seen. The
    first nodes, `padding` of them, have no neighbour but the last and add nothing to any weight.
    With `stride` > 1, that many block rows are brought up to date together.
    """
    for top in range(0, n_blocks, stride):
        bottom = min(top + stride, n_blocks)
        start = padding
        if stride > 1 and top > 0:
            start = 4 * top
            for K in range(top, bottom):
                _copy_weights(cells, totals, panels, (K - top) * 16 * n_blocks, K, padding, start)
            _update_block_rows(cells, panels, padding, top, bottom, chunk, n_blocks)
        for K in range(top, bottom):
            _copy_weights(cells, totals, panels, 0, K, start, 4 * K)
            _update_block_row(cells, panels, sums, K, start, n_blocks)
            _eliminate_block(cells, sums, totals, inverses, logs, K, n_blocks)


@inlined
def _multiply_block_row(
    cells: Cells, p: Cells, y: Cells, offset: int, K: int, bottom: int, n_blocks: int
) -> None:
    """``y[u] = sum_j p[j] R[j, u]`` for four nodes at once and all u, j behind block K.

    ``p[4 j + r]``, ``y[4 j + r]``, shifted by `offset`, belong to node 4 K + r. For u from block
    `bottom` on, ``y`` already holds the part of the sum with j from block `bottom` on.
    """
    for J in range(K + 1, n_blocks):
        column = 8 * J * (J + 1)
        for row in range(0, 4, ROWS):
            mine = offset + row
            if bottom <= J:
                total = load_tile(y, mine + 16 * J, 1, 4)
                for i in range(4 * (K + 1), 4 * bottom):
                    total = add_outer(total, p, mine + 4 * i, cells, column + 4 * i, 1)
            else:
                total = zero_tile()
                for i in range(4 * (K + 1), 4 * (J + 1)):
                    total = add_outer(total, p, mine + 4 * i, cells, column + 4 * i, 1)
                for M in range(J + 1, n_blocks):  # below the diagonal: the block turned over
                    for c in range(4):
                        source = 8 * M * (M + 1) + 16 * J + c
                        total = add_outer(total, p, mine + 16 * M + 4 * c, cells, source, 4)
            store_tile(y, mine + 16 * J, 1, 4, total)


@inlined
def _multiply_block_rows(
    cells: Cells, p: Cells, y: Cells, top: int, bottom: int, chunk: int, n_blocks: int
) -> None:
    """Start ``y`` for block rows `top` to `bottom` - 1 with the sums from block `bottom` on.

    In chunks of rows for the sake of the nearest cache, as in :func:`_update_block_rows`.
    """
    width = 16 * n_blocks
    tiles = chunk // 4
    for first in range(bottom, n_blocks, tiles):
        last = min(first + tiles, n_blocks)
        for J in range(bottom, n_blocks):
            column = 8 * J * (J + 1)
            for K in range(top, bottom):
                for row in range(0, 4, ROWS):
                    mine = (K - top) * width + row
                    total = zero_tile()
                    if first > bottom:
                        total = load_tile(y, mine + 16 * J, 1, 4)
                    for i in range(4 * first, 4 * min(last, J + 1)):
                        total = add_outer(total, p, mine + 4 * i, cells, column + 4 * i, 1)
                    for M in range(max(first, J + 1), last):
                        for c in range(4):
                            source = 8 * M * (M + 1) + 16 * J + c
                            total = add_outer(total, p, mine + 16 * M + 4 * c, cells, source, 4)
                    store_tile(y, mine + 16 * J, 1, 4, total)


@inlined
def _copy_shares(cells: Cells, p: Cells, offset: int, K: int, first: int, n_blocks: int) -> None:
    """Write the shares of node 4 K + r in node j to ``p[offset + 4 j + r]``."""
    for J in range(first, n_blocks):
        for row in range(0, 4, ROWS):
            share = load_tile(cells, 8 * J * (J + 1) + 16 * K + 4 * row, 4, 1)
            store_tile(p, offset + 16 * J + row, 1, 4, share)


@inlined
def _resist_block(
    cells: Cells, p: Cells, y: Cells, inverses: Cells, offset: int, K: int, n_blocks: int
) -> None:
    r"""Finish the resistances of block K from ``y = p R``.

    Node k of the block sees, behind the block, :math:`R_{ku} = \hat y_{ku} + \gamma_k`, where
    :math:`\hat y_k = y_k + \sum_{b>k} p_{kb} \hat y_b` and the constant :math:`\gamma_k` needs only
    the dot products :math:`D_{kb} = \sum_u p_{ku} \hat y_{bu}`. That saves four passes.
    """
    tile = 8 * K * (K + 1) + 16 * K
    p01 = load(cells, tile + 1)
    p02 = load(cells, tile + 2)
    p03 = load(cells, tile + 3)
    p12 = load(cells, tile + 6)
    p13 = load(cells, tile + 7)
    p23 = load(cells, tile + 11)
    zero = broadcast(0.0)
    d00 = d01 = d02 = d03 = d11 = d12 = d13 = d22 = d23 = d33 = zero
    m0 = m1 = m2 = zero
    for i in range(4 * (K + 1), 4 * n_blocks):
        y3 = load(y, offset + 4 * i + 3)
        y2 = fused(p23, y3, load(y, offset + 4 * i + 2))
        y1 = fused(p12, y2, fused(p13, y3, load(y, offset + 4 * i + 1)))
        y0 = fused(p01, y1, fused(p02, y2, fused(p03, y3, load(y, offset + 4 * i))))
        store(y, offset + 4 * i + 2, y2)
        store(y, offset + 4 * i + 1, y1)
        store(y, offset + 4 * i, y0)
        q0 = load(p, offset + 4 * i)
        q1 = load(p, offset + 4 * i + 1)
        q2 = load(p, offset + 4 * i + 2)
        q3 = load(p, offset + 4 * i + 3)
        d00 = fused(q0, y0, d00)
        d01 = fused(q0, y1, d01)
        d02 = fused(q0, y2, d02)
        d03 = fused(q0, y3, d03)
        d11 = fused(q1, y1, d11)
        d12 = fused(q1, y2, d12)
        d13 = fused(q1, y3, d13)
        d22 = fused(q2, y2, d22)
        d23 = fused(q2, y3, d23)
        d33 = fused(q3, y3, d33)
        m0 = add(m0, q0)
        m1 = add(m1, q1)
        m2 = add(m2, q2)
    minus_half = broadcast(-0.5)
    # Node 3 sees only what is behind the block; in the last block it is the ground itself.
    g3 = fused(minus_half, d33, load(inverses, 4 * K + 3))
    # Node 2
    e2 = multiply(p23, g3)
    y23 = fused(m2, g3, d23)
    q2 = fused(p23, y23, fused(m2, e2, d22))
    c2 = fused(minus_half, q2, load(inverses, 4 * K + 2))
    g2 = add(c2, e2)
    r23 = add(c2, y23)
    # Node 1
    e1 = fused(p12, g2, multiply(p13, g3))
    y12 = fused(p13, r23, fused(m1, g2, d12))
    y13 = fused(p12, r23, fused(m1, g3, d13))
    q1 = fused(p12, y12, fused(p13, y13, fused(m1, e1, d11)))
    c1 = fused(minus_half, q1, load(inverses, 4 * K + 1))
    g1 = add(c1, e1)
    r12 = add(c1, y12)
    r13 = add(c1, y13)
    # Node 0
    e0 = fused(p01, g1, fused(p02, g2, multiply(p03, g3)))
    y01 = fused(p02, r12, fused(p03, r13, fused(m0, g1, d01)))
    y02 = fused(p01, r12, fused(p03, r23, fused(m0, g2, d02)))
    y03 = fused(p01, r13, fused(p02, r23, fused(m0, g3, d03)))
    q0 = fused(p01, y01, fused(p02, y02, fused(p03, y03, fused(m0, e0, d00))))
    c0 = fused(minus_half, q0, load(inverses, 4 * K))
    g0 = add(c0, e0)
    r01 = add(c0, y01)
    r02 = add(c0, y02)
    r03 = add(c0, y03)
    store(cells, tile, zero)
    store(cells, tile + 1, r01)
    store(cells, tile + 2, r02)
    store(cells, tile + 3, r03)
    store(cells, tile + 4, r01)
    store(cells, tile + 5, zero)
    store(cells, tile + 6, r12)
    store(cells, tile + 7, r13)
    store(cells, tile + 8, r02)
    store(cells, tile + 9, r12)
    store(cells, tile + 10, zero)
    store(cells, tile + 11, r23)
    store(cells, tile + 12, r03)
    store(cells, tile + 13, r13)
    store(cells, tile + 14, r23)
    store(cells, tile + 15, zero)
    for J in range(K + 1, n_blocks):
        row = 8 * J * (J + 1) + 16 * K
        here = offset + 16 * J
        for c in range(4):
            store(cells, row + c, add(g0, load(y, here + 4 * c)))
            store(cells, row + 4 + c, add(g1, load(y, here + 4 * c + 1)))
            store(cells, row + 8 + c, add(g2, load(y, here + 4 * c + 2)))
            store(cells, row + 12 + c, add(g3, load(y, here + 4 * c + 3)))


@kernel
def resist_dense(
    cells: Cells, p: Cells, y: Cells, inverses: Cells, n_blocks: int, stride: int, chunk: int
) -> None:
    """Turn the shares that :func:`eliminate_dense` left into effective resistances."""
    n_strides = (n_blocks + stride - 1) // stride
    for back in range(n_strides):
        top = (n_strides - 1 - back) * stride
        bottom = n_blocks
        if stride > 1:
            bottom = min(top + stride, n_blocks)
            for K in range(top, bottom):
                _copy_shares(cells, p, (K - top) * 16 * n_blocks, K, bottom, n_blocks)
            _multiply_block_rows(cells, p, y, top, bottom, chunk, n_blocks)
        for K in range(min(top + stride, n_blocks) - 1, top - 1, -1):
            offset = (K - top) * 16 * n_blocks
            _copy_shares(cells, p, offset, K, K + 1, n_blocks)
            _multiply_block_row(cells, p, y, offset, K, bottom, n_blocks)
            _resist_block(cells, p, y, inverses, offset, K, n_blocks)
