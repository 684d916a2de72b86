"""The families by name, and independence, the least of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from spinney._core.arrays import Floats
from spinney.exceptions import InputError
from spinney.pairs.copulas.base import NONE, Batch, Bounds, Copula, plain_u
from spinney.pairs.copulas.bb1 import BB1
from spinney.pairs.copulas.clayton import Clayton
from spinney.pairs.copulas.elliptical import Gaussian, Student
from spinney.pairs.copulas.frank import Frank
from spinney.pairs.copulas.gumbel import Gumbel
from spinney.pairs.copulas.joe import Joe


@dataclass(frozen=True)
class Independence(Copula):
    """Independence: C(u, v) = u v, density 1.

    Examples
    --------
    >>> Independence().tau
    0.0
    """

    family: ClassVar[str] = "independence"
    bounds: ClassVar[Bounds] = {}
    fit_bounds: ClassVar[Bounds] = {}
    batch: ClassVar[Batch | None] = Batch(coordinate=plain_u, method=NONE, sign="parameter")

    def _log_density(self, x: Floats, y: Floats) -> Floats:
        return np.zeros(np.broadcast_shapes(x.shape, y.shape))

    def _log_hfunc(self, x: Floats, y: Floats) -> Floats:
        return np.log(y) + np.zeros_like(x)

    def _inverse_hfunc(self, x: Floats, log_p: Floats) -> Floats:
        return np.exp(log_p) + np.zeros_like(x)

    def _cdf(self, u: Floats, v: Floats) -> Floats:
        return u * v

    @staticmethod
    def kendall(*parameters: Any) -> Any:
        """Return zero."""
        return 0.0

    def _spearman_rho(self) -> float:
        return 0.0


FAMILIES: dict[str, type[Copula]] = {
    cls.family: cls for cls in (Independence, Gaussian, Student, Clayton, Gumbel, Frank, Joe, BB1)
}
"""Every family by its lower-case name; a class that is added here is known everywhere."""

DEFAULT_FAMILIES = ("gaussian", "student", "clayton", "gumbel", "frank")
"""The five candidates of the founding paper; independence always competes with them."""


def family_class(family: str | type[Copula]) -> type[Copula]:
    """Find a family by name or by class.

    Examples
    --------
    >>> family_class("clayton").__name__
    'Clayton'
    """
    name = family if isinstance(family, str) else getattr(family, "family", None)
    if isinstance(name, str) and name.lower() in FAMILIES:
        return FAMILIES[name.lower()]
    raise InputError(f"There is no copula family {family!r}. Choose from {', '.join(FAMILIES)}.")


def family_names(families: str | type[Copula] | Iterable[str | type[Copula]]) -> tuple[str, ...]:
    """Read a choice of families; independence comes first, and no family occurs twice.

    Examples
    --------
    >>> family_names(["gumbel", "gaussian"])
    ('independence', 'gumbel', 'gaussian')
    """
    if isinstance(families, str | type):
        families = DEFAULT_FAMILIES if families == "default" else (families,)
    chosen = [family_class(family).family for family in families]
    return tuple(dict.fromkeys([Independence.family, *chosen]))
