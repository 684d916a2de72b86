"""What the fit of all pairs needs to know of a family.

A family that :class:`~spinney.pairs.copulas.PairCopulas` can fit has a :class:`Batch` as its
attribute `batch`. Nothing else in the batch fit knows a family by name: a new one is a file with a
class and a `Batch`, and a line in the registry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import special

from spinney._core.arrays import Floats

Kernel = Callable[..., None]
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


@dataclass(frozen=True)
class Compiled:
    """A kernel of a family, imported and compiled when it is first called or asked for."""

    family: str
    name: str

    @property
    def kernel(self) -> Kernel:
        """The kernel itself."""
        found: Kernel = getattr(
            import_module(f"spinney.pairs.copulas.kernels.{self.family}"), self.name
        )
        return found

    def __call__(self, *arguments: Any) -> None:
        """Call the kernel."""
        self.kernel(*arguments)


def compiled(family: str, *names: str) -> dict[str, Any]:
    """List the kernels of a family by name, for :class:`Batch`."""
    return {name: Compiled(family, name) for name in names}


class Profile(NamedTuple):
    """How a second parameter, which is tried on a grid, enters what depends on one variable alone.

    Attributes
    ----------
    coordinate : callable
        ``coordinate(u, second)``: the coordinate at that second parameter. It is never mirrored:
        such a family has its sign in its first parameter and no rotations.
    term : callable
        ``term(x, second)``: a further part of the log-density that one variable decides.
    constant : callable
        ``constant(second)``: the part that no variable decides.
    table : callable, optional
        ``table(second)``: what the family's `strip` kernel reads at that second parameter.
    """

    coordinate: Callable[[Floats, float], Floats]
    term: Callable[[Floats, float], Floats]
    constant: Callable[[float], float]
    table: Callable[[float], Floats] | None = None


@dataclass(frozen=True, kw_only=True)
class Batch:
    """How a family is fitted to all pairs of a table.

    Kernels are compiled by :func:`spinney._core.compile.kernel`; they take contiguous arrays of one
    length and numbers, and fill `out`. Formulas are those of the family class, which is the
    reference, arranged for vector code: no branch inside the loop, and `exp` and `log` from
    :mod:`spinney.pairs.copulas._math`, which inline.

    Attributes
    ----------
    coordinate : Coordinate
        What the kernels need of one variable alone. It may not depend on parameters. Families that
        share a coordinate share its values.
    density : kernel
        ``density(x, y, theta, out)``: log-densities of the unrotated copula, in coordinates. With
        a `profile`, ``density(x, y, term_x, term_y, theta, second, constant, out)``.
    score : kernel
        ``score(x, y, theta, out)``: derivatives of the log-densities by theta. With a `profile`,
        ``score(x, y, theta, second, out)``. Not needed where `method` is SUMS.
    method : {SEARCH, SUMS, PROFILE, NONE}
        How parameters are found. SEARCH: one parameter, where the total score is zero; the search
        starts at the sample's tau, by the inverse of the class's `kendall`. SUMS: from the sums
        of squares and products of normal scores, which are sufficient for the Gaussian copula.
        PROFILE: a search at each value of the second parameter on a grid, started at the
        correlation of the normal scores, which therefore are its `coordinate`. NONE: there are
        no parameters.
    sign : {"rotation", "mirror", "parameter"}
        How the family takes on negative dependence. "rotation": by the rotations of the class that
        mirror one variable; each rotation is a candidate of its own. "mirror": u is mirrored and
        the parameter's sign turned, so that kernels see positive parameters only (Frank).
        "parameter": kernels take parameters of either sign.
    weakest : float, optional
        Smallest parameter that is searched where it is not the class's own bound (`fit_bounds`).
    profile : Profile, optional
        What belongs to the second parameter.
    strip : kernel, optional
        ``strip(x, cuts, codes, theta, second, table, out)``: for a continuous variable with
        coordinates `x` beside one with levels, log(h(t[c] | x) - h(t[c - 1] | x)) for each row and
        its code c, of the unrotated copula. `cuts` are the coordinates of the interior thresholds
        of the variable with levels, in rising order of its (mirrored) u; `codes` are
        int64 and count from its lowest level; below the first threshold h is 0, above the last
        it is 1. `second` and `table` (what `Profile.table` returns) are for families with a
        `profile`; the others are handed any number and an empty array. Masses of the levels are
        not divided by.
    cells : kernel, optional
        ``cells(a, b, x, y, theta, second, out)``: log-volumes of all rectangles between the
        interior thresholds `a` and `b` (of the mirrored variables, rising, strictly inside
        (0, 1)), whose coordinates are `x` and `y`, under the unrotated copula, row by row into
        `out` of length (a.size + 1) * (b.size + 1); none below
        :data:`~spinney.pairs.copulas.rectangles.LOG_FLOOR`.

    Notes
    -----
    The class itself has what else is needed: `fit_bounds`, `rotations`, `kendall`, `tails`, and
    the methods of many copulas at once (:meth:`Copula.side_by_side`).
    """

    coordinate: Coordinate | None = None
    density: Kernel | None = None
    score: Kernel | None = None
    method: int = SEARCH
    sign: Sign = "rotation"
    weakest: float | None = None
    profile: Profile | None = None
    strip: Kernel | None = None
    cells: Kernel | None = None


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
