"""How the judge reads evidence: deviates and gains on scales on which large numbers are close."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.arrays import Floats
from spinney.evidence.groups import CHANNELS

__all__ = ["compress", "judge_inputs", "signed_sqrt"]

KNEE = 3.0
_DEVIATES = np.array([channel.unit != "plain" for channel in CHANNELS])
_NATS = np.array([channel.unit == "nats" for channel in CHANNELS])


def compress(x: ArrayLike) -> Floats:
    r"""Bend large numbers down, :math:`s(x) = 3 \operatorname{arsinh}(x / 3)`.

    Standard errors between -3 and 3 are what decides; those of many rows run into the hundreds.

    Examples
    --------
    >>> compress([-1.0, 3.0, 100.0]).round(2)
    array([-0.98,  2.64, 12.6 ])
    """
    return np.asarray(KNEE * np.arcsinh(np.asarray(x, dtype=float) / KNEE))


def signed_sqrt(x: ArrayLike) -> Floats:
    r"""Take the root and keep the sign, :math:`\operatorname{sign}(x) \sqrt{|x|}`.

    Examples
    --------
    >>> signed_sqrt([-4.0, 9.0])
    array([-2.,  3.])
    """
    x = np.asarray(x, dtype=float)
    return np.asarray(np.sign(x) * np.sqrt(np.abs(x)))


def judge_inputs(values: NDArray[np.float32]) -> NDArray[np.float32]:
    r"""Put evidence on the judge's scales: s(z) of deviates, s(√(2 G)) of gains G.

    Parameters
    ----------
    values : float32 array of shape (n_pairs, n_channels)
        All channels, in the order of ``CHANNELS``.
    """
    found = values.copy()
    found[:, _NATS] = signed_sqrt(2.0 * values[:, _NATS])
    found[:, _DEVIATES] = compress(found[:, _DEVIATES])
    return found
