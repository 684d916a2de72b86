"""A smooth marginal for one column: the best of kernel and parametric estimates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats
from spinney._core.storable import storable
from spinney.exceptions import InputError
from spinney.pairs.margins.scales import Asinh, Linear, Log, Scale, YeoJohnson

BOUNDARY_DOUBT = 3.0
"""Nats by which a distribution of positive numbers must win. A few rows that happen to be positive
do not prove that the next cannot be zero or negative, where its density would vanish."""

Smooth = Literal["auto", "kernel", "parametric"]


SMOOTHING: dict[str, tuple[str | None, ...]] = {
    "transform_by": ("ranks", "smooth"),
    "smooth": ("auto", "kernel", "parametric", None),
}
"""Choices for the smoothing of marginals."""


class Distribution(Protocol):
    """What a distribution on the line must offer; arguments are one-dimensional arrays."""

    def cdf(self, y: Floats, /) -> Floats:
        """Distribution function."""

    def ppf(self, u: Floats, /) -> Floats:
        """Quantiles, for u strictly inside (0, 1)."""

    def logpdf(self, y: Floats, /) -> Floats:
        """Log-density."""


@storable("SmoothMarginal")
@dataclass(frozen=True, eq=False)
class SmoothMarginal:
    r"""A continuous distribution of one column.

    It is a distribution G on a monotone scale y = g(x), so that all three functions belong
    together: :math:`F(x) = G(g(x))`, :math:`F^{-1}(u) = g^{-1}(G^{-1}(u))` and
    :math:`\log f(x) = \log G'(g(x)) + \log g'(x)`.

    Attributes
    ----------
    name : str
        The family, such as ``"Student t"`` or ``"kernel (log scale)"``.
    kind : {"kernel", "parametric"}
        Which of the two it is.
    parameters : dict
        The fitted numbers: of a parametric family in the units of the column, of a kernel the
        bandwidth on its scale.
    log_likelihood : float
        Log-likelihood of the fitted rows.
    held_out_log_likelihood : float
        What the choice went by: an estimate of the log-likelihood of as many new rows.
    scale, distribution
        g and G.
    """

    name: str
    kind: Literal["kernel", "parametric"]
    parameters: dict[str, float]
    log_likelihood: float
    held_out_log_likelihood: float
    scale: Scale = field(repr=False)
    distribution: Distribution = field(repr=False)

    def cdf(self, x: ArrayLike) -> Floats:
        """Distribution function at x, any shape."""
        x = np.asarray(x, dtype=float)
        return self.distribution.cdf(self.scale.forward(x.ravel())).reshape(x.shape)

    def ppf(self, u: ArrayLike) -> Floats:
        """Quantile at u strictly inside (0, 1), any shape; always finite."""
        u = np.asarray(u, dtype=float)
        return self.scale.inverse(self.distribution.ppf(u.ravel())).reshape(u.shape)

    def logpdf(self, x: ArrayLike) -> Floats:
        """Log-density at x, any shape; -inf outside the support."""
        x = np.asarray(x, dtype=float)
        return _log_density(self.scale, self.distribution, x.ravel()).reshape(x.shape)


def check_smoothing(transform_by: object, smooth: object) -> None:
    """Refuse unknown choices, and choices that exclude each other."""
    given = {"transform_by": transform_by, "smooth": smooth}
    for name, choices in SMOOTHING.items():
        if given[name] not in choices:
            raise InputError(
                f"{name} must be one of {', '.join(map(repr, choices))}, not {given[name]!r}."
            )
    if transform_by == "smooth" and smooth is None:
        raise InputError(
            "transform_by='smooth' needs smooth marginals, but smooth=None asks for none. "
            "Use smooth='auto'."
        )


def fit_smooth(x: Floats, smooth: Smooth) -> SmoothMarginal:
    r"""Fit a smooth marginal to one column.

    Candidates are compared by an estimate of the log-likelihood of as many new rows, because a
    kernel estimate can make the likelihood of its own rows arbitrarily large. For kernels it is
    the leave-one-out log-likelihood less one for each number tuned on all rows (bandwidth, and
    what shapes the scale); for a parametric family with k parameters it is

    .. math:: \ell - \frac{k n}{n - k - 1},

    the small-sample form of Akaike's criterion [1]_, to which leave-one-out is equivalent for
    large n [2]_. Refitting on folds gives nearly the same at several times the cost.
    A distribution of positive numbers only must lead by `BOUNDARY_DOUBT`.

    Parameters
    ----------
    x : array of shape (n,)
        The column: finite, n at least 4, not constant.
    smooth : {"auto", "kernel", "parametric"}
        Which candidates may win.

    References
    ----------
    .. [1] C. M. Hurvich and C.-L. Tsai (1989). Regression and time series model selection in small
       samples. Biometrika 76, 297-307.
    .. [2] M. Stone (1977). An asymptotic equivalence of choice of model by cross-validation and
       Akaike's criterion. Journal of the Royal Statistical Society B 39, 44-47.
    """
    x = np.sort(x)
    linear = Linear.fit(x)
    candidates: list[SmoothMarginal] = []
    if smooth != "parametric":
        candidates.extend(_kernel_candidates(x, linear))
    if smooth != "kernel":
        candidates.extend(_parametric_candidates(x, linear))

    def lead(candidate: SmoothMarginal) -> float:
        bounded = isinstance(candidate.scale, Log) or candidate.name == "gamma"
        return candidate.held_out_log_likelihood - (BOUNDARY_DOUBT if bounded else 0.0)

    return max(candidates, key=lead)


def _kernel_candidates(x: Floats, linear: Linear) -> Iterator[SmoothMarginal]:
    from spinney.pairs.margins.kernel import fit_kernel
    from spinney.pairs.margins.parametric import condense

    choices: list[list[Scale]] = [[linear, Asinh(linear), YeoJohnson.fit(linear, *condense(x))]]
    if x[0] > 0.0 and np.log(x[0]) < np.log(x[-1]):
        choices.append([Log.fit(x)])
    for scales in choices:
        fitted = fit_kernel(x, scales)
        parameters = {"bandwidth": fitted.mixture.width}
        if isinstance(fitted.scale, YeoJohnson):
            parameters["power"] = fitted.scale.power
        name = "kernel" if fitted.scale is linear else f"kernel ({fitted.scale.name} scale)"
        yield SmoothMarginal(
            name,
            "kernel",
            parameters,
            float(_log_density(fitted.scale, fitted.mixture, x).sum()),
            fitted.leave_one_out - 1.0 - fitted.scale.n_tuned,
            fitted.scale,
            fitted.mixture,
        )


def _parametric_candidates(x: Floats, linear: Linear) -> Iterator[SmoothMarginal]:
    from spinney.pairs.margins.parametric import fit_families

    n = len(x)
    for fitted in fit_families(x, linear):
        k = len(fitted.parameters)
        if n - k - 1 <= 0:  # too few rows for so many parameters
            continue
        likelihood = float(_log_density(fitted.scale, fitted.distribution, x).sum())
        if not np.isfinite(likelihood):
            continue
        yield SmoothMarginal(
            fitted.family,
            "parametric",
            fitted.parameters,
            likelihood,
            likelihood - k * n / (n - k - 1),
            fitted.scale,
            fitted.distribution,
        )


def _log_density(scale: Scale, distribution: Distribution, x: Floats) -> Floats:
    inner = distribution.logpdf(scale.forward(x))
    # Outside the support the slope may be infinite; -inf + inf would not be a number.
    return inner + np.where(np.isneginf(inner), 0.0, scale.log_slope(x))
