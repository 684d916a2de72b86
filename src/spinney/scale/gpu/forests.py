"""Networks on a GPU: blocks of nodes by kernels, everything between them by products of matrices.

See :mod:`spinney.scale.gpu.networks`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import pair_nodes
from spinney.forests._engine_lanes import solve_in_lanes
from spinney.forests._lanes import LARGEST, SMALLEST
from spinney.forests._networks import Networks, Pattern, Solution, Want
from spinney.forests.samples import LEAST_LOG, Samples
from spinney.scale.gpu.device import download, torch_module, upload
from spinney.scale.gpu.networks import (
    LARGEST_LOG,
    DensePattern,
    batches,
    margins,
    solve_dense,
    torch_device,
)

__all__ = ["solve_on_gpu", "sums_on_device"]

WORTH_SENDING = 1e8
"""Networks times nodes cubed from which on the way to the GPU is worth it."""

SPARSE = 0.1
"""Patterns with a smaller share of all pairs are left to the processor, which goes by edges."""

_sent: WeakKeyDictionary[Samples, Any] = WeakKeyDictionary()


def solve_on_gpu(name: str, networks: Networks, want: Want, threads: int | None) -> Solution:
    """Evaluate dense networks in range; see :class:`spinney.forests._networks.Engine`.

    "auto" leaves to the processor what is not worth the way.
    """
    pattern, n = networks.pattern, len(networks.samples)
    if name == "auto" and not _worth_sending(pattern, n):
        return solve_in_lanes("auto", networks, want, threads)
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
    if not networks.are_all_columns:
        columns = torch.as_tensor(pattern.columns, device=table.device)
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


if TYPE_CHECKING:
    from spinney.forests.posterior.ladder import SharedPosterior


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BYTES_AT_ONCE = 1 << 29
"""Log-densities that are sent at a time."""


def sums_on_device(
    subsets: Sequence[Sequence[Integers]],
    shared: SharedPosterior,
    advance: Callable[[int], object],
) -> Floats:
    """Sum posterior probabilities over the subsets of each size, shape (n_sizes, n_pairs).

    As :func:`spinney.forests.posterior.sum_over_subsets`, for evidence on all pairs. Networks that
    no double can hold go through the processor.
    """
    torch, device = torch_module(), torch_device()
    d, n_pairs = shared.evidence.n_nodes, shared.n_listed
    pattern = DensePattern(*pair_nodes(d), np.ones(d))
    rows = [subset for own in subsets for subset in own]
    level = np.repeat(np.arange(len(subsets)), [len(own) for own in subsets])
    result = torch.zeros((len(subsets), n_pairs), dtype=torch.float64, device=device)
    left: list[int] = []
    with torch.inference_mode():
        prior = _Prior(shared)
        for part in batches(len(rows), pattern):
            weights = _subset_sums(shared, rows[part])
            out_of_range = prior.weigh(weights, rows[part])
            left += (np.flatnonzero(out_of_range) + part.start).tolist()
            _, probabilities = solve_dense(weights, pattern, resistances=True)
            probabilities.mul_(weights).clamp_(max=1.0)
            of_level = np.zeros((len(subsets), len(weights)))
            of_level[level[part], np.arange(len(weights))] = ~out_of_range
            result.addmm_(torch.as_tensor(of_level, device=device), probabilities)
            advance(len(weights) - int(out_of_range.sum()))
            del weights, probabilities
    sums = download(result)
    for k in left:
        sums[level[k]] += shared.probabilities([rows[k]])[0]
        advance(1)
    return sums


def _subset_sums(shared: SharedPosterior, rows: Sequence[Integers]) -> Any:
    """Sum log-densities over the rows of each subset: a product of matrices, by blocks of rows."""
    torch, device = torch_module(), torch_device()
    table = shared.evidence.listed
    n, n_pairs = table.shape
    chosen = np.zeros((len(rows), n))
    for k, subset in enumerate(rows):
        chosen[k, subset] = 1.0
    sums = torch.zeros((len(rows), n_pairs), dtype=torch.float64, device=device)
    step = max(1, BYTES_AT_ONCE // (8 * max(n_pairs, 1)))
    for k in range(0, n, step):
        some = torch.as_tensor(chosen[:, k : k + step], device=device)
        sums.addmm_(some, upload(table[k : k + step]))
    if not bool(torch.isfinite(sums).all()):
        for subset in rows:  # one by one, for they differ in size
            shared.evidence.subset_sums([subset])  # says which log-density is not finite
    return sums


class _Prior:
    """What turns sums into weights, as :func:`edge_log_weights` and :func:`solve_batch` do."""

    def __init__(self, shared: SharedPosterior) -> None:
        torch, device = torch_module(), torch_device()
        self._parameters = torch.as_tensor(shared.evidence.listed_parameters, device=device)
        self._absent = self._parameters == 0
        self._shares = None
        if shared.shares is not None:
            self._shares = torch.as_tensor(shared.shares, device=device)
        self._shift = float(np.log(shared.edge_weight) - np.log(shared.root_weight))
        self._negligible, _ = margins(shared.evidence.n_nodes, shared.tolerance)

    def weigh(self, sums: Any, rows: Sequence[Integers]) -> NDArray[np.bool_]:
        """Turn sums into weights relative to roots, in place; tell which networks are too wide.

        Those are given weights of nothing.
        """
        torch = torch_module()
        for k, subset in enumerate(rows):
            penalty = float(np.log(len(subset)))
            if self._shares is not None:
                penalty = (len(subset) * self._shares).clamp_(min=1.0).log_()
            sums[k] += self._shift - 0.5 * penalty * self._parameters
        sums[:, self._absent] = -torch.inf
        wide = sums.amax(dim=1) > LARGEST_LOG
        sums.masked_fill_(sums < -self._negligible, -torch.inf)
        sums.masked_fill_(wide[:, None], -torch.inf)
        sums.exp_()
        return np.asarray(wide.cpu().numpy())
