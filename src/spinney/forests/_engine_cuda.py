"""Networks on a GPU: blocks of nodes by kernels, everything between them by products of matrices.

See :mod:`spinney.forests._cuda_program`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from spinney._cuda import simulated, torch_module
from spinney.forests._engine_lanes import Lanes
from spinney.forests._lanes import LARGEST, SMALLEST
from spinney.forests._networks import Networks, Pattern, Solution, Want
from spinney.forests.samples import LEAST_LOG, Samples

__all__ = ["Cuda", "DensePattern", "batch_size", "solve_dense", "torch_device"]

Floats = NDArray[np.float64]

WORTH_SENDING = 1e8
"""Networks times nodes cubed from which on the way to the GPU is worth it."""

SPARSE = 0.1
"""Patterns with a smaller share of all pairs are left to the processor, which goes by edges."""

SHARE_OF_MEMORY = 0.7
"""How much of the GPU's free memory a batch of networks may take."""

_sent: WeakKeyDictionary[Samples, Any] = WeakKeyDictionary()


@dataclass(frozen=True)
class Cuda:
    """The engine for dense networks in range on a GPU."""

    name: Literal["auto", "dense"] = "auto"
    device: Literal["cuda"] = "cuda"

    def solve(self, networks: Networks, want: Want, threads: int | None) -> Solution:
        """Evaluate; see :class:`spinney.forests._networks.Engine`."""
        pattern, n = networks.pattern, len(networks.samples)
        if self.name == "auto" and not _worth_sending(pattern, n):
            return Lanes("auto").solve(networks, want, threads)
        n_edges = len(pattern.columns)
        log_partition = np.zeros(n)
        resistance = np.zeros((n, n_edges) if want == "each" else n_edges)
        if not n or not pattern.in_range or pattern.d + pattern.grounded < 2:
            return Solution(log_partition, resistance, "log", np.arange(n))
        torch = torch_module()
        dense = DensePattern(pattern)
        table = _send(networks.samples)
        columns = torch.as_tensor(networks.columns, device=table.device)
        beta = torch.as_tensor(pattern.beta, device=table.device)
        whole = networks.samples.are_columns(n_edges)
        in_range = np.zeros(n, dtype=bool)
        with torch.inference_mode():
            for part in _batches(n, batch_size(dense.size, n_edges)):
                raw = table[part] if whole else table[part].index_select(1, columns)
                raw = _plain(torch, raw, networks.samples.log)
                weights = raw * beta
                good = _in_range(torch, raw, weights, pattern.floor)
                weights[~good] = 1.0
                sums, R = solve_dense(weights, dense, resistances=want != "partition")
                log_partition[part] = sums.cpu().numpy()
                in_range[part] = good.cpu().numpy()
                if want == "sum":
                    R.mul_(raw)[~good] = 0.0
                    resistance += R.sum(dim=0).cpu().numpy()
                elif want == "each":
                    resistance[part] = R.mul_(raw).cpu().numpy()
        return Solution(log_partition, resistance, "dense", np.flatnonzero(~in_range))


class DensePattern:
    """Where the edges of a pattern stand in matrices of all nodes, on the GPU.

    Attributes
    ----------
    size : int
        Nodes, with the ground if there is one, which is the last.
    """

    def __init__(self, pattern: Pattern) -> None:
        torch = torch_module()
        d, n_edges = pattern.d, len(pattern.columns)
        self.size = size = d + pattern.grounded
        device = torch_device()
        first = torch.as_tensor(pattern.first, device=device)
        second = torch.as_tensor(pattern.second, device=device)
        self.cells = first * size + second
        # Behind the weights of edges stand the root weights, and then a zero for all other cells.
        self.ground = torch.as_tensor(pattern.ground, device=device)
        places = torch.full((size * size,), n_edges + d, dtype=torch.int32, device=device)
        places[self.cells] = torch.arange(n_edges, dtype=torch.int32, device=device)
        if pattern.grounded:
            nodes = torch.arange(d, device=device)
            places[nodes * size + d] = n_edges + nodes.to(torch.int32)
        self.places = places


def solve_dense(weights: Any, pattern: DensePattern, *, resistances: bool) -> tuple[Any, Any]:
    """Log-partitions (n,) and, if wanted, resistances (n, n_edges) of weights (n, n_edges)."""
    from spinney.forests._cuda_program import eliminate, resist
    from spinney.forests._cuda_tiles import DeviceTiles

    torch, n, size = torch_module(), len(weights), pattern.size
    ground = pattern.ground.expand(n, -1)
    listed = torch.cat([weights, ground, weights.new_zeros((n, 1))], dim=1)
    W = listed.index_select(1, pattern.places).view(n, size, size)
    del listed
    tiles = DeviceTiles()
    totals = eliminate(W, tiles)
    sums = totals.log().sum(dim=1)
    if not resistances:
        return sums, None
    resist(W, totals, tiles)
    return sums, W.view(n, -1).index_select(1, pattern.cells)


def torch_device() -> str:
    """Where tensors are kept: on the GPU, but for tests that simulate one."""
    return "cpu" if simulated() else "cuda"


def batch_size(size: int, n_edges: int) -> int:
    """Count the networks that fit into the memory that is free: at least one."""
    torch = torch_module()
    free = 2**28 if simulated() else torch.cuda.mem_get_info()[0]
    if not simulated():  # what torch holds but does not use is free, too
        free += torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
    return max(1, int(SHARE_OF_MEMORY * free) // (8 * (size * (size + 400) + 4 * n_edges)))


def _batches(n: int, most: int) -> Iterator[slice]:
    """Cut networks into batches of nearly one size."""
    count = -(-n // most)
    for k in range(count):
        yield slice(n * k // count, n * (k + 1) // count)


def _worth_sending(pattern: Pattern, n: int) -> bool:
    d = pattern.d
    return n * float(d) ** 3 >= WORTH_SENDING and 2 * len(pattern.columns) >= SPARSE * d * (d - 1)


def _send(samples: Samples) -> Any:
    """Copy a table to the GPU; that of samples that somebody keeps stays there with them."""
    torch = torch_module()
    table = _sent.get(samples)
    if table is None:
        table = torch.as_tensor(samples.table, device=torch_device())
        if samples.kept:
            _sent[samples] = table
    return table


def _plain(torch: Any, table: Any, log: bool) -> Any:
    """As :attr:`Samples.plain`."""
    if not log:
        return table
    return table.clamp(min=LEAST_LOG).exp_().masked_fill_(table == -torch.inf, 0.0)


def _in_range(torch: Any, raw: Any, weights: Any, floor: float) -> Any:
    """Tell of each network whether plain doubles hold it, and its weights are weights."""

    def least(values: Any) -> Any:
        return torch.where(values > 0, values, torch.inf).amin(dim=1)

    if not weights.shape[1]:
        return torch.ones(len(weights), dtype=torch.bool, device=weights.device)
    bounded = (weights.amax(dim=1) <= LARGEST) & (least(weights) >= SMALLEST)
    return bounded & (least(raw) >= floor) & (raw.amin(dim=1) >= 0)
