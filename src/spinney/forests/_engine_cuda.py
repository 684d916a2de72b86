"""Networks on a GPU: blocks of nodes by kernels, everything between them by products of matrices.

See :mod:`spinney.forests._cuda_program`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from spinney._core.cuda import download, torch_module, upload
from spinney.forests._engine_lanes import Lanes
from spinney.forests._lanes import LARGEST, SMALLEST
from spinney.forests._networks import Networks, Pattern, Solution, Want
from spinney.forests.on_device import DensePattern, batches, solve_dense
from spinney.forests.samples import LEAST_LOG, Samples

__all__ = ["Cuda"]

WORTH_SENDING = 1e8
"""Networks times nodes cubed from which on the way to the GPU is worth it."""

SPARSE = 0.1
"""Patterns with a smaller share of all pairs are left to the processor, which goes by edges."""

_sent: WeakKeyDictionary[Samples, Any] = WeakKeyDictionary()


@dataclass(frozen=True)
class Cuda:
    """The engine for dense networks in range on a GPU.

    "auto" leaves to the processor what is not worth the way.
    """

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
        if not n or not n_edges or not pattern.in_range:
            return Solution(log_partition, resistance, "log", np.arange(n))
        torch = torch_module()
        dense = DensePattern(pattern.first, pattern.second, pattern.ground)
        table = _send(networks.samples)
        beta = torch.as_tensor(pattern.beta, device=table.device)
        columns = None
        if not networks.samples.are_columns(n_edges):
            columns = torch.as_tensor(networks.columns, device=table.device)
        in_range = np.zeros(n, dtype=bool)
        with torch.inference_mode():
            for part in batches(n, dense):
                raw = table[part] if columns is None else table[part].index_select(1, columns)
                raw = _plain(torch, raw) if networks.samples.log else raw
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
                    resistance[part] = download(R.mul_(raw))
        return Solution(log_partition, resistance, "dense", np.flatnonzero(~in_range))


def _worth_sending(pattern: Pattern, n: int) -> bool:
    d = pattern.d
    return n * float(d) ** 3 >= WORTH_SENDING and 2 * len(pattern.columns) >= SPARSE * d * (d - 1)


def _send(samples: Samples) -> Any:
    """Copy a table to the GPU; that of samples that somebody keeps stays there with them."""
    table = _sent.get(samples)
    if table is None:
        table = upload(samples.table)
        if samples.kept:
            _sent[samples] = table
    return table


def _plain(torch: Any, table: Any) -> Any:
    """As :attr:`Samples.plain`."""
    return table.clamp(min=LEAST_LOG).exp_().masked_fill_(table == -torch.inf, 0.0)


def _in_range(torch: Any, raw: Any, weights: Any, floor: float) -> Any:
    """Tell of each network whether plain doubles hold it, and its weights are weights."""

    def least(values: Any) -> Any:
        return torch.where(values > 0, values, torch.inf).amin(dim=1)

    bounded = (weights.amax(dim=1) <= LARGEST) & (least(weights) >= SMALLEST)
    return bounded & (least(raw) >= floor) & (raw.amin(dim=1) >= 0)
