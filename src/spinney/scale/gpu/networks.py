r"""Elimination and resistances of many networks as products of matrices, for a GPU.

The recursions of :mod:`spinney.forests.reference` by blocks of nodes K with the nodes B behind
them. Within a block nodes are eliminated one by one (:class:`Tiles`); that gives their shares
:math:`P_{KK}`, totals *s*, and the matrix :math:`M = (I - P_{KK})^{-\top}` that does to what is
behind the block what those steps do to the block. All entries are sums of products of weights:

.. math:: C = M\, W_{KB}, \qquad P_{KB} = C / s, \qquad W_{BB} \leftarrow W_{BB} + C^\top P_{KB}

and backward, from the last block on,

.. math:: \hat Y = M^\top P_{KB} R_{BB}, \qquad R_{KB} = \hat Y + \gamma

with a number :math:`\gamma_k` for each node of the block, which the block finds out from
:math:`D = P_{KB} \hat Y^\top` and the masses :math:`m = P_{KB} 1`. Nothing is subtracted that the
plain recursions do not subtract.

The program is written in torch, and runs on whatever device its tensors are on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from spinney.forests._rewriting import LARGEST_LOG, margins
from spinney.scale.gpu.device import simulated, torch_module

__all__ = [
    "BLOCK",
    "LARGEST_LOG",
    "DensePattern",
    "PlainTiles",
    "Tiles",
    "batches",
    "eliminate",
    "margins",
    "resist",
    "solve_dense",
    "torch_device",
]

BLOCK = 64
"""Nodes of a block: their tile fits into the shared memory of a GPU's processors."""

STRIP = 1024
"""Rows that are brought up to date together; what is left of their diagonal is left alone."""


class Tiles(Protocol):
    """What is done within blocks, for all networks at once.

    A tile holds shares above its diagonal and what is below that of M below.
    """

    def eliminate(self, tile: Any, sums: Any) -> Any:
        """Eliminate the nodes of a block one by one.

        `tile` holds weights above its diagonal, shape (networks, size, size), and is overwritten;
        `sums` are those of its rows behind the block. Returns the totals (networks, size). All
        tensors are contiguous.
        """

    def resist(self, tile: Any, products: Any, masses: Any, totals: Any) -> Any:
        """Turn `tile` into resistances; return the numbers that are added behind the block."""


def eliminate(W: Any, tiles: Tiles, block: int) -> Any:
    """Eliminate every node but the last of networks (n, N, N), of which the upper half is read.

    Returns the totals (n, N - 1); `W` then holds tiles and shares. The sum of the logarithms of
    a network's totals is its log-partition.
    """
    last = W.shape[1] - 1
    totals = W.new_empty((len(W), last))
    for start in range(0, last, block):
        stop = min(start + block, last)
        own, behind = slice(start, stop), slice(stop, None)
        rows = W[:, own, behind]
        tile = W[:, own, own].contiguous()
        totals[:, own] = tiles.eliminate(tile, rows.sum(dim=2))
        W[:, own, own] = tile
        weights = rows + tile.tril(-1) @ rows
        # A node that nothing joins has no shares; its total says that there is no tree.
        rows[:] = weights * _reciprocal_or_zero(totals[:, own, None])
        for a in range(stop, last + 1, STRIP):
            strip = weights[:, :, a - stop : a - stop + STRIP].transpose(1, 2)
            W[:, a : a + STRIP, a:].baddbmm_(strip, rows[:, :, a - stop :])
    return totals


def resist(W: Any, totals: Any, tiles: Tiles, block: int) -> None:
    """Turn what :func:`eliminate` left into effective resistances, all of the matrix."""
    last = W.shape[1] - 1
    W[:, last, last] = 0.0
    for start in reversed(range(0, last, block)):
        stop = min(start + block, last)
        own, behind = slice(start, stop), slice(stop, None)
        shares, tile = W[:, own, behind], W[:, own, own].contiguous()
        y = shares @ W[:, behind, behind]
        y = y + tile.tril(-1).transpose(1, 2) @ y
        products = shares @ y.transpose(1, 2)
        own_totals = totals[:, own].contiguous()
        y += tiles.resist(tile, products, shares.sum(dim=2), own_totals)[:, :, None]
        W[:, own, own] = tile
        W[:, own, behind] = y
        W[:, behind, own] = y.transpose(1, 2)


def _reciprocal_or_zero(totals: Any) -> Any:
    return (1.0 / totals).masked_fill_(totals == 0.0, 0.0)


