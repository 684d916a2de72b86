"""Fit one family to one pair: the plain way, which the fast kernels are tested against."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats
from spinney.exceptions import InputError

if TYPE_CHECKING:
    from spinney.pairs.copulas.base import Copula

C = TypeVar("C", bound="Copula")


def fit(cls: type[C], u: ArrayLike, v: ArrayLike, method: str, rotation: int | None) -> C:
    """Fit `cls` to pairs (u, v); see :meth:`Copula.fit`."""
    u, v = _check_pairs(u, v)
    if method not in ("mle", "tau", "rho"):
        raise InputError(f"method must be 'mle', 'tau' or 'rho', got {method!r}.")
    if not cls.bounds:
        return cls()
    tau = float(scipy.stats.kendalltau(u, v).statistic)
    if rotation is None:
        candidates = [r for r in cls.rotations if _sign(r) == np.sign(tau) or cls.rotations == (0,)]
        candidates = candidates or [r for r in cls.rotations if _sign(r) > 0]
    else:
        candidates = [rotation]
    fits = [_fit_rotation(cls, u, v, method, r, tau) for r in candidates]
    return max(fits, key=lambda copula: float(copula.logpdf(u, v).sum()))


def _fit_rotation(cls: type[C], u: Floats, v: Floats, method: str, rotation: int, tau: float) -> C:
    turned: dict[str, Any] = {"rotation": rotation} if cls.rotations != (0,) else {}
    if method == "mle":
        return _maximise(lambda p: cls(**p, **turned), cls.fit_bounds, u, v)
    if method == "tau":
        return _match(cls, "tau", tau, turned, u, v)
    rho = float(scipy.stats.spearmanr(u, v).statistic)
    return _match(cls, "spearman_rho", rho, turned, u, v)


def _match(
    cls: type[C], quantity: str, target: float, turned: dict[str, Any], u: Floats, v: Floats
) -> C:
    """Solve ``quantity(first parameter) = target``; the other parameter by likelihood.

    All our families are ordered by their first parameter, so the solution is unique; a target
    out of reach gives the nearest bound. BB1's upper tail alone may exceed the target, and then
    its `theta` sits at its lower bound.
    """
    first, *others = cls.fit_bounds
    low, high = cls.fit_bounds[first]

    def build(rest: dict[str, float]) -> C:
        def gap(value: float) -> float:
            return float(getattr(cls(**{first: value}, **rest, **turned), quantity)) - target

        at_low, at_high = gap(low), gap(high)
        if at_low * at_high >= 0:
            value = low if abs(at_low) < abs(at_high) else high
        else:
            value = float(scipy.optimize.brentq(gap, low, high, xtol=1e-10, rtol=1e-12))
        return cls(**{first: value}, **rest, **turned)

    if not others:
        return build({})
    return _maximise(build, {name: cls.fit_bounds[name] for name in others}, u, v)


def _maximise(
    build: Callable[[dict[str, float]], C],
    bounds: dict[str, tuple[float, float]],
    u: Floats,
    v: Floats,
) -> C:
    """Maximise the likelihood over one or two bounded parameters.

    By Nelder and Mead's method from the best point of a grid, on a scale on which the likelihood is
    close to a parabola: slow, without derivatives, and hard to fool.
    """
    scales = [_scale(name, low) for name, (low, _) in bounds.items()]
    ends = [
        (to(low), to(high)) for (to, _), (low, high) in zip(scales, bounds.values(), strict=True)
    ]

    def copula(place: Any) -> C:
        values = [back(t) for (_, back), t in zip(scales, place, strict=True)]
        # There and back again can round to just beyond a bound, which no copula would take.
        inside = np.clip(values, *np.transpose(list(bounds.values())))
        return build(dict(zip(bounds, inside.tolist(), strict=True)))

    def loss(place: Any) -> float:
        return -float(copula(place).logpdf(u, v).sum())

    start = min(product(*(np.linspace(*end, 17) for end in ends)), key=loss)
    exact: Any = {"xatol": 1e-9, "fatol": 1e-9}
    found = scipy.optimize.minimize(loss, start, method="Nelder-Mead", bounds=ends, options=exact)
    return copula(min(start, found.x, key=loss))


def _scale(name: str, low: float) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Find the function to a scale on which likelihoods are close to parabolas, and its inverse."""
    if name == "rho":
        return np.arctanh, np.tanh
    if 0 < low < 1:
        return np.log, np.exp
    if low >= 1:  # strengths that start at one
        return lambda x: np.log(x - 1), lambda t: 1 + np.exp(t)
    return np.arcsinh, np.sinh


def _sign(rotation: int) -> int:
    return -1 if rotation in (90, 270) else 1


def _check_pairs(u: ArrayLike, v: ArrayLike) -> tuple[Floats, Floats]:
    u, v = np.asarray(u, dtype=float), np.asarray(v, dtype=float)
    if u.ndim != 1 or u.shape != v.shape or u.size < 2:
        raise InputError(
            f"u and v must be two lists of the same length (at least 2), got shapes {u.shape} "
            f"and {v.shape}."
        )
    for name, values in (("u", u), ("v", v)):
        bad = np.flatnonzero(~((values > 0) & (values < 1)))
        if bad.size:
            raise InputError(
                f"{name} must lie strictly between 0 and 1; it is {values[bad[0]]} at row "
                f"{bad[0]}. Use pseudo_observations first."
            )
    return u, v
