"""The dynamic programme over subsets behind :mod:`spinney.forests.unrooted`."""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel
from spinney.forests._extended_range import (
    wide_add,
    wide_eliminate,
    wide_log,
    wide_normal,
    wide_plain,
    wide_resist,
)


@kernel
def _pair(u: int, v: int, d: int) -> int:
    """Find the number of a pair, u < v, in the order of :mod:`spinney._core.pairs`."""
    return u * (2 * d - u - 1) // 2 + v - u - 1


@kernel
def _members(subset: int, d: int, nodes: Ints) -> int:
    count = 0
    for i in range(d):
        if subset >> i & 1:
            nodes[count] = i
            count += 1
    return count


@kernel
def _neighbours(d: int, first: Ints, second: Ints, weights: Floats, out: Ints) -> None:
    """Write each node's neighbours as the bits of a number."""
    out[:] = 0
    for e in range(len(first)):
        if weights[e] > 0.0:
            out[first[e]] |= 1 << second[e]
            out[second[e]] |= 1 << first[e]


@kernel
def _lowest_component(subset: int, d: int, neighbours: Ints) -> int:
    """Find the component of a subset's smallest node."""
    component = subset & -subset
    while True:
        wider = component
        for i in range(d):
            if component >> i & 1:
                wider |= neighbours[i] & subset
        if wider == component:
            return component
        component = wider


@kernel
def subset_tables(
    d: int, products: Floats, scales: Ints, levels: int
) -> tuple[Floats, Ints, Floats, Ints]:
    """Sum over the spanning trees of every subset, and over its partitions into k sets.

    Wide numbers: two arrays of mantissas, shapes (2^d,) and (2^d, levels + 1), each followed by its
    exponents. With `levels` 0, one column holds the partitions into any number of sets.
    """
    n_subsets = 1 << d
    a, x = np.zeros((d, d)), np.zeros((d, d), dtype=np.int64)
    totals, shifts = np.zeros(d), np.zeros(d, dtype=np.int64)
    nodes = np.zeros(d, dtype=np.int64)
    trees = np.zeros(n_subsets)
    trees_x = np.zeros(n_subsets, dtype=np.int64)
    for subset in range(1, n_subsets):
        size = _members(subset, d, nodes)
        _copy_subset(d, nodes, size, products, scales, a, x)
        trees[subset], trees_x[subset] = wide_eliminate(a, x, size, totals, shifts)
    forests = np.zeros((n_subsets, levels + 1))
    forests_x = np.zeros((n_subsets, levels + 1), dtype=np.int64)
    forests[0, 0] = 1.0
    for subset in range(1, n_subsets):
        lowest = subset & -subset
        rest = subset ^ lowest
        others = rest
        while True:
            t, tx = trees[lowest | others], trees_x[lowest | others]
            left = rest ^ others
            for k in range(max(levels, 1) if t > 0.0 else 0):
                to = k + 1 if levels else 0
                m, e = wide_add(
                    forests[subset, to],
                    forests_x[subset, to],
                    t * forests[left, k],
                    tx + forests_x[left, k],
                )
                forests[subset, to], forests_x[subset, to] = m, e
            if others == 0:
                break
            others = (others - 1) & rest
        for k in range(levels + 1):
            m, e = wide_normal(forests[subset, k], forests_x[subset, k])
            forests[subset, k], forests_x[subset, k] = m, e
    return trees, trees_x, forests, forests_x


@kernel
def draw_partitions(
    d: int,
    levels: int,
    trees: Floats,
    trees_x: Ints,
    forests: Floats,
    forests_x: Ints,
    rng: np.random.Generator,
    blocks: Ints,
) -> None:
    """Draw partitions with the probability of their forests, from what `subset_tables` returned.

    Each row of `blocks` takes the sets as numbers of d bits, smallest nodes first, then zeros.
    """
    everything = (1 << d) - 1
    first = 1 if levels else 0
    for row in range(blocks.shape[0]):
        # How many sets: k stays zero where one column holds any number of them.
        k = first + _draw_wide(forests[everything, first:], forests_x[everything, first:], rng)
        left = everything
        count = 0
        while left and count < d:  # d sets at most: nothing is written beyond them
            lowest = left & -left
            rest = left ^ lowest
            below = k - 1 if levels else 0
            total, total_x = forests[left, k], forests_x[left, k]
            target = rng.random()
            chosen = 0
            others = rest
            while True:  # the order of the sum that `total` is
                subset = lowest | others
                after = rest ^ others
                part = trees[subset] * forests[after, below]
                if part > 0.0:
                    chosen = subset  # should rounding leave a rest, the last possible set is taken
                    shift = trees_x[subset] + forests_x[after, below] - total_x
                    target -= wide_plain(part / total, shift)
                    if target < 0.0:
                        break
                if others == 0:
                    break
                others = (others - 1) & rest
            blocks[row, count] = chosen
            count += 1
            left ^= chosen
            k = below


