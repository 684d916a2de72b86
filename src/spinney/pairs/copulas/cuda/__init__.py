"""Pair copulas on a GPU: the processor's formulas and its search, compiled a second time.

A warp of 32 threads, the *lanes*, fits one pair. Every lane holds each 32nd row; sums over rows are
taken over lanes in one order, so that all lanes see the same numbers and go the same way, and
results repeat to the bit.
"""

from spinney.pairs.copulas.cuda.kendall import tau_on_device
from spinney.pairs.copulas.cuda.pieces import fit_on_device, write_on_device

__all__ = ["fit_on_device", "tau_on_device", "write_on_device"]
