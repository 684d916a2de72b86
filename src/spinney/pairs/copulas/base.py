"""What all pair copulas share: the public methods, rotation and clamping.

A family works on *coordinates*: whatever it needs of one variable alone (a logarithm, a normal
score, a t quantile), computed once per variable and stable at both ends of (0, 1). It offers the
log-density, the conditional distribution and its inverse in those coordinates, without rotation;
everything else is derived here. A family may override what it knows in closed form.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from spinney._core.arrays import Floats
from spinney._core.choices import read_random_state
from spinney.exceptions import InputError
from spinney.pairs.copulas import fitting
from spinney.pairs.copulas.rectangles import clamp, spearman

Bounds = dict[str, tuple[float, float]]
Given = Literal["u", "v"]
Method = Literal["mle", "tau", "rho"]
T = TypeVar("T")

# Which of (u, v) a rotation replaces by one minus itself, counter-clockwise in degrees.
_FLIPS = {0: (False, False), 90: (True, False), 180: (True, True), 270: (False, True)}


def flips_of(rotation: int) -> tuple[bool, bool]:
    """Which of (u, v) a rotation mirrors."""
    return _FLIPS[rotation]


# How the fit of all pairs sees a family

Sign = Literal["rotation", "mirror", "parameter"]

# How the parameters are found, as kernels know it.
NONE, SUMS, SEARCH, PROFILE = range(4)


@dataclass(frozen=True)
class Coordinate:
    """A function of one variable alone, called as ``coordinate(u, flip)``, and its inverse.

    With `flip` it is that of 1 - u, computed without forming 1 - u where that loses digits.
    """

    of: Callable[[Floats, bool], Any]
    inverse: Callable[[Floats, bool], Any]

    def __call__(self, u: Floats, flip: bool) -> Floats:
        """Coordinate of u, or of 1 - u where `flip`."""
        return np.asarray(self.of(u, flip))


@dataclass(frozen=True, kw_only=True)
class Batch:
    """How a family is fitted to all pairs of a table.

    Its kernels are in :mod:`spinney.pairs.copulas.kernels`. Formulas are those of the family class,
    which is the reference, arranged for vector code: no branch inside the loop, and `exp` and `log`
    from :mod:`spinney.pairs.copulas._math`, which inline.

    Attributes
    ----------
    coordinate : Coordinate
        What the kernels need of one variable alone, one of `COORDINATES`. It may not depend on
        parameters.
    method : {SEARCH, SUMS, PROFILE, NONE}
        How parameters are found. SEARCH: one parameter, where the total score is zero; the search
        starts at the sample's tau, by the inverse of the class's `kendall`. SUMS: from the sums
        of squares and products of normal scores, which are sufficient for the Gaussian copula.
        PROFILE: a search at each value of the second parameter on a grid, started at the
        correlation of the normal scores (Student). NONE: there are no parameters.
    sign : {"rotation", "mirror", "parameter"}
        How the family takes on negative dependence. "rotation": by the rotations of the class that
        mirror one variable; each rotation is a candidate of its own. "mirror": u is mirrored and
        the parameter's sign turned, so that kernels see positive parameters only (Frank).
        "parameter": kernels take parameters of either sign.
    weakest : float, optional
        Smallest parameter that is searched where it is not the class's own bound (`fit_bounds`).

    Notes
    -----
    The class itself has what else is needed: `fit_bounds`, `rotations`, `kendall`, `tails`, and
    the methods of many copulas at once (:meth:`Copula.side_by_side`).
    """

    coordinate: Coordinate
    method: int = SEARCH
    sign: Sign = "rotation"
    weakest: float | None = None


plain_u = Coordinate(lambda u, flip: 1 - u if flip else u, lambda x, flip: 1 - x if flip else x)
"""u itself."""
log_u = Coordinate(
    lambda u, flip: np.log1p(-u) if flip else np.log(u),
    lambda x, flip: -np.expm1(x) if flip else np.exp(x),
)
"""log u."""
log_one_minus_u = Coordinate(
    lambda u, flip: np.log(u) if flip else np.log1p(-u),
    lambda x, flip: np.exp(x) if flip else -np.expm1(x),
)
"""log(1 - u)."""
log_minus_log_u = Coordinate(
    lambda u, flip: np.log(-log_u(u, flip)),
    lambda x, flip: -np.expm1(-np.exp(x)) if flip else np.exp(-np.exp(x)),
)
"""log(-log u): additive in the logarithms, so neither end of (0, 1) is lost."""
normal_score = Coordinate(
    lambda u, flip: -special.ndtri(u) if flip else special.ndtri(u),
    lambda x, flip: special.ndtr(-x if flip else x),
)
"""The standard normal quantile of u."""

COORDINATES = (normal_score, log_u, log_minus_log_u, plain_u, log_one_minus_u)
"""Those that are computed of every column, each of u and of 1 - u."""


# A family


class TailDependence(NamedTuple):
    r"""Coefficients of tail dependence in the lower left and the upper right corner.

    .. math:: \lambda_L = \lim_{q \to 0} P(V \le q \mid U \le q), \qquad
              \lambda_U = \lim_{q \to 1} P(V > q \mid U > q)
    """

    lower: float
    upper: float


@dataclass(frozen=True)
class Copula(ABC):
    r"""A bivariate copula with its parameters: a small immutable object.

    By Sklar's theorem [1]_ a copula C joins two margins to a joint distribution,

    .. math:: F(x, y) = C\bigl(F_1(x), F_2(y)\bigr).

    All families are exchangeable before rotation, C(u, v) = C(v, u). A rotation by 90 degrees
    replaces u by 1 - u, by 180 both, by 270 v, as in pyvinecopulib.

    References
    ----------
    .. [1] H. Joe (2014). Dependence Modeling with Copulas. CRC Press.

    Examples
    --------
    >>> from spinney.copulas import Clayton, Copula
    >>> copula = Clayton(2.0)
    >>> isinstance(copula, Copula), round(float(copula.cdf(0.5, 0.5)), 4)
    (True, 0.378)
    """

    family: ClassVar[str]
    """Lower-case name, as in tables."""
    bounds: ClassVar[Bounds]
    """Smallest and largest value of each parameter."""
    fit_bounds: ClassVar[Bounds]
    """The part of `bounds` in which a fit looks; a fit that ends on its edge is independence
    or functional dependence for all practical purposes."""
    rotations: ClassVar[tuple[int, ...]] = (0,)
    """Rotations that give a different copula."""
    batch: ClassVar[Batch | None] = None
    """How all pairs of a table are fitted at once; None if only single pairs can be."""

    def __post_init__(self) -> None:
        for name, (low, high) in self.bounds.items():
            value = float(getattr(self, name))
            object.__setattr__(self, name, value)
            if not low <= value <= high:
                raise InputError(
                    f"{type(self).__name__}: {name} must lie in [{low:g}, {high:g}], got {value:g}."
                )
        if self.rotation not in type(self).rotations:
            raise InputError(
                f"{type(self).__name__}: rotation must be one of {self.rotations}, "
                f"got {self.rotation!r}."
            )

    # Overridden by a dataclass field where a family can be rotated.
    @property
    def rotation(self) -> int:
        """Rotation in degrees, counter-clockwise."""
        return 0

    @property
    def parameters(self) -> tuple[float, ...]:
        """The parameters in the order of the constructor."""
        return tuple(getattr(self, name) for name in self.bounds)

    # ---- what a family offers, in coordinates and without rotation ----

    def _coordinate(self, u: Floats, flip: bool) -> Floats:
        """Coordinate of u, or of 1 - u where `flip`; by default that of the batch fit."""
        batch: Any = self.batch
        return np.asarray(batch.coordinate(u, flip))

    @abstractmethod
    def _log_hfunc(self, x: Floats, y: Floats) -> Floats:
        """Log of P(V <= v | U = u), where x belongs to u and y to v."""

    def _from_coordinate(self, x: Floats, flip: bool) -> Floats:
        """Inverse of `_coordinate`."""
        batch: Any = self.batch
        return np.asarray(batch.coordinate.inverse(x, flip))

    @abstractmethod
    def _log_density(self, x: Floats, y: Floats) -> Floats:
        """Log-density."""

    @abstractmethod
    def _inverse_hfunc(self, x: Floats, log_p: Floats) -> Floats:
        """Coordinate of the v at which `_log_hfunc` is `log_p`."""

    @abstractmethod
    def _cdf(self, u: Floats, v: Floats) -> Floats:
        """Distribution function of the unrotated copula."""

    @staticmethod
    @abstractmethod
    def kendall(*parameters: Any) -> Any:
        """Kendall's tau of the unrotated copula as a function of the parameters; they broadcast."""

    def _spearman_rho(self) -> float:
        """Spearman's rho of the unrotated copula; by quadrature unless a family knows better."""
        return spearman(self._cdf)

    @staticmethod
    def tails(*parameters: Any) -> tuple[Any, Any]:
        """Lower and upper tail dependence of the unrotated copula; parameters broadcast."""
        return 0.0, 0.0

    @cached_property
    def _flips(self) -> tuple[bool, bool]:
        return flips_of(self.rotation)

    # ---- public methods ----

    def logpdf(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Log-density at (u, v); arguments broadcast."""
        flip_u, flip_v = self._flips
        u, v = clamp(u), clamp(v)
        return self._log_density(self._coordinate(u, flip_u), self._coordinate(v, flip_v))

    def pdf(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Density at (u, v)."""
        return np.exp(self.logpdf(u, v))

    def cdf(self, u: ArrayLike, v: ArrayLike) -> Floats:
        """Distribution function: P(U <= u, V <= v)."""
        u, v = clamp(u), clamp(v)
        match self._flips:
            case (False, False):
                value = self._cdf(u, v)
            case (True, False):
                value = v - self._cdf(1 - u, v)
            case (False, True):
                value = u - self._cdf(u, 1 - v)
            case _:
                value = u + v - 1 + self._cdf(1 - u, 1 - v)
        # The Fréchet bounds hold for every copula; rounding may step outside them.
        return np.clip(value, np.maximum(u + v - 1, 0.0), np.minimum(u, v))

    def hfunc(self, u: ArrayLike, v: ArrayLike, given: Given = "u") -> Floats:
        r"""Conditional distribution function of one variable given the other.

        Parameters
        ----------
        u, v : array-like
            Points; they broadcast.
        given : {"u", "v"}
            The variable that is known: ``"u"`` gives :math:`P(V \le v \mid U = u) = \partial_u
            C(u, v)` (pyvinecopulib's ``hfunc1``), ``"v"`` gives :math:`P(U \le u \mid V = v)`
            (``hfunc2``).
        """
        known, other = self._by_role(u, v, given)
        flip_known, flip_other = self._by_role(*self._flips, given)
        log_h = self._log_hfunc(
            self._coordinate(clamp(known), flip_known), self._coordinate(clamp(other), flip_other)
        )
        return -np.expm1(log_h) if flip_other else np.exp(log_h)

    def hinv(self, u: ArrayLike, v: ArrayLike, given: Given = "u") -> Floats:
        r"""Inverse of :meth:`hfunc` in the variable that is not given.

        Parameters
        ----------
        u, v : array-like
            The value of the known variable, and a probability in place of the other.
        given : {"u", "v"}
            ``"u"``: `v` is a probability; returns the v with ``hfunc(u, v) = probability``.
            ``"v"``: `u` is a probability; returns the u.

        Examples
        --------
        >>> from spinney.pairs.copulas import Clayton
        >>> copula = Clayton(2.0, rotation=90)
        >>> p = copula.hfunc(0.3, 0.8)
        >>> round(float(copula.hinv(0.3, p)), 12)
        0.8
        """
        known, p = self._by_role(u, v, given)
        flip_known, flip_other = self._by_role(*self._flips, given)
        p = clamp(p)
        log_p = np.log1p(-p) if flip_other else np.log(p)
        y = self._inverse_hfunc(self._coordinate(clamp(known), flip_known), log_p)
        return clamp(self._from_coordinate(y, flip_other))

    @classmethod
    def side_by_side(
        cls, *parameters: Floats, mirrored: tuple[bool, bool] = (False, False)
    ) -> Self:
        """Many copulas of the family in one object: each parameter is an array, one per point.

        One call then serves all of them. Parameters are not checked, and `mirrored`, which of
        (u, v) is replaced by one minus itself, takes the place of the rotation.

        Examples
        --------
        >>> from spinney.pairs.copulas import Clayton
        >>> both = Clayton.side_by_side(np.array([0.5, 3.0]))
        >>> both.hinv([0.3, 0.3], [0.7, 0.7]).round(6).tolist()
        [0.660449, 0.432516]
        >>> [round(float(Clayton(theta).hinv(0.3, 0.7)), 6) for theta in (0.5, 3.0)]
        [0.660449, 0.432516]
        """
        copulas = object.__new__(cls)
        copulas.__dict__.update(zip(cls.bounds, parameters, strict=True), _flips=mirrored)
        return copulas

    @staticmethod
    def _by_role(first: T, second: T, given: Given) -> tuple[T, T]:
        if given == "u":
            return first, second
        if given == "v":
            return second, first
        raise InputError(f"given must be 'u' or 'v', got {given!r}.")

    def sample(self, n: int, random_state: int | np.random.Generator | None = None) -> Floats:
        """Draw `n` pairs, shape (n, 2), by inverting the conditional distribution."""
        rng = read_random_state(random_state)
        u, p = rng.uniform(size=(2, n))
        return np.column_stack([u, self.hinv(u, p)])

    @cached_property
    def tau(self) -> float:
        """Kendall's tau, from the parameters."""
        return self._sign * float(self.kendall(*self.parameters))

    @cached_property
    def spearman_rho(self) -> float:
        """Spearman's rho, from the parameters."""
        return self._sign * self._spearman_rho()

    @property
    def tail_dependence(self) -> TailDependence:
        """Tail dependence in the lower left and upper right corners, from the parameters.

        Rotations by 90 and 270 degrees put the tails into the other two corners, where one
        variable is low and the other high: here they count as zero.
        """
        flip_u, flip_v = self._flips
        if flip_u != flip_v:
            return TailDependence(0.0, 0.0)
        lower, upper = (float(tail) for tail in self.tails(*self.parameters))
        return TailDependence(upper, lower) if flip_u else TailDependence(lower, upper)

    @property
    def _sign(self) -> float:
        return -1.0 if self._flips[0] != self._flips[1] else 1.0

    @classmethod
    def fit(
        cls, u: ArrayLike, v: ArrayLike, method: Method = "mle", rotation: int | None = None
    ) -> Self:
        """Fit the parameters to pairs of pseudo-observations.

        Parameters
        ----------
        u, v : array-like of shape (n,)
            Pseudo-observations, strictly between 0 and 1.
        method : {"mle", "tau", "rho"}
            Maximum pseudo-likelihood, or match Kendall's tau or Spearman's rho; a parameter that
            the rank correlation leaves free is found by maximum pseudo-likelihood.
        rotation : int, optional
            Rotation in degrees. By default the one with the larger likelihood among those whose
            sign agrees with the sample's Kendall's tau.

        Examples
        --------
        >>> from spinney.pairs.copulas import Clayton
        >>> data = Clayton(2.0, rotation=180).sample(2000, random_state=1)
        >>> Clayton.fit(*data.T)
        Clayton(theta=1.9..., rotation=180)
        """
        return fitting.fit(cls, u, v, method, rotation)

    # ---- helpers ----

    def replace(self, **changes: Any) -> Self:
        """Copy with some parameters changed."""
        now = {field.name: getattr(self, field.name) for field in fields(self)}
        return type(self)(**{**now, **changes})
