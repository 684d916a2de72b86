"""Bivariate copulas, and all pairs of a table fitted at once."""

from spinney.pairs.copulas.base import Copula, TailDependence
from spinney.pairs.copulas.bb1 import BB1
from spinney.pairs.copulas.clayton import Clayton
from spinney.pairs.copulas.descent import sample_down
from spinney.pairs.copulas.frank import Frank
from spinney.pairs.copulas.gaussian import Gaussian
from spinney.pairs.copulas.gumbel import Gumbel
from spinney.pairs.copulas.independence import Independence
from spinney.pairs.copulas.joe import Joe
from spinney.pairs.copulas.pair_copulas import PairCopulas
from spinney.pairs.copulas.registry import DEFAULT_FAMILIES, FAMILIES, family_class
from spinney.pairs.copulas.student import Student

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
