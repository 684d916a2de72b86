"""From rows of a table into lanes, and from lanes back to sums over rows."""

from __future__ import annotations

from math import copysign
from typing import NamedTuple

import numpy as np

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.compile import inlined, kernel
from spinney.forests._lanes import LARGEST, SMALLEST
from spinney.forests._tiles import (
    LANES,
    broadcast,
    fused,
    highest_bits,
    load,
    load_row,
    lowest_bits,
    multiply,
    store,
    store_row,
    transpose_cells,
    transpose_rows,
)


class Weights(NamedTuple):
    """What samples are multiplied by, and what that may do to them.

    Attributes
    ----------
    beta : array of shape (n_edges,)
    least, largest : float
        The smallest positive and the largest of them.
    floor : float
        Sample weights below it might vanish when multiplied.
    """

    beta: Floats
    least: float
    largest: float
    floor: float


@inlined
def _side_by_side(columns: Ints, e: int) -> bool:
    """Whether the next columns stand side by side in the table."""
    rising = e + LANES <= len(columns)
    if rising:  # absent pairs share a column, so the ends alone do not decide
        for i in range(1, LANES):
            rising &= columns[e + i] - columns[e] == i
    return rising


@kernel
def read_group(
    W: Floats,
    row: int,
    count: int,
    columns: Ints,
    weights: Weights,
    slots: Ints,
    square: Floats,
    cells: Floats,
    in_range: Bools,
) -> int:
    """Bring the next samples into lanes, times beta; count those whose weights are in range."""
    n_edges = len(columns)
    beta = weights.beta
    high = broadcast(0.0)
    low = broadcast(np.inf)
    e = 0
    while e < n_edges:
        if _side_by_side(columns, e):
            transpose_rows(W, row, count - 1, columns[e], square, 0)
            for k in range(0, LANES, 2):
                one, two = load(square, k), load(square, k + 1)
                high = highest_bits(high, highest_bits(one, two))
                low = lowest_bits(lowest_bits(low, one), two)
                store(cells, slots[e + k], multiply(broadcast(beta[e + k]), one))
                store(cells, slots[e + k + 1], multiply(broadcast(beta[e + k + 1]), two))
            e += LANES
        else:
            for lane in range(LANES):
                square[0, lane] = W[row + min(lane, count - 1), columns[e]]
            one = load(square, 0)
            high = highest_bits(high, one)
            low = lowest_bits(low, one)
            store(cells, slots[e], multiply(broadcast(beta[e]), one))
            e += 1
    store(square, 0, high)
    store(square, 1, low)
    n_within = 0
    for lane in range(count):
        top, least = square[0, lane], square[1, lane]
        within = 0.0 <= top < np.inf and copysign(1.0, top) > 0 and least >= weights.floor
        # The largest sample weight need not meet the largest beta: if in doubt, check the products.
        if within and not (top * weights.largest <= LARGEST and least * weights.least >= SMALLEST):
            for e in range(n_edges):
                product = cells[slots[e], lane]
                within &= product == 0 or SMALLEST <= product <= LARGEST
        in_range[row + lane] = within
        n_within += within
    return n_within


@kernel
def gather(
    W: Floats,
    row: int,
    in_range: Bools,
    columns: Ints,
    slots: Ints,
    cells: Floats,
    square: Floats,
    totals: Floats,
    chunk: int,
    each: Floats,
) -> bool:
    """Add ``w R`` of the next samples to a row of `totals`, or write each one's to `each`.

    There is one sample for each of `in_range`, and those that are not are left out. One is added
    after another, so that the order of the sum does not depend on the number of lanes. Returns
    whether all weights are weights: not negative, infinite or NaN.
    """
    high = broadcast(0.0)
    summed = len(each) == 0
    sound = True
    count = len(in_range)
    whole = count == LANES
    for lane in range(count):
        whole &= in_range[lane]
    e = 0
    while e < len(columns):
        if _side_by_side(columns, e):
            transpose_cells(cells, slots, e, square, 0)
            total = load_row(totals, chunk, e) if summed else high
            if summed and whole:  # a loop of known length, which is unrolled
                for lane in range(LANES):
                    weight = load_row(W, row + lane, columns[e])
                    high = highest_bits(high, weight)
                    total = fused(weight, load(square, lane), total)
            else:
                for lane in range(count):
                    if in_range[lane]:
                        weight = load_row(W, row + lane, columns[e])
                        high = highest_bits(high, weight)
                        if summed:
                            total = fused(weight, load(square, lane), total)
                        else:
                            store_row(each, row + lane, e, multiply(weight, load(square, lane)))
            if summed:
                store_row(totals, chunk, e, total)
            e += LANES
        else:
            for lane in range(count):
                if in_range[lane]:
                    own = W[row + lane, columns[e]]
                    sound &= 0.0 <= own < np.inf
                    if summed:
                        totals[chunk, e] += own * cells[slots[e], lane]
                    else:
                        each[row + lane, e] = own * cells[slots[e], lane]
            e += 1
    store(square, 0, high)
    for lane in range(LANES):
        sound &= 0.0 <= square[0, lane] < np.inf
    return sound
