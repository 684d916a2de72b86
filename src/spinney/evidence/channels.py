"""What a channel is, and the scales on which channels are told.

On these scales small numbers are as they are, and large ones grow like logarithms: standard errors
between -3 and 3 are what decides; those of many rows run into the hundreds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from spinney.evidence.correlations import Linked
    from spinney.evidence.gains import Gains
    from spinney.evidence.scores import Scores
    from spinney.forests.posterior import Ladder

__all__ = ["Channel", "Measured", "Parity", "compress", "even", "fisher_z", "logit", "odd", "root"]

Floats = NDArray[np.float64]
Parity = Literal["even", "odd"]
LARGEST_LOGIT = 12.0
"""Logits are no larger than that: beyond, they tell of rounding rather than of edges."""
LARGEST_CORRELATION = 0.9999
"""Correlations count as no stronger than that, to stay finite."""
KNEE = 3.0


@dataclass(frozen=True)
class Channel:
    """One number that is known of every pair.

    Attributes
    ----------
    name : str
        Its name.
    parity : {"even", "odd"}
        Whether it stays as it is when one column of the pair is negated, or changes its sign.
    group : str
        Where it comes from: "ladder", "copulas", "correlations", "squares" or "table".
    meaning : str
        What it says, in one line; s(x) = 3 arsinh(x / 3) is x where x is small and grows like a
        logarithm, root(x) = sign(x) √|x|.
    """

    name: str
    parity: Parity
    group: str
    meaning: str


def even(group: str, **meanings: str) -> tuple[Channel, ...]:
    """Name channels that stay as they are when a column is negated."""
    return tuple(Channel(name, "even", group, meaning) for name, meaning in meanings.items())


def odd(group: str, **meanings: str) -> tuple[Channel, ...]:
    """Name channels that change their sign when a column is negated."""
    return tuple(Channel(name, "odd", group, meaning) for name, meaning in meanings.items())


def compress(x: ArrayLike) -> Floats:
    r"""Bend large numbers down, :math:`s(x) = 3 \operatorname{arsinh}(x / 3)`.

    Standard errors between -3 and 3 are what decides; those of many rows run into the hundreds.

    Examples
    --------
    >>> compress([-1.0, 3.0, 100.0]).round(2)
    array([-0.98,  2.64, 12.6 ])
    """
    return np.asarray(KNEE * np.arcsinh(np.asarray(x, dtype=float) / KNEE))


def root(x: ArrayLike) -> Floats:
    r"""Take the root and keep the sign, :math:`\operatorname{sign}(x) \sqrt{|x|}`.

    Examples
    --------
    >>> root([-4.0, 9.0])
    array([-2.,  3.])
    """
    x = np.asarray(x, dtype=float)
    return np.asarray(np.sign(x) * np.sqrt(np.abs(x)))


def fisher_z(r: ArrayLike) -> Floats:
    r"""Fisher's :math:`\operatorname{artanh} r`, finite also for :math:`r = \pm 1`.

    Examples
    --------
    >>> fisher_z([0.5, -1.0]).round(3)
    array([ 0.549, -4.952])
    """
    clipped = np.clip(np.asarray(r, dtype=float), -LARGEST_CORRELATION, LARGEST_CORRELATION)
    return np.asarray(np.arctanh(clipped))


def logit(p: ArrayLike) -> Floats:
    r"""Log-odds, no larger than 12 either way.

    Examples
    --------
    >>> logit([0.0, 0.5, 0.9]).round(3)
    array([-12.   ,   0.   ,   2.197])
    """
    p = np.asarray(p, dtype=float)
    with np.errstate(divide="ignore"):
        odds = np.log(p) - np.log1p(-p)
    return np.clip(odds, -LARGEST_LOGIT, LARGEST_LOGIT)


@dataclass(frozen=True, eq=False)
class Measured:
    """What was measured of a table, for every group of channels to read.

    Attributes
    ----------
    ladder : Ladder
        Probabilities of edges, from four rows that share a forest to all.
    gains : Gains
        Log-likelihoods of all pairs, and what their densities are.
    scores : Scores
        Scores of all columns, and facts of each.
    linked : Linked
        Correlations of the scores, their squares and the classes of nominal columns.
    latent : tuple of two arrays of shape (n_pairs,)
        Correlations behind the columns, and the rows that each is worth.
    """

    ladder: Ladder
    gains: Gains
    scores: Scores
    linked: Linked
    latent: tuple[Floats, Floats]

    @property
    def rows(self) -> Floats:
        """Independent rows that each pair's rows are worth."""
        return self.gains.n_rows * self.scores.row_shares

    @property
    def apart(self) -> Floats:
        """How far each pair has rows of its own: 0 without gaps, towards 1 with many."""
        return 1.0 - np.sqrt(self.gains.n_rows / len(self.scores.present))
