"""The search for one pair, as on the processor, with sums taken over lanes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from spinney._cuda import twin
from spinney.copulas import _block, _fit_one, _search
from spinney.copulas.cuda.lanes import Primitives, primitives

__all__ = ["fit_pair_on_lanes"]


def fit_pair_on_lanes(
    densities: Sequence[Any], scores: Sequence[Any], profile: tuple[Any, Any] | None
) -> Any:
    """Compile :func:`spinney.copulas._block.fit_pair` for lanes; see :func:`primitives`."""
    own: Primitives = primitives(densities, scores, profile)
    names: dict[str, Any] = own._asdict()
    # Each name is compiled with the twins of what it calls, which stand before it.
    for module, functions in (
        (_search, "gaussian_log_likelihood gaussian_mle maximise profile_density profile_second"),
        (_fit_one, "prepare first_guess best_without fit_candidate refit_candidate"),
        (_block, "next_likely cross_validate choose record fit_pair"),
    ):
        for name in functions.split():
            kernel = getattr(module, name)
            names[name] = twin(kernel, **{"np": _plain_numpy(kernel), **names})
    return names["fit_pair"]


def _plain_numpy(kernel: Any) -> Any:
    """Give numpy itself to a kernel that calls it on arrays, :mod:`math` to the others."""
    source = getattr(kernel, "py_func", kernel)
    return np if {"argmax", "argmin", "isnan"} & set(source.__code__.co_names) else math
