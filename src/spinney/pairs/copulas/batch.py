"""What the fit of all pairs needs to know of a family.

A family that :class:`~spinney.pairs.copulas.PairCopulas` can fit has a :class:`Batch` as its
attribute `batch`, and compiled kernels of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import special

from spinney._core.arrays import Floats

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

    coordinate: Coordinate | None = None
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
