"""The Gaussian copula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy import copysign, log1p
from scipy import special

from spinney._core.arrays import Floats
from spinney.pairs.copulas._elliptical import Elliptical
from spinney.pairs.copulas.base import Bounds
from spinney.pairs.copulas.batch import SUMS, Batch, normal_score


def log_density(x: Floats, y: Floats, rho: Any) -> Floats:
    """Log-density at normal scores x and y."""
    # Written with x - y (or x + y), which stay finite as |rho| tends to 1.
    r, apart = abs(rho), x - copysign(1.0, rho) * y
    quadratic = r / (1 + r) * (apart * apart / (1 - r) - x * x - y * y)
    return -0.5 * (log1p(-r * r) + quadratic)


@dataclass(frozen=True)
class Gaussian(Elliptical):
    r"""Gaussian copula: normal scores are bivariate normal with correlation `rho`.

    .. math:: \log c = -\tfrac12 \log(1-\rho^2)
              - \frac{\rho^2 (x^2 + y^2) - 2\rho x y}{2 (1 - \rho^2)},
              \qquad x = \Phi^{-1}(u),\ y = \Phi^{-1}(v)

    Parameters
    ----------
    rho : float
        Correlation of the normal scores, in [-0.999999, 0.999999].

    References
    ----------
    .. [1] H. Joe (2014). Dependence Modeling with Copulas, section 4.3.

    Examples
    --------
    >>> round(Gaussian(0.5).tau, 6)
    0.333333
    """

    family: ClassVar[str] = "gaussian"
    bounds: ClassVar[Bounds] = {"rho": (-0.999999, 0.999999)}
    fit_bounds: ClassVar[Bounds] = {"rho": (-0.9999, 0.9999)}
    batch: ClassVar[Batch | None] = Batch(
        coordinate=normal_score,
        method=SUMS,
        sign="parameter",
    )

    def _log_density(self, x: Floats, y: Floats) -> Floats:
        return log_density(x, y, self.rho)

    def _standardise(self, x: Floats, y: Floats) -> Floats:
        return (y - self.rho * x) / self._spread

    def _log_cdf(self, z: Floats) -> Floats:
        return np.asarray(special.log_ndtr(z))

    def _inverse_hfunc(self, x: Floats, log_p: Floats) -> Floats:
        return self.rho * x + self._spread * special.ndtri_exp(log_p)

    @property
    def _spread(self) -> Any:
        return np.sqrt((1 - self.rho) * (1 + self.rho))

    def _cdf(self, u: Floats, v: Floats) -> Floats:
        # Owen (1956): the bivariate normal integral by two values of his T function.
        x, y = special.ndtri(u), special.ndtri(v)
        # The ratio y / x needs x != 0; the integral is continuous, so a tiny number replaces zero.
        x = np.where(x == 0.0, 1e-300, x)
        y = np.where(y == 0.0, 1e-300, y)
        with np.errstate(over="ignore"):
            t_x = special.owens_t(x, (y - self.rho * x) / (x * self._spread))
            t_y = special.owens_t(y, (x - self.rho * y) / (y * self._spread))
        opposite = np.where((x < 0) != (y < 0), 0.5, 0.0)
        return 0.5 * (u + v) - t_x - t_y - opposite

    def _spearman_rho(self) -> float:
        return float(6 / np.pi * np.arcsin(self.rho / 2))
