"""Pair copulas on a GPU: the processor's formulas and its search, compiled a second time.

A warp of 32 threads, the *lanes*, fits one pair. Every lane holds each 32nd row; sums over rows are
taken over lanes in one order, so that all lanes see the same numbers and go the same way, and
results repeat to the bit.
"""

from spinney.copulas.cuda.density import DeviceDensities
from spinney.copulas.cuda.fitting import DeviceFit
from spinney.copulas.cuda.kendall import tau_on_device

__all__ = ["DeviceDensities", "DeviceFit", "tau_on_device"]
