"""Bivariate copulas, and all pairs of a table fitted at once."""

from spinney.copulas.base import Copula, TailDependence
from spinney.copulas.bb1 import BB1
from spinney.copulas.clayton import Clayton
from spinney.copulas.descent import sample_down
from spinney.copulas.frank import Frank
from spinney.copulas.gaussian import Gaussian
from spinney.copulas.gumbel import Gumbel
from spinney.copulas.independence import Independence
from spinney.copulas.joe import Joe
from spinney.copulas.pair_copulas import PairCopulas
from spinney.copulas.registry import DEFAULT_FAMILIES, FAMILIES, family_class
from spinney.copulas.student import Student

__all__ = [
    "BB1",
    "DEFAULT_FAMILIES",
    "FAMILIES",
    "Clayton",
    "Copula",
    "Frank",
    "Gaussian",
    "Gumbel",
    "Independence",
    "Joe",
    "PairCopulas",
    "Student",
    "TailDependence",
    "family_class",
    "sample_down",
]
