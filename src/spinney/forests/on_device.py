"""Dense networks on a GPU: weights of pairs in, log-partitions and resistances out, as tensors.

For whoever has weights there already (the ladder), and for the engine of
``Context(device="cuda")``. Tensors are torch's, in double precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.cuda import simulated, torch_module
from spinney.forests._rewriting import LARGEST_LOG, margins

__all__ = ["LARGEST_LOG", "DensePattern", "batches", "margins", "solve_dense", "torch_device"]

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
    from spinney.forests import _cuda_program as program
    from spinney.forests._cuda_tiles import DeviceTiles

    n, size = len(weights), pattern.size
    W = weights.new_zeros((n, size, size))
    cells = W.view(n, size * size)
    cells.index_copy_(1, pattern.cells, weights)
    if pattern.ground is not None:
        W[:, :-1, -1] = pattern.ground
    tiles = DeviceTiles()
    totals = program.eliminate(W, tiles, program.BLOCK)
    sums = totals.log().sum(dim=1)
    if not resistances:
        return sums, None
    program.resist(W, totals, tiles, program.BLOCK)
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
