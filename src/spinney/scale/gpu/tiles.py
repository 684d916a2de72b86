"""Blocks of nodes on the GPU: a network per thread block, its tile in shared memory."""

from __future__ import annotations

from functools import cache
from typing import Any

from spinney.scale.gpu.device import cuda_kernel, cuda_module, simulated
from spinney.scale.gpu.networks import BLOCK

__all__ = ["DeviceTiles"]

cuda: Any = cuda_module()  # by this name the simulator finds it

THREADS = 256

# One more column than nodes, so that a column of the tile is spread over all memory banks.
WIDTH = BLOCK + 1


class DeviceTiles:
    """Tiles of at most :data:`BLOCK` nodes; see :class:`spinney.scale.gpu.networks.Tiles`."""

    def eliminate(self, tile: Any, sums: Any) -> Any:
        """Eliminate the nodes of a block one by one."""
        totals = sums.new_empty(sums.shape)
        _eliminate()[len(tile), THREADS](*map(_array, (tile, sums, totals)))
        return totals

    def resist(self, tile: Any, products: Any, masses: Any, totals: Any) -> Any:
        """Turn tiles into resistances."""
        added = masses.new_empty(masses.shape)
        arrays = (tile, products, masses, totals, added)
        _resist()[len(tile), BLOCK](*map(_array, arrays))
        return added


def _array(tensor: Any) -> Any:
    return tensor.numpy() if simulated() else cuda.as_cuda_array(tensor)


@cache
def _eliminate() -> Any:
    return cuda_kernel(eliminate_tile)


@cache
def _resist() -> Any:
    return cuda_kernel(resist_tile)


def eliminate_tile(tile, sums, totals):  # type: ignore[no-untyped-def]
    """Weights above the diagonal become shares; below it grows M, whose diagonal is one."""
    network, thread, size = cuda.blockIdx.x, cuda.threadIdx.x, tile.shape[1]
    w = cuda.shared.array((BLOCK, WIDTH), "float64")
    behind = cuda.shared.array(BLOCK, "float64")
    shares = cuda.shared.array(BLOCK, "float64")
    for cell in range(thread, size * size, THREADS):
        i, j = cell // size, cell % size
        w[i, j] = tile[network, i, j] if j > i else 0.0
    for i in range(thread, size, THREADS):
        behind[i] = sums[network, i]
    cuda.syncthreads()
    for k in range(size):
        # Every thread adds up for itself: shorter than to wait for one that does.
        total, other = behind[k], 0.0
        for j in range(k + 1, size - 1, 2):
            total += w[k, j]
            other += w[k, j + 1]
        if (size - k) % 2 == 0:
            total += w[k, size - 1]
        total += other
        inverse = 1.0 / total if total > 0.0 else 0.0
        if thread == 0:
            totals[network, k] = total
        for j in range(k + 1 + thread, size, THREADS):
            shares[j] = w[k, j] * inverse
        cuda.syncthreads()
        rows = size - k - 1
        for cell in range(thread, rows * size, THREADS):
            i, j = k + 1 + cell // size, cell % size
            if j > i or j < k:
                w[i, j] += shares[i] * w[k, j]
            elif j == k:
                w[i, j] += shares[i]
        for i in range(k + 1 + thread, size, THREADS):
            behind[i] += shares[i] * behind[k]
        cuda.syncthreads()
        for j in range(k + 1 + thread, size, THREADS):
            w[k, j] = shares[j]
        cuda.syncthreads()
    for cell in range(thread, size * size, THREADS):
        i, j = cell // size, cell % size
        if i != j:
            tile[network, i, j] = w[i, j]


def resist_tile(tile, products, masses, totals, added):  # type: ignore[no-untyped-def]
    """Shares above the diagonal become resistances, which are kept below it on the way."""
    network, thread, size = cuda.blockIdx.x, cuda.threadIdx.x, tile.shape[1]
    w = cuda.shared.array((BLOCK, WIDTH), "float64")
    known = cuda.shared.array(BLOCK, "float64")
    y = cuda.shared.array(BLOCK, "float64")
    for i in range(size):
        for j in range(thread, size, BLOCK):
            w[i, j] = tile[network, i, j] if j > i else 0.0
    cuda.syncthreads()
    for back in range(size):
        k = size - 1 - back
        mass, j = masses[network, k], k + 1 + thread
        if j < size:
            total = mass * known[j] + products[network, k, j]
            for i in range(k + 1, j):
                total += w[k, i] * w[j, i]
            for i in range(j + 1, size):
                total += w[k, i] * w[i, j]
            y[j] = total
        cuda.syncthreads()
        common, square = 0.0, 0.0
        for i in range(k + 1, size):
            common += w[k, i] * known[i]
            square += w[k, i] * y[i]
        square += products[network, k, k] + mass * common
        total = totals[network, k]
        constant = (1.0 / total if total > 0.0 else 0.0) - 0.5 * square
        if j < size:
            w[j, k] = constant + y[j]
        if thread == 0:
            known[k] = constant + common
            added[network, k] = constant + common
        cuda.syncthreads()
    for i in range(size):
        for j in range(thread, size, BLOCK):
            tile[network, i, j] = w[i, j] if j < i else w[j, i] if j > i else 0.0
