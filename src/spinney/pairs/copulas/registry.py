"""The families by name."""

from __future__ import annotations

from collections.abc import Iterable

from spinney.exceptions import InputError
from spinney.pairs.copulas.base import Copula
from spinney.pairs.copulas.bb1 import BB1
from spinney.pairs.copulas.clayton import Clayton
from spinney.pairs.copulas.frank import Frank
from spinney.pairs.copulas.gaussian import Gaussian
from spinney.pairs.copulas.gumbel import Gumbel
from spinney.pairs.copulas.independence import Independence
from spinney.pairs.copulas.joe import Joe
from spinney.pairs.copulas.student import Student

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
