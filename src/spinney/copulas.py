"""The copula families, each a small immutable object; see :mod:`spinney.pairs.copulas`."""

from spinney.pairs.copulas import *  # noqa: F403
from spinney.pairs.copulas import __all__ as __all__
