"""Probabilities of rectangles and strips, for all pair copulas, with rotations resolved.

What :class:`~spinney.pairs.copulas.base.Copula` is built on: a family offers coordinates and its
conditional distribution, and may know its rectangles and strips better than these do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney.exceptions import InputError
from spinney.pairs.copulas import rectangles

__all__ = ["SMALLEST", "Given", "Measures", "clamp", "flips_of"]

Floats = NDArray[np.float64]
Given = Literal["u", "v"]
T = TypeVar("T")

SMALLEST = 1e-15
"""Arguments are moved into [SMALLEST, 1 - SMALLEST]: below, 1 - u cannot be told from 1."""

# Which of (u, v) a rotation replaces by one minus itself, counter-clockwise in degrees.
_FLIPS = {0: (False, False), 90: (True, False), 180: (True, True), 270: (False, True)}


def flips_of(rotation: int) -> tuple[bool, bool]:
    """Which of (u, v) a rotation mirrors."""
    return _FLIPS[rotation]


def clamp(u: ArrayLike) -> Floats:
    """Move arguments off 0 and 1."""
    return np.clip(np.asarray(u, dtype=float), SMALLEST, 1.0 - SMALLEST)


class Measures(ABC):
    """The part of a copula that measures rectangles and strips."""

    @property
    @abstractmethod
    def rotation(self) -> int:
        """Rotation in degrees, counter-clockwise."""

    @abstractmethod
    def _coordinate(self, u: Floats, flip: bool) -> Floats:
        """Coordinate of u, or of 1 - u where `flip`, without forming 1 - u if that loses digits."""

    @abstractmethod
    def _log_hfunc(self, x: Floats, y: Floats) -> Floats:
        """Log of P(V <= v | U = u), where x belongs to u and y to v."""

    def _log_strip(
        self, x: Floats, y_low: Floats, y_high: Floats, from_0: Any, to_1: Any
    ) -> Floats:
        """Log of P(v_low < V <= v_high | U = u); the ends are 0 and 1 where told, whatever y is.

        As `_log_hfunc` has all digits of its logarithm near 0 too, so have both tails here.
        """
        below = np.where(from_0, -np.inf, self._log_hfunc(x, y_low))
        return rectangles.log_difference(below, np.where(to_1, 0.0, self._log_hfunc(x, y_high)))

    @abstractmethod
    def _log_rectangle(
        self, u_low: Floats, u_high: Floats, v_low: Floats, v_high: Floats
    ) -> Floats:
        """Log-volume of rectangles under the unrotated copula, whose ends may be 0 and 1.

        No side is the whole of [0, 1].
        """

    @property
    def _flips(self) -> tuple[bool, bool]:
        return flips_of(self.rotation)

    def log_strip(
        self, u: ArrayLike, low: ArrayLike, high: ArrayLike, given: Given = "u"
    ) -> Floats:
        r"""Log-probability that one variable lies between two ends, given the other.

        .. math:: \log P(a < V \le b \mid U = u) = \log(h(b \mid u) - h(a \mid u))

        Exact at the ends 0 and 1, and without cancellation in either tail: the logarithms of h
        are subtracted, not h. The narrower the strip, the fewer digits: its relative error is
        about 1e-15 over the width of the strip in log h. The ends must differ.

        Parameters
        ----------
        u : array-like
            Values of the known variable.
        low, high : array-like
            Ends of the other variable, in [0, 1]; all arguments broadcast.
        given : {"u", "v"}
            The variable that is known.

        Examples
        --------
        >>> from spinney.pairs.copulas import Clayton
        >>> strips = Clayton(2.0).log_strip(0.3, [0.0, 0.2, 0.6], [0.2, 0.6, 1.0])
        >>> np.exp(strips).round(6).tolist()
        [0.17802, 0.622391, 0.199589]
        >>> round(float(np.exp(strips).sum()), 12)
        1.0
        """
        return self.measure_strip(u, low, high, *self._by_role(*self._flips, given))

    def measure_strip(
        self,
        known: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        flip_known: bool,
        flip_other: bool,
    ) -> Floats:
        """Log-probability of a strip for the copula that mirrors the variables as told.

        What :meth:`log_strip` does once it is settled which variable is known, also for copulas
        :meth:`side_by_side`.
        """
        x = self._coordinate(clamp(known), flip_known)
        low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        y_low, y_high = (self._coordinate(clamp(end), flip_other) for end in (low, high))
        if flip_other:
            return self._log_strip(x, y_high, y_low, high >= 1, low <= 0)
        return self._log_strip(x, y_low, y_high, low <= 0, high >= 1)

    def log_rectangle(
        self, u_low: ArrayLike, u_high: ArrayLike, v_low: ArrayLike, v_high: ArrayLike
    ) -> Floats:
        r"""Log-probability of a rectangle.

        .. math:: \log P(u_1 < U \le u_2,\ v_1 < V \le v_2)
                  = \log(C_{22} - C_{12} - C_{21} + C_{11})

        without the cancellation of that difference, see :mod:`spinney.pairs.copulas.rectangles`.

        Parameters
        ----------
        u_low, u_high, v_low, v_high : array-like
            Ends in [0, 1]; they broadcast. Ends of a side must differ.

        Returns
        -------
        array
            Never below ``rectangles.LOG_FLOOR``, log(1e-100), and never NaN.

        Examples
        --------
        >>> from spinney.pairs.copulas import Gaussian
        >>> copula = Gaussian(0.5)  # a third of the square's quarters is in two corners
        >>> np.exp(copula.log_rectangle([0, 0], 0.5, [0, 0.5], [0.5, 1])).round(12).tolist()
        [0.333333333333, 0.166666666667]
        >>> float(copula.log_rectangle(0, 1, 0, 1))
        0.0
        >>> round(float(Gaussian(0.99).log_rectangle(0.1, 0.2, 0.8, 0.9)), 6)  # not log 0
        -79.598189
        """
        return self.measure_rectangle(u_low, u_high, v_low, v_high, *self._flips)

    def measure_rectangle(
        self,
        u_low: ArrayLike,
        u_high: ArrayLike,
        v_low: ArrayLike,
        v_high: ArrayLike,
        flip_u: bool,
        flip_v: bool,
    ) -> Floats:
        """Log-probability of a rectangle for the copula that mirrors the variables as told.

        What :meth:`log_rectangle` does once its rotation is resolved, also for copulas
        :meth:`side_by_side`.
        """
        ends = (np.asarray(end, dtype=float) for end in (u_low, u_high, v_low, v_high))
        u_low, u_high, v_low, v_high = np.broadcast_arrays(*ends)
        if flip_u:
            u_low, u_high = 1 - u_high, 1 - u_low
        if flip_v:
            v_low, v_high = 1 - v_high, 1 - v_low
        # Where a side is the whole, the mass of the other is the answer for every copula.
        whole_u, whole_v = (u_low <= 0) & (u_high >= 1), (v_low <= 0) & (v_high >= 1)
        whole = whole_u | whole_v
        inner = self._log_rectangle(
            np.where(whole, 0.25, u_low),
            np.where(whole, 0.75, u_high),
            np.where(whole, 0.25, v_low),
            np.where(whole, 0.75, v_high),
        )
        mass = np.where(whole_u, v_high - v_low, u_high - u_low)
        with np.errstate(divide="ignore"):
            value = np.where(whole, np.log(np.maximum(mass, 0.0)), inner)
        return np.clip(np.nan_to_num(value, nan=-np.inf), rectangles.LOG_FLOOR, 0.0)

    @staticmethod
    def _by_role(first: T, second: T, given: Given) -> tuple[T, T]:
        if given == "u":
            return first, second
        if given == "v":
            return second, first
        raise InputError(f"given must be 'u' or 'v', got {given!r}.")
