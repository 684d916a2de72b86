"""The ladder on a GPU: sums over subsets, and all their networks, without a way back between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.cuda import download, torch_module, upload
from spinney._core.pairs import pair_nodes
from spinney.forests.on_device import (
    LARGEST_LOG,
    DensePattern,
    batches,
    margins,
    solve_dense,
    torch_device,
)

if TYPE_CHECKING:
    from spinney.forests.posterior.ladder import SharedPosterior

__all__ = ["sums_on_device"]

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

    What :func:`spinney.forests.posterior.ladder.sum_over_subsets` does for evidence on all pairs. Networks
    that no double can hold go through the processor.
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
