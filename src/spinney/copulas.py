"""The copula families, each a small immutable object; see :mod:`spinney.pairs.copulas`."""

from spinney.pairs import copulas as _copulas

__getattr__, __dir__, __all__ = _copulas.__getattr__, _copulas.__dir__, _copulas.__all__
