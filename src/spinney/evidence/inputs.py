"""How the judge reads evidence: deviates on a scale on which large numbers are close."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.arrays import Floats
from spinney.evidence.groups import CHANNELS

__all__ = ["compress", "judge_inputs"]

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
