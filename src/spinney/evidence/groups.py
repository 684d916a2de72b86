"""All groups of channels, in order. A new group is a module with two names, and a line here.

``CHANNELS`` names its channels; ``channels(measured)`` computes them, a matrix of columns by
columns each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.arrays import Floats
from spinney.evidence import conditional, correlations, facts, latent, shapes
from spinney.evidence.channels import Channel

__all__ = ["CHANNELS", "GROUPS", "N_EVEN", "N_ODD", "PLACES", "compress", "judge_inputs"]

GROUPS = (correlations, latent, shapes, conditional, facts)

_ALL = tuple(channel for group in GROUPS for channel in group.CHANNELS)
CHANNELS: tuple[Channel, ...] = tuple(sorted(_ALL, key=lambda channel: channel.parity))
"""All channels, even ones first."""
PLACES = {channel.name: k for k, channel in enumerate(CHANNELS)}
"""Where each channel stands, by name."""
N_EVEN = sum(channel.parity == "even" for channel in CHANNELS)
N_ODD = len(CHANNELS) - N_EVEN
KNEE = 3.0
_DEVIATES = np.array([channel.unit == "deviate" for channel in CHANNELS])


def compress(x: ArrayLike) -> Floats:
    r"""Bend large numbers down, :math:`s(x) = 3 \operatorname{arsinh}(x / 3)`.

    Standard errors between -3 and 3 are what decides; those of many rows run into the hundreds.

    Examples
    --------
    >>> compress([-1.0, 3.0, 100.0]).round(2)
    array([-0.98,  2.64, 12.6 ])
    """
    return np.asarray(KNEE * np.arcsinh(np.asarray(x, dtype=float) / KNEE))


def judge_inputs(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Put evidence on the judge's scales: deviates z become s(z).

    Parameters
    ----------
    values : float32 array of shape (n_pairs, n_channels)
        All channels, in the order of ``CHANNELS``.
    """
    found = values.copy()
    found[:, _DEVIATES] = compress(found[:, _DEVIATES])
    return found
