"""Student's t copula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import special

from spinney._storable import storable
from spinney.copulas._numeric import tanh_sinh
from spinney.copulas.base import Copula, Floats

__all__ = ["Student", "student_log_constant"]


def student_log_constant(df: float) -> float:
    r"""Return :math:`\log \Gamma(\nu/2 + 1) + \log \Gamma(\nu/2) - 2 \log \Gamma((\nu + 1)/2)`.

    Written with log-beta functions: differences of log-gammas lose digits as :math:`\nu` grows.
    """
    half = df / 2
    # log Γ(a + 1/2) - log Γ(a) = log Γ(1/2) - log B(a, 1/2)
    up = special.gammaln(0.5) - special.betaln(half + 0.5, 0.5)
    down = special.gammaln(0.5) - special.betaln(half, 0.5)
    return float(up - down)


@storable("Student")
@dataclass(frozen=True)
class Student(Copula):
    r"""Student's t copula: t scores are bivariate t with correlation `rho` and `df` degrees.

    .. math:: \log c = \log\frac{\Gamma(\frac{\nu}{2}+1)\Gamma(\frac\nu2)}
              {\Gamma(\frac{\nu+1}2)^2} - \tfrac12\log(1-\rho^2)
              - \tfrac{\nu+2}2 \log\Bigl(1 + \frac{x^2 - 2\rho xy + y^2}{\nu(1-\rho^2)}\Bigr)
              + \tfrac{\nu+1}2 \log\Bigl(1+\frac{x^2}\nu\Bigr)\Bigl(1+\frac{y^2}\nu\Bigr)

    with :math:`x = t_\nu^{-1}(u)`, :math:`y = t_\nu^{-1}(v)`. Unlike the Gaussian copula it has
    dependence in all four corners, even at `rho` = 0.

    Parameters
    ----------
    rho : float
        Correlation, in [-0.999999, 0.999999].
    df : float
        Degrees of freedom, in [0.5, 1000].

    References
    ----------
    .. [1] S. Demarta and A. J. McNeil (2005). The t copula and related copulas.

    Examples
    --------
    >>> round(Student(0.5, 4.0).tail_dependence.lower, 4)
    0.2532
    """

    rho: float
    df: float

    family: ClassVar[str] = "student"
    bounds: ClassVar[dict[str, tuple[float, float]]] = {
        "rho": (-0.999999, 0.999999),
        "df": (0.5, 1000.0),
    }
    fit_bounds: ClassVar[dict[str, tuple[float, float]]] = {
        "rho": (-0.9999, 0.9999),
        "df": (0.7, 50.0),
    }

    def _coordinate(self, u: Floats, flip: bool) -> Floats:
        return _quantile(self.df, u, 1 - u)

    def _from_coordinate(self, x: Floats, flip: bool) -> Floats:
        return np.asarray(special.stdtr(self.df, x), dtype=float)

    def _log_density(self, x: Floats, y: Floats) -> Floats:
        nu, r = self.df, abs(self.rho)
        y = np.copysign(1.0, self.rho) * y
        # x² - 2ρxy + y² = (x - y)² + 2(1 - ρ)xy: nothing cancels as ρ tends to 1.
        q = (x - y) ** 2 / ((1 - r) * (1 + r)) + 2 * x * y / (1 + r)
        return (
            student_log_constant(nu)
            - 0.5 * np.log1p(-r * r)
            - 0.5 * (nu + 2) * np.log1p(q / nu)
            + 0.5 * (nu + 1) * (np.log1p(x * x / nu) + np.log1p(y * y / nu))
        )

    def _log_hfunc(self, x: Floats, y: Floats) -> Floats:
        h = special.stdtr(self.df + 1, (y - self.rho * x) / self._spread(x))
        return np.log(np.maximum(h, 1e-300))

    def _inverse_hfunc(self, x: Floats, log_p: Floats) -> Floats:
        z = _quantile(self.df + 1, np.exp(log_p), -np.expm1(log_p))
        return self.rho * x + self._spread(x) * z

    def _spread(self, x: Floats) -> Floats:
        """Scale of the conditional t distribution at coordinate x."""
        free = (1 - self.rho) * (1 + self.rho)
        return np.sqrt((self.df + x * x) * free / (self.df + 1))

    def _cdf(self, u: Floats, v: Floats) -> Floats:
        r"""Integrate Plackett's identity from complete dependence.

        .. math:: \partial_\rho C = \frac1{2\pi\sqrt{1-\rho^2}}
                  \Bigl(1 + \frac{x^2-2\rho xy+y^2}{\nu(1-\rho^2)}\Bigr)^{-\nu/2}

        and :math:`\rho = \sin t` takes away the square root.
        """
        x, y = self._coordinate(u, False), self._coordinate(v, False)
        sign = np.copysign(1.0, self.rho)
        span = np.arccos(abs(self.rho))
        total = np.zeros(np.broadcast_shapes(x.shape, y.shape))
        for node, weight in zip(*tanh_sinh(), strict=True):
            c = span * node  # the complement of t: 1 - sin t and cos t keep their digits
            one_minus_sin, cos_squared = 2 * np.sin(c / 2) ** 2, np.sin(c) ** 2
            distance = (x - sign * y) ** 2 + 2 * one_minus_sin * sign * x * y
            total += weight * (1 + distance / (self.df * cos_squared)) ** (-self.df / 2)
        integral = total * span / (2 * np.pi)
        if sign > 0:
            return np.minimum(u, v) - integral
        return np.maximum(u + v - 1, 0.0) + integral

    @staticmethod
    def kendall(rho: Any, df: Any) -> Any:
        r"""Kendall's tau, :math:`\tfrac2\pi \arcsin\rho`."""
        return 2 / np.pi * np.arcsin(rho)

    @staticmethod
    def tails(rho: Any, df: Any) -> tuple[Any, Any]:
        r"""Tail dependence, the same at both ends.

        .. math:: 2\, t_{\nu+1}\Bigl(-\sqrt{(\nu+1)\frac{1-\rho}{1+\rho}}\Bigr)
        """
        z = -np.sqrt((df + 1) * (1 - rho) / (1 + rho))
        tail = 2 * special.stdtr(df + 1, z)
        return tail, tail


def _quantile(df: float, p: Floats, complement: Floats) -> Floats:
    """Quantiles of Student's t, from the nearer end: close to 1 the complement has the digits."""
    lower = np.asarray(special.stdtrit(df, np.minimum(p, complement)), dtype=float)
    return np.where(p < complement, lower, -lower)
