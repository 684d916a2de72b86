"""Bivariate copulas, and all pairs of a table fitted at once.

The families are plain numpy; only :class:`PairCopulas`, which fits all pairs, is compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._core.registry import lazy_exports

if TYPE_CHECKING:  # for editors and type checkers, which do not run the lines below
    from spinney.pairs.copulas.base import Copula as Copula
    from spinney.pairs.copulas.base import TailDependence as TailDependence
    from spinney.pairs.copulas.bb1 import BB1 as BB1
    from spinney.pairs.copulas.clayton import Clayton as Clayton
    from spinney.pairs.copulas.elliptical import Gaussian as Gaussian
    from spinney.pairs.copulas.elliptical import Student as Student
    from spinney.pairs.copulas.frank import Frank as Frank
    from spinney.pairs.copulas.gumbel import Gumbel as Gumbel
    from spinney.pairs.copulas.joe import Joe as Joe
    from spinney.pairs.copulas.pair_copulas import PairCopulas as PairCopulas
    from spinney.pairs.copulas.registry import DEFAULT_FAMILIES as DEFAULT_FAMILIES
    from spinney.pairs.copulas.registry import FAMILIES as FAMILIES
    from spinney.pairs.copulas.registry import Independence as Independence
    from spinney.pairs.copulas.registry import family_class as family_class
    from spinney.pairs.sampling import sample_down as sample_down

_HOMES = {
    "copulas.base": ("Copula", "TailDependence"),
    "copulas.pair_copulas": ("PairCopulas",),
    "copulas.registry": (
        *("BB1", "DEFAULT_FAMILIES", "FAMILIES", "Clayton", "Frank", "Gaussian", "Gumbel"),
        *("Independence", "Joe", "Student", "family_class"),
    ),
    "sampling": ("sample_down",),
}

__getattr__, __dir__, __all__ = lazy_exports(
    __name__, {name: f"spinney.pairs.{home}" for home, names in _HOMES.items() for name in names}
)
