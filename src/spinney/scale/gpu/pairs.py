"""Pair copulas on a GPU: the processor's formulas and its search, compiled a second time.

A warp of 32 threads, the *lanes*, fits one pair. Every lane holds each 32nd row; sums over rows are
taken over lanes in one order, so that all lanes see the same numbers and go the same way, and
results repeat to the bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney.scale.gpu.density import DeviceDensities, tau
from spinney.scale.gpu.device import download, free_memory, simulated, torch_module, why_no_cuda
from spinney.scale.gpu.fitting import DeviceFit, bytes_per_pair

__all__ = ["Gpu", "tau"]

PIECE = 1 << 20
"""Most pairs that are fitted at a time: 3 GB with the default families."""

CELLS = 1 << 28
"""Log-densities that are computed at a time."""


class Gpu:
    """Fits and log-densities of pairs; has the methods of the processor's engine."""

    threads = False

    def __init__(self) -> None:
        self.fit = DeviceFit()
        self._densities = DeviceDensities()

    def n_fitted(self, n: int, n_candidates: int, n_folds: int, n_grid: int) -> int:
        """Pairs of n rows that are fitted in one go."""
        each = bytes_per_pair(n_candidates, n_folds, n_grid)
        return min(PIECE, max(free_memory() // 2 // each, 1000))

    def n_written(self, n: int) -> int:
        """Pairs of n rows whose log-densities are computed in one go."""
        return max(CELLS // max(n, 1), 1)

    def log_density(self, *arguments: Any) -> NDArray[np.float64]:
        """Log-densities of a block of pairs, shape (pairs, n)."""
        found = self._densities(*arguments)
        if why_no_cuda(("torch",)) is not None or simulated():
            return np.asarray(found.copy_to_host()).T
        return download(torch_module().as_tensor(found, device="cuda")).T
