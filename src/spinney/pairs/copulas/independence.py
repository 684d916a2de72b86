"""The independence copula."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from spinney._core.arrays import Floats
from spinney.pairs.copulas.base import Bounds, Copula
from spinney.pairs.copulas.batch import NONE, Batch


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
    batch: ClassVar[Batch | None] = Batch(method=NONE, sign="parameter")

    def _coordinate(self, u: Floats, flip: bool) -> Floats:
        return u

    def _from_coordinate(self, x: Floats, flip: bool) -> Floats:
        return x

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