class PlainTiles:
    """Blocks node by node in torch: what kernels of the GPU are tested against."""

    def eliminate(self, tile: Any, sums: Any) -> Any:
        """Eliminate the nodes of a block one by one; see :class:`Tiles`."""
        sums, totals = sums.clone(), sums.new_empty(sums.shape)
        size = tile.shape[1]
        steps = tile.new_zeros(tile.shape)
        steps[:, range(size), range(size)] = 1.0
        for k in range(size):
            weights = tile[:, k, k + 1 :].clone()
            totals[:, k] = sums[:, k] + weights.sum(dim=1)
            shares = weights * _reciprocal_or_zero(totals[:, k, None])
            tile[:, k, k + 1 :] = shares
            sums[:, k + 1 :] += shares * sums[:, k, None]
            tile[:, k + 1 :, k + 1 :] += shares[:, :, None] * weights[:, None, :]
            steps[:, k + 1 :] += shares[:, :, None] * steps[:, k, None]
        upper = tile.triu(1)
        tile[:] = upper + steps.tril(-1)
        return totals

    def resist(self, tile: Any, products: Any, masses: Any, totals: Any) -> Any:
        """Turn a tile into resistances; see :class:`Tiles`."""
        size = tile.shape[1]
        R, added = tile.new_zeros(tile.shape), masses.new_zeros(masses.shape)
        inverses = _reciprocal_or_zero(totals)
        for k in reversed(range(size)):
            shares = tile[:, k, k + 1 :]
            mass, later = masses[:, k], added[:, k + 1 :]
            y = (shares[:, None, :] @ R[:, k + 1 :, k + 1 :])[:, 0]
            y = y + mass[:, None] * later + products[:, k, k + 1 :]
            common = (shares * later).sum(dim=1)
            square = products[:, k, k] + mass * common + (shares * y).sum(dim=1)
            constant = inverses[:, k] - 0.5 * square
            added[:, k] = constant + common
            R[:, k, k + 1 :] = R[:, k + 1 :, k] = constant[:, None] + y
        tile[:] = R
        return added


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SHARE_OF_MEMORY = 0.75
"""How much of the GPU's free memory a batch of networks may take."""

SIMULATED_MEMORY = 1 << 28


class DensePattern:
    """Where pairs stand in matrices of all nodes.

    Parameters
    ----------
    first, second : int arrays of shape (n_edges,)
        The nodes that each edge joins, first < second.
    ground : array of shape (d,)
        Root weight of each node; with none there is no ground.

    Attributes
    ----------
    size : int
        Nodes, with the ground if there is one, which is the last.
    """

    def __init__(self, first: Integers, second: Integers, ground: Floats) -> None:
        torch, device = torch_module(), torch_device()
        self.ground = torch.as_tensor(ground, device=device) if ground.any() else None
        self.size = len(ground) + (self.ground is not None)
        first, second = (torch.as_tensor(nodes, device=device) for nodes in (first, second))
        self.cells = first * self.size + second


def solve_dense(weights: Any, pattern: DensePattern, *, resistances: bool) -> tuple[Any, Any]:
    """Log-partitions (n,) and, if wanted, resistances (n, n_edges) of weights (n, n_edges).

    Weights are to be in range, as :mod:`spinney.forests` says, or with root weights of one between
    1e-20 and 1e260: every total is at least one then, and what underflows is nothing beside it.
    """
    from spinney.scale.gpu.tiles import DeviceTiles

    n, size = len(weights), pattern.size
    W = weights.new_zeros((n, size, size))
    cells = W.view(n, size * size)
    cells.index_copy_(1, pattern.cells, weights)
    if pattern.ground is not None:
        W[:, :-1, -1] = pattern.ground
    tiles = DeviceTiles()
    totals = eliminate(W, tiles, BLOCK)
    sums = totals.log().sum(dim=1)
    if not resistances:
        return sums, None
    resist(W, totals, tiles, BLOCK)
    return sums, cells.index_select(1, pattern.cells)


def torch_device() -> str:
    """Name the place where tensors are kept: the GPU, but for tests that simulate one."""
    return "cpu" if simulated() else "cuda"


def batches(n: int, pattern: DensePattern) -> Iterator[slice]:
    """Cut n networks into batches of nearly one size that fit into the memory that is free."""
    count = -(-n // _batch_size(pattern.size, len(pattern.cells)))
    for k in range(count):
        yield slice(n * k // count, n * (k + 1) // count)


def _batch_size(size: int, n_edges: int) -> int:
    """Count the networks that fit: a matrix, panels beside it, and what is listed, thrice."""
    free = SIMULATED_MEMORY
    if not simulated():
        memory = torch_module().cuda
        # What torch holds and does not use is free, too.
        free = memory.mem_get_info()[0] + memory.memory_reserved() - memory.memory_allocated()
    return max(1, int(SHARE_OF_MEMORY * free) // (8 * (size * (size + 400) + 3 * n_edges)))
