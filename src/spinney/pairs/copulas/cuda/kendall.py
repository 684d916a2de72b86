"""Kendall's tau of many pairs on the GPU, by the bits of :mod:`spinney.pairs.copulas.kendall`."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney.pairs.copulas import kendall
from spinney.pairs.copulas.kendall import KendallTable
from spinney.scale.gpu.device import cuda_kernel, cuda_module, device_function, twin

__all__ = ["tau_on_device"]

cuda: Any = cuda_module()  # by this name the simulator finds it

Ints = NDArray[np.intp]

PIECE = 1 << 20
"""Pairs that are counted at a time."""

THREADS = 64


def tau_on_device(table: KendallTable, first: Ints, second: Ints) -> NDArray[np.float64]:
    """Kendall's tau-b of pairs of columns, from bits; the same numbers as the processor's."""
    out = np.empty(len(first))
    kernel = _compiled()
    larger, differs = cuda.to_device(table.larger), cuda.to_device(table.differs)
    untied = cuda.to_device(table.untied)
    for k in range(0, len(first), PIECE):
        i, j = (cuda.to_device(np.ascontiguousarray(f[k : k + PIECE])) for f in (first, second))
        taus = cuda.device_array(i.size)
        blocks = -(-i.size // THREADS)
        kernel[blocks, THREADS](larger, differs, untied, table.n_row_pairs, i, j, taus)
        taus.copy_to_host(out[k : k + i.size])
    return out


def _count_ones(word):  # type: ignore[no-untyped-def]
    return cuda.popc(word)


@cache
def _compiled() -> Any:
    names: dict[str, Any] = {"count_ones": device_function(_count_ones)}
    for name in ("_count_disagreements", "_count_with_ties", "tau_from_bits"):
        names[name] = twin(getattr(kendall, name), **names)
    return cuda_kernel(count, tau_from_bits=names["tau_from_bits"])


def count(larger, differs, untied, n_row_pairs, first, second, out):  # type: ignore[no-untyped-def]
    """Count bits: a thread for each pair."""
    pair = cuda.grid(1)
    if pair < first.size:
        i, j = first[pair], second[pair]
        out[pair] = tau_from_bits(  # type: ignore[name-defined]  # noqa: F821
            larger, differs, untied, n_row_pairs, i, j
        )
