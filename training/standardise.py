"""The range and the scale of every channel of evidence, measured on training tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from spinney.evidence import CHANNELS, N_EVEN

from spinney.exceptions import InputError

__all__ = ["standardisation"]

TAIL = 0.0005
"""Share of pairs beyond the range of a channel, on each side."""
WIDER = 0.05
"""The range is widened by this share of itself."""

Arrays = dict[str, NDArray[np.float32]]


def standardisation(evidence: NDArray[np.float32], drop: Sequence[str] = ()) -> Arrays:
    """Measure range and scale of the channels on some pairs, shape (n_pairs, n_channels).

    Even channels get mean and standard deviation, odd ones, whose sign means nothing, the root of
    their mean square. Ranges are the outermost quantiles, a bit wider. Channels of the groups in
    `drop` get a range of one point, so that the network sees zeros there, in training and later.
    """
    groups = {channel.group for channel in CHANNELS}
    if unknown := sorted(set(drop) - groups):
        raise InputError(
            f"There is no group '{unknown[0]}' of evidence. There are: {', '.join(sorted(groups))}."
        )
    even, odd = evidence[:, :N_EVEN].astype(float), np.abs(evidence[:, N_EVEN:]).astype(float)
    low, high = np.quantile(even, [TAIL, 1 - TAIL], axis=0)
    wider = WIDER * (high - low)
    center, scale = even.mean(axis=0), even.std(axis=0)
    bound = (1 + WIDER) * np.quantile(odd, 1 - TAIL, axis=0)
    size = np.sqrt((odd**2).mean(axis=0))
    dropped = np.array([channel.group in drop for channel in CHANNELS])
    even_dropped, odd_dropped = dropped[:N_EVEN], dropped[N_EVEN:]
    found = {
        "even_low": np.where(even_dropped, center, low - wider),
        "even_high": np.where(even_dropped, center, high + wider),
        "even_center": center,
        "even_scale": _positive(scale),
        "odd_bound": np.where(odd_dropped, 0.0, bound),
        "odd_scale": _positive(size),
    }
    return {name: value.astype(np.float32) for name, value in found.items()}


def _positive(scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """Leave channels that never change, or are always zero, at their scale."""
    return np.where(scale > 1e-6, scale, 1.0)