@kernel
def _draw_wide(mantissas: Floats, exponents: Ints, rng: np.random.Generator) -> int:
    """Draw a position with probability proportional to its wide number."""
    total, total_x = 0.0, 0
    for i in range(len(mantissas)):
        total, total_x = wide_add(total, total_x, mantissas[i], exponents[i])
    target = rng.random()
    chosen = 0
    for i in range(len(mantissas)):
        if mantissas[i] > 0.0:
            chosen = i
            target -= wide_plain(mantissas[i] / total, exponents[i] - total_x)
            if target < 0.0:
                break
    return chosen


@kernel
def run_subsets(
    d: int,
    first: Ints,
    second: Ints,
    rows: Ints,
    products: Floats,
    scales: Ints,
    weights: Floats,
    exponents: Ints,
    levels: int,
    log_z: Floats,
    each: Floats,
) -> None:
    """Fill in log-partitions and ``w dlogZ/d(beta w)`` at `rows`; `levels` 0 means no limit.

    ``products`` and ``scales`` are the networks' weights, ``weights`` and ``exponents`` those that
    the derivatives are multiplied by: a row for each of `rows`, in wide numbers.
    """
    n_subsets = 1 << d
    everything = n_subsets - 1
    a, x = np.zeros((d, d)), np.zeros((d, d), dtype=np.int64)
    totals, shifts = np.zeros(d), np.zeros(d, dtype=np.int64)
    y, z = np.zeros(d), np.zeros(d, dtype=np.int64)
    nodes = np.zeros(d, dtype=np.int64)
    neighbours = np.zeros(d, dtype=np.int64)
    for r in range(len(rows)):
        trees, trees_x, forests, forests_x = subset_tables(d, products[r], scales[r], levels)
        total, total_x = 0.0, 0
        for k in range(levels + 1):
            total, total_x = wide_add(
                total, total_x, forests[everything, k], forests_x[everything, k]
            )
        log_z[rows[r]] = wide_log(total, total_x)
        if total == 0.0:
            continue
        _neighbours(d, first, second, products[r], neighbours)
        for subset in range(1, n_subsets):
            left_m, left_x = 0.0, 0
            for k in range(max(levels, 1)):
                other = everything ^ subset
                left_m, left_x = wide_add(left_m, left_x, forests[other, k], forests_x[other, k])
            if trees[subset] == 0.0:
                # No tree, yet a slope: an absent edge would join the two halves of a subset.
                half = _lowest_component(subset, d, neighbours)
                other = subset ^ half
                chance, chance_x = wide_normal(
                    trees[half] * trees[other] * left_m / total,
                    trees_x[half] + trees_x[other] + left_x - total_x,
                )
                if chance > 0.0:
                    for e in range(len(first)):
                        u, v = first[e], second[e]
                        if subset >> u & subset >> v & (half >> u ^ half >> v) & 1:
                            each[rows[r], e] += wide_plain(
                                chance * weights[r, e], chance_x + exponents[r, e]
                            )
                continue
            chance, chance_x = wide_normal(
                trees[subset] * left_m / total, trees_x[subset] + left_x - total_x
            )
            size = _members(subset, d, nodes)
            if chance == 0.0 or size < 2:
                continue
            _copy_subset(d, nodes, size, products[r], scales[r], a, x)
            wide_eliminate(a, x, size, totals, shifts)
            wide_resist(a, x, size, totals, shifts, y, z)
            for i in range(size):
                for j in range(i + 1, size):
                    u, v = nodes[i], nodes[j]
                    e = _pair(u, v, d)
                    each[rows[r], e] += wide_plain(
                        chance * weights[r, e] * a[i, j], chance_x + exponents[r, e] + x[i, j]
                    )


@kernel
def _copy_subset(
    d: int, nodes: Ints, size: int, mantissas: Floats, exponents: Ints, a: Floats, x: Ints
) -> None:
    for i in range(size):
        for j in range(i + 1, size):
            u, v = nodes[i], nodes[j]
            e = _pair(u, v, d)
            a[i, j], x[i, j] = mantissas[e], exponents[e]
